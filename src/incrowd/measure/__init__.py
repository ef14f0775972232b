"""Risk and utility as small frozen records.

uniqueness     who is singled out by a few known points
crowd_sizes    how many people share some known points
sweep, sweep_cost                         uniqueness over all resolutions in space and time, and its cost
exposure       the fewest own points that single each person out
cut_risk       uniqueness before and after cutting into windows
violating_sequences, frequent_sequences   what LKC-privacy must break, and what it should keep
stretch, kgap, kgaps, tails, accuracy     how far people are from hiding in k, why, and what it cost
displacement   how far a release moved its points, and how many it made up
top_shares, nights, prediction_errors     how regular people are by day and night
day_gains      how much more alike a person's days are than those of two people
summary        what is in a dataset
utility        what a release is still good for
"""

from incrowd.measure._cut_risk import CutRisk, cut_risk
from incrowd.measure._day_gains import DayGains, day_gains
from incrowd.measure._displacement import Displacement, displacement
from incrowd.measure._exposure import Exposure, exposure
from incrowd.measure._summary import Summary, summary
from incrowd.measure._utility import Utility, utility
from incrowd.measure.glove.accuracy import Accuracy, accuracy
from incrowd.measure.glove.kgap import KGap, kgap, kgaps
from incrowd.measure.glove.stretch import stretch
from incrowd.measure.glove.tails import Tails, tail_weight, tails
from incrowd.measure.lkc.sequences import frequent_sequences, violating_sequences
from incrowd.measure.regularity import Nights, nights, prediction_errors, top_shares
from incrowd.measure.sweep import sweep
from incrowd.measure.sweep.estimate import SweepEstimate, sweep_cost
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
    "stretch",
    "summary",
    "sweep",
    "sweep_cost",
    "tail_weight",
    "tails",
    "top_shares",
    "uniqueness",
    "utility",
    "violating_sequences",
]

SweepCost = SweepEstimate  # its former name
