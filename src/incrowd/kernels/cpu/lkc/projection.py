"""A trie of sets in three flat arrays, one length after the other."""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.cpu import compiled, copy_into, helper
from incrowd.kernels.types import Items

FENCE = -1


@compiled
def occurrences(path: Items, size: int) -> tuple[Ints, Ints]:
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


@helper
def room(array: Ints, size: int) -> Ints:
    """The array, or a longer copy."""
    if size <= len(array):
        return array
    longer = np.empty(max(size, 2 * len(array)), array.dtype)
    copy_into(longer, array)
    return longer


@helper
def roomy(table: Ints, size: int) -> Ints:
    """The table, or a longer copy."""
    if size <= len(table):
        return table
    longer = np.empty((max(size, 2 * len(table)), table.shape[1]), table.dtype)
    copy_into(longer.ravel(), table.ravel())
    return longer


class Trie(NamedTuple):
    """The sets that do not violate, shortest first; the children of node v are child[v]:child[v+1], in order."""

    label: Items
    support: Items
    child: Ints


def deeper(trie: Trie, first: int, rows: Ints) -> Trie:
    """The trie with one more length; only the nodes of the length before get children."""
    parents, labels, supports = rows[:, 0], rows[:, 1].astype(np.int32), rows[:, 2].astype(np.int32)
    old, new = len(trie.label), len(trie.label) + len(labels)
    children = np.bincount(parents - first, minlength=old - first)
    child = np.concatenate([trie.child[:first], old + np.cumsum(children) - children, np.full(len(labels) + 1, new)])
    return Trie(np.concatenate([trie.label, labels]), np.concatenate([trie.support, supports]), child)


@helper
def supports(trie: Trie, v: int) -> int:
    """The supports of the children of v, added up."""
    total = 0
    for w in range(trie.child[v], trie.child[v + 1]):
        total += trie.support[w]
    return total


@helper
def lacking_one(trie: Trie, node: Ints, depth: int, lacking: int) -> int:
    """The node of the set on the way down without its item number `lacking`."""
    v = -1
    for d in range(1, depth + 1):
        if d != lacking:
            v = trie.label[node[d]] if v < 0 else find(trie, v, trie.label[node[d]])
    return v


@helper
def find(trie: Trie, v: int, item: int) -> int:
    """The child of v for an item, or -1."""
    low, high = trie.child[v], trie.child[v + 1]
    while low < high:
        middle = (low + high) >> 1
        if trie.label[middle] < item:
            low = middle + 1
        else:
            high = middle
    return low if low < trie.child[v + 1] and trie.label[low] == item else -1
