"""Towers at some slots -> a tower at every slot, by linear interpolation between records."""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.discretize.collect import Fill

from collections.abc import Callable
from itertools import pairwise

_CHUNK = 4_000_000  # rows filled at once

Search = Callable[[Floats, Floats], Ints]


def filler(xy: Floats, nearest: Search, slots: int) -> Fill:
    """Fill whole users: counts, slots and towers of their visits -> one tower per user and slot.

    Between two visits the coordinates are linear in the slot, then the nearest tower; a gap between equal towers is
    that tower; before the first and after the last visit the tower is constant [xu2017, Sec. 5.1].
    """

    def fill(counts: Ints, slot: Ints, cell: Ints) -> Ints:
        full = np.empty(len(counts) * slots, np.int32)
        begins = np.concatenate([[0], np.cumsum(counts)])
        step = max(_CHUNK // slots, 1)
        for a, b in pairwise([*range(0, len(counts), step), len(counts)]):
            rows = slice(begins[a], begins[b])
            full[a * slots : b * slots] = _filled(counts[a:b], slot[rows], cell[rows], xy, nearest, slots)
        return full

    return fill


def _filled(counts: Ints, slot: Ints, cell: Ints, xy: Floats, nearest: Search, slots: int) -> Ints:
    last = np.cumsum(counts) - 1
    first = last - counts + 1
    until = np.append(slot[1:], 0).astype(np.int64)  # the slot of the next visit
    until[last] = slots
    since = slot.astype(np.int64)
    since[first] = 0
    full = np.repeat(cell.astype(np.int64), until - since)  # everyone stays until the next visit
    between = np.flatnonzero((until - slot > 1) & (np.append(cell[1:], -1) != cell))
    between = between[~np.isin(between, last, assume_unique=True)]
    ...
    return full
