"""Maximal frequent sets, compiled: depth first from the rarest item, each set judged on its own records alone."""

from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, owners, tally
from incrowd.kernels import Watch
from incrowd.kernels.cpu import compiled, copy_into, helper
from incrowd.kernels.cpu.lkc.projection import FENCE, occurrences, room, roomy
from incrowd.kernels.types import Items
from incrowd.threads import threads

PARTS = 256
# An open set: items in its head, its next and last child, where the places of the next begin, the end of all places.
HELD, NEXT, LAST, BEGIN, TOP = range(5)


class Bench(NamedTuple):
    """Work space of one thread; met is zero and in_head false between uses."""

    met: Items
    in_head: NDArray[np.bool_]
    touched: Items
    into: Ints


def maximal_sets(items: Items, offsets: Ints, min_support: int, watch: Watch) -> tuple[Ints, Items]:
    """Sets held by at least min_support records, no superset of which is; see the reference."""
    path, names = _ranked(items, offsets, min_support)
    starts, places = occurrences(path, len(names))
    edges = np.unique(np.linspace(0, len(names), PARTS + 1).astype(np.int64)).tolist()
    work = partial(mine, path, starts, places, min_support)
    parts = watch.run(work, list(pairwise(edges)), threads())
    sizes = np.concatenate([np.zeros(0, np.int64), *(part[0] for part in parts)])
    members = np.concatenate([np.zeros(0, np.int32), *(part[1] for part in parts)])
    return _in_order(sizes, names[members])


def _ranked(items: Items, offsets: Ints, min_support: int) -> tuple[Items, Items]:
    """The records with frequent items only, numbered from the rarest, fenced on both sides; and their names."""
    support = np.bincount(items)
    rare_first = np.argsort(support, kind="stable")
    names = rare_first[support[rare_first] >= min_support].astype(np.int32)
    rank = np.full(len(support), -1, np.int32)
    rank[names] = np.arange(len(names))
    keep = rank[items] >= 0
    owner = owners(offsets)[keep]
    ranked = rank[items[keep]][np.lexsort((rank[items[keep]], owner))]
    path = np.insert(ranked, np.cumsum(tally(keep, offsets)), FENCE)
    return np.concatenate([np.array([FENCE], np.int32), path]), names


def _in_order(sizes: Ints, members: Items) -> tuple[Ints, Items]:
    """Sets by size, then members, each in order."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    members = members[np.lexsort((members, owner))]
    starts = np.cumsum(sizes) - sizes
    parts = []
    for size in np.unique(sizes).tolist():
        rows = members[starts[sizes == size][:, None] + np.arange(size)]
        parts.append(rows[np.lexsort(rows.T[::-1])].ravel())
    begins = np.concatenate([[0], np.cumsum(np.sort(sizes))]).astype(np.int64)
    return begins, np.concatenate([np.zeros(0, np.int32), *parts])


@compiled
def mine(
    path: Items, starts: Ints, places: Ints, min_support: int, share: tuple[int, int], stop: Ints, usage: Ints
) -> tuple[Ints, Items]:
    """Sizes and members of the maximal sets whose rarest item is in the share.

    A set whose frequent tail is frequent as a whole needs no branching, and one that an earlier item could join on
    all of its records has only extensible supersets; what remains is maximal when no earlier item joins it on
    min_support of its records.
    """
    bench = _bench(len(starts) - 1)
    sizes, members = np.empty(64, np.int64), np.empty(256, np.int32)
    n_sets, n_members = 0, 0
    arena, head = np.empty(1024, np.int64), np.empty(len(starts), np.int32)
    tails = np.empty((64, 2), np.int64)  # children of every open set: the item and how many places it has
    stack = np.empty((64, 5), np.int64)
    for a in range(share[0], share[1]):
        own = starts[a + 1] - starts[a]
        arena = room(arena, own)
        copy_into(arena, places[starts[a] : starts[a + 1]])
        # A single child of the empty set opens the search.
        tails[0, 0], tails[0, 1] = a, own
        depth = _open(stack, 0, 0, 0, 1, 0, own)
        while depth >= 0 and stop[0] == 0:
            held, i, begin = stack[depth, HELD], stack[depth, NEXT], stack[depth, BEGIN]
            if i == stack[depth, LAST]:
                depth -= 1
                if depth >= 0:
                    _let_go(head, bench, stack[depth, HELD], held)
                continue
            until = begin + tails[i, 1]
            stack[depth, NEXT], stack[depth, BEGIN] = i + 1, until
            _take(head, bench, held, tails[i, 0])
            if _joined_by_all(path, arena[begin:until], bench):
                _let_go(head, bench, held, held + 1)
                continue
            n = _tail(path, arena[begin:until], min_support, bench)
            if _whole(path, arena[begin:until], bench.touched[:n], min_support):
                for j in range(n):
                    _take(head, bench, held + 1 + j, bench.touched[j])
                size = held + 1 + n
                if _maximal(path, arena[begin:until], n, min_support, bench):
                    sizes, members = room(sizes, n_sets + 1), room(members, n_members + size)
                    sizes[n_sets] = size
                    copy_into(members[n_members:], head[:size])
                    n_sets, n_members = n_sets + 1, n_members + size
                    usage[0] = n_members + 2 * n_sets
                _forget(bench, n)
                _let_go(head, bench, held, size)
                continue
            children, top = stack[depth, LAST], stack[depth, TOP]
            tails = roomy(tails, children + n)
            size, last, into = _branch(head, bench, held + 1, until - begin, n, tails, children, top)
            arena = room(arena, into)
            _hand_on(path, arena, begin, until, bench)
            _forget(bench, n)
            stack = roomy(stack, depth + 2)
            depth = _open(stack, depth + 1, size, children, last, top, into)
    return sizes[:n_sets].copy(), members[:n_members].copy()


@helper
def _bench(size: int) -> Bench:
    touched, into = np.empty(size, np.int32), np.full(size, -1, np.int64)
    return Bench(np.zeros(size, np.int32), np.zeros(size, np.bool_), touched, into)


@helper
def _open(stack: Ints, depth: int, held: int, following: int, last: int, begin: int, top: int) -> int:
    stack[depth, HELD], stack[depth, NEXT], stack[depth, LAST] = held, following, last
    stack[depth, BEGIN], stack[depth, TOP] = begin, top
    return depth


@helper
def _branch(
    head: Items, bench: Bench, size: int, records: int, n: int, tails: Ints, children: int, into: int
) -> tuple[int, int, int]:
    """List the tail as children from `children` on; items on every record belong to whatever is below, so join now."""
    for item in bench.touched[:n]:
        if bench.met[item] == records:
            _take(head, bench, size, item)
            size += 1
        else:
            tails[children, 0], tails[children, 1] = item, bench.met[item]
            bench.into[item] = into
            into += bench.met[item]
            children += 1
    return size, children, into


@helper
def _take(head: Items, bench: Bench, at: int, item: int) -> None:
    head[at] = item
    bench.in_head[item] = True


@helper
def _let_go(head: Items, bench: Bench, begin: int, end: int) -> None:
    for item in head[begin:end]:
        bench.in_head[item] = False


@helper
def _joined_by_all(path: Items, places: Ints, bench: Bench) -> bool:
    """Whether some earlier item outside the head is on the record of every place."""
    n = 0
    place = places[0] - 1
    while path[place] >= 0:
        if not bench.in_head[path[place]]:
            bench.touched[n] = path[place]
            n += 1
        place -= 1
    for i in range(1, len(places)):
        # Both run towards rarer items.
        kept, place = 0, places[i] - 1
        for j in range(n):
            while path[place] > bench.touched[j]:
                place -= 1
            if path[place] == bench.touched[j]:
                bench.touched[kept] = bench.touched[j]
                kept += 1
        n = kept
        if n == 0:
            return False
    return n > 0


@helper
def _tail(path: Items, places: Ints, min_support: int, bench: Bench) -> int:
    """Count the items after the places and keep the frequent ones, in order; how many they are."""
    n = 0
    for place in places:
        place += 1
        while path[place] >= 0:
            item = path[place]
            if not bench.in_head[item]:
                if bench.met[item] == 0:
                    bench.touched[n] = item
                    n += 1
                bench.met[item] += 1
            place += 1
    kept = 0
    for i in range(n):
        item = bench.touched[i]
        if bench.met[item] >= min_support:
            bench.touched[kept] = item
            kept += 1
        else:
            bench.met[item] = 0
    bench.touched[:kept].sort()
    return kept


@helper
def _forget(bench: Bench, n: int) -> None:
    for item in bench.touched[:n]:
        bench.met[item] = 0
        bench.into[item] = -1


@helper
def _holds_tail(path: Items, place: int, tail: Items) -> bool:
    """Whether the tail, in order, stands after the place."""
    for item in tail:
        place += 1
        while 0 <= path[place] < item:
            place += 1
        if path[place] != item:
            return False
    return True


@helper
def _whole(path: Items, places: Ints, tail: Items, min_support: int) -> bool:
    """Whether min_support records hold the whole tail."""
    spare = len(places) - min_support
    for place in places:
        if not _holds_tail(path, place, tail):
            spare -= 1
            if spare < 0:
                return False
    return True


@helper
def _maximal(path: Items, places: Ints, n: int, min_support: int, bench: Bench) -> bool:
    """Whether no earlier item outside the head is on min_support of the records that hold the head and the tail."""
    met = n
    maximal = True
    for place in places:
        if not _holds_tail(path, place, bench.touched[:n]):
            continue
        place -= 1
        while path[place] >= 0:
            item = path[place]
            if not bench.in_head[item]:
                if bench.met[item] == 0:
                    bench.touched[met] = item
                    met += 1
                bench.met[item] += 1
                maximal &= bench.met[item] < min_support
            place -= 1
        if not maximal:
            break
    for item in bench.touched[n:met]:
        bench.met[item] = 0
    return maximal


@helper
def _hand_on(path: Items, arena: Ints, begin: int, until: int, bench: Bench) -> None:
    for i in range(begin, until):
        place = arena[i] + 1
        while path[place] >= 0:
            item = path[place]
            if bench.into[item] >= 0:
                arena[bench.into[item]] = place
                bench.into[item] += 1
            place += 1
