"""Rows of information gains from the cells that two trajectories share."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints

Ids = NDArray[np.int32]


class Costs(NamedTuple):
    """Histograms of the rows, columns by cell, and what a pair costs that shares no cell."""

    offsets: Ints  # row i owns cell and times [offsets[i]:offsets[i+1]]
    cell: Ints
    times: Ints
    starts: Ints  # cell k is visited by column[starts[k]:starts[k+1]], so many times
    column: Ids
    column_times: Ids
    h: Floats  # x log2 x
    bits: Floats  # entropy of each row
    length: Ints  # the place of the length of each row among the distinct lengths
    kind: Ints  # class of each column: those of one length and entropy
    even: Floats  # [distinct length, class]: a pair without a shared cell costs even + tilt * bits
    tilt: Floats
    records: Ints  # of both together
    group: Ints  # classes of one length are group[g]:group[g+1]
    least: Floats  # [distinct length, group]: the lowest `even` of the group


@njit(cache=True, nogil=True)
def cost(costs: Costs, row: int, kind: int) -> float:
    """The gain of a row with any column of a class that it shares no cell with."""
    at = costs.length[row]
    gain: float = costs.even[at, kind] + costs.tilt[at, kind] * costs.bits[row]
    return gain


@njit(cache=True, nogil=True)
def shared_cost(costs: Costs, row: int, column: int, total: float) -> float:
    """The gain of a row with a column, where phi over the cells they share adds up to the total."""
    kind = 0 if costs.even.shape[1] == 1 else costs.kind[column]
    gain: float = cost(costs, row, kind) - total / costs.records[costs.length[row], kind]
    return gain


@njit(cache=True, nogil=True)
def scratch(costs: Costs) -> tuple[Floats, Ids]:
    """Room for `added`: a sum for each column, all 0, and a list of columns."""
    columns = len(costs.kind)
    return np.zeros(columns), np.empty(columns, np.int32)


@njit(cache=True, nogil=True)
def added(costs: Costs, row: int, total: Floats, touched: Ids) -> int:
    """Add phi over shared cells to the total of each column that shares one; how many columns were touched."""
    n = 0
    h = costs.h
    for r in range(costs.offsets[row], costs.offsets[row + 1]):
        k, f = costs.cell[r], costs.times[r]
        for p in range(costs.starts[k], costs.starts[k + 1]):
            j, g = costs.column[p], costs.column_times[p]
            if total[j] == 0:
                touched[n] = j
                n += 1
            total[j] += h[f + g] - h[f] - h[g]  # above 0
    return n


@njit(cache=True, nogil=True)
def cheapest(costs: Costs, prices: Floats) -> Floats:
    """The lowest price in each class of columns."""
    lowest = np.full(costs.even.shape[1], np.inf)
    for j in range(len(costs.kind)):
        lowest[costs.kind[j]] = min(lowest[costs.kind[j]], prices[j])
    return lowest
