"""Visits -> what the experiments of [song2014] need: people who move, and the risk before and after every cut."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import tally
from incrowd.data import Visits
from incrowd.data.table import DRAWN, some_rows
from incrowd.discretize import towers, windows
from incrowd.errors import DataError
from incrowd.measure._cut_risk import CutRisk, cut_risk
from incrowd.papers.record import OTHER
from incrowd.read import synthetic_city

PEOPLE, PLACES = 633_798, 1_700  # [song2014, Table 1]
RECORDS = (56_000_000, 43_000_000)  # before and after cleaning
RAW_PEOPLE, KEPT_PEOPLE = 1_100_000, 630_000
SLOTS, AVERAGE, FEWEST = 672, 56, 3
NEAREST_KM, FARTHEST_KM = 0.11, 49
BEFORE, AFTER = 0.6, 0.4  # two points, before and after cutting into 6 hours [song2014, Sec. 5.1]
KNOWN, SHORTEST = 2, 6
USERS, QUICK_USERS, DAYS, SLOT_MIN = 50_000, 2_000, 7, 15
QUICK_TOWERS = 12
POINTS = (1, 2, 3, 4, 5)
WINDOWS_H = (24, 12, 6)


@dataclass(frozen=True, eq=False, repr=False)
class Cuts:
    """One dataset before and after every cut; `risk[window_h, points]`."""

    raw_users: int
    raw_records: int  # before repeats collapsed
    visits: Visits  # of people who move
    made_up: bool
    risk: dict[tuple[int, int], CutRisk]

    @property
    def points(self) -> list[int]:
        """How many points the attacker knows, fewest first."""
        return sorted({m for _, m in self.risk})

    @property
    def windows_h(self) -> list[int]:
        """The windows, widest first."""
        return sorted({window for window, _ in self.risk}, reverse=True)

    def why(self, ours: float, theirs: float) -> str:
        """Why ours is above or below theirs, as far as it can be told."""
        users, cells = len(self.visits), len(np.unique(self.visits.cell))
        if ours > theirs and users < PEOPLE / 2:
            return f"other people, and {users:,} of them instead of {PEOPLE:,}: a thin crowd hides worse"
        if self.made_up:
            return f"made-up people, {users:,} at {cells:,} antennas instead of {PEOPLE:,} at {PLACES:,}"
        return OTHER


def synthetic(*, quick: bool = False, seed: int = 0) -> Visits:
    """A week of sparse records at antennas, with as many people to an antenna as the paper has."""
    users = QUICK_USERS if quick else USERS
    sites = QUICK_TOWERS if quick else round(users * PLACES / PEOPLE)
    city = synthetic_city(users=users, towers=sites, days=DAYS, profile="cdr", seed=seed)
    return towers(city.traces, city.towers, slot_min=SLOT_MIN)


def cuts(visits: Visits, *, made_up: bool, quick: bool, seed: int) -> Cuts:
    """Leave out people at one place [song2014, Sec. 4], then measure every cut."""
    if visits.slot_min is None:
        raise DataError("cutting by the hour needs visits with slot_min, the minutes of a slot.")
    moving = movers(visits)
    if not len(moving):
        raise DataError("nobody was at two places; use finer cells, or data of people who move.")
    return Cuts(*_raw(visits), moving, made_up, _risks(moving, POINTS[:3] if quick else POINTS, seed))


def _raw(visits: Visits) -> tuple[int, int]:
    """People and records before cleaning; of a draw its part of them, since repeats are not told by person."""
    steps = [step for step in visits.ledger.steps if step.read]
    if not steps or steps[0].users is None:
        return len(visits), visits.records
    users, records = steps[0].users[0], steps[0].read
    for step in steps:
        if step.name == DRAWN and step.users is not None:
            users, records = round(users * step.users[1] / step.users[0]), round(records * step.kept / step.read)
    return users, records


def _risks(visits: Visits, points: Sequence[int], seed: int) -> dict[tuple[int, int], CutRisk]:
    pieces = {window_h: windows(visits, window_h=window_h) for window_h in WINDOWS_H}
    return {(w, m): cut_risk(visits, cut, points=m, seed=seed) for w, cut in pieces.items() for m in points}


def movers(visits: Visits) -> Visits:
    """Without people who were at one place only.

    >>> two = Visits.from_arrays([1, 1, 2, 2], cell=[3, 3, 3, 4], slot=[0, 1, 0, 1])
    >>> len(movers(two))
    1
    """
    first = np.repeat(visits.cell[visits.offsets[:-1]], np.diff(visits.offsets))
    return some_rows(
        visits, (tally(visits.cell != first, visits.offsets) > 0)[visits.owner], "movers", "user at one place"
    )
