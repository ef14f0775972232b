"""Numbers drawn elsewhere -> points: without replacement, by rank among all subsets, by rank among close subsets.

Ranks and weights may be Python integers of any size in object arrays; the compiled twins hold 63 bits.
"""

from itertools import takewhile
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


def subsets(ranks: Whole, points: int, binomials: Whole) -> Ints:
    """The sets of `points` numbers with these ranks in colexicographic order; binomials[c, i] = C(c, i)."""
    found = np.empty((len(ranks), points), np.int64)
    for q, rank in enumerate(ranks.tolist()):
        for i in range(points, 0, -1):
            c = i - 1
            while comb(c + 1, i) <= rank:
                c += 1
            found[q, i - 1] = c
            rank -= comb(c, i)
    del binomials
    return found


def close_weights(
    starts: Ints, sizes: Ints, slot: Ints, nearest: int, farthest: int, block: tuple[int, int], ways: Whole
) -> tuple[Ints, Whole]:
    """How many subsets begin at each row or before it in its trajectory, and how far their last point is at least.

    A subset may begin at row i and end at row j > i when slot[j] - slot[i] lies in nearest..farthest and both lie in
    one block, slot * block[0] // block[1]; ways[d] = C(d, points - 1) of them end at row i + d or before.
    """
    step = np.ones(len(slot), np.int64)
    weights = np.zeros(len(slot), ways.dtype)
    for start, size in zip(starts.tolist(), sizes.tolist(), strict=True):
        time = slot[start : start + size].tolist()
        total = 0
        for i in range(size):
            in_reach = takewhile(lambda j: time[j] - time[i] <= farthest, range(i + 1, size))  # noqa: B023
            ends = [
                j for j in in_reach if nearest <= time[j] - time[i] and _block(time[j], block) == _block(time[i], block)
            ]
            if ends:
                step[start + i] = ends[0] - i
                total += ways[ends[-1] - i] - ways[ends[0] - i - 1]
            weights[start + i] = total
    return step, weights


def _block(slot: int, block: tuple[int, int]) -> int:
    return slot * block[0] // block[1]


def firsts(starts: Ints, sizes: Ints, step: Ints, weights: Whole, ways: Whole, ranks: Whole) -> tuple[Ints, Whole]:
    """The first row of the close subset with each rank, and the rank of the rest among subsets of later rows."""
    row, rest = np.empty(len(ranks), np.int64), np.empty(len(ranks), weights.dtype)
    for q, rank in enumerate(ranks.tolist()):
        mine = weights[starts[q] : starts[q] + sizes[q]].tolist()
        place = next(i for i, weight in enumerate(mine) if weight > rank)
        row[q] = starts[q] + place
        rest[q] = rank - (mine[place - 1] if place else 0) + ways[step[row[q]] - 1]
    return row, rest
