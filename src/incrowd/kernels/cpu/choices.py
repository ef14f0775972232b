"""Numbers drawn elsewhere -> points, compiled; ranks and weights must fit 63 bits."""

import numpy as np
from numba import njit

from incrowd.arrays import Ints


@njit(cache=True, nogil=True)
def without_replacement(draws: Ints) -> Ints:
    """Distinct numbers in the order drawn: draws[q, i] is a place among those not yet taken in row q."""
    drawn, taken = np.empty_like(draws), np.empty_like(draws)
    for q in range(len(draws)):
        for i in range(draws.shape[1]):
            number, at = draws[q, i], 0
            while at < i and taken[q, at] <= number:
                number += 1
                at += 1
            for k in range(i, at, -1):
                taken[q, k] = taken[q, k - 1]
            taken[q, at] = drawn[q, i] = number
    return drawn


@njit(cache=True, nogil=True)
def subsets(ranks: Ints, points: int, binomials: Ints) -> Ints:
    """The sets of `points` numbers with these ranks in colexicographic order; binomials[c, i] = C(c, i)."""
    chosen = np.empty((len(ranks), points), np.int64)
    for q in range(len(ranks)):
        rank = ranks[q]
        end = len(binomials)
        for i in range(points, 0, -1):
            at = i - 1
            while at + 1 < end:  # the largest number c below the one before with C(c, i) <= rank
                middle = (at + end) >> 1
                if binomials[middle, i] <= rank:
                    at = middle
                else:
                    end = middle
            chosen[q, i - 1] = end = at
            rank -= binomials[at, i]
    return chosen


@njit(cache=True, nogil=True)
def reach(starts: Ints, sizes: Ints, slot: Ints, block: Ints, nearest: int, farthest: int) -> tuple[Ints, Ints]:
    """How many rows ahead a subset that begins at each row may end, by two pointers."""
    near, far = np.ones(len(slot), np.int64), np.zeros(len(slot), np.int64)
    for t in range(len(starts)):
        stop = starts[t] + sizes[t]
        a = b = starts[t]
        for i in range(starts[t], stop):
            a, b = max(a, i + 1), max(b, i + 1)
            while b < stop and slot[b] - slot[i] <= farthest and block[b] == block[i]:
                b += 1
            while a < b and slot[a] - slot[i] < nearest:
                a += 1
            if a < b:
                near[i], far[i] = a - i, b - 1 - i
    return near, far


@njit(cache=True, nogil=True)
def firsts(starts: Ints, sizes: Ints, near: Ints, weights: Ints, ways: Ints, ranks: Ints) -> tuple[Ints, Ints]:
    """The first row of the close subset with each rank, and the rank of the rest among subsets of later rows."""
    row, rest = np.empty(len(ranks), np.int64), np.empty(len(ranks), np.int64)
    for q in range(len(ranks)):
        at, end = starts[q], starts[q] + sizes[q]
        while at < end:
            middle = (at + end) >> 1
            if weights[middle] > ranks[q]:
                end = middle
            else:
                at = middle + 1
        before = weights[at - 1] if at > starts[q] else 0
        row[q] = at
        rest[q] = ranks[q] - before + ways[near[at] - 1]
    return row, rest
