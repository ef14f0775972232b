"""Risk and utility as small frozen records.

uniqueness, crowd_sizes   how many people are identified by a few known visits, and how many people share them
exposure                  the fewest own visits that identify each person
risk_map                  where people are identified by a single visit, cell by cell
cut_risk                  uniqueness before and after cutting trajectories into windows
sweep, sweep_estimate     uniqueness over all resolutions of space and time, and how long that takes
kgap, kgaps, stretch      how much blurring until everyone looks like k - 1 others
tails, tail_weight        why people are hard to hide
accuracy                  how coarse GLOVE made the data
displacement              how far W4M moved its points, and how many it made up
utility                   what a release is still good for
violating_sequences, frequent_sequences   what LKC-privacy must break, and what it should keep
nights, day_gains, top_shares, prediction_errors   how regular people are by day and night
summary                   what is in a dataset
"""

import warnings
from typing import Any

from incrowd.errors import IncrowdWarning
from incrowd.measure._cut_risk import CutRisk, cut_risk
from incrowd.measure._displacement import Displacement, displacement
from incrowd.measure._exposure import Exposure, exposure
from incrowd.measure._risk_map import RiskMap, risk_map
from incrowd.measure._summary import Summary, summary
from incrowd.measure._utility import Utility, utility
from incrowd.measure.glove import KGap, Tails, kgap, kgaps, tail_weight, tails
from incrowd.measure.glove.accuracy import Accuracy, accuracy
from incrowd.measure.glove.stretch import stretch
from incrowd.measure.lkc import frequent_sequences, violating_sequences
from incrowd.measure.regularity import DayGains, Nights, day_gains, nights, prediction_errors, top_shares
from incrowd.measure.sweep import SweepEstimate, sweep, sweep_estimate
from incrowd.measure.sweep.result import Sweep
from incrowd.measure.uniqueness import crowd_sizes, uniqueness
from incrowd.measure.uniqueness.question import Uniqueness

__all__ = [
    "Accuracy",
    "CutRisk",
    "DayGains",
    "Displacement",
    "Exposure",
    "KGap",
    "Nights",
    "RiskMap",
    "Summary",
    "Sweep",
    "SweepEstimate",
    "Tails",
    "Uniqueness",
    "Utility",
    "accuracy",
    "crowd_sizes",
    "cut_risk",
    "day_gains",
    "displacement",
    "exposure",
    "frequent_sequences",
    "kgap",
    "kgaps",
    "nights",
    "prediction_errors",
    "risk_map",
    "stretch",
    "summary",
    "sweep",
    "sweep_estimate",
    "tail_weight",
    "tails",
    "top_shares",
    "uniqueness",
    "utility",
    "violating_sequences",
]

OLD_NAMES = {"sweep_cost": "sweep_estimate", "SweepCost": "SweepEstimate"}  # work until version 0.3, with a notice


def __getattr__(name: str) -> Any:
    if name not in OLD_NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"measure.{name} is now measure.{OLD_NAMES[name]}; the old name works until 0.3.", IncrowdWarning, 2)
    return globals()[OLD_NAMES[name]]
