"""Who shares these points, and which points: numbers drawn elsewhere -> points of a trajectory.

Ranks and weights may be Python integers of any size in object arrays; the compiled twins hold 63 bits.
"""

from bisect import bisect_right
from itertools import pairwise
from math import comb

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.types import Ids, Whole, Words


def inverted(ids: Ids, offsets: Ints, lists: int) -> tuple[Ints, Ids]:
    """Users of each point in order, list k at starts[k]:starts[k+1]; ids holds the point of each row."""
    users: list[list[int]] = [[] for _ in range(lists)]
    for u in range(len(offsets) - 1):
        for point in ids[offsets[u] : offsets[u + 1]]:
            users[point].append(u)
    starts = np.cumsum([0, *map(len, users)], dtype=np.int64)
    return starts, np.array([u for part in users for u in part], np.int32)


def bitsets(starts: Ints, postings: Ids, long: Ints, users: int) -> Words:
    """One bit per user for each of the long lists."""
    words = np.zeros((len(long), (users + 63) // 64), np.uint64)
    for row, k in enumerate(long):
        for u in postings[starts[k] : starts[k + 1]].tolist():
            words[row, u // 64] |= np.uint64(1 << (u % 64))
    return words


def count_matches(starts: Ints, postings: Ids, long: int, bit_row: Ids, words: Words, known: Ids, own: Ids) -> Ints:
    """How many users are on every list named in each row of known: s(Q) = |{j : Q ⊆ tr_j}|.

    Lists longer than `long` are repeated as bitsets words[bit_row[k]], and own[q] is a user known to be on all lists
    of row q, or -1; both save time and change no answer.
    """
    del long, bit_row, words, own
    lists = [set(postings[a:b].tolist()) for a, b in pairwise(starts)]
    return np.array([len(set.intersection(*(lists[k] for k in row))) for row in known.tolist()], np.int64)


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
