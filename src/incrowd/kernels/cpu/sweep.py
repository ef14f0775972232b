"""Whole-number records -> the points of each vehicle, compiled: tallied once per blocks, then for every period."""

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.cpu import compiled, helper
from incrowd.kernels.types import Whole


@compiled
def represent(
    t: Whole,
    x: Whole,
    y: Whole,
    offsets: Ints,
    size: tuple[int, int],
    blocks: int,
    base: int,
    periods: Ints,
    vote: bool,
    begins: Ints,
    ids: Whole,
) -> Ints:
    """How many points each vehicle has for each length of a period; they go to ids unless it is empty."""
    longest = 0
    for v in range(len(offsets) - 1):
        longest = max(longest, offsets[v + 1] - offsets[v])
    period, cell, votes = np.empty(longest, np.int64), np.empty(longest, np.int64), np.empty(longest, np.int64)
    held, total = np.empty(longest, np.int64), np.empty(longest, np.int64)
    place = np.zeros(blocks * blocks, np.int32)  # small, to stay in the cache
    counts = np.zeros((len(periods), len(offsets) - 1), np.int64)
    for v in range(len(offsets) - 1):
        rows = slice(offsets[v], offsets[v + 1])
        n = _tally(t[rows], x[rows], y[rows], size, blocks, base, place, period, cell, votes)
        for k in range(len(periods)):
            per = periods[k] // base
            at = ids[begins[k, v] :]
            if vote:
                counts[k, v] = _elect(period[:n], cell, votes, per, place, held, total, at)
            else:
                counts[k, v] = _collect(period[:n], cell, per, place, held, at)
    return counts


@helper
def _tally(
    t: Whole,
    x: Whole,
    y: Whole,
    size: tuple[int, int],
    blocks: int,
    base: int,
    place: Ints,
    period: Ints,
    cell: Ints,
    votes: Ints,
) -> int:
    """Records by base period and cell, to the front of period, cell and votes; how many such rows there are.

    place[c] is the row of cell c if it has one in this period; what is left of earlier periods points elsewhere.
    """
    n, first, now, end = 0, 0, np.int64(0), np.int64(0)
    for r in range(len(t)):
        if t[r] >= end:
            now = t[r] // base
            end = (now + 1) * base
            first = n
        column = min(x[r] * blocks // size[0], blocks - 1)
        row = min(y[r] * blocks // size[1], blocks - 1)
        c = row * blocks + column
        at = place[c]
        if first <= at < n and cell[at] == c:
            votes[at] += 1
        else:
            place[c], period[n], cell[n], votes[n] = n, now, c, 1
            n += 1
    return n


@helper
def _elect(period: Ints, cell: Ints, votes: Ints, per: int, place: Ints, held: Ints, total: Ints, ids: Whole) -> int:
    """One point per `per` base periods: the cell with most votes, ties to the smallest."""
    n, slot, end = -1, np.int64(0), np.int64(0)
    m, most, winner = 0, np.int64(0), np.int64(0)
    for i in range(len(period)):
        if period[i] >= end:
            slot = period[i] // per
            end = (slot + 1) * per
            m, most = 0, np.int64(0)
            n += 1
        c = cell[i]
        at = place[c]
        if 0 <= at < m and held[at] == c:
            total[at] += votes[i]
        else:
            at = m
            place[c], held[m], total[m] = m, c, votes[i]
            m += 1
        if total[at] > most or (total[at] == most and c < winner):
            most, winner = total[at], c
            if len(ids):
                ids[n] = slot * len(place) + winner
    return n + 1


@helper
def _collect(period: Ints, cell: Ints, per: int, place: Ints, held: Ints, ids: Whole) -> int:
    """Every cell of each `per` base periods, in order."""
    n, m, slot, end = 0, 0, np.int64(0), np.int64(0)
    for i in range(len(period)):
        if period[i] >= end:
            _write(held[:m], slot * len(place), ids, n - m)
            slot = period[i] // per
            end = (slot + 1) * per
            m = 0
        at = place[cell[i]]
        if not (0 <= at < m and held[at] == cell[i]):
            place[cell[i]], held[m] = m, cell[i]
            m += 1
            n += 1
    _write(held[:m], slot * len(place), ids, n - m)
    return n


@helper
def _write(cells: Ints, above: int, ids: Whole, at: int) -> None:
    if len(ids):
        cells.sort()
        for i in range(len(cells)):
            ids[at + i] = above + cells[i]
