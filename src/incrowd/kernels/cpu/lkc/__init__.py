"""LKC-privacy compiled: its searches, and the pairs to suppress by lists from pair to sets and a heap of scores."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.kernels import Watch
from incrowd.kernels.cpu import compiled, copy_into, helper
from incrowd.kernels.cpu.lkc.frequent import maximal_sets
from incrowd.kernels.cpu.lkc.violating import violating_sets
from incrowd.kernels.types import Items

__all__ = ["maximal_sets", "project_sets", "suppress", "violating_sets"]
GAIN, LOSS, ITEM, STAMP = range(4)
WHOLE = 1_000_000  # of the work, in what a kernel says to its watch


class Sets(NamedTuple):
    """Set j holds items[starts[j]:starts[j+1]]; item p is in sets[lists[p]:lists[p+1]]; counts[p] of them are alive.

    marks[j] has a bit for every item of set j; a set with another bit cannot lie inside it.
    """

    starts: Ints
    items: Items
    lists: Ints
    sets: Items
    alive: NDArray[np.bool_]
    counts: Ints
    marks: NDArray[np.uint64]


def suppress(
    v_starts: Ints, v_items: Items, u_starts: Ints, u_items: Items, size: int, recompute: bool, watch: Watch
) -> tuple[Items, Ints, Ints]:
    """The winner of each round with its PrivGain and UtilityLoss; see the reference."""

    def work(recompute: bool, stop: Ints, usage: Ints) -> tuple[Items, Ints, Ints]:
        winners: tuple[Items, Ints, Ints] = _suppress(
            v_starts, v_items, u_starts, u_items, size, recompute, stop, usage
        )
        return winners

    return watch.run(work, [recompute], 1)[0]


def project_sets(starts: Ints, items: Items, size: int, suppressed: Items, watch: Watch) -> tuple[Ints, Items]:
    """Maximal elements of {x∖P : x in the sets}; see the reference."""

    def work(suppressed: Items, stop: Ints, usage: Ints) -> tuple[Ints, Items]:
        left: tuple[Ints, Items] = _project_sets(starts, items, size, suppressed, stop, usage)
        return left

    return watch.run(work, [suppressed], 1)[0]


@compiled
def _suppress(
    v_starts: Ints,
    v_items: Items,
    u_starts: Ints,
    u_items: Items,
    size: int,
    recompute: bool,
    stop: Ints,
    usage: Ints,
) -> tuple[Items, Ints, Ints]:
    violating, frequent = _listed(v_starts, v_items, size), _listed(u_starts, u_items, size)
    usage[0] = _held(violating) + _held(frequent)
    gone, stamp = np.zeros(size, np.bool_), np.zeros(size, np.int64)
    heap, n = np.empty((size + 1, 4), np.int64), 0
    for item in range(size):
        if violating.counts[item]:
            n = _push(heap, n, violating.counts[item], frequent.counts[item], item, 0)
    changed = np.empty(size, np.int32)
    rounds, left, broken = np.empty((size, 3), np.int64), 0, 0
    while n and stop[0] == 0:
        gain, loss, winner, made = heap[0, GAIN], heap[0, LOSS], heap[0, ITEM], heap[0, STAMP]
        n = _pop(heap, n)
        if gone[winner] or made != stamp[winner]:
            continue
        rounds[left, 0], rounds[left, 1], rounds[left, 2] = winner, gain, loss
        left += 1
        broken += gain
        usage[1] = WHOLE * broken // (len(v_starts) - 1)
        gone[winner] = True
        met = _drop_all(violating, winner, changed, 0, stamp)
        met = (
            _shrink(frequent, winner, gone, changed, met, stamp, stop)
            if recompute
            else _drop_all(frequent, winner, changed, met, stamp)
        )
        heap = _longer(heap, n + met)
        for item in changed[:met]:
            # A negative stamp says that the item is on the list of changes already.
            stamp[item] = -stamp[item]
            if violating.counts[item] and not gone[item]:
                n = _push(heap, n, violating.counts[item], frequent.counts[item], item, stamp[item])
    table = rounds[:left]
    return table[:, 0].astype(np.int32), table[:, 1].copy(), table[:, 2].copy()


@compiled
def _project_sets(
    starts: Ints, items: Items, size: int, suppressed: Items, stop: Ints, usage: Ints
) -> tuple[Ints, Items]:
    frequent = _listed(starts, items, size)
    usage[0] = _held(frequent)
    gone, stamp, changed = np.zeros(size, np.bool_), np.zeros(size, np.int64), np.empty(size, np.int32)
    for done, item in enumerate(suppressed):
        usage[1] = WHOLE * done // len(suppressed)
        gone[item] = True
        met = _shrink(frequent, item, gone, changed, 0, stamp, stop)
        for other in changed[:met]:
            stamp[other] = 0
    left = np.zeros(frequent.alive.sum() + 1, np.int64)
    members = np.empty(len(items), np.int32)
    for n, j in enumerate(np.flatnonzero(frequent.alive)):
        left[n + 1] = left[n]
        for item in items[starts[j] : starts[j + 1]]:
            if not gone[item]:
                members[left[n + 1]] = item
                left[n + 1] += 1
    return left, members[: left[-1]].copy()


@helper
def _listed(starts: Ints, items: Items, size: int) -> Sets:
    lists = np.zeros(size + 2, np.int64)
    for item in items:
        lists[item + 2] += 1
    for p in range(2, size + 2):
        lists[p] += lists[p - 1]
    sets, marks = np.empty(len(items), np.int32), np.zeros(len(starts) - 1, np.uint64)
    for j in range(len(starts) - 1):
        for item in items[starts[j] : starts[j + 1]]:
            marks[j] |= _mark(item)
            sets[lists[item + 1]] = j
            lists[item + 1] += 1
    alive, counts = np.ones(len(starts) - 1, np.bool_), lists[1:-1] - lists[:-2]
    return Sets(starts, items, lists[:-1], sets, alive, counts, marks)


@helper
def _held(sets: Sets) -> int:
    """How many 4-byte numbers the tables of sets take beside the items."""
    return len(sets.sets) + 3 * len(sets.starts) + 4 * len(sets.lists)


@helper
def _mark(item: int) -> np.uint64:
    return np.uint64(1) << np.uint64(item & 63)


@helper
def _drop_all(sets: Sets, item: int, changed: Items, met: int, stamp: Ints) -> int:
    """Drop every living set that holds the item; note the items whose counts fall."""
    for j in sets.sets[sets.lists[item] : sets.lists[item + 1]]:
        if sets.alive[j]:
            met = _drop(sets, j, changed, met, stamp)
    return met


@helper
def _drop(sets: Sets, j: int, changed: Items, met: int, stamp: Ints) -> int:
    sets.alive[j] = False
    for item in sets.items[sets.starts[j] : sets.starts[j + 1]]:
        sets.counts[item] -= 1
        if stamp[item] >= 0:
            stamp[item] = -stamp[item] - 1
            changed[met] = item
            met += 1
    return met


@helper
def _shrink(sets: Sets, item: int, gone: NDArray[np.bool_], changed: Items, met: int, stamp: Ints, stop: Ints) -> int:
    """Take the item out of every living set; a set then empty or inside another one is dropped.

    Sets that held the item cannot lie inside each other afterwards, nor can one that did not inside one that did.
    """
    for j in sets.sets[sets.lists[item] : sets.lists[item + 1]]:
        if stop[0]:
            break
        if sets.alive[j] and _covered(sets, j, item, gone):
            met = _drop(sets, j, changed, met, stamp)
    return met


@helper
def _covered(sets: Sets, j: int, item: int, gone: NDArray[np.bool_]) -> bool:
    """Whether a living set without the item holds all of set j that is left."""
    rarest, fewest, mark = -1, len(sets.sets) + 1, np.uint64(0)
    for other in sets.items[sets.starts[j] : sets.starts[j + 1]]:
        if not gone[other]:
            mark |= _mark(other)
            if sets.lists[other + 1] - sets.lists[other] < fewest:
                rarest, fewest = other, sets.lists[other + 1] - sets.lists[other]
    if rarest < 0:
        return True
    for other in sets.sets[sets.lists[rarest] : sets.lists[rarest + 1]]:
        if sets.alive[other] and mark & ~sets.marks[other] == 0 and _inside(sets, j, other, item, gone):
            return True
    return False


@helper
def _inside(sets: Sets, j: int, other: int, item: int, gone: NDArray[np.bool_]) -> bool:
    theirs = sets.items[sets.starts[other] : sets.starts[other + 1]]
    at = 0
    for mine in sets.items[sets.starts[j] : sets.starts[j + 1]]:
        if gone[mine]:
            continue
        while at < len(theirs) and theirs[at] < mine:
            at += 1
        if at == len(theirs) or theirs[at] != mine:
            return False
    return not (theirs == item).any()


@helper
def _before(heap: Ints, a: int, b: int) -> bool:
    """Whether entry a beats entry b: score as a fraction, then gain, then the smaller item."""
    left, right = heap[a, GAIN] * (heap[b, LOSS] + 1), heap[b, GAIN] * (heap[a, LOSS] + 1)
    if left != right:
        return bool(left > right)
    if heap[a, GAIN] != heap[b, GAIN]:
        return bool(heap[a, GAIN] > heap[b, GAIN])
    return bool(heap[a, ITEM] < heap[b, ITEM])


@helper
def _swap(heap: Ints, a: int, b: int) -> None:
    for field in range(4):
        heap[a, field], heap[b, field] = heap[b, field], heap[a, field]


@helper
def _push(heap: Ints, n: int, gain: int, loss: int, item: int, stamp: int) -> int:
    heap[n, GAIN], heap[n, LOSS], heap[n, ITEM], heap[n, STAMP] = gain, loss, item, stamp
    at = n
    while at > 0 and _before(heap, at, (at - 1) // 2):
        _swap(heap, at, (at - 1) // 2)
        at = (at - 1) // 2
    return n + 1


@helper
def _pop(heap: Ints, n: int) -> int:
    n -= 1
    _swap(heap, 0, n)
    at = 0
    while True:
        best = at
        for below in (2 * at + 1, 2 * at + 2):
            if below < n and _before(heap, below, best):
                best = below
        if best == at:
            return n
        _swap(heap, at, best)
        at = best


@helper
def _longer(heap: Ints, size: int) -> Ints:
    if size < len(heap):
        return heap
    longer = np.empty((2 * size, 4), np.int64)
    copy_into(longer.ravel(), heap.ravel())
    return longer
