"""Towers -> sites: towers at one place are one site, neighbouring sites have neighbouring numbers."""

from typing import NamedTuple

import numpy as np
from numba import njit

from incrowd.arrays import Floats, Ints
from incrowd.kernels.cpu.transport_tree import spatial_order

NONE = -1


class Sites(NamedTuple):
    """Site s holds towers[start[s]:start[s + 1]], the lowest first."""

    x: Floats
    y: Floats
    of: Ints  # [tower]
    start: Ints
    towers: Ints
    sorted: Ints  # sites by x, then y


@njit(cache=True, nogil=True)
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
    start[1:] = np.cumsum(np.bincount(of))
    return Sites(x[first][order], y[first][order], of, start, np.argsort(of, kind="mergesort"), number)


@njit(cache=True, nogil=True)
def by_place(x: Floats, y: Floats) -> Ints:
    """Positions by x, then y, then position."""
    order = np.argsort(x, kind="mergesort")
    a = 0
    for b in range(1, len(x) + 1):
        if b == len(x) or x[order[b]] != x[order[a]]:
            if b - a > 1:
                part = order[a:b].copy()
                order[a:b] = part[np.argsort(y[part], kind="mergesort")]
            a = b
    return order


@njit(cache=True)
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
