"""The fewest own points that single a user out, compiled: bitsets of those who share at least two of them."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.kernels.cpu.matching import gallop, ones
from incrowd.kernels.reference.matching import Ids, Words


@njit(cache=True, nogil=True)
def fewest_points(offsets: Ints, ids: Ids, starts: Ints, postings: Ids, users: int, first: int, deepest: int) -> Ints:
    """Per user the size of the smallest set of own points nobody else contains; 0 where there is none."""
    fewest = np.zeros(len(offsets) - 1, np.int64)
    shared = np.zeros(users, np.int32)  # how many of the points another user has too
    number = np.full(users, -1, np.int32)  # of another user among those who share at least two
    for u in range(len(fewest)):
        mine = ids[offsets[u] : offsets[u + 1]]
        fewest[u] = _fewest(mine, starts, postings, first + u, deepest, shared, number)
    return fewest


@njit(cache=True)
def _fewest(
    mine: Ids, starts: Ints, postings: Ids, own: int, deepest: int, shared: NDArray[np.int32], number: NDArray[np.int32]
) -> int:
    rarest = -1
    for k in mine:
        if rarest < 0 or starts[k + 1] - starts[k] < starts[rarest + 1] - starts[rarest]:
            rarest = k
    if rarest >= 0 and starts[rarest + 1] - starts[rarest] == 1:
        return 1
    if deepest >= 2 and _pairs_with(rarest, mine, starts, postings, own):
        return 2  # found at once for most users, without looking at everyone they share a point with
    most, others = _count_shared(mine, starts, postings, own, shared, number)
    words = _set_bits(mine, starts, postings, others, shared, number)
    if most == len(mine):
        return 0
    if deepest >= 2 and _some_pair(words):
        return 2
    if deepest >= 3 and _some_triple(words):
        return 3
    chain: int = _best_chain(words)
    return chain


@njit(cache=True)
def _pairs_with(rarest: int, mine: Ids, starts: Ints, postings: Ids, own: int) -> bool:
    """Whether nobody else has the rarest point and some other one."""
    for k in mine:
        at, end, met = starts[k], starts[k + 1], False
        for p in range(starts[rarest], starts[rarest + 1]):
            if postings[p] != own:
                at = gallop(postings, at, end, postings[p])
                met = at < end and postings[at] == postings[p]
                if met or at == end:
                    break
        if not met:
            return True
    return False


@njit(cache=True)
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


@njit(cache=True)
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


@njit(cache=True)
def _apart(a: Words, b: Words) -> bool:
    for w in range(len(a)):  # noqa: SIM110 - compiled
        if a[w] & b[w]:
            return False
    return True


@njit(cache=True)
def _some_pair(words: Words) -> bool:
    for i in range(len(words)):
        for j in range(i + 1, len(words)):
            if _apart(words[i], words[j]):
                return True
    return False


@njit(cache=True)
def _some_triple(words: Words) -> bool:
    both = np.empty(words.shape[1], np.uint64)
    for i in range(len(words)):
        for j in range(i + 1, len(words)):
            for w in range(len(both)):
                both[w] = words[i, w] & words[j, w]
            for k in range(j + 1, len(words)):
                if _apart(both, words[k]):
                    return True
    return False


@njit(cache=True)
def _best_chain(words: Words) -> int:
    """From each point, add the one that leaves the fewest others until nobody is left; the shortest chain."""
    best = len(words)
    left = np.empty(words.shape[1], np.uint64)
    for first in range(len(words)):
        for w in range(len(left)):
            left[w] = words[first, w]
        size, rest = 1, 1
        while rest > 0 and size < best:
            chosen, rest = _next_link(words, left, first)
            for w in range(len(left)):
                left[w] &= words[chosen, w]
            size += 1
        if rest == 0:
            best = size
    return best


@njit(cache=True)
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
