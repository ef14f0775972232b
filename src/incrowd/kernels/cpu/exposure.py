"""The fewest own points that identify a user, compiled: bitsets of those who share at least two of them."""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.kernels.cpu import compiled, copy_into, helper
from incrowd.kernels.cpu.uniqueness import gallop, ones
from incrowd.kernels.types import Ids, Words


@compiled
def fewest_points(
    offsets: Ints, ids: Ids, starts: Ints, postings: Ids, users: int, first: int, deepest: int, most: int
) -> tuple[Ints, NDArray[np.bool_], Ints]:
    """Per user the size of the smallest set of own points nobody else contains, whether it is, and its rows."""
    fewest = np.zeros(len(offsets) - 1, np.int64)
    exact = np.ones(len(offsets) - 1, np.bool_)
    rows = np.empty(offsets[-1] - offsets[0], np.int64)
    shared = np.zeros(users, np.int32)  # how many of the points another user has too
    number = np.full(users, -1, np.int32)  # of another user among those who share at least two
    at = 0
    for u in range(len(fewest)):
        mine = ids[offsets[u] : offsets[u + 1]]
        smallest, exact[u] = _smallest(mine, starts, postings, first + u, deepest, most, shared, number)
        fewest[u] = len(smallest)
        copy_into(rows[at:], np.sort(smallest) + offsets[u])
        at += len(smallest)
    return fewest, exact, rows[:at].copy()


@helper
def _smallest(
    mine: Ids,
    starts: Ints,
    postings: Ids,
    own: int,
    deepest: int,
    most: int,
    shared: NDArray[np.int32],
    number: NDArray[np.int32],
) -> tuple[Ints, bool]:
    """Which of a user's points, and whether all smaller sets are ruled out."""
    length = starts[mine + 1] - starts[mine]
    if len(mine) and length.min() == 1:
        return np.array([length.argmin()]), True
    order = np.argsort(length, kind="mergesort")
    mine = mine[order]
    partner = _partner(mine, starts, postings, own, most) if deepest >= 2 else 0
    if partner:  # found at once for most users, without looking at everyone they share a point with
        return order[np.array([0, partner])], True
    largest, others = _count_shared(mine, starts, postings, own, shared, number)
    words = _set_bits(mine, starts, postings, others, shared, number)
    if largest == len(mine):
        return order[:0], True
    ruled_out = 1
    for size in range(2, deepest + 1):
        subset, all_tried = _first_pair(words, most) if size == 2 else _first_triple(words, most)
        if len(subset):
            return order[subset], size <= ruled_out + 1
        if all_tried and ruled_out == size - 1:
            ruled_out = size
    chain = _best_chain(words)
    return order[chain], len(chain) <= ruled_out + 1


@helper
def _partner(mine: Ids, starts: Ints, postings: Ids, own: int, most: int) -> int:
    """The first point that nobody else has together with the rarest, which is at 0; 0 where there is none."""
    rarest = mine[0] if len(mine) else 0
    for j in range(1, min(len(mine), most + 1)):
        at, end, met = starts[mine[j]], starts[mine[j] + 1], False
        for p in range(starts[rarest], starts[rarest + 1]):
            if postings[p] != own:
                at = gallop(postings, at, end, postings[p])
                met = at < end and postings[at] == postings[p]
                if met or at == end:
                    break
        if not met:
            return j
    return 0


@helper
def _count_shared(
    mine: Ids, starts: Ints, postings: Ids, own: int, shared: NDArray[np.int32], number: NDArray[np.int32]
) -> tuple[int, int]:
    """The most points anybody else shares, and how many others share at least two; those are numbered."""
    most = others = 0
    for k in mine:
        for p in range(starts[k], starts[k + 1]):
            user = postings[p]
            if user == own:
                continue
            shared[user] += 1
            most = max(most, shared[user])
            if shared[user] == 2:
                number[user] = others
                others += 1
    return most, others


@helper
def _set_bits(
    mine: Ids, starts: Ints, postings: Ids, others: int, shared: NDArray[np.int32], number: NDArray[np.int32]
) -> Words:
    """For each point a bitset of the others who have it and one more; leaves the working space clean."""
    words = np.zeros((len(mine), (others + 63) // 64), np.uint64)
    for i in range(len(mine)):
        for p in range(starts[mine[i]], starts[mine[i] + 1]):
            at = number[postings[p]]
            if at >= 0:
                words[i, at >> 6] |= np.uint64(1) << np.uint64(at & 63)
    for k in mine:
        for p in range(starts[k], starts[k + 1]):
            shared[postings[p]], number[postings[p]] = 0, -1
    return words


@helper
def _apart(a: Words, b: Words) -> bool:
    for w in range(len(a)):  # noqa: SIM110 - compiled
        if a[w] & b[w]:
            return False
    return True


@helper
def _first_pair(words: Words, most: int) -> tuple[Ints, bool]:
    """The first pair of points that nobody else has, or none; and whether all were tried."""
    left = most
    for i in range(len(words)):
        for j in range(i + 1, len(words)):
            if left == 0:
                return np.empty(0, np.int64), False
            if _apart(words[i], words[j]):
                return np.array([i, j]), False
            left -= 1
    return np.empty(0, np.int64), True


@helper
def _first_triple(words: Words, most: int) -> tuple[Ints, bool]:
    """The same of three points."""
    left = most
    both = np.empty(words.shape[1], np.uint64)
    for i in range(len(words)):
        for j in range(i + 1, len(words)):
            for w in range(len(both)):
                both[w] = words[i, w] & words[j, w]
            end = min(len(words), j + 1 + left)
            for k in range(j + 1, end):
                if _apart(both, words[k]):
                    return np.array([i, j, k]), False
            if end < len(words):
                return np.empty(0, np.int64), False
            left -= end - (j + 1)
    return np.empty(0, np.int64), True


@helper
def _best_chain(words: Words) -> Ints:
    """From each point, add the one that leaves the fewest others until nobody is left; the first shortest chain."""
    best, chain = np.arange(len(words)), np.empty(len(words), np.int64)
    shortest = len(words) + 1
    left = np.empty(words.shape[1], np.uint64)
    for first in range(len(words)):
        copy_into(left, words[first])
        chain[0], size, rest = first, 1, 1
        while rest > 0 and size + 1 < shortest:
            chain[size], rest = _next_link(words, left, first)
            left &= words[chain[size]]
            size += 1
        if rest == 0:
            best, shortest = chain[:size].copy(), size
    return best


@helper
def _next_link(words: Words, left: Words, first: int) -> tuple[int, int]:
    """The point that leaves the fewest others, and how many; the bits of the first alone say nothing more."""
    chosen, least = -1, 64 * len(left) + 1
    for i in range(len(words)):
        rest = 0
        for w in range(len(left)):
            rest += ones(left[w] & words[i, w])
        if i != first and rest < least:
            chosen, least = i, rest
    return chosen, least
