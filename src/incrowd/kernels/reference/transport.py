"""Counts of one day -> trajectories, as the definition reads: every pair of person and record, one slot at a time."""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints


def recover_day(counts: Ints, xy: Floats, night: NDArray[np.bool_], prefer: Ints, theta: float) -> tuple[Ints, Floats]:
    """Towers [slot, row] and the cost of each link [xu2017, Sec. 4.2]; of equals, those first in prefer come first."""
    cells = [np.repeat(np.arange(len(xy)), counts[0])]
    costs = []
    for t in range(len(counts) - 1):
        now, before = xy[cells[-1]], xy[cells[max(t - 1, 0)]]
        points = now if night[t + 1] else 2 * now - before
        order = prefer[t] if len(prefer) else np.arange(len(points))
        towers, cost = link(points, xy, counts[t + 1], order, theta)
        cells.append(towers)
        costs.append(cost)
    return np.array(cells), np.array(costs)


def link(points: Floats, xy: Floats, counts: Ints, prefer: Ints, theta: float = 0.0) -> tuple[Ints, float]:
    """The tower of each point and the total distance: near pairs greedily below theta, the rest at the optimum."""
    from scipy.optimize import linear_sum_assignment

    cost = distances(points, xy)
    towers, left = greedy(cost, counts, prefer, theta)
    rows = np.flatnonzero(towers < 0)
    columns = np.repeat(np.arange(len(xy)), left)
    free, chosen = linear_sum_assignment(cost[np.ix_(rows, columns)])
    towers[rows[free]] = columns[chosen]
    return towers, float(cost[np.arange(len(points)), towers].sum())


def greedy(cost: Floats, counts: Ints, prefer: Ints, theta: float) -> tuple[Ints, Ints]:
    """Pairs below theta by rising (cost, rank, tower) [xu2017, Sec. 4.3]; -1 for who is left, and the counts left."""
    towers, left = np.full(len(cost), -1), counts.copy()
    rank = np.argsort(prefer)
    near = sorted((cost[i, j], rank[i], j, i) for i, j in np.argwhere(cost < theta).tolist())
    for _, _, j, i in near:
        if towers[i] < 0 and left[j] > 0:
            towers[i] = j
            left[j] -= 1
    return towers, left


def distances(points: Floats, xy: Floats) -> Floats:
    """Metres from each point to each tower."""
    apart = points[:, None] - xy[None]
    result: Floats = np.sqrt((apart**2).sum(axis=2))
    return result


def dual_bound(x: Floats, y: Floats, supply: Ints, to_x: Floats, to_y: Floats, demand: Ints, price: Floats) -> float:
    """sum_i a_i min_j (c_ij + p_j) - sum_j b_j p_j: no plan costs less, whatever the prices (weak duality)."""
    cost = distances(np.column_stack([x, y]), np.column_stack([to_x, to_y]))
    return float(supply @ (cost + price).min(axis=1) - demand @ price)
