"""The fewest own points that identify a user, and which they are."""

from itertools import combinations, islice, pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.kernels.types import Ids

Set = tuple[int, ...]


def fewest_points(
    offsets: Ints, ids: Ids, starts: Ints, postings: Ids, users: int, first: int, deepest: int, most: int
) -> tuple[Ints, NDArray[np.bool_], Ints]:
    """Per user the size of the smallest set of own points nobody else contains, 0 where there is none.

    Then, per user, whether no smaller one can exist; and the rows of the sets, one set after the other.
    offsets holds some of all users, those from the first on. A user's points are taken by how many people have them,
    then by row; of each size from 2 to `deepest` no more than `most` sets are tried, in that order. Beyond, from each
    point in turn the point that leaves the fewest others is added, the first of equals, until nobody is left; the
    first of the shortest such chains counts.
    """
    del users
    lists = [set(postings[a:b].tolist()) for a, b in pairwise(starts)]
    fewest, exact, rows = [], [], []
    for u in range(len(offsets) - 1):
        mine = range(offsets[u], offsets[u + 1])
        order = sorted(mine, key=lambda row: len(lists[ids[row]]))
        smallest, sure = _smallest([lists[ids[row]] - {first + u} for row in order], deepest, most)
        fewest.append(len(smallest))
        exact.append(sure)
        rows += sorted(order[i] for i in smallest)
    return np.array(fewest, np.int64), np.array(exact, np.bool_), np.array(rows, np.int64)


def _smallest(others: list[set[int]], deepest: int, most: int) -> tuple[Set, bool]:
    """The set, and whether all smaller ones are ruled out."""
    if not others or set.intersection(*others):
        return (), True
    if not others[0]:
        return (0,), True
    ruled_out = 1  # all sets of up to this many points: where the rarest point is shared, each is
    for size in range(2, deepest + 1):
        for chosen in islice(combinations(range(len(others)), size), most):
            if not set.intersection(*(others[i] for i in chosen)):
                return chosen, size <= ruled_out + 1
        if ruled_out == size - 1 and comb(len(others), size) <= most:
            ruled_out = size
    chain = min((_chain(others, start) for start in range(len(others))), key=len)
    return chain, len(chain) <= ruled_out + 1


def _chain(others: list[set[int]], start: int) -> Set:
    chain: Set = (start,)
    left = others[start]
    while left:
        chosen = min(range(len(others)), key=lambda i: len(left & others[i]))
        chain, left = (*chain, chosen), left & others[chosen]
    return chain
