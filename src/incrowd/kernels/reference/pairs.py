"""How many users are on both of two lists, for many pairs."""

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.types import Ids, Words


def by_longer(starts: Ints, known: Ids) -> tuple[Ids, Ids]:
    """The pairs with the longer list first, in the order of that list; and where each was. Equal lengths stay."""
    length = np.diff(starts)
    turned = length[known[:, 1]] > length[known[:, 0]]
    pairs = np.where(turned[:, None], known[:, ::-1], known)
    place = np.argsort(pairs[:, 0], kind="stable").astype(np.int32)
    return place, pairs[place]


def count_both(starts: Ints, postings: Ids, long: int, bit_row: Ids, words: Words, pairs: Ids, users: int) -> Ints:
    """How many users are on both lists of each pair; lists, bitsets and `long` as in `uniqueness.count_matches`."""
    del long, bit_row, words, users
    lists = [postings[starts[k] : starts[k + 1]].tolist() for k in range(len(starts) - 1)]
    return np.array([len(set(lists[a]).intersection(lists[b])) for a, b in pairs.tolist()], np.int64)
