"""Minimal violating sets, compiled: prefix projection over inverted lists, one length after the other."""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, owners, tally
from incrowd.kernels import Watch
from incrowd.kernels.cpu import compiled, copy_into, helper
from incrowd.kernels.cpu.lkc.projection import (
    FENCE,
    Trie,
    deeper,
    find,
    lacking_one,
    occurrences,
    room,
    roomy,
    supports,
)
from incrowd.kernels.types import Items
from incrowd.threads import threads

PARTS = 64  # pieces of work per length: enough to keep the threads equally busy


class FencedPaths(NamedTuple):
    """The records: every path ends in a fence, the lists say at which places of `path` an item stands."""

    path: Items
    owner: Items
    starts: Ints
    places: Ints
    code_offsets: Ints
    codes: Items
    values: int


def violating_sets(
    items: Items, offsets: Ints, code_offsets: Ints, codes: Items, longest: int, k: int, allowed: Ints, watch: Watch
) -> list[Items]:
    """One matrix of sets in order for each length 1..longest that sets can have; see the reference."""
    size, values = int(items.max(initial=-1)) + 1, int(codes.max(initial=-1)) + 1
    support, worst = count_singles(items, offsets, code_offsets, codes, size, values)
    fine = (support >= k) & (worst <= allowed[support])
    crowd = _crowd(items, offsets, fine, code_offsets, codes, values)
    names = np.flatnonzero(fine).astype(np.int32)
    trie = Trie(np.arange(len(names), dtype=np.int32), support[fine], np.full(len(names) + 1, len(names), np.int64))
    sets = np.arange(len(names), dtype=np.int32)[:, None]
    levels = [np.flatnonzero((support > 0) & ~fine).astype(np.int32)[:, None]]
    for level in range(2, longest + 1):
        if not len(sets):
            break
        work = partial(grow, crowd, trie, level, k, allowed, level == longest)
        parts = watch.run(work, _shares(crowd), threads())
        good = np.concatenate([np.zeros((0, 3), np.int64), *(part[0] for part in parts)])
        bad = np.concatenate([np.zeros((0, 2), np.int64), *(part[1] for part in parts)])
        first = len(trie.label) - len(sets)
        levels.append(names[_extended(sets, bad, first)])
        sets, trie = _extended(sets, good, first), deeper(trie, first, good)
    return levels


def _crowd(
    items: Items, offsets: Ints, good: NDArray[np.bool_], code_offsets: Ints, codes: Items, values: int
) -> FencedPaths:
    """The records without the items that violate alone: no longer minimal set holds one."""
    keep = good[items]
    ends = np.cumsum(tally(keep, offsets))
    numbered = (np.cumsum(good) - 1).astype(np.int32)[items[keep]]
    path = np.insert(numbered, ends, FENCE) if len(ends) else numbered
    owner = owners(np.concatenate([[0], ends + np.arange(1, len(ends) + 1)])).astype(np.int32)
    starts, places = occurrences(path, int(good.sum()))
    return FencedPaths(path, owner, starts, places, code_offsets, codes, values)


def _shares(crowd: FencedPaths) -> list[tuple[int, int]]:
    """Ranges of first items with about as many places each."""
    cuts = np.searchsorted(crowd.starts, np.linspace(0, crowd.starts[-1], PARTS + 1)[1:-1])
    edges = np.unique(np.concatenate([[0], cuts, [len(crowd.starts) - 1]]))
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))


def _extended(sets: Items, rows: Ints, first: int) -> Items:
    """Each parent's set, node `first` being the first, with one more item."""
    return np.column_stack([sets[rows[:, 0] - first], rows[:, 1].astype(np.int32)])


@compiled
def count_singles(
    items: Items, offsets: Ints, code_offsets: Ints, codes: Items, size: int, values: int
) -> tuple[Items, Items]:
    """Support of each item and how often its most frequent sensitive value occurs with it."""
    support, shared = np.zeros(size, np.int32), np.zeros((size, values), np.int32)
    for u in range(len(offsets) - 1):
        for item in items[offsets[u] : offsets[u + 1]]:
            support[item] += 1
            for code in codes[code_offsets[u] : code_offsets[u + 1]]:
                shared[item, code] += 1
    worst = np.zeros(size, np.int32)
    for item in range(size):
        for n in shared[item]:
            worst[item] = max(worst[item], n)
    return support, worst


@compiled
def grow(
    crowd: FencedPaths,
    trie: Trie,
    level: int,
    k: int,
    allowed: Ints,
    last: bool,
    share: tuple[int, int],
    stop: Ints,
    usage: Ints,
) -> tuple[Ints, Ints]:
    """Extend every set of level-1 items that begins with an item of the share by one item, and judge the result.

    Walks down the trie, handing the places of a set on to its children (all in one scan of the tails). Returns parent,
    label and support of the sets that do not violate (none when this is the last length); parent and label of those
    that do.
    """
    good, bad = np.empty((64, 3), np.int64), np.empty((64, 2), np.int64)
    n_good, n_bad = 0, 0
    size = len(crowd.starts) - 1
    counts = (np.zeros(size, np.int32), np.zeros((size, crowd.values), np.int32))
    touched, into = np.empty(size, np.int64), np.full(size, -1, np.int64)
    arena = np.empty(1024, np.int64)
    node, child, begin, feed, top = np.zeros((5, level), np.int64)
    for a in range(share[0], share[1]):
        mine = crowd.places[crowd.starts[a] : crowd.starts[a + 1]]
        arena = room(arena, len(mine))
        copy_into(arena, mine)
        depth, node[1], child[1], top[0] = 1, a, -1, len(mine)
        while depth > 0 and stop[0] == 0:
            v = node[depth]
            until = begin[depth] + trie.support[v]
            if depth == level - 1:
                n = _count(crowd, arena[begin[depth] : until], counts, touched)
                n = _within(trie, node, depth, touched, n, counts)
                good, bad = roomy(good, n_good + n), roomy(bad, n_bad + n)
                n_good, n_bad = _judge(v, touched[:n], counts, k, allowed, last, good, n_good, bad, n_bad)
                usage[0] = (6 + level) * n_good + (4 + level) * n_bad
                depth -= 1
                continue
            if child[depth] < 0:
                child[depth], feed[depth] = trie.child[v], top[depth - 1]
                top[depth] = top[depth - 1] + supports(trie, v)
                arena = room(arena, top[depth])
                _hand_on(crowd.path, trie, v, arena, begin[depth], until, feed[depth], into)
            if child[depth] == trie.child[v + 1]:
                depth -= 1
                continue
            w = child[depth]
            child[depth] += 1
            depth += 1
            node[depth], child[depth], begin[depth] = w, -1, feed[depth - 1]
            feed[depth - 1] += trie.support[w]
    return good[:n_good].copy(), bad[:n_bad].copy()


@helper
def _judge(
    v: int,
    items: Ints,
    counts: tuple[Items, Items],
    k: int,
    allowed: Ints,
    last: bool,
    good: Ints,
    n_good: int,
    bad: Ints,
    n_bad: int,
) -> tuple[int, int]:
    for item in items:
        support = counts[0][item]
        if support < k or _worst(counts[1][item]) > allowed[support]:
            bad[n_bad, 0], bad[n_bad, 1] = v, item
            n_bad += 1
        elif not last:
            good[n_good, 0], good[n_good, 1], good[n_good, 2] = v, item, support
            n_good += 1
        _clear(counts, item)
    return n_good, n_bad


@helper
def _hand_on(path: Items, trie: Trie, v: int, arena: Ints, begin: int, until: int, at: int, into: Ints) -> None:
    """Sort the places after those in begin:until to the children of v, from `at` on."""
    for w in range(trie.child[v], trie.child[v + 1]):
        into[trie.label[w]] = at
        at += trie.support[w]
    for i in range(begin, until):
        place = arena[i] + 1
        while path[place] >= 0:
            item = path[place]
            if into[item] >= 0:
                arena[into[item]] = place
                into[item] += 1
            place += 1
    for w in range(trie.child[v], trie.child[v + 1]):
        into[trie.label[w]] = -1


@helper
def _count(crowd: FencedPaths, places: Ints, counts: tuple[Items, Items], touched: Ints) -> int:
    """Count every item after the places, alone and with each sensitive value; how many items were met."""
    support, shared = counts
    n = 0
    for place in places:
        u = crowd.owner[place]
        mine = crowd.codes[crowd.code_offsets[u] : crowd.code_offsets[u + 1]]
        place += 1
        while crowd.path[place] >= 0:
            item = crowd.path[place]
            if support[item] == 0:
                touched[n] = item
                n += 1
            support[item] += 1
            for code in mine:
                shared[item, code] += 1
            place += 1
    return n


@helper
def _worst(shared: Items) -> int:
    worst = 0
    for n in shared:
        worst = max(worst, n)
    return worst


@helper
def _clear(counts: tuple[Items, Items], item: int) -> None:
    counts[0][item] = 0
    counts[1][item] = 0


@helper
def _within(trie: Trie, node: Ints, depth: int, touched: Ints, n: int, counts: tuple[Items, Items]) -> int:
    """Keep the items, in order, with which every part of the set that lacks one of its items is in the trie too."""
    for lacking in range(1, depth + 1 if depth > 1 else 1):
        v = lacking_one(trie, node, depth, lacking)
        kept = 0
        for i in range(n):
            if find(trie, v, touched[i]) >= 0:
                touched[kept] = touched[i]
                kept += 1
            else:
                _clear(counts, touched[i])
        n = kept
    touched[:n].sort()
    return n
