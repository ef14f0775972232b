"""Risk and utility as small frozen records.

uniqueness     who is singled out by a few known points
crowd_sizes    how many people share some known points
exposure       the fewest own points that single each person out
cut_risk       uniqueness before and after cutting into windows
violating_sequences, frequent_sequences   what LKC-privacy must break, and what it should keep
summary        what is in a dataset
utility        what a release is still good for
"""

from incrowd.measure.cutting import CutRisk, cut_risk
from incrowd.measure.exposure import Exposure, exposure
from incrowd.measure.frequent import frequent_sequences
from incrowd.measure.question import Uniqueness
from incrowd.measure.summary import Summary, summary
from incrowd.measure.uniqueness import crowd_sizes, uniqueness
from incrowd.measure.utility import Utility, utility
from incrowd.measure.violating import violating_sequences

__all__ = [
    "CutRisk",
    "Exposure",
    "Summary",
    "Uniqueness",
    "Utility",
    "crowd_sizes",
    "cut_risk",
    "exposure",
    "frequent_sequences",
    "summary",
    "uniqueness",
    "utility",
    "violating_sequences",
]
