"""Boxes that overlap in time -> boxes that do not, compiled."""

import numpy as np
from numba import njit

from incrowd.arrays import Ints


@njit(cache=True)
def union(corners: Ints) -> Ints:
    """Boxes whose half-open intervals overlap, directly or through others, become their hull; rows are in order."""
    pieces = np.empty_like(corners)
    made = 0
    for box in corners:
        if made and box[0] < pieces[made - 1, 1]:
            _cover(pieces[made - 1], box)
        else:
            pieces[made] = box
            made += 1
    return pieces[:made].copy()


@njit(cache=True)
def split(corners: Ints) -> Ints:
    """Time is cut at every start and end; each covered piece gets the hull rectangle of the boxes that cover it."""
    cuts = np.unique(corners[:, :2].copy().ravel())
    pieces = np.empty((len(cuts), 6), corners.dtype)
    made = past = 0
    for cut in range(len(cuts) - 1):
        low, high = cuts[cut], cuts[cut + 1]
        covered = False
        while past < len(corners) and corners[past, 1] <= low:
            past += 1
        for i in range(past, len(corners)):
            if corners[i, 0] > low:
                break
            if corners[i, 1] > low:
                if covered:
                    _cover(pieces[made], corners[i])
                else:
                    pieces[made] = corners[i]
                covered = True
        if covered:
            pieces[made, 0], pieces[made, 1] = low, high
            made += 1
    return pieces[:made].copy()


@njit(cache=True)
def _cover(box: Ints, other: Ints) -> None:
    for low in range(0, 6, 2):
        box[low] = min(box[low], other[low])
        box[low + 1] = max(box[low + 1], other[low + 1])


@njit(cache=True)
def reshape(corners: Ints, offsets: Ints, pieces_only: bool) -> tuple[Ints, Ints]:
    """Union (or split) the boxes of each group; the new rows and where each group begins."""
    ends = np.zeros(len(offsets), np.int64)
    parts = np.empty((2 * len(corners), 6), corners.dtype)
    for g in range(len(offsets) - 1):
        rows = corners[offsets[g] : offsets[g + 1]]
        made = split(rows) if pieces_only else union(rows)
        ends[g + 1] = ends[g] + len(made)
        parts[ends[g] : ends[g + 1]] = made
    return parts[: ends[-1]].copy(), ends
