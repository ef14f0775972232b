"""Who is on all lists of each of many questions, compiled: the users of a list are marked once for all that name it.

Questions come in the order of their second shortest list, so that those which share it follow each other and lists
that are near in memory are used together; walking the shortest list along the marks needs no search. What is far
apart in memory is read for some questions ahead, before any of them has to decide something.
"""

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.cpu import compiled, copy_into, helper
from incrowd.kernels.cpu.uniqueness import AHEAD, count_bits, keep_by_bits, keep_by_list
from incrowd.kernels.types import Ids, Words

DIGIT = 11  # bits by which questions are put in order at once


def in_turn(starts: Ints, known: Ids) -> tuple[Ids, Ids]:
    """Where each question was, and its distinct lists, the shortest first and the longest again where some are missing.

    By radix sort of the second lists; the order of equal ones stays.
    """
    lists = known.copy()
    turn, turned = np.empty((2, len(known), 2), known.dtype)
    ends = np.empty((1 << DIGIT) + 1, np.int64)
    _sort(starts, lists, len(starts).bit_length(), turn)
    for shift in range(0, len(starts).bit_length(), DIGIT):
        ends[:] = 0
        _by_digit(turn, turned, shift, ends)
        turn, turned = turned, turn
    place = turn[:, 1].copy()
    return place, lists.take(place, axis=0)


@compiled
def _sort(starts: Ints, lists: Ids, bits: int, turn: Ids) -> None:
    """The lists of each question by length, and what puts it in its turn: its second list and its number.

    Lengths are read some questions ahead, so that no comparison waits for them; a length and its list, which has some
    bits, are one number, so that putting them in order needs no branch.
    """
    points, listed = lists.shape[1], (1 << bits) - 1
    ranks = np.empty((AHEAD, points), np.int64)
    for first in range(0, len(lists), AHEAD):
        last = min(first + AHEAD, len(lists))
        for q in range(first, last):
            for j in range(points):
                k = np.int64(lists[q, j])
                ranks[q - first, j] = ((starts[k + 1] - starts[k]) << bits) | k
        for q in range(last - first):
            again = False
            for rounds in range(points - 1):
                for j in range(points - 1 - rounds):
                    a, b = ranks[q, j], ranks[q, j + 1]
                    ranks[q, j], ranks[q, j + 1] = min(a, b), max(a, b)
            for j in range(points - 1):
                again |= ranks[q, j] == ranks[q, j + 1]
            if again:
                _distinct_first(ranks, q)
            for j in range(points):
                lists[first + q, j] = ranks[q, j] & listed
            turn[first + q, 0], turn[first + q, 1] = lists[first + q, 1], first + q


@helper
def _distinct_first(ranks: Ints, q: int) -> None:
    """Of the numbers in a row, which are in order, the distinct ones to the front and the largest again behind them."""
    distinct, points = 1, ranks.shape[1]
    for j in range(1, points):
        if ranks[q, j] != ranks[q, distinct - 1]:
            ranks[q, distinct] = ranks[q, j]
            distinct += 1
    for j in range(distinct, points):
        ranks[q, j] = ranks[q, distinct - 1]


@compiled
def _by_digit(turn: Ids, turned: Ids, shift: int, ends: Ints) -> None:
    """One pass of a radix sort."""
    low = (1 << DIGIT) - 1
    for q in range(len(turn)):
        ends[((turn[q, 0] >> shift) & low) + 1] += 1
    for digit in range(low + 1):
        ends[digit + 1] += ends[digit]
    for q in range(len(turn)):
        digit = (turn[q, 0] >> shift) & low
        at = ends[digit]
        turned[at, 0], turned[at, 1] = turn[q, 0], turn[q, 1]
        ends[digit] = at + 1


def count_in_turn(
    starts: Ints, postings: Ids, long: int, bit_row: Ids, words: Words, lists: Ids, own: Ids, users: int
) -> Ints:
    """How many users are on every list named in each row of lists, which `in_turn` gave, with their own."""
    count, left = np.empty(len(lists), np.int64), np.empty(max(long, 1), postings.dtype)
    marked = np.zeros(users, np.int32)
    _count_in_turn(starts, postings, long, bit_row, words, lists, own, marked, left, count)
    return count


@compiled
def _count_in_turn(
    starts: Ints,
    postings: Ids,
    long: int,
    bit_row: Ids,
    words: Words,
    lists: Ids,
    own: Ids,
    marked: Ids,
    left: Ids,
    count: Ints,
) -> None:
    mark, before, ends = np.int32(0), np.int64(-1), np.empty((AHEAD, 2), np.int64)
    for start in range(0, len(lists), AHEAD):
        last = min(start + AHEAD, len(lists))
        for i in range(start, last):
            a, b = starts[lists[i, 0]], starts[lists[i, 0] + 1]
            ends[i - start, 0], ends[i - start, 1] = a, b
            count[i] = postings[a] if a < b else 0  # read ahead, as lists are far apart; what is kept is read
        for i in range(start, last):
            first, second = lists[i, 0], np.int64(lists[i, 1])
            a, b = ends[i - start, 0], ends[i - start, 1]
            c, d = starts[second], starts[second + 1]
            if first == second or (b - a == 1 and own[i] >= 0):
                count[i] = b - a
            elif b - a > long:  # the shortest list is long, so all are
                count[i] = count_bits(bit_row, words, lists[i], lists.shape[1])
            elif d - c > long:
                copy_into(left, postings[a:b])
                n = keep_by_bits(left, b - a, words, bit_row[second])
                count[i] = _rest(starts, postings, long, bit_row, words, lists[i], left, n, own[i])
            else:
                if second != before:
                    before, mark = second, mark + np.int32(1)
                    _mark(marked, mark, postings, c, d)
                n = _count_marked(marked, mark, postings, a, b)
                if lists.shape[1] > 2 and n > (own[i] >= 0):
                    _keep_marked(marked, mark, postings, a, b, left)
                    n = _rest(starts, postings, long, bit_row, words, lists[i], left, n, own[i])
                count[i] = n


@helper
def _mark(marked: Ids, mark: int, postings: Ids, a: int, b: int) -> None:
    for p in range(a, b):
        marked[postings[p]] = mark


@helper
def _count_marked(marked: Ids, mark: int, postings: Ids, a: int, b: int) -> int:
    n = 0
    for p in range(a, b):
        n += marked[postings[p]] == mark
    return n


@helper
def _keep_marked(marked: Ids, mark: int, postings: Ids, a: int, b: int, left: Ids) -> None:
    n = 0
    for p in range(a, b):
        left[n] = postings[p]
        n += marked[postings[p]] == mark


@helper
def _rest(
    starts: Ints, postings: Ids, long: int, bit_row: Ids, words: Words, lists: Ids, left: Ids, n: int, own: int
) -> int:
    """How many of the users left from two lists are on the others too; the search ends once only their own is left."""
    for j in range(2, len(lists)):
        if n == (own >= 0):
            break
        if lists[j] != lists[j - 1]:
            a, b = starts[lists[j]], starts[lists[j] + 1]
            bits = b - a > long
            n = keep_by_bits(left, n, words, bit_row[lists[j]]) if bits else keep_by_list(left, n, postings, a, b)
    return n
