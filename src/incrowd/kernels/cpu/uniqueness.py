"""Who shares these points, compiled: shortest list first, galloping through the next, bitsets for long lists.

And which points: numbers drawn elsewhere -> points; their ranks and weights must fit 63 bits.
"""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.kernels.cpu import compiled, helper
from incrowd.kernels.types import Ids, Words

AHEAD = 64  # queries whose lists are read ahead


def inverted(ids: Ids, offsets: Ints, lists: int) -> tuple[Ints, NDArray[np.int32]]:
    """Users of each point in order, list k at starts[k]:starts[k+1], by counting sort."""
    starts, postings = np.zeros(lists + 2, np.int64), np.empty(len(ids), np.int32)
    _invert(ids, offsets, starts, postings)
    return starts[:-1], postings


@compiled
def _invert(ids: Ids, offsets: Ints, starts: Ints, postings: Ids) -> None:
    for point in ids:
        starts[point + 2] += 1
    for k in range(2, len(starts)):
        starts[k] += starts[k - 1]
    for u in range(len(offsets) - 1):
        for r in range(offsets[u], offsets[u + 1]):
            at = starts[ids[r] + 1]
            postings[at] = u
            starts[ids[r] + 1] = at + 1


def bitsets(starts: Ints, postings: Ids, long: Ints, users: int) -> Words:
    """One bit per user for each of the long lists."""
    words = np.zeros((len(long), (users + 63) // 64), np.uint64)
    _set_bits(starts, postings, long, words)
    return words


@compiled
def _set_bits(starts: Ints, postings: Ids, long: Ints, words: Words) -> None:
    for row in range(len(long)):
        for p in range(starts[long[row]], starts[long[row] + 1]):
            words[row, postings[p] >> 6] |= np.uint64(1) << np.uint64(postings[p] & 63)


def count_matches(starts: Ints, postings: Ids, long: int, bit_row: Ids, words: Words, known: Ids, own: Ids) -> Ints:
    """How many users are on every list named in each row of known."""
    count, distinct = np.empty(len(known), np.int64), np.empty(AHEAD, np.int64)
    left = np.empty(max(long, 1), postings.dtype)
    _count_matches(starts, postings, long, bit_row, words, known.copy(), own, distinct, left, count)
    return count


@compiled
def _count_matches(
    starts: Ints,
    postings: Ids,
    long: int,
    bit_row: Ids,
    words: Words,
    lists: Ids,
    own: Ids,
    distinct: Ints,
    left: Ids,
    count: Ints,
) -> None:
    for first in range(0, len(lists), AHEAD):
        last = min(first + AHEAD, len(lists))
        for q in range(first, last):
            distinct[q - first] = m = sort_by_length(starts, lists[q])
            # Lists read a little ahead are near when their turn comes; the sum makes the reading count.
            count[q] = _read(starts, postings, lists[q, 0]) + _read(starts, postings, lists[q, min(m - 1, 1)])
        for q in range(first, last):
            m = distinct[q - first]
            length = starts[lists[q, 0] + 1] - starts[lists[q, 0]]
            if m == 1:
                count[q] = length
            elif length > long:  # the shortest list is long, so all are
                count[q] = count_bits(bit_row, words, lists[q], m)
            else:
                count[q] = _count_listed(starts, postings, long, bit_row, words, lists[q], m, own[q], left)


@helper
def _read(starts: Ints, postings: Ids, k: int) -> int:
    total = 0
    for p in range(starts[k], min(starts[k + 1], starts[k] + 1024), 16):  # one number per cache line
        total += postings[p]
    return total


@helper
def sort_by_length(starts: Ints, lists: Ids) -> int:
    """Distinct lists to the front, shortest first; how many they are."""
    m = 0
    for i in range(len(lists)):
        k = lists[i]
        known = False
        for j in range(m):
            known |= lists[j] == k
        if known:
            continue
        length = starts[k + 1] - starts[k]
        j = m
        while j > 0 and starts[lists[j - 1] + 1] - starts[lists[j - 1]] > length:
            lists[j] = lists[j - 1]
            j -= 1
        lists[j] = k
        m += 1
    return m


@helper
def count_bits(bit_row: Ids, words: Words, lists: Ids, m: int) -> int:
    """How many users have a bit in all of the first m lists."""
    count = 0
    for w in range(words.shape[1]):
        both = words[bit_row[lists[0]], w]
        for i in range(1, m):
            both &= words[bit_row[lists[i]], w]
        count += ones(both)
    return count


@helper
def ones(word: np.uint64) -> int:
    """Bits set in a 64-bit word, added up in parallel within it."""
    pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    fours = (pairs & np.uint64(0x3333333333333333)) + ((pairs >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bytes_ = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((bytes_ * np.uint64(0x0101010101010101)) >> np.uint64(56))


@helper
def _count_listed(
    starts: Ints, postings: Ids, long: int, bit_row: Ids, words: Words, lists: Ids, m: int, own: int, left: Ids
) -> int:
    """Users of the shortest list, then those of them on the second, then on the third, and so on."""
    n = 0
    for p in range(starts[lists[0]], starts[lists[0] + 1]):
        if postings[p] != own:
            left[n] = postings[p]
            n += 1
    for i in range(1, m):
        if n == 0:
            break
        a, b = starts[lists[i]], starts[lists[i] + 1]
        bits = b - a > long
        n = keep_by_bits(left, n, words, bit_row[lists[i]]) if bits else keep_by_list(left, n, postings, a, b)
    return n + 1 if own >= 0 else n


@helper
def keep_by_bits(users: Ids, size: int, words: Words, row: int) -> int:
    """Those users whose bit is set, to the front; how many they are."""
    n = 0
    for i in range(size):
        if (words[row, users[i] >> 6] >> np.uint64(users[i] & 63)) & np.uint64(1):
            users[n] = users[i]
            n += 1
    return n


@helper
def keep_by_list(users: Ids, size: int, postings: Ids, a: int, b: int) -> int:
    """Those users who are in postings[a:b], to the front; how many they are."""
    n = 0
    for i in range(size):
        a = gallop(postings, a, b, users[i])
        if a == b:
            break
        if postings[a] == users[i]:
            users[n] = users[i]
            n += 1
    return n


@helper
def gallop(postings: Ids, at: int, end: int, user: int) -> int:
    """First place from `at` on that holds the user or a later one, in doubling steps, then by bisection."""
    probe, step = at, 1
    while probe < end and postings[probe] < user:
        at = probe + 1
        probe += step
        step <<= 1
    end = min(probe, end)
    while at < end:
        middle = (at + end) >> 1
        if postings[middle] < user:
            at = middle + 1
        else:
            end = middle
    return at


def without_replacement(draws: Ints) -> Ints:
    """Distinct numbers in the order drawn: draws[q, i] is a place among those not yet taken in row q."""
    drawn = np.empty_like(draws)
    _draw(draws, drawn, np.empty(draws.shape[1], draws.dtype))
    return drawn


@compiled
def _draw(draws: Ints, drawn: Ints, taken: Ints) -> None:
    for q in range(len(draws)):
        for i in range(draws.shape[1]):
            number = draws[q, i]
            for at in range(i):  # in order: those after the first above the number are above it too
                number += taken[at] <= number
            drawn[q, i] = number
            for at in range(i):
                taken[at], number = min(taken[at], number), max(taken[at], number)
            taken[i] = number


@compiled
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


@compiled
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


@compiled
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
