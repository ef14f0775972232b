"""Visits -> how regular people are: their most visited cells, nights, how predictable they move, how alike days are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from incrowd.arrays import Flags, Floats, Ints, frozen, offsets_of
from incrowd.clock import DAY_MIN, slots_per_day
from incrowd.data import Visits
from incrowd.errors import DataError, check_seed, check_whole, public
from incrowd.kernels import kernel
from incrowd.kernels.types import Histograms
from incrowd.plain import percent, several
from incrowd.show import Cdf, Line, Lines, Result, Section, curve

NIGHT_MIN = 360  # from midnight [xu2017, Sec. 4.2]


@dataclass(frozen=True, eq=False)
class Nights(Result):
    """Where people are from 0 to 6 h, one value per person and night."""

    users: int
    nights: int
    one_cell: float  # share of a person's nights spent in one cell
    one_cell_ever: float  # share of people who are in one cell in all their nights together
    at_top: Floats  # mean share of a night in its 1, 2, … most visited cells
    cells: Ints = field(repr=False)  # distinct cells, [user, night]

    def section(self) -> Section:
        """How much of their nights people spend in one place."""
        people = several(self.users, "person", "people")
        count = f"{people}, {several(self.nights, 'night')}"
        line = Line("", list(range(1, len(self.at_top) + 1)), self.at_top.tolist())
        caption = f"Mean share of a night in its most visited cells (n = {count}; 0 to 6 h)."
        return Section(
            question="Do people spend their nights in one place?",
            answer=f"{percent(self.one_cell)} of the nights of {people} are spent in one cell; "
            f"{percent(self.one_cell_ever)} of people are in one cell in all their nights.",
            number=percent(self.one_cell),
            number_of="of nights in one cell",
            panels=[Lines("nights", "most visited cells", "share of the night", (line,), caption)],
            method=["A night is from 0 to 6 h [xu2017, Sec. 4.2]."],
            options=count,
            data=self,
        )

    def columns(self) -> Mapping[str, Any]:
        """A row for each person and night: position, night, and how many cells were visited."""
        position, night = np.indices(self.cells.shape)
        return {"position": position.ravel(), "night": night.ravel(), "cells": self.cells.ravel()}


@dataclass(frozen=True, eq=False)
class DayGains(Result):
    """Information gain of joining two adjacent days, 0 for equal days and 1 for days without a shared cell."""

    users: int
    days: int
    own_day_closer: float  # P(same < different) + P(equal) / 2, of a pair of each: 1 is perfect, 1/2 is useless
    seed: int
    same: Floats = field(repr=False)  # of one person
    different: Floats = field(repr=False)  # of two people, the second drawn at random

    def section(self) -> Section:
        """How well days of one person differ from days of two people."""
        curves = tuple(curve(*side) for side in (("one person", self.same), ("two people", self.different)))
        people = several(self.users, "person", "people")
        caption = f"Difference between two adjacent days (n = {people}, {several(self.days, 'day')}; 0 is equal days)."
        return Section(
            question="Are two days of one person more alike than the days of two people?",
            answer=f"In {percent(self.own_day_closer)} of comparisons two days of one person are more alike than the "
            f"days of two people, among {people}; 50 % would be chance.",
            number=percent(self.own_day_closer),
            number_of="of comparisons are right",
            panels=[Cdf("day-gains", "information gain (bits)", "pairs of days", curves, caption)],
            method=["The information gain compares the cells of two days [xu2017, Eq. 4]."],
            options=f"{people}, {several(self.days, 'day')}, seed {self.seed}",
            data=self,
        )

    def columns(self) -> Mapping[str, Any]:
        """A row for each person and day but the last: gains with their own next day and with another person's."""
        return {"same": self.same, "different": self.different}


@public
def top_shares(visits: Visits, *, top: int = 5) -> Floats:
    """Mean share of a person's visits in the 1, 2, … cells they visit most, in [0, 1] [xu2017, Fig. 2].

    Args:
        visits: The visits of everybody.
        top: Up to how many cells.

    >>> top_shares(Visits.from_arrays([7, 7, 7, 8], cell=[1, 1, 2, 5], slot=[0, 1, 2, 0]), top=2).tolist()
    [0.8333333333333333, 1.0]
    """
    check_whole(top=top)
    if not visits.records:
        raise DataError("there is no visit; give at least one.")
    return _in_top(visits.owner, visits.cell, top)


def _in_top(owner: Ints, cell: Ints, top: int) -> Floats:
    who, _, times = tallied(owner, cell)
    order = np.lexsort((-times, who))
    rank = np.arange(len(who)) - np.searchsorted(who, who)
    part = times[order] / np.bincount(owner)[who]
    return np.array([part[rank < k].sum() for k in range(1, top + 1)]) / len(np.unique(owner))


@public
def nights(visits: Visits, *, top: int = 5) -> Nights:
    """How many cells people visit by night, and how much of it they spend in one [xu2017, Figs. 4 and 5].

    Differs from [xu2017]: its text does not say whether nights are counted one by one, as here, or all nights of a
    person together, which is `one_cell_ever`.

    Args:
        visits: Visits in which everybody has a cell in every slot, as `incrowd.discretize.filled` makes them.
        top: Up to how many of the most visited cells.

    >>> cell, xy = [0, 1, 2, 2, 0, 0, 0, 0], [[0, 0], [1, 0], [2, 0]]
    >>> nights(Visits.from_arrays([7] * 8, cell, range(8), xy=xy, slot_min=180), top=2).at_top.tolist()
    [0.5, 1.0]
    """
    check_whole(top=top)
    cells = by_day(visits)
    dark = cells[:, :, : NIGHT_MIN // (visits.slot_min or DAY_MIN)]
    if not dark.shape[2]:
        raise DataError("slots are longer than a night of 6 hours; use shorter ones.")
    users, days, slots = dark.shape
    night = np.repeat(np.arange(users * days), slots)
    size = np.bincount(tallied(night, dark.ravel())[0]).reshape(users, days)
    ever = (dark == dark[:, :1, :1]).all(axis=(1, 2))
    return Nights(
        users=users,
        nights=days,
        one_cell=float((size == 1).mean()),
        one_cell_ever=float(ever.mean()),
        at_top=frozen(_in_top(night, dark.ravel(), top)),
        cells=frozen(size),
    )


@public
def prediction_errors(visits: Visits) -> Floats:
    """Metres by which a straight guess misses where each person is next, by day, [user, slot].

    The guess is 2 q_t - q_(t-1) [xu2017, Eq. 2, Fig. 6]. One value for each slot that begins by day and has two before
    it on that day; nan for the others.

    Args:
        visits: Visits in which everybody has a cell in every slot, as `incrowd.discretize.filled` makes them.

    >>> line = [[0, 0], [100, 0], [200, 0]]
    >>> person = Visits.from_arrays([7] * 4, cell=[0, 1, 2, 2], slot=range(4), xy=line, slot_min=360)
    >>> prediction_errors(person).tolist()
    [[nan, nan, 0.0, 100.0]]
    """
    cells = by_day(visits)
    users, days, slots = cells.shape
    place = (np.zeros((0, 2)) if visits.xy is None else visits.xy)[cells]
    away = place[:, :, 2:] - 2 * place[:, :, 1:-1] + place[:, :, :-2]
    error = np.full((users, days, slots), np.nan)
    error[:, :, 2:] = np.hypot(away[..., 0], away[..., 1])
    error[:, :, : NIGHT_MIN // (visits.slot_min or DAY_MIN)] = np.nan
    return error.reshape(users, days * slots)


@public
def day_gains(visits: Visits, *, seed: int = 0) -> DayGains:
    """How much more alike two days of one person are than the days of two people.

    G = H(f+g) - (H(f) + H(g)) / 2 of adjacent days, where f and g count the slots of a day in each cell; logarithms
    are binary [xu2017, Eq. 4, Fig. 7].

    Args:
        visits: Visits in which everybody has a cell in every slot, as `incrowd.discretize.filled` makes them.
        seed: Seed of the draw of other people.

    >>> two = Visits.from_arrays([1, 1, 2, 2], [0, 0, 1, 1], [0, 1, 0, 1], xy=[[0, 0], [9, 0]], slot_min=1440)
    >>> gains = day_gains(two)
    >>> gains.same.tolist(), gains.different.tolist(), gains.own_day_closer
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
    own, other = np.concatenate(same), np.concatenate(different)
    return DayGains(users, days, _own_day_closer(own, other), seed, frozen(own), frozen(other))


def _histograms(cells: Ints) -> Histograms:
    users, slots = cells.shape
    user, cell, times = tallied(np.repeat(np.arange(users), slots), cells.ravel())
    return Histograms(offsets_of(user, users), cell, times, np.ones(users, np.int64))


def _gains(a: Histograms, b: Histograms, partner: Ints) -> Floats:
    gains: Floats = kernel("gain").pair_gains(a, b, np.arange(len(partner)), partner)
    return np.clip(gains, 0, 1)  # rounding leaves the interval


def _own_day_closer(same: Floats, different: Floats) -> float:
    ranked = np.sort(same)
    below, up_to = (np.searchsorted(ranked, different, side) for side in ("left", "right"))
    return float((below + up_to).mean() / 2 / len(ranked))


def by_day(visits: Visits) -> Ints:
    """The cell of everybody in every slot, [user, day, slot of the day]; refuses visits with gaps."""
    users, day = len(visits), slots_per_day(visits.slot_min)
    if not day or visits.xy is None:
        raise DataError("these visits have no xy, or no slot_min that divides a day; pass both.")
    slots = visits.records // max(users, 1)
    cells = visits.everywhere(slots) if users and slots % day == 0 else None
    if cells is None:
        raise DataError("not everybody has one cell in every slot of whole days; call incrowd.discretize.filled first.")
    return cells.reshape(users, slots // day, day)


def tallied(owner: Ints, cell: Ints) -> tuple[Ints, Ints, Ints]:
    """Each owner's distinct cells in order, and how often each occurs."""
    wide = int(cell.max(initial=0)) + 1
    packed, times = np.unique(owner * wide + cell, return_counts=True)
    who, where = np.divmod(packed, wide)
    return who, where, times


def moves(visits: Visits) -> float:
    """Share of steps by day that change the cell; the steps are those of `prediction_errors`."""
    cells = by_day(visits)
    night = max(NIGHT_MIN // (visits.slot_min or DAY_MIN), 2)
    changed: Flags = cells[:, :, night:] != cells[:, :, night - 1 : -1]
    return float(changed.mean())
