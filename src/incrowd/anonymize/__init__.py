"""Nouns -> Releases, each with the guarantee it states; one file per method."""

import warnings
from typing import Any

from incrowd.anonymize._counts import counts
from incrowd.anonymize._publish import publish
from incrowd.anonymize.base import Anonymizer, hold_out
from incrowd.anonymize.cell_key import CellKey
from incrowd.anonymize.count_steps import noise_counts, perturb_points, round_counts, suppress_small, to_regions
from incrowd.anonymize.cut import Cut
from incrowd.anonymize.dp_counts import DPCounts
from incrowd.anonymize.generalize import Generalize
from incrowd.anonymize.glove import Glove
from incrowd.anonymize.glove.estimate import GloveEstimate, glove_estimate
from incrowd.anonymize.lkc import LKC, LkcCost, lkc_cost
from incrowd.anonymize.w4m import W4M
from incrowd.errors import IncrowdWarning

METHODS: dict[str, type[Anonymizer]] = {
    "cut": Cut,
    "generalize": Generalize,
    "glove": Glove,
    "lkc": LKC,
    "w4m": W4M,
}

__all__ = [
    "LKC",
    "METHODS",
    "W4M",
    "Anonymizer",
    "CellKey",
    "Cut",
    "DPCounts",
    "Generalize",
    "Glove",
    "GloveEstimate",
    "LkcCost",
    "counts",
    "glove_estimate",
    "hold_out",
    "lkc_cost",
    "noise_counts",
    "perturb_points",
    "publish",
    "round_counts",
    "suppress_small",
    "to_regions",
]


def __getattr__(name: str) -> Any:
    """Old names, until version 0.3."""
    if name != "glove_cost":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn("glove_cost is now glove_estimate; the old name works until 0.3.", IncrowdWarning, stacklevel=2)
    return glove_estimate
