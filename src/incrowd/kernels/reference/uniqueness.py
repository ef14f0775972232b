"""Who shares these points: lists of users by point, and how many users are on several lists at once."""

from itertools import pairwise

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.types import Ids, Words


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
