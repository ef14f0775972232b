"""Recovered days -> whole trajectories: each day joined with the next by least information gain."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.attack.gain import Match, match_by_gain
from incrowd.errors import DataError
from incrowd.progress import track


class Linked(NamedTuple):
    """Which row of each day belongs to whom; order[d, i] is the row of day d of user i, and order[0] counts up."""

    order: Ints  # [days, users]
    gains: Floats  # [days - 1] bits in total
    bounds: Floats  # [days - 1] bits; no other way of joining these two days gains less


def link_days(
    days: NDArray[np.integer[Any]], cells: int, seed: int | None = None, *, workers: int | None = None
) -> Linked:
    """Join each day with the next by the least total of information gains [xu2017, Eq. 4], links composed.

    `days` holds the cell, below `cells`, of each day, row and slot. Equals and ties go by row, or at random where a
    seed is given; neither depends on `workers`, the days joined at a time (default: one per core).

    >>> link_days(np.array([[[0, 0], [1, 1]], [[1, 1], [0, 0]]]), cells=2).order.tolist()
    [[0, 1], [1, 0]]
    """
    size, users, _ = days.shape
    if days.size and not 0 <= days.min() <= days.max() < cells:
        raise DataError(f"a cell id lies outside 0 to {cells - 1}; number the cells from 0.")

    def link(day: int) -> Match:
        rng = None if seed is None else np.random.default_rng([seed, day])
        return match_by_gain(*_rows(days[day]), *_rows(days[day + 1]), rng=rng)

    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        links = list(track(pool.map(link, range(size - 1)), "joining days", size - 1))
    order = np.tile(np.arange(users), (size, 1))
    for day, found in enumerate(links, 1):
        order[day] = found.match[order[day - 1]]
    return Linked(order, np.array([found.total for found in links]), np.array([found.bound for found in links]))


def _rows(day: NDArray[np.integer[Any]]) -> tuple[Ints, Ints]:
    """Offsets and cells of one day; in order row by row, which takes a tenth of the time of all rows at once."""
    users, slots = day.shape
    return np.arange(users + 1) * slots, np.sort(day, axis=1).ravel().astype(np.int64)
