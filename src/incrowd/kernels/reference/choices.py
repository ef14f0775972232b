"""Numbers drawn elsewhere -> points: without replacement, by rank among all subsets, by rank among close subsets.

Ranks and weights may be Python integers of any size in object arrays; the compiled twins hold 63 bits.
"""

from bisect import bisect_right
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints

Whole = NDArray[Any]  # int64, or Python integers of any size


def without_replacement(draws: Ints) -> Ints:
    """Distinct numbers in the order drawn: draws[q, i] is a place among those not yet taken in row q."""
    drawn = np.empty_like(draws)
    for q, row in enumerate(draws.tolist()):
        pool = list(range(max(place + i for i, place in enumerate(row)) + 1))
        drawn[q] = [pool.pop(place) for place in row]
    return drawn


def subsets(ranks: Whole, points: int, binomials: Ints) -> Ints:
    """The sets of `points` numbers below len(binomials) with these ranks in colexicographic order.

    binomials[c, i] = C(c, i) where that fits 63 bits.
    """
    chosen = np.empty((len(ranks), points), np.int64)
    for q, rank in enumerate(ranks.tolist()):
        for i in range(points, 0, -1):
            c = bisect_right(range(len(binomials)), rank, key=lambda c: comb(c, i)) - 1
            chosen[q, i - 1] = c
            rank -= comb(c, i)
    return chosen


def reach(starts: Ints, sizes: Ints, slot: Ints, block: Ints, nearest: int, farthest: int) -> tuple[Ints, Ints]:
    """How many rows ahead a subset that begins at each row may end: from near to far, 1 to 0 where it cannot.

    It may end at row j > i of its trajectory when slot[j] - slot[i] lies in nearest..farthest and both in one block;
    slots and blocks do not fall within a trajectory.
    """
    near, far = np.ones(len(slot), np.int64), np.zeros(len(slot), np.int64)
    for start, size in zip(starts.tolist(), sizes.tolist(), strict=True):
        for i in range(start, start + size):
            later = range(i + 1, start + size)
            ends = [j for j in later if nearest <= slot[j] - slot[i] <= farthest and block[j] == block[i]]
            if ends:
                near[i], far[i] = ends[0] - i, ends[-1] - i
    return near, far


def firsts(starts: Ints, sizes: Ints, near: Ints, weights: Whole, ways: Whole, ranks: Whole) -> tuple[Ints, Whole]:
    """The first row of the close subset with each rank, and the rank of the rest among subsets of later rows.

    weights[i] subsets begin at row i or before it in its trajectory; ways[d] = C(d, points - 1) of those that begin
    at row i end at row i + d or before, were they not too near.
    """
    row, rest = np.empty(len(ranks), np.int64), np.empty(len(ranks), weights.dtype)
    for q, rank in enumerate(ranks.tolist()):
        at = bisect_right(weights, rank, int(starts[q]), int(starts[q] + sizes[q]))
        row[q] = at
        rest[q] = rank - (int(weights[at - 1]) if at > starts[q] else 0) + int(ways[near[at] - 1])
    return row, rest
