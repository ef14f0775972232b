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

from incrowd.measure.accuracy import Accuracy, accuracy
from incrowd.measure.cutting import CutRisk, cut_risk
from incrowd.measure.displacement import Displacement, displacement
from incrowd.measure.exposure import Exposure, exposure
from incrowd.measure.frequent import frequent_sequences
from incrowd.measure.gains import DayGains, day_gains
from incrowd.measure.kgap import KGap, kgap, kgaps
from incrowd.measure.question import Uniqueness
from incrowd.measure.regularity import Nights, nights, prediction_errors, top_shares
from incrowd.measure.stretch import stretch
from incrowd.measure.summary import Summary, summary
from incrowd.measure.sweep import sweep
from incrowd.measure.sweep_cost import SweepCost, sweep_cost
from incrowd.measure.sweep_record import Sweep
from incrowd.measure.tails import Tails, tail_weight, tails
from incrowd.measure.uniqueness import crowd_sizes, uniqueness
from incrowd.measure.utility import Utility, utility
from incrowd.measure.violating import violating_sequences

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
    "SweepCost",
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
