"""Minimal violating sets, compiled: prefix projection over inverted lists, one length after the other."""

from functools import partial
from typing import NamedTuple

import numpy as np
from numba import get_num_threads, njit
from numpy.typing import NDArray

from incrowd.arrays import Ints, owners, tally
from incrowd.kernels.reference.sequences import Ids
from incrowd.kernels.watch import Watch

PARTS = 64  # pieces of work per length: enough to keep the threads equally busy
FENCE = -1


class Crowd(NamedTuple):
    """The records: every path ends in a fence, the lists say at which places of `path` an item stands."""

    path: Ids
    owner: Ids
    starts: Ints
    places: NDArray[np.int64]
    code_offsets: Ints
    codes: Ids
    values: int


class Trie(NamedTuple):
    """The sets that do not violate, shortest first; the children of node v are child[v]:child[v+1], in order."""

    label: Ids
    support: Ids
    child: Ints


def violating_sets(
    items: Ids, offsets: Ints, code_offsets: Ints, codes: Ids, longest: int, k: int, allowed: Ints, watch: Watch
) -> list[Ids]:
    """One matrix of sets in order for each length 1..longest; see the reference."""
    size, values = int(items.max(initial=-1)) + 1, int(codes.max(initial=-1)) + 1
    support, worst = count_singles(items, offsets, code_offsets, codes, size, values)
    good = (support >= k) & (worst <= allowed[support])
    crowd = _crowd(items, offsets, good, code_offsets, codes, values)
    names = np.flatnonzero(good).astype(np.int32)
    trie = Trie(np.arange(len(names), dtype=np.int32), support[good], np.full(len(names) + 1, len(names), np.int64))
    sets = np.arange(len(names), dtype=np.int32)[:, None]
    found = [np.flatnonzero((support > 0) & ~good).astype(np.int32)[:, None]]
    for level in range(2, longest + 1):
        work = partial(_grow_part, crowd, trie, level, k, allowed, level == longest)
        parts = watch.run(work, _shares(crowd), get_num_threads())
        parents, labels, supports, bad_parents, bad_labels = (
            np.concatenate(column) for column in zip(*parts, strict=True)
        )
        first = len(trie.label) - len(sets)
        found.append(names[np.column_stack([sets[bad_parents - first], bad_labels])])
        sets = np.column_stack([sets[parents - first], labels])
        trie = _deeper(trie, first, parents, labels, supports)
    return found


def _crowd(items: Ids, offsets: Ints, good: NDArray[np.bool_], code_offsets: Ints, codes: Ids, values: int) -> Crowd:
    """The records without the items that violate alone: no longer minimal set holds one."""
    keep = good[items]
    ends = np.cumsum(tally(keep, offsets))
    numbered = (np.cumsum(good) - 1).astype(np.int32)[items[keep]]
    path = np.insert(numbered, ends, FENCE) if len(ends) else numbered
    owner = owners(np.concatenate([[0], ends + np.arange(1, len(ends) + 1)])).astype(np.int32)
    starts, places = occurrences(path, int(good.sum()))
    return Crowd(path, owner, starts, places, code_offsets, codes, values)


def _shares(crowd: Crowd) -> list[tuple[int, int]]:
    """Ranges of first items with about as many places each."""
    cuts = np.searchsorted(crowd.starts, np.linspace(0, crowd.starts[-1], PARTS + 1)[1:-1])
    edges = np.unique(np.concatenate([[0], cuts, [len(crowd.starts) - 1]]))
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))


def _deeper(trie: Trie, first: int, parents: Ints, labels: Ids, supports: Ids) -> Trie:
    """The trie with one more length; only the nodes of the length before get children."""
    old, new = len(trie.label), len(trie.label) + len(labels)
    children = np.bincount(parents - first, minlength=old - first)
    child = np.concatenate([trie.child[:first], old + np.cumsum(children) - children, np.full(len(labels) + 1, new)])
    return Trie(np.concatenate([trie.label, labels]), np.concatenate([trie.support, supports]), child)


@njit(cache=True)
def count_singles(items: Ids, offsets: Ints, code_offsets: Ints, codes: Ids, size: int, values: int) -> tuple[Ids, Ids]:
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


@njit(cache=True)
def occurrences(path: Ids, size: int) -> tuple[Ints, NDArray[np.int64]]:
    """The places of each item in a fenced path, by counting sort."""
    starts = np.zeros(size + 2, np.int64)
    for item in path:
        if item >= 0:
            starts[item + 2] += 1
    for i in range(2, size + 2):
        starts[i] += starts[i - 1]
    places = np.empty(starts[size + 1], np.int64)
    for place in range(len(path)):
        if path[place] >= 0:
            places[starts[path[place] + 1]] = place
            starts[path[place] + 1] += 1
    return starts[:-1], places


def _grow_part(
    crowd: Crowd,
    trie: Trie,
    level: int,
    k: int,
    allowed: Ints,
    last: bool,
    share: tuple[int, int],
    stop: Ints,
    found: Ints,
) -> tuple[Ints, Ids, Ids, Ints, Ids]:
    return grow(crowd, trie, level, k, allowed, last, share[0], share[1], stop, found)  # type: ignore[no-any-return]


@njit(nogil=True, cache=True)
def grow(
    crowd: Crowd,
    trie: Trie,
    level: int,
    k: int,
    allowed: Ints,
    last: bool,
    first: int,
    end: int,
    stop: Ints,
    found: Ints,
) -> tuple[Ints, Ids, Ids, Ints, Ids]:
    """Extend every set of level-1 items that begins with first..end-1 by one item, and judge the result.

    Walks down the trie, handing the places of a set on to its children (all in one scan of the tails). Returns parent,
    label and support of the sets that do not violate (none when this is the last length), parent and label of those
    that do.
    """
    good, bad = np.empty((64, 3), np.int64), np.empty((64, 2), np.int64)
    n_good, n_bad = 0, 0
    counts = (np.zeros(len(crowd.starts), np.int32), np.zeros((len(crowd.starts), crowd.values), np.int32))
    touched = np.empty(len(crowd.starts), np.int64)
    into = np.full(len(crowd.starts), -1, np.int64)
    arena = np.empty(1024, np.int64)
    node, child = np.empty(level, np.int64), np.empty(level, np.int64)
    top, feed = np.empty(level, np.int64), np.empty(level, np.int64)
    for a in range(first, end):
        mine = crowd.places[crowd.starts[a] : crowd.starts[a + 1]]
        arena = room(arena, len(mine))
        arena[: len(mine)] = mine
        depth, node[1], child[1], top[0], feed[0] = 1, a, -1, len(mine), len(mine)
        begin = np.zeros(level, np.int64)
        while depth > 0 and stop[0] == 0:
            v = node[depth]
            until = begin[depth] + trie.support[v]
            if depth == level - 1:
                n = _count(crowd, arena[begin[depth] : until], counts, touched)
                n = _within(trie, node, depth, touched, n, counts)
                good, bad = _roomy(good, n_good + n), _roomy(bad, n_bad + n)
                for c in touched[:n]:
                    support = counts[0][c]
                    if support < k or _worst(counts[1][c]) > allowed[support]:
                        bad[n_bad, 0], bad[n_bad, 1] = v, c
                        n_bad += 1
                    elif not last:
                        good[n_good, 0], good[n_good, 1], good[n_good, 2] = v, c, support
                        n_good += 1
                    _clear(counts, c)
                found[0] = level * (n_good + n_bad)
                depth -= 1
                continue
            if child[depth] < 0:
                child[depth], feed[depth] = trie.child[v], top[depth - 1]
                top[depth] = top[depth - 1] + _supports(trie, v)
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
    good, bad = good[:n_good], bad[:n_bad]
    narrow = np.int32
    return (
        good[:, 0].copy(),
        good[:, 1].astype(narrow),
        good[:, 2].astype(narrow),
        bad[:, 0].copy(),
        bad[:, 1].astype(narrow),
    )


@njit(cache=True)
def room(array: Ints, size: int) -> Ints:
    """The array, or a longer copy."""
    if size <= len(array):
        return array
    longer = np.empty(max(size, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer


@njit(cache=True)
def _roomy(table: Ints, size: int) -> Ints:
    if size <= len(table):
        return table
    longer = np.empty((max(size, 2 * len(table)), table.shape[1]), table.dtype)
    longer[: len(table)] = table
    return longer


@njit(cache=True)
def _supports(trie: Trie, v: int) -> int:
    total = 0
    for w in range(trie.child[v], trie.child[v + 1]):
        total += trie.support[w]
    return total


@njit(cache=True)
def _hand_on(path: Ids, trie: Trie, v: int, arena: Ints, begin: int, until: int, at: int, into: Ints) -> None:
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


@njit(cache=True)
def _count(crowd: Crowd, places: Ints, counts: tuple[Ids, Ids], touched: Ints) -> int:
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


@njit(cache=True)
def _worst(shared: Ids) -> int:
    worst = 0
    for n in shared:
        worst = max(worst, n)
    return worst


@njit(cache=True)
def _clear(counts: tuple[Ids, Ids], item: int) -> None:
    counts[0][item] = 0
    counts[1][item] = 0


@njit(cache=True)
def _within(trie: Trie, node: Ints, depth: int, touched: Ints, n: int, counts: tuple[Ids, Ids]) -> int:
    """Keep the items, in order, with which every part of the set that lacks one of its items is in the trie too."""
    for lacking in range(1, depth + 1):
        if depth == 1:
            break
        v = _lacking(trie, node, depth, lacking)
        kept = 0
        for i in range(n):
            if _find(trie, v, touched[i]) >= 0:
                touched[kept] = touched[i]
                kept += 1
            else:
                _clear(counts, touched[i])
        n = kept
    touched[:n].sort()
    return n


@njit(cache=True)
def _lacking(trie: Trie, node: Ints, depth: int, lacking: int) -> int:
    """The node of the set on the way down without its item number `lacking`."""
    v = -1
    for d in range(1, depth + 1):
        if d != lacking:
            v = trie.label[node[d]] if v < 0 else _find(trie, v, trie.label[node[d]])
    return v


@njit(cache=True)
def _find(trie: Trie, v: int, item: int) -> int:
    low, high = trie.child[v], trie.child[v + 1]
    while low < high:
        middle = (low + high) >> 1
        if trie.label[middle] < item:
            low = middle + 1
        else:
            high = middle
    return low if low < trie.child[v + 1] and trie.label[low] == item else -1
