"""Trajectories of one period -> trajectories of the next: the assignment of least information gain, as defined."""

from itertools import pairwise

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.kernels.types import Histograms


def entropy(count: Ints) -> float:
    """H = -sum_k (f_k / sum f) log2 (f_k / sum f) [xu2017, Eq. 3]; 0 for no record."""
    share = count[count > 0] / max(count.sum(), 1)
    return float(-(share * np.log2(share)).sum())


def gains(a: Histograms, b: Histograms) -> Floats:
    """G = H(f+g) - (H(f) + H(g)) / 2 in bits for each f of a and g of b [xu2017, Eq. 4]."""
    cells = int(max(a.cell.max(initial=-1), b.cell.max(initial=-1))) + 1
    left, right = _dense(a, cells), _dense(b, cells)
    return np.array([[entropy(f + g) - (entropy(f) + entropy(g)) / 2 for g in right] for f in left])


def pair_gains(a: Histograms, b: Histograms, rows: Ints, columns: Ints) -> Floats:
    """The gain of each pair of histograms named, in bits."""
    return gains(a, b)[rows, columns]


def assign(a: Histograms, b: Histograms) -> tuple[Ints, Floats]:
    """The histogram of b that each trajectory of a is joined with, -1 for those left over, and optimal prices.

    Trajectories of a come histogram by histogram and are at least as many as those of b, all of which are joined:
    as few stay alone as can, at no cost. Prices are those of the histograms of b, then that of staying alone.
    """
    from scipy.optimize import linear_sum_assignment

    cost = _with_idle(gains(a, b))
    rows, size = np.repeat(np.arange(len(a.size)), a.size), _sizes(a, b)
    columns = np.repeat(np.arange(len(size)), size)
    full = cost[rows][:, columns]
    chosen = columns[linear_sum_assignment(full)[1]]
    prices = np.zeros(len(size))
    for _ in size:  # nobody may do better elsewhere: shortest paths by Bellman and Ford, one step more each time
        value = cost[rows, chosen] + prices[chosen]
        prices = np.maximum(prices, (value[:, None] - cost[rows]).max(axis=0))
    return np.where(chosen < len(b.size), chosen, -1), prices


def bound(a: Histograms, b: Histograms, prices: Floats) -> float:
    """sum_i min_j (c_ij + p_j) - sum_j p_j, which no assignment costs less than, whatever the prices."""
    size = _sizes(a, b)
    open_ = size > 0
    least = (_with_idle(gains(a, b)) + prices)[:, open_].min(axis=1)
    return float((a.size * least).sum() - (size[open_] * prices[open_]).sum())


def _dense(histograms: Histograms, cells: int) -> Ints:
    dense = np.zeros((len(histograms.size), cells), np.int64)
    for row, (start, end) in zip(dense, pairwise(histograms.offsets), strict=True):
        row[histograms.cell[start:end]] = histograms.times[start:end]
    return dense


def _with_idle(cost: Floats) -> Floats:
    return np.column_stack([cost, np.zeros(len(cost))])


def _sizes(a: Histograms, b: Histograms) -> Ints:
    return np.append(b.size, a.size.sum() - b.size.sum())
