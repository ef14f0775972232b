"""Towers at some slots -> a tower at every slot, by linear interpolation between visits."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from incrowd.arrays import Floats, Ints, distinct_rows, row_order
from incrowd.discretize.collect import Fill, Whole

Search = Callable[[Floats, Floats], Ints]  # x, y -> id of the nearest tower

_CHUNK = 4_000_000  # rows filled at once


def filler(xy: Floats, nearest: Search, slots: int) -> Fill:
    """Fill whole users: visits per user, their slots and towers -> one tower per user and slot.

    Between two visits the coordinates are linear in the slot and the nearest tower is taken; a gap between equal
    towers is that tower; before the first and after the last visit the tower is constant [xu2017, Sec. 5.1].
    """

    def fill(counts: Ints, slot: Whole, cell: Whole) -> Whole:
        full = np.empty(len(counts) * slots, np.int32)
        begins = np.concatenate([[0], np.cumsum(counts)])
        step = max(_CHUNK // slots, 1)
        for a, b in pairwise([*range(0, len(counts), step), len(counts)]):
            rows = slice(begins[a], begins[b])
            full[a * slots : b * slots] = _filled(counts[a:b], slot[rows], cell[rows], xy, nearest, slots)
        return full

    return fill


def _filled(counts: Ints, slot: Whole, cell: Whole, xy: Floats, nearest: Search, slots: int) -> Whole:
    ends = np.cumsum(counts)
    at = np.repeat(np.arange(len(counts)) * slots, counts) + slot  # where each visit goes
    begins = at.copy()
    begins[ends - counts] = np.arange(len(counts)) * slots  # the first visit reaches back to slot 0
    full = np.repeat(cell, np.diff(begins, append=len(counts) * slots))  # everyone stays until the next visit
    gap = np.diff(at, append=0)
    gap[ends - 1] = 0  # the last visit lasts
    left = np.flatnonzero((gap > 1) & (cell != np.roll(cell, -1)))
    if len(left):
        here, there = cell[left].astype(np.int64), cell[left + 1].astype(np.int64)
        steps, path = _paths(here, there, gap[left], xy, nearest)
        full[np.repeat(at[left], gap[left] - 1) + steps] = path
    return full


def _paths(a: Ints, b: Ints, gap: Ints, xy: Floats, nearest: Search) -> tuple[Ints, Ints]:
    """For every gap in turn its steps 1 to gap - 1 and their towers; each distinct gap is searched once."""
    order = row_order(a, b, gap)
    if order is None:
        order = np.arange(len(a))
    new = distinct_rows(a[order], b[order], gap[order])
    kind = np.empty_like(order)
    kind[order] = np.cumsum(new) - 1
    one = order[new]  # a gap of each kind
    step, owner = _steps(gap[one])
    share = (step / gap[one][owner])[:, None]
    start, end = xy[a[one]][owner], xy[b[one]][owner]
    tower = nearest(*(start + (end - start) * share).T)
    begins = np.cumsum(gap[one] - 1) - (gap[one] - 1)
    steps, owner = _steps(gap)
    return steps, tower[begins[kind][owner] + steps - 1]


def _steps(gap: Ints) -> tuple[Ints, Ints]:
    """1 to gap - 1 for every gap in turn, and which gap each belongs to."""
    owner = np.repeat(np.arange(len(gap)), gap - 1)
    begins = np.cumsum(gap - 1) - (gap - 1)
    return np.arange(len(owner)) - begins[owner] + 1, owner
