"""Towers -> sites: towers at one place are one site, neighbouring sites have neighbouring numbers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.kernels.cpu import compiled, copy_into, helper

LEAF = 8  # towers in a leaf, at most twice as many
STACK = 128  # deeper than any tree


Ids = NDArray[np.int32]


class Tree(NamedTuple):
    """Node n has children 2n and 2n + 1, the leaves are last; each leaf holds a run of towers."""

    x: Floats
    y: Floats
    price: Floats
    leaves: int
    box: Floats  # [node, 4]: west, east, south, north
    low: Floats  # [node], no more than any price below the node


@helper
def spatial_order(x: Floats, y: Floats) -> Ints:
    """Neighbours side by side: halves by the median of the longer side, again and again."""
    order = np.arange(len(x))
    stack = [(0, len(x))]
    while stack:
        a, b = stack.pop()
        if b - a <= 2:
            continue
        part = order[a:b]
        along_x = x[part].max() - x[part].min() >= y[part].max() - y[part].min()
        copy_into(part, part[np.argsort(x[part] if along_x else y[part], kind="mergesort")])
        stack.append((a, (a + b) // 2))
        stack.append(((a + b) // 2, b))
    return order


@helper
def grow(x: Floats, y: Floats, price: Floats) -> Tree:
    """The tree over towers in spatial order."""
    leaves = 1
    while leaves * LEAF * 2 <= len(x):
        leaves *= 2
    box, low = np.empty((2 * leaves, 4)), np.empty(2 * leaves)
    for leaf in range(leaves):
        a, b = leaf * len(x) // leaves, (leaf + 1) * len(x) // leaves
        n = leaves + leaf
        box[n, 0], box[n, 1], box[n, 2], box[n, 3] = x[a:b].min(), x[a:b].max(), y[a:b].min(), y[a:b].max()
        low[n] = price[a:b].min()
    for n in range(leaves - 1, 0, -1):
        a, b = 2 * n, 2 * n + 1
        box[n, 0], box[n, 1] = min(box[a, 0], box[b, 0]), max(box[a, 1], box[b, 1])
        box[n, 2], box[n, 3] = min(box[a, 2], box[b, 2]), max(box[a, 3], box[b, 3])
        low[n] = min(low[a], low[b])
    return Tree(x, y, price, leaves, box, low)


@helper
def box_distance(tree: Tree, n: int, x: float, y: float) -> float:
    """No tower below the node is nearer; rounding cannot make it so, since each operation is monotone."""
    dx = max(tree.box[n, 0] - x, x - tree.box[n, 1], 0.0)
    dy = max(tree.box[n, 2] - y, y - tree.box[n, 3], 0.0)
    return float(np.sqrt(dx * dx + dy * dy))


@helper
def leaf_range(tree: Tree, n: int) -> tuple[int, int]:
    """The towers of a leaf."""
    leaf, towers = n - tree.leaves, len(tree.x)
    return leaf * towers // tree.leaves, (leaf + 1) * towers // tree.leaves


@helper
def _bound(tree: Tree, n: int, x: float, y: float) -> float:
    """No tower below the node costs less."""
    return float(box_distance(tree, n, x, y) + tree.low[n])


@helper
def distance(ax: float, ay: float, bx: float, by: float) -> float:
    """Metres on the plane; always this formula, so that equal costs are equal to the last bit."""
    dx, dy = ax - bx, ay - by
    return float(np.sqrt(dx * dx + dy * dy))


@helper
def _refresh(tree: Tree, n: int, low: float) -> None:
    """Prices only rise, so that old lows stay valid; a leaf that was read has a better one."""
    tree.low[n] = low
    n //= 2
    while n > 0:
        low = min(tree.low[2 * n], tree.low[2 * n + 1])
        if low == tree.low[n]:
            break
        tree.low[n] = low
        n //= 2


@helper
def cheapest(tree: Tree, x: float, y: float, limit: float, nodes: Ints, bounds: Floats, ids: Ids, value: Floats) -> int:
    """The towers with the lowest distance + price up to the limit, as many as fit in ids, cheapest first."""
    count, top = 0, 1
    nodes[0], bounds[0] = 1, _bound(tree, 1, x, y)
    while top > 0:
        top -= 1
        if bounds[top] > limit:
            continue
        n, top = _descend(tree, x, y, limit, nodes, bounds, top)
        if n == 0:
            continue
        low = np.inf
        first, last = leaf_range(tree, n)
        for j in range(first, last):
            low = min(low, tree.price[j])
            v = distance(tree.x[j], tree.y[j], x, y) + tree.price[j]
            if v <= limit:
                count = _insert(ids, value, count, j, v)
                if count == len(ids):
                    limit = value[count - 1]
        if low > tree.low[n]:
            _refresh(tree, n, low)
    return count


@helper
def _descend(tree: Tree, x: float, y: float, limit: float, nodes: Ints, bounds: Floats, top: int) -> tuple[int, int]:
    """From a node down to its nearest leaf, 0 where all is too far; the other children wait on the stack."""
    n = nodes[top]
    while n < tree.leaves:
        a, b = 2 * n, 2 * n + 1
        bound_a, bound_b = _bound(tree, a, x, y), _bound(tree, b, x, y)
        if bound_b < bound_a:
            a, b, bound_a, bound_b = b, a, bound_b, bound_a
        if bound_b <= limit:
            nodes[top], bounds[top] = b, bound_b
            top += 1
        if bound_a > limit:
            return 0, top
        n = a
    return n, top


@helper
def _insert(ids: Ids, value: Floats, count: int, j: int, v: float) -> int:
    """In its place among those found; the dearest leaves where all places are taken."""
    at = min(count, len(ids) - 1)
    while at > 0 and value[at - 1] > v:
        value[at], ids[at] = value[at - 1], ids[at - 1]
        at -= 1
    value[at], ids[at] = v, j
    return min(count + 1, len(ids))


NONE = -1


class Sites(NamedTuple):
    """Site s holds towers[start[s]:start[s + 1]], the lowest first."""

    x: Floats
    y: Floats
    of: Ints  # [tower]
    start: Ints
    towers: Ints
    sorted: Ints  # sites by x, then y


@compiled
def sites_of(x: Floats, y: Floats) -> Sites:
    """The sites of some towers."""
    by_xy = by_place(x, y)
    run = np.zeros(len(x), np.int64)  # of equal places, in order of x and y
    for k in range(1, len(x)):
        same = x[by_xy[k]] == x[by_xy[k - 1]] and y[by_xy[k]] == y[by_xy[k - 1]]
        run[k] = run[k - 1] + (0 if same else 1)
    first = by_xy[np.searchsorted(run, np.arange(run[-1] + 1))]
    order = spatial_order(x[first], y[first])
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    of = np.empty(len(x), np.int64)
    of[by_xy] = number[run]
    start = np.zeros(len(order) + 1, np.int64)
    copy_into(start[1:], np.cumsum(np.bincount(of)))
    return Sites(x[first][order], y[first][order], of, start, np.argsort(of, kind="mergesort"), number)


@compiled
def by_place(x: Floats, y: Floats) -> Ints:
    """Positions by x, then y, then position."""
    order = np.argsort(x, kind="mergesort")
    a = 0
    for b in range(1, len(x) + 1):
        if b == len(x) or x[order[b]] != x[order[a]]:
            if b - a > 1:
                part = order[a:b]
                copy_into(part, part[np.argsort(y[part], kind="mergesort")])
            a = b
    return order


@compiled
def site_at(sites: Sites, x: float, y: float) -> int:
    """The site at exactly this place, or -1."""
    a, b = 0, len(sites.sorted)
    while a < b:
        middle = (a + b) // 2
        s = sites.sorted[middle]
        if sites.x[s] < x or (sites.x[s] == x and sites.y[s] < y):
            a = middle + 1
        else:
            b = middle
    if a == len(sites.sorted):
        return NONE
    s = sites.sorted[a]
    return int(s) if sites.x[s] == x and sites.y[s] == y else NONE
