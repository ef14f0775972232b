"""Nouns -> Releases, each with the guarantee it states; one file per method."""

from incrowd.anonymize._publish import publish
from incrowd.anonymize.base import Anonymizer
from incrowd.anonymize.counts import noise_counts, perturb_points, round_counts, suppress_small, to_regions
from incrowd.anonymize.cut import Cut
from incrowd.anonymize.generalize import Generalize
from incrowd.anonymize.glove import Glove
from incrowd.anonymize.glove.estimate import glove_cost
from incrowd.anonymize.lkc import LKC, LkcCost, lkc_cost
from incrowd.anonymize.w4m import W4M

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
    "Cut",
    "Generalize",
    "Glove",
    "LkcCost",
    "glove_cost",
    "lkc_cost",
    "noise_counts",
    "perturb_points",
    "publish",
    "round_counts",
    "suppress_small",
    "to_regions",
]
