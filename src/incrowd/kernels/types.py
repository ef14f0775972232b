"""Types and constants that the reference, the compiled and the GPU kernels share."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints

Ids = NDArray[np.int32] | NDArray[np.int64]
Items = NDArray[np.int32]  # numbered pairs of cell and slot
Words = NDArray[np.uint64]  # bitsets
Whole = NDArray[Any]  # int32 or int64, or Python integers of any size
Cells = NDArray[np.integer[Any]]  # [user, slot]

EARTH_RADIUS_M = 6371008.8
SWAP_BEST, SWAP_RECORDS, REMOVE = range(3)  # what to do with a record shifted by one
UNCORRELATED, SHIFTED, RECORDS, TIMES = range(4)  # what `repair_order` counts: two removals, two exchanges


class Histograms(NamedTuple):
    """Distinct histograms over cells; number g owns rows offsets[g]:offsets[g+1], and size[g] trajectories have it."""

    offsets: Ints
    cell: Ints  # by rising cell within a histogram
    times: Ints  # records in that cell
    size: Ints


class Scale(NamedTuple):
    """Integer weights and caps of space and time: (space·min(S, cap·n) + time·min(Tau, cap·n)) / (full·n)."""

    space: int
    space_cap: int
    time: int
    time_cap: int


CELLS = Scale(12, 200, 5, 480)  # coordinates in cells of 100 m
METRES = Scale(3, 20_000, 125, 480)
UNLIMITED = 1 << 40  # an extent that no box reaches


def full(scale: Scale) -> int:
    """The numerator, for each person, of a stretch of 1."""
    return scale.space * scale.space_cap + scale.time * scale.time_cap
