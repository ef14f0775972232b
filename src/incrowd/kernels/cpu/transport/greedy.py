"""The paper's shortcut: near pairs first, nearest of all before the others, whatever is left to the optimum."""

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.kernels.cpu import compiled, helper
from incrowd.kernels.cpu.transport.sites import STACK, Ids, Tree, box_distance, distance, grow, leaf_range

MOST_PAIRS = 2**24  # held at a time


@compiled
def greedy(
    x: Floats, y: Floats, start: Ints, rank: Ints, to_x: Floats, to_y: Floats, seat: Ints, demand: Ints, theta: float
) -> Ints:
    """The place in to_x of each unit joined below theta, else -1, by rising (cost, rank, tower) [xu2017, Sec. 4.3].

    Units start[i]:start[i + 1] are at point i, by rising rank; what is joined leaves the demand. `seat` holds the tower
    of each seat, place after place, the lowest first, which is taken first.
    """
    end = np.cumsum(demand)
    tree = grow(to_x, to_y, np.zeros(len(to_x)))
    joined = np.full(len(rank), -1)
    low = 0.0
    while low < theta:
        high = theta
        pairs = _pairs(tree, x, y, start, joined, demand, low, high)
        while pairs > MOST_PAIRS and (low + high) / 2 > low:
            high = (low + high) / 2
            pairs = _pairs(tree, x, y, start, joined, demand, low, high)
        _join(tree, x, y, start, rank, seat, end, demand, low, high, pairs, joined)
        low = high
    return joined


@helper
def _near(tree: Tree, x: float, y: float, low: float, high: float, demand: Ints, nodes: Ints, out: Ints) -> int:
    """Towers with demand at a distance in [low, high)."""
    nodes[0], top, count = 1, 1, 0
    while top > 0:
        top -= 1
        n = nodes[top]
        if box_distance(tree, n, x, y) >= high:
            continue
        if n < tree.leaves:
            nodes[top], nodes[top + 1] = 2 * n, 2 * n + 1
            top += 2
            continue
        a, b = leaf_range(tree, n)
        for j in range(a, b):
            if demand[j] > 0 and low <= distance(tree.x[j], tree.y[j], x, y) < high:
                out[count] = j
                count += 1
    return count


@helper
def _pairs(tree: Tree, x: Floats, y: Floats, start: Ints, joined: Ints, demand: Ints, low: float, high: float) -> int:
    """How many pairs of a free unit and an open tower there are."""
    nodes, out, total = np.empty(STACK, np.int64), np.empty(len(tree.x), np.int64), 0
    for i in range(len(x)):
        free = (joined[start[i] : start[i + 1]] < 0).sum()
        if free > 0:
            total += free * _near(tree, x[i], y[i], low, high, demand, nodes, out)
    return total


@helper
def _join(
    tree: Tree,
    x: Floats,
    y: Floats,
    start: Ints,
    rank: Ints,
    seat: Ints,
    end: Ints,
    demand: Ints,
    low: float,
    high: float,
    pairs: int,
    joined: Ints,
) -> None:
    cost, unit, to = np.empty(pairs), np.empty(pairs, np.int32), np.empty(pairs, np.int32)
    nodes, out, at = np.empty(STACK, np.int64), np.empty(len(tree.x), np.int64), 0
    for i in range(len(x)):
        if not (joined[start[i] : start[i + 1]] < 0).any():
            continue
        near = _near(tree, x[i], y[i], low, high, demand, nodes, out)
        for u in range(start[i], start[i + 1]):
            for k in range(near if joined[u] < 0 else 0):
                cost[at], unit[at], to[at] = distance(tree.x[out[k]], tree.y[out[k]], x[i], y[i]), u, out[k]
                at += 1
    order = np.argsort(cost, kind="mergesort")
    a = 0
    for b in range(1, pairs + 1):
        if b == pairs or cost[order[b]] != cost[order[a]]:
            tied = order[a:b]
            if b - a > 1:
                tied = tied[np.argsort(rank[unit[tied]], kind="mergesort")]
            _join_tied(unit[tied], to[tied], seat, end, demand, joined)
            a = b


@helper
def _join_tied(unit: Ids, to: Ids, seat: Ints, end: Ints, demand: Ints, joined: Ints) -> None:
    """Pairs of one cost, unit after unit: each takes the place whose lowest tower with a seat left is the lowest."""
    a = 0
    for b in range(1, len(unit) + 1):
        if b < len(unit) and unit[b] == unit[a]:
            continue
        best = -1
        for j in to[a:b]:
            if demand[j] > 0 and (best < 0 or seat[end[j] - demand[j]] < seat[end[best] - demand[best]]):
                best = j
        if best >= 0 and joined[unit[a]] < 0:
            joined[unit[a]] = best
            demand[best] -= 1
        a = b
