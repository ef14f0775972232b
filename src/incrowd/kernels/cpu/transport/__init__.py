"""The counts of one day -> one trajectory per person, slot after slot."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.kernels.cpu import compiled, copy_into, helper
from incrowd.kernels.cpu.transport.auction import dual_bound, transport
from incrowd.kernels.cpu.transport.greedy import greedy
from incrowd.kernels.cpu.transport.sites import NONE, Sites, by_place, distance, site_at, sites_of


class RowsByPoint(NamedTuple):
    """Rows with one predicted point, members[start[g]:start[g + 1]] as preferred; the first groups are the sites."""

    x: Floats
    y: Floats
    start: Ints
    members: Ints


@compiled
def link(
    x: Floats,
    y: Floats,
    at: Ints,
    last: Ints,
    prefer: Ints,
    sites: Sites,
    counts: Ints,
    theta: float,
    max_bids: int,
) -> tuple[Ints, float, float, int]:
    """The next tower of each row, the total distance, a bound below every such total, and bids (-1: too many).

    Row i is predicted at (x, y)[i], which is site at[i] if that is known, and was at tower last[i]; of equal rows the
    first in prefer are served first. The optimum keeps in place whom it can, since distance is a metric. Near pairs
    joined below theta do not touch the bound: it is that of the optimum, and takes an auction of its own.
    """
    groups = _groups(x, y, at, prefer, sites)
    demand = np.zeros(len(sites.x), np.int64)
    for m in range(len(counts)):
        demand[sites.of[m]] += counts[m]
    goal = np.empty(len(x), np.int64)
    given = np.zeros(len(groups.x), np.int64)  # members with a goal
    for s in range(len(sites.x)):
        stay = min(groups.start[s + 1] - groups.start[s], demand[s])
        for _ in range(stay):
            _send(goal, groups, given, s, s)
        demand[s] -= stay
    bound, bids = _transport(goal, groups, given.copy(), sites, demand, max_bids)
    if theta > 0 and bids >= 0:
        _shortcut(goal, groups, given, sites, demand, counts, prefer, theta)
        _, bids = _transport(goal, groups, given, sites, demand, max_bids)
    if bids < 0:
        return goal, 0.0, 0.0, bids
    cost = 0.0
    for row in range(len(x)):
        cost += distance(sites.x[goal[row]], sites.y[goal[row]], x[row], y[row])
    # The last digits of two sums differ; a bound above its total would be nothing but that.
    return _towers(goal, last, prefer, sites, counts), cost, min(bound, cost), bids


@helper
def _groups(x: Floats, y: Floats, at: Ints, prefer: Ints, sites: Sites) -> RowsByPoint:
    group = at.copy()
    for row in range(len(x)):
        if group[row] == NONE:
            group[row] = site_at(sites, x[row], y[row])
    off = np.flatnonzero(group == NONE)
    off = off[by_place(x[off], y[off])]
    size = len(sites.x)
    for k in range(len(off)):
        a, b = off[k - 1], off[k]
        size += k == 0 or x[a] != x[b] or y[a] != y[b]
        group[b] = size - 1
    gx, gy = np.empty(size), np.empty(size)
    copy_into(gx, sites.x)
    copy_into(gy, sites.y)
    gx[group[off]], gy[group[off]] = x[off], y[off]
    start = np.zeros(size + 2, np.int64)
    for row in range(len(x)):
        start[group[row] + 2] += 1
    start = np.cumsum(start)
    members = np.empty(len(x), np.int64)
    for row in prefer:
        members[start[group[row] + 1]] = row
        start[group[row] + 1] += 1
    return RowsByPoint(gx, gy, start[:-1], members)


@helper
def _send(goal: Ints, groups: RowsByPoint, given: Ints, g: int, site: int) -> None:
    """The next member of the group goes to the site."""
    goal[groups.members[groups.start[g] + given[g]]] = site
    given[g] += 1


@helper
def _shortcut(
    goal: Ints, groups: RowsByPoint, given: Ints, sites: Sites, demand: Ints, counts: Ints, prefer: Ints, theta: float
) -> None:
    """Near pairs joined greedily."""
    rank = np.empty(len(prefer), np.int64)
    rank[prefer] = np.arange(len(prefer))
    left = groups.start[1:] - groups.start[:-1] - given
    free, open_ = np.flatnonzero(left), np.flatnonzero(demand)
    if len(free) == 0:
        return
    start = np.zeros(len(free) + 1, np.int64)
    copy_into(start[1:], np.cumsum(left[free]))
    unit_rank = np.empty(start[-1], np.int64)
    for i in range(len(free)):
        a, b = groups.start[free[i]] + given[free[i]], groups.start[free[i] + 1]
        unit_rank[start[i] : start[i + 1]] = rank[groups.members[a:b]]
    seats, seat = demand[open_], _seat_towers(sites, open_, demand, counts)
    x, y, to_x, to_y = groups.x[free], groups.y[free], sites.x[open_], sites.y[open_]
    joined = greedy(x, y, start, unit_rank, to_x, to_y, seat, seats, theta)
    demand[open_] = seats
    for i in range(len(free)):
        # Of equal units the first in rank is joined first, so that those joined come before those left.
        for j in joined[start[i] : start[i + 1]]:
            if j >= 0:
                _send(goal, groups, given, free[i], open_[j])


@helper
def _seat_towers(sites: Sites, open_: Ints, demand: Ints, counts: Ints) -> Ints:
    """The tower of each seat left, site after site; those who stayed put have taken the lowest of theirs."""
    seat = np.empty(demand[open_].sum(), np.int64)
    end = 0
    for s in open_:
        end += demand[s]
        at, left = end, demand[s]
        for k in range(sites.start[s + 1] - 1, sites.start[s] - 1, -1):
            m = sites.towers[k]
            size = min(counts[m], left)
            seat[at - size : at] = m
            at, left = at - size, left - size
    return seat


@helper
def _transport(
    goal: Ints, groups: RowsByPoint, given: Ints, sites: Sites, demand: Ints, max_bids: int
) -> tuple[float, int]:
    """Everybody left to the demand left at least total distance; its bound and the bids."""
    left = groups.start[1:] - groups.start[:-1] - given
    free, open_ = np.flatnonzero(left), np.flatnonzero(demand)
    if len(free) == 0:
        return 0.0, 0
    x, y, to_x, to_y = groups.x[free], groups.y[free], sites.x[open_], sites.y[open_]
    supply, seats, price = left[free], demand[open_], np.zeros(len(open_))
    served, bids = transport(x, y, supply, to_x, to_y, seats, price, max_bids)
    if bids < 0:
        return 0.0, bids
    at = 0
    for j in range(len(open_)):
        for _ in range(seats[j]):
            _send(goal, groups, given, free[served[at]], open_[j])
            at += 1
    return dual_bound(x, y, supply, to_x, to_y, seats, price), bids


@helper
def _towers(goal: Ints, last: Ints, prefer: Ints, sites: Sites, counts: Ints) -> Ints:
    """From sites to towers: where several share a place, one's own before the lowest.

    Differs from [xu2017, Sec. 4.3], whose order names the lowest: those who stay would swap towers that cost nothing.
    """
    left = counts.copy()
    tower = np.full(len(goal), NONE)
    for row in prefer:
        own = last[row]
        if left[own] > 0 and sites.of[own] == goal[row]:
            tower[row] = own
            left[own] -= 1
    next_ = sites.start[:-1].copy()
    for row in prefer:
        if tower[row] == NONE:
            s = goal[row]
            while left[sites.towers[next_[s]]] == 0:
                next_[s] += 1
            tower[row] = sites.towers[next_[s]]
            left[tower[row]] -= 1
    return tower


@compiled
def recover_day(
    counts: Ints, xy: Floats, night: NDArray[np.bool_], prefer: Ints, theta: float, max_bids: int
) -> tuple[NDArray[np.int32], Floats, Floats, Ints]:
    """Towers [slot, row], and cost, bound and bids of each link [xu2017, Sec. 4.2]; bids -1 where they were too many.

    In slots of the night people are expected where they were, else as far on as they came since the slot before
    [xu2017, Eq. 2]. Of equals, those first in prefer[slot] are served first, or the first rows where it is empty.
    """
    slots, users = len(counts), counts[0].sum()
    sites = sites_of(xy[:, 0].copy(), xy[:, 1].copy())
    cells = np.empty((slots, users), np.int32)
    costs, bounds, bids = np.zeros(slots - 1), np.zeros(slots - 1), np.zeros(slots - 1, np.int64)
    now = _records(counts[0], users)
    before, cells[0] = now, now
    rows = np.arange(users)
    x, y, at = np.empty(users), np.empty(users), np.empty(users, np.int64)
    for t in range(slots - 1):
        for row in range(users):
            a, b = sites.of[before[row]], sites.of[now[row]]
            moves = not night[t + 1] and a != b
            at[row] = NONE if moves else b
            x[row] = 2 * sites.x[b] - sites.x[a] if moves else sites.x[b]
            y[row] = 2 * sites.y[b] - sites.y[a] if moves else sites.y[b]
        order = prefer[t] if len(prefer) > 0 else rows
        then, costs[t], bounds[t], bids[t] = link(x, y, at, now, order, sites, counts[t + 1], theta, max_bids)
        if bids[t] < 0:
            break
        before, now = now, then
        cells[t + 1] = now
    return cells, costs, bounds, bids


@helper
def _records(counts: Ints, users: int) -> Ints:
    """The records of a slot in the order of towers."""
    rows = np.empty(users, np.int64)
    at = 0
    for m in range(len(counts)):
        rows[at : at + counts[m]] = m
        at += counts[m]
    return rows
