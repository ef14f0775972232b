"""The fewest own points that single a user out."""

from itertools import combinations, pairwise

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.reference.matching import Ids


def fewest_points(offsets: Ints, ids: Ids, starts: Ints, postings: Ids, users: int, first: int, deepest: int) -> Ints:
    """Per user the size of the smallest set of own points nobody else contains; 0 where there is none.

    offsets holds some of all users, those from the first on.
    Every set of up to `deepest` points is tried. Beyond, from each point in turn the point that leaves the fewest
    others is added, the first of equals, until nobody is left; the shortest such chain counts.
    """
    del users
    lists = [set(postings[a:b].tolist()) for a, b in pairwise(starts)]
    fewest = np.zeros(len(offsets) - 1, np.int64)
    for u in range(len(fewest)):
        others = [lists[point] - {first + u} for point in ids[offsets[u] : offsets[u + 1]]]
        if others and not set.intersection(*others):
            fewest[u] = _smallest(others, deepest) or min(_chain(others, first) for first in others)
    return fewest


def _smallest(others: list[set[int]], deepest: int) -> int:
    for size in range(1, deepest + 1):
        if any(not set.intersection(*chosen) for chosen in combinations(others, size)):
            return size
    return 0


def _chain(others: list[set[int]], left: set[int]) -> int:
    size = 1
    while left:
        left = min((left & other for other in others), key=len)
        size += 1
    return size
