"""Who is on all lists of each of many questions, put in an order in which neighbours share lists."""

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.reference.uniqueness import count_matches
from incrowd.kernels.types import Ids, Words


def in_turn(starts: Ints, known: Ids) -> tuple[Ids, Ids]:
    """Where each question was, and its distinct lists, the shortest first and the longest again where some are missing.

    In the order of their second lists; the order of equal ones stays.
    """
    length = np.diff(starts)
    lists = np.empty_like(known)
    for row, turned in zip(known, lists, strict=True):
        distinct = sorted(set(row.tolist()), key=lambda k: (length[k], k))
        turned[:] = [*distinct, *distinct[-1:] * (len(row) - len(distinct))]
    place = np.argsort(lists[:, 1], kind="stable")
    return place.astype(np.int64), lists[place]


def count_in_turn(
    starts: Ints, postings: Ids, long: int, bit_row: Ids, words: Words, lists: Ids, own: Ids, users: int
) -> Ints:
    """How many users are on every list named in each row of lists, as `uniqueness.count_matches` says."""
    del users
    return count_matches(starts, postings, long, bit_row, words, lists, own)
