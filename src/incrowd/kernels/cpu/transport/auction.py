"""Points with supplies -> towers with demands at least total distance: an auction, and a bound that proves its answer.

Every unit of supply bids for its cheapest tower; a tower of demand b keeps the b highest bids, and the lowest of them
is its price. Prices only rise, and the step by which they rise at least shrinks from phase to phase.
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.kernels.cpu import compiled, copy_into, helper
from incrowd.kernels.cpu.transport.sites import STACK, Ids, Tree, cheapest, distance, grow

KEEP = 16  # towers on the list of a point
SHRINK = 5.0  # of the least step, from phase to phase
SPACINGS = 0.15  # the first step, in distances between neighbouring towers
LAST = 1e-12  # the last step, in diameters,
LAST_M = 1e-6  # but not more than these metres,
LEAST = 1e-13  # as long as it is far above the rounding of prices, in diameters


class CheapestTowers(NamedTuple):
    """The cheapest towers of each point when it last looked; all others cost at least `rest` ever since."""

    ids: Ids  # [point, KEEP]
    far: Floats  # their distances
    size: Ids
    rest: Floats
    nodes: Ints  # room for the search
    bounds: Floats
    value: Floats


class Seats(NamedTuple):
    """Who holds a place at each tower, and what was bid for it: a heap per tower, the lowest bid on top."""

    start: Ints
    taken: Ints
    bid: Floats
    unit: Ints


@compiled
def transport(
    x: Floats, y: Floats, supply: Ints, to_x: Floats, to_y: Floats, demand: Ints, price: Floats, max_bids: int
) -> tuple[Ints, int]:
    """The point served by each seat, towers in order, and the bids it took, -1 if too many; prices are raised in place.

    Supplies and demands have the same sum. Any prices to start from are right: every seat is taken in the end
    [Bertsekas 1988; with several seats, Bertsekas and Castanon 1989].
    """
    owner = _repeat(supply)
    tree = grow(to_x, to_y, price)
    seats = _seats(demand, len(owner))
    lists = _lists(len(x), min(KEEP, len(to_x)))
    step, last = _steps(x, y, to_x, to_y)
    bids = 0
    while bids >= 0:
        seats.taken[:] = 0
        bids = _phase(x, y, owner, tree, lists, seats, step, bids, max_bids)
        if step <= last:
            break
        step = max(step / SHRINK, last)
    return owner[seats.unit], bids


@compiled
def dual_bound(x: Floats, y: Floats, supply: Ints, to_x: Floats, to_y: Floats, demand: Ints, price: Floats) -> float:
    """sum_i a_i min_j (c_ij + p_j) - sum_j b_j p_j: no plan costs less, whatever the prices (weak duality)."""
    tree = grow(to_x, to_y, price)
    nodes, bounds, ids, value = np.empty(STACK, np.int64), np.empty(STACK), np.empty(1, np.int32), np.empty(1)
    # Prices count from the lowest, so that little is lost to rounding where all are high.
    floor = price.min()
    total = 0.0
    for i in range(len(x)):
        cheapest(tree, x[i], y[i], np.inf, nodes, bounds, ids, value)
        total += supply[i] * (value[0] - floor)
    for j in range(len(to_x)):
        total -= demand[j] * (price[j] - floor)
    return total


@helper
def _repeat(supply: Ints) -> Ints:
    owner = np.empty(supply.sum(), np.int64)
    at = 0
    for i in range(len(supply)):
        owner[at : at + supply[i]] = i
        at += supply[i]
    return owner


@helper
def _seats(demand: Ints, units: int) -> Seats:
    start = np.zeros(len(demand) + 1, np.int64)
    copy_into(start[1:], np.cumsum(demand))
    return Seats(start, np.zeros(len(demand), np.int64), np.empty(units), np.zeros(units, np.int64))


@helper
def _lists(points: int, keep: int) -> CheapestTowers:
    # A list that never was made is always out of date.
    return CheapestTowers(
        np.empty((points, keep), np.int32),
        np.empty((points, keep)),
        np.zeros(points, np.int32),
        np.full(points, -np.inf),
        np.empty(STACK, np.int64),
        np.empty(STACK),
        np.empty(keep),
    )


@helper
def _steps(x: Floats, y: Floats, to_x: Floats, to_y: Floats) -> tuple[float, float]:
    """The first and the last step: the first suits the distances between neighbours, the last is next to nothing."""
    near = distance(to_x.min(), to_y.min(), to_x.max(), to_y.max())
    wide, high = (
        max(x.max(), to_x.max()) - min(x.min(), to_x.min()),
        max(y.max(), to_y.max()) - min(y.min(), to_y.min()),
    )
    all_ = distance(0.0, 0.0, wide, high)
    last = max(min(LAST * all_, LAST_M), LEAST * all_, np.finfo(np.float64).tiny)
    return max((near if near > 0 else all_) * SPACINGS / np.sqrt(len(to_x)), last), last


@helper
def _phase(
    x: Floats,
    y: Floats,
    owner: Ints,
    tree: Tree,
    lists: CheapestTowers,
    seats: Seats,
    step: float,
    bids: int,
    max_bids: int,
) -> int:
    """Seat everybody anew, first come, first served; bids so far, -1 if they are too many."""
    units = len(owner)
    queue = np.arange(units)
    head, waiting = 0, units
    while waiting > 0:
        if bids >= max_bids:
            return -1
        unit = queue[head]
        head = head + 1 if head + 1 < units else 0
        i = owner[unit]
        best, second, k = _look(tree, lists, i)
        if second > lists.rest[i]:
            _relist(tree, lists, i, x[i], y[i])
            best, second, k = _look(tree, lists, i)
        j = lists.ids[i, k]
        # A lone tower has no rival.
        more = second - best if second < np.inf else 0.0
        out = _seat(seats, tree, j, unit, tree.price[j] + more + step)
        bids += 1
        if out >= 0:
            at = head + waiting - 1
            queue[at if at < units else at - units] = out
        else:
            waiting -= 1
    return bids


@helper
def _look(tree: Tree, lists: CheapestTowers, i: int) -> tuple[float, float, int]:
    """The lowest and the second lowest cost on the list, and the place of the lowest."""
    best, second, at = np.inf, np.inf, 0
    for k in range(lists.size[i]):
        value = lists.far[i, k] + tree.price[lists.ids[i, k]]
        if value < best:
            second, best, at = best, value, k
        elif value < second:
            second = value
    return best, second, at


@helper
def _relist(tree: Tree, lists: CheapestTowers, i: int, x: float, y: float) -> None:
    """Look again; the towers of the old list say how dear the new ones are at most."""
    limit = np.inf if lists.size[i] == 0 else -np.inf
    for k in range(lists.size[i]):
        limit = max(limit, lists.far[i, k] + tree.price[lists.ids[i, k]])
    size = cheapest(tree, x, y, limit, lists.nodes, lists.bounds, lists.ids[i], lists.value)
    lists.size[i] = size
    for k in range(size):
        j = lists.ids[i, k]
        lists.far[i, k] = distance(tree.x[j], tree.y[j], x, y)
    lists.rest[i] = lists.value[size - 1] if size < len(tree.x) else np.inf


@helper
def _seat(seats: Seats, tree: Tree, j: int, unit: int, bid: float) -> int:
    """Take a free seat, or that of the lowest bid; who lost it, or -1."""
    a = seats.start[j]
    room = seats.start[j + 1] - a
    out = -1
    if seats.taken[j] < room:
        _rise(seats, a, seats.taken[j], unit, bid)
        seats.taken[j] += 1
    else:
        out = seats.unit[a]
        _sink(seats, a, room, unit, bid)
    if seats.taken[j] == room:
        tree.price[j] = seats.bid[a]
    return out


@helper
def _rise(seats: Seats, a: int, at: int, unit: int, bid: float) -> None:
    while at > 0:
        up = (at - 1) // 2
        if seats.bid[a + up] <= bid:
            break
        seats.bid[a + at], seats.unit[a + at] = seats.bid[a + up], seats.unit[a + up]
        at = up
    seats.bid[a + at], seats.unit[a + at] = bid, unit


@helper
def _sink(seats: Seats, a: int, room: int, unit: int, bid: float) -> None:
    at = 0
    while 2 * at + 1 < room:
        down = 2 * at + 1
        if down + 1 < room and seats.bid[a + down + 1] < seats.bid[a + down]:
            down += 1
        if seats.bid[a + down] >= bid:
            break
        seats.bid[a + at], seats.unit[a + at] = seats.bid[a + down], seats.unit[a + down]
        at = down
    seats.bid[a + at], seats.unit[a + at] = bid, unit
