"""Visits -> how much more alike a person's days are than the days of two people, in bits."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from incrowd.arrays import Floats, Ints, frozen, offsets_of
from incrowd.data import Visits
from incrowd.errors import DataError, check_seed
from incrowd.kernels.types import Histograms
from incrowd.measure.regularity import by_day, tallied
from incrowd.plain import Shown


@dataclass(frozen=True)
class DayGains(Shown):
    """Information gain of joining two adjacent days, 0 for equal days and 1 for days without a shared cell."""

    users: int
    days: int
    told_apart: float  # P(same < different) + P(equal) / 2, of a pair of each: 1 is perfect, 1/2 is useless
    seed: int
    same: Floats = field(repr=False)  # of one person
    different: Floats = field(repr=False)  # of two people, the second drawn at random


def day_gains(visits: Visits, *, seed: int = 0) -> DayGains:
    """G = H(f+g) - (H(f) + H(g)) / 2 for adjacent days of the same and of different people [xu2017, Eq. 4, Fig. 7].

    f and g count the slots of a day in each cell; logarithms are binary. Everybody needs a cell in every slot.

    >>> two = Visits.from_arrays([1, 1, 2, 2], [0, 0, 1, 1], [0, 1, 0, 1], xy=[[0, 0], [9, 0]], slot_min=1440)
    >>> gains = day_gains(two)
    >>> gains.same.tolist(), gains.different.tolist(), gains.told_apart
    ([0.0, 0.0], [1.0, 1.0], 1.0)
    """
    check_seed(seed=seed)
    cells = by_day(visits)
    users, days = cells.shape[:2]
    if users < 2 or days < 2:
        raise DataError("days are compared between two people or more, on two days or more.")
    rng, me = np.random.default_rng(seed), np.arange(users)
    each = [_histograms(cells[:, day]) for day in range(days)]
    same, different = [], []
    for today, tomorrow in pairwise(each):
        same.append(_gains(today, tomorrow, me))
        different.append(_gains(today, tomorrow, (me + rng.integers(1, users, users)) % users))
    one, two = np.concatenate(same), np.concatenate(different)
    return DayGains(users, days, _told_apart(one, two), seed, frozen(one), frozen(two))


def _histograms(cells: Ints) -> Histograms:
    users, slots = cells.shape
    user, cell, times = tallied(np.repeat(np.arange(users), slots), cells.ravel())
    return Histograms(offsets_of(user, users), cell, times, np.ones(users, np.int64))


def _gains(a: Histograms, b: Histograms, partner: Ints) -> Floats:
    from incrowd.kernels.cpu.gain import pair_gains

    return np.clip(pair_gains(a, b, np.arange(len(partner)), partner), 0, 1)  # rounding leaves the interval


def _told_apart(same: Floats, different: Floats) -> float:
    ranked = np.sort(same)
    below, up_to = (np.searchsorted(ranked, different, side) for side in ("left", "right"))
    return float((below + up_to).mean() / 2 / len(ranked))
