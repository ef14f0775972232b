"""The counts of one day -> one trajectory per person, slot after slot."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.kernels.cpu.transport_link import link
from incrowd.kernels.cpu.transport_sites import NONE, sites_of


@njit(cache=True, nogil=True)
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


@njit(cache=True)
def _records(counts: Ints, users: int) -> Ints:
    """The records of a slot in the order of towers."""
    rows = np.empty(users, np.int64)
    at = 0
    for m in range(len(counts)):
        rows[at : at + counts[m]] = m
        at += counts[m]
    return rows
