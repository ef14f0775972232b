"""Visits -> where everybody seems to live and work, and how many people share that pair of places."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from incrowd.arrays import Flags, Ints, distinct_rows, frozen, pack, row_order
from incrowd.clock import DAY_MIN, MONDAY_S, check_hours, within_hours
from incrowd.columns import ints
from incrowd.data import Visits
from incrowd.discretize.slots import wall_start
from incrowd.errors import DataError, ParameterError, check_whole, public
from incrowd.plain import in_words, of_people, percent, several
from incrowd.show import Result, Section, Table
from incrowd.threads import machine

NONE = -1
Hours = tuple[float, float]


@dataclass(frozen=True, eq=False, repr=False)
class HomeWork(Result):
    """Places inferred per position (`known`: whether they are), and the crowd behind them; shares of all people.

    A crowd is everybody with the same home, or with the same home and work; 0 where one is not known.
    """

    night_h: Hours
    work_h: Hours
    weekdays: tuple[int, ...]  # 0 is Monday
    time_zone: str  # whose wall clock these hours follow
    min_visits: int
    people: int
    home_known: float
    work_known: float
    both_known: float
    home_unique: float  # share of all people whose home alone nobody shares
    pair_unique: float  # share of all people whose pair nobody shares
    pair_crowds: Mapping[int, float]  # people with the same pair -> share of those whose pair is known
    home_right: float | None  # share of the homes inferred that are true, where the truth was given
    work_right: float | None
    home: Ints = field(repr=False)  # cell, meaningful where home_found
    work: Ints = field(repr=False)
    home_found: Flags = field(repr=False)
    work_found: Flags = field(repr=False)
    home_crowd: Ints = field(repr=False)
    pair_crowd: Ints = field(repr=False)
    seconds: float = 0.0
    machine: str = ""

    def section(self) -> Section:
        """For how many people the pair of home and work is unique."""
        return _section(self)

    def columns(self) -> Mapping[str, Any]:
        """A row for each person, by position: how many share the home, and the pair; 0 where they are not known."""
        return {"position": np.arange(self.people), "home_crowd": self.home_crowd, "pair_crowd": self.pair_crowd}

    def __repr__(self) -> str:
        return (
            f"HomeWork(people={self.people:,}, home_known={self.home_known:.4f}, both_known={self.both_known:.4f}, "
            f"pair_unique={self.pair_unique:.4f})"
        )


@public
def home_work(
    visits: Visits,
    *,
    night_h: Hours = (0, 6),
    work_h: Hours = (9, 17),
    weekdays: tuple[int, ...] = (0, 1, 2, 3, 4),
    min_visits: int = 1,
    home: ArrayLike | None = None,
    work: ArrayLike | None = None,
) -> HomeWork:
    """Where everybody seems to live and work, and how many people share that pair of places.

    Home is the cell with most slots that begin at night; work the one with most in working hours of weekdays, home
    aside. Hours are those of the visits' own clock; ties go to the smaller cell.

    Args:
        visits: Visits with a clock (`start` and `slot_min`).
        night_h: Hours in which people are at home; (22, 6) runs past midnight.
        work_h: Hours in which people work.
        weekdays: Days on which people work; 0 is Monday.
        min_visits: Slots at a cell that are needed for a home or a place of work.
        home: True home cell of each person, -1 for none, to score the guesses.
        work: True cell of work of each person, -1 for none.

    >>> visits = Visits.from_arrays([1, 1, 1], cell=[7, 7, 9], slot=[1, 2, 10], slot_min=60, start=4 * 86_400)
    >>> places = home_work(visits)
    >>> places.home.tolist(), places.work.tolist(), places.pair_unique
    ([7], [9], 1.0)
    """
    began = time.perf_counter()
    check_whole(min_visits=min_visits)
    night, day = _minutes("night_h", night_h), _minutes("work_h", work_h)
    _check_weekdays(weekdays)
    if not isinstance(visits, Visits) or not visits.records:
        raise DataError("homes are inferred from visits of at least one person; call discretize.grid first.")
    minute, weekday = _clock(visits)
    homes, lives = _most_visited(visits, within_hours(minute, *night), int(min_visits))
    busy = within_hours(minute, *day) & np.isin(weekday, weekdays)
    at_home = lives[visits.owner] & (visits.cell == homes[visits.owner])
    works, employed = _most_visited(visits, busy & ~at_home, int(min_visits))
    both = lives & employed
    home_crowd, pair_crowd = _crowds(lives, homes), _crowds(both, homes, works)
    sizes, people = np.unique(pair_crowd[both], return_counts=True)
    return HomeWork(
        night_h=night_h,
        work_h=work_h,
        weekdays=tuple(weekdays),
        time_zone=visits.time_zone or "UTC",
        min_visits=int(min_visits),
        people=len(visits),
        home_known=float(lives.mean()),
        work_known=float(employed.mean()),
        both_known=float(both.mean()),
        home_unique=float((home_crowd == 1).mean()),
        pair_unique=float((pair_crowd == 1).mean()),
        pair_crowds={int(size): n / int(both.sum()) for size, n in zip(sizes, people.tolist(), strict=True)},
        home_right=_right(home, "home", homes, lives),
        work_right=_right(work, "work", works, employed),
        home=frozen(homes),
        work=frozen(works),
        home_found=frozen(lives),
        work_found=frozen(employed),
        home_crowd=frozen(home_crowd),
        pair_crowd=frozen(pair_crowd),
        seconds=time.perf_counter() - began,
        machine=machine(),
    )


def _section(places: HomeWork) -> Section:
    rows = [(str(size), percent(share)) for size, share in sorted(places.pair_crowds.items())[:10]]
    right = "" if places.home_right is None else f" {percent(places.home_right)} of the homes are right."
    alone, both = (round(share * places.people) for share in (places.pair_unique, places.both_known))
    return Section(
        question="For how many people is the pair home and work unique?",
        answer=f"The pair home and work is unique for {of_people(alone, places.people)}; both can be inferred for "
        f"{of_people(both, places.people)}, a home for {percent(places.home_known)}.{right}",
        number=percent(places.pair_unique),
        number_of="of people have a home and work that nobody shares",
        tables=[
            Table(("people with the same pair", "share of people whose pair is known"), rows, "The smallest crowds.")
        ],
        method=[
            f"Home is the cell with most slots that begin between {_hours(places.night_h)}.",
            f"Work is the cell with most between {_hours(places.work_h)} on working days, home aside.",
            f"Hours are those of {places.time_zone}.",
            f"A cell counts from {several(places.min_visits, 'slot')} on; ties go to the smaller cell.",
        ],
        options=f"{several(places.people, 'person', 'people')}, {in_words(places.seconds)} on {places.machine}",
        data=places,
    )


def _hours(hours: Hours) -> str:
    return f"{hours[0]:g} and {hours[1]:g} h"


def _minutes(name: str, hours: Hours) -> tuple[float, float]:
    check_hours(**{name: hours})
    begin, end = hours
    if begin == end or (begin, end) == (24, 0):
        raise ParameterError(f"{name} must be two different hours, got {hours}.")
    return 60 * begin, 60 * end


def _check_weekdays(given: Any) -> None:
    days = tuple(given) if isinstance(given, Iterable) else (None,)
    if not all(isinstance(day, Integral) and 0 <= int(day) <= 6 for day in days):
        raise ParameterError("weekdays must list numbers from 0, Monday, to 6, such as (0, 1, 2, 3, 4).")


def _clock(visits: Visits) -> tuple[Ints, Ints]:
    """Minute of the day and weekday at which the slot of each visit begins, by its own wall clock."""
    if visits.start is None or visits.slot_min is None:
        raise DataError("night and day need visits with start and slot_min; make them with a discretizer from times.")
    if visits.slot_min > DAY_MIN // 4:
        raise DataError(f"slots of {visits.slot_min} min do not tell night from day; use slots of 6 hours or less.")
    # Minutes since a Monday; a start between two whole minutes is rounded down.
    minutes = (wall_start(visits) - MONDAY_S) // 60 + visits.slot * visits.slot_min
    return minutes % DAY_MIN, minutes // DAY_MIN % 7


def _most_visited(visits: Visits, flags: Flags, least: int) -> tuple[Ints, Flags]:
    """Each user's cell with most flagged visits, -1 and False for those without enough."""
    user, cell = visits.owner[flags], visits.cell[flags]
    order = row_order(user, cell)
    if order is not None:
        user, cell = user[order], cell[order]
    first = np.flatnonzero(distinct_rows(user, cell))
    count = np.diff(first, append=len(user))
    user, cell, count = (column[count >= least] for column in (user[first], cell[first], count))
    place = np.full(len(visits), NONE, np.int64)
    order = np.lexsort((-cell, count, user))  # the last of each user is written last
    place[user[order]] = cell[order]
    known = np.zeros(len(visits), np.bool_)
    known[user] = True
    return place, known


def _crowds(known: Flags, *places: Ints) -> Ints:
    """How many people have the same places, 0 for those without."""
    numbers = tuple(np.unique(place[known], return_inverse=True)[1] for place in places)
    packed = pack(numbers)
    crowd = np.zeros(len(known), np.int64)
    if packed is not None and len(packed):
        _, inverse, size = np.unique(packed, return_inverse=True, return_counts=True)
        crowd[known] = size[inverse]
    return crowd


def _right(truth: ArrayLike | None, name: str, inferred: Ints, known: Flags) -> float | None:
    if truth is None:
        return None
    true = ints(truth, name)
    if len(true) != len(inferred):
        raise DataError(f"{name} has {len(true)} values for {len(inferred)} people; give one cell per position.")
    comparable = known & (true != NONE)
    return float((inferred == true)[comparable].mean()) if comparable.any() else None
