"""Who is on both of two lists, compiled, for many pairs: in the order of the longer list, whose users are marked once.

Two short lists are compared without a search, and pairs of lists that are near each other in memory stay in the cache.
"""

import numpy as np
from numba import njit

from incrowd.arrays import Ints
from incrowd.kernels.cpu.uniqueness import ones
from incrowd.kernels.types import Ids, Words


@njit(cache=True, nogil=True)
def by_longer(starts: Ints, known: Ids) -> tuple[Ids, Ids]:
    """The pairs with the longer list first, in the order of that list, by counting sort; and where each was."""
    n = len(known)
    ends = np.zeros(len(starts) + 1, np.int32)
    turned = np.empty((n, 2), known.dtype)
    for q in range(n):
        longer, shorter = known[q, 0], known[q, 1]
        if starts[shorter + 1] - starts[shorter] > starts[longer + 1] - starts[longer]:
            longer, shorter = shorter, longer
        turned[q, 0], turned[q, 1] = longer, shorter
        ends[longer + 1] += np.int32(1)
    for k in range(1, len(ends)):
        ends[k] += ends[k - 1]
    place, pairs = np.empty(n, np.int32), np.empty((n, 2), known.dtype)
    for q in range(n):
        at = ends[turned[q, 0]]
        place[at], pairs[at, 0], pairs[at, 1] = q, turned[q, 0], turned[q, 1]
        ends[turned[q, 0]] = at + np.int32(1)
    return place, pairs


@njit(cache=True, nogil=True)
def count_both(starts: Ints, postings: Ids, long: int, bit_row: Ids, words: Words, pairs: Ids, users: int) -> Ints:
    """How many users are on both lists of each pair."""
    count = np.empty(len(pairs), np.int64)
    marked, mark, before = np.zeros(users, np.int32), np.int32(0), np.int64(-1)
    for i in range(len(pairs)):
        longer, shorter = np.int64(pairs[i, 0]), pairs[i, 1]
        a, b = starts[shorter], starts[shorter + 1]
        many = starts[longer + 1] - starts[longer]
        if longer == shorter:
            count[i] = b - a
        elif b - a > long:
            count[i] = _both_bits(words, bit_row[longer], bit_row[shorter])
        elif many > long:
            count[i] = _with_bit(words, bit_row[longer], postings, a, b)
        else:
            if longer != before:
                before, mark = longer, mark + np.int32(1)
                for p in range(starts[longer], starts[longer + 1]):
                    marked[postings[p]] = mark
            n = 0
            for p in range(a, b):
                n += marked[postings[p]] == mark
            count[i] = n
    return count


@njit(cache=True)
def _both_bits(words: Words, one: int, other: int) -> int:
    n = 0
    for w in range(words.shape[1]):
        n += ones(words[one, w] & words[other, w])
    return n


@njit(cache=True)
def _with_bit(words: Words, row: int, postings: Ids, a: int, b: int) -> int:
    n = 0
    for p in range(a, b):
        user = postings[p]
        n += int((words[row, user >> 6] >> np.uint64(user & 63)) & np.uint64(1))
    return n
