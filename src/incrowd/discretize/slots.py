"""What every discretizer begins with: the records to read, the time slots to put them in, and the usual grain."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

import numpy as np

from incrowd.arrays import Ints
from incrowd.clock import CALENDAR, DAY_MIN, DAY_S, HOUR_MIN, HOUR_S, jumps, utc_of, wall_at, zone_of
from incrowd.data import Traces, Visits
from incrowd.errors import DataError, ParameterError, check_whole
from incrowd.read._parts import Parts, parts
from incrowd.read.layouts import Reading

Source = Any  # Traces, a path, several, a glob or a folder, or a data frame, as incrowd.read.table takes it
Keep = Literal["set", "vote", "vote_first"]
KEEP = ("set", "vote", "vote_first")
Start = int | datetime | str  # a UTC second, a datetime or an ISO string; naive ones are local times

_LONGEST_MIN = 10**9  # of a slot, about 1,900 years


def opened(source: Source, time_zone: str | None, reading: Reading) -> Parts:
    """The pieces of a source; a time zone is for naive times, and Traces have none."""
    return parts(source, time_zone=None if isinstance(source, Traces) else time_zone, **reading)


@dataclass(frozen=True)
class SlotPlan:
    """The slots a caller asked for, checked before any data are read."""

    slot_min: int
    start: int | None  # UTC second, None for midnight of the first day
    zone: ZoneInfo | None  # None for UTC

    def over(self, span: tuple[int, int]) -> "Clock":
        """The clock for records between two UTC seconds."""
        low, high = span
        changes, ahead = jumps(low, high, self.zone)
        # Just before a change back the wall shows its latest, just after it the earliest.
        walls = [low + ahead[0], *(changes + ahead[:-1] - 1), *(changes + ahead[1:]), high + ahead[-1]]
        start = utc_of(int(min(walls)) // DAY_S * DAY_S, self.zone) if self.start is None else self.start
        wall = wall_at(start, self.zone)
        days = max((int(max(walls)) - wall) // DAY_S + 1, 1)
        return Clock(self.slot_min, start, wall, days, changes, ahead, self.zone.key if self.zone else None)

    def in_step(self, span: tuple[int, int], other: int) -> "Clock":
        """The clock for these records whose slots begin at the same minutes as those from another start on."""
        own, width = self.over(span), self.slot_min * 60
        wall = own.wall - (own.wall - wall_at(other, self.zone)) % width
        while wall_at(utc_of(wall, self.zone), self.zone) != wall:  # the clock jumps over this time
            wall -= width
        return replace(self, start=utc_of(wall, self.zone)).over(span)


@dataclass(frozen=True)
class Clock:
    """Slot of a record: floor((wall clock of the record - wall clock of the start) / slot_min)."""

    slot_min: int
    start: int  # UTC second of slot 0
    wall: int  # what the wall clock shows then, in seconds as if it were UTC
    days: int  # from the start to the end of the last day with a record
    changes: Ints  # UTC seconds at which the wall clock jumps
    ahead: Ints  # seconds ahead of UTC before the first jump and after each
    time_zone: str | None = None

    @property
    def slots(self) -> int:
        """Slots of all these days, the last one perhaps cut short."""
        return -(-self.days * DAY_MIN // self.slot_min)

    def __call__(self, t: Ints) -> Ints:
        """The slot of each record, -1 before the start."""
        ahead = self.ahead[np.searchsorted(self.changes, t, "right")] if len(self.changes) else self.ahead[0]
        slot: Ints = t + (ahead - self.wall)
        slot //= self.slot_min * 60
        early = (t < self.start) | (slot < 0)
        if early.any():
            slot[early] = -1
        return slot


def slot_plan(slot_min: int, start: Start | None, time_zone: str | None) -> SlotPlan:
    """The slots a caller asked for, checked."""
    check_whole(slot_min=slot_min)
    if slot_min > _LONGEST_MIN:
        raise ParameterError(f"slot_min must be at most {_LONGEST_MIN:,}; choose a shorter slot.")
    zone = zone_of(time_zone)
    return SlotPlan(int(slot_min), None if start is None else _second(start, zone), zone)


def _second(start: Start, zone: ZoneInfo | None) -> int:
    if isinstance(start, str):
        try:
            start = datetime.fromisoformat(start)
        except ValueError as error:
            raise ParameterError("start is not an ISO date or time; write it like 2014-01-31T00:00.") from error
    if isinstance(start, datetime):
        there = start if start.tzinfo else start.replace(tzinfo=zone or UTC)
        if there.microsecond:
            raise ParameterError("start is finer than a second; round it.")
        return int(there.timestamp())
    if isinstance(start, bool) or not isinstance(start, (int, np.integer)):
        raise ParameterError("start must be a whole UTC second, a datetime or an ISO string.")
    if not CALENDAR[0] <= start <= CALENDAR[1]:
        raise ParameterError("start is outside the years 2 to 9998; give seconds since 1970, not milliseconds.")
    return int(start)


def wall_hours(t: Ints, time_zone: str | None) -> Ints:
    """Whole hours since 1970 on the wall clock of a zone, at some UTC seconds; None for UTC.

    >>> (wall_hours(np.array([0, 1_720_000_000]), "Europe/Amsterdam") - np.array([0, 1_720_000_000 // 3600])).tolist()
    [1, 2]
    """
    clock = slot_plan(HOUR_MIN, None, time_zone).over((int(t.min()), int(t.max())))
    return clock(t) + clock.wall // HOUR_S


def wall_start(visits: Visits) -> int:
    """What the wall clock of these visits shows at slot 0, in seconds since 1970 as if it were UTC.

    Slots follow the wall clock, through changes of daylight-saving time too, so slot s begins slot_min * s later.

    >>> wall_start(Visits.from_arrays([1], [0], [0], slot_min=60, start=3600))
    3600
    """
    if visits.start is None or visits.slot_min is None:
        raise DataError("these visits do not state when their slots begin; make them with start and slot_min.")
    return wall_at(visits.start, zone_of(visits.time_zone))


def wall_later_s(first: Visits, second: Visits) -> int:
    """How many seconds of their common wall clock slot 0 of the second begins later; two clocks are refused."""
    zones = [zone_of(visits.time_zone) for visits in (first, second)]
    if zones[0] != zones[1]:
        names = " and ".join(str(zone or "UTC") for zone in zones)
        raise DataError(
            f"the slots of the two follow different clocks ({names}); discretize both with the same time zone "
            "(time_zone, --time-zone)."
        )
    return wall_start(second) - wall_start(first)


@dataclass(frozen=True)
class Grain:
    """The cells and slots on which the commands that measure risk put raw records; saved visits keep their own.

    Args:
        cell_m: Side of a grid cell, for raw records; saved visits keep their cells.
        slot_min: Width of a time slot, for raw records; saved visits keep their slots.
    """

    cell_m: float = 500
    slot_min: int = 60

    def __str__(self) -> str:
        return f"{self.cell_m:,g} m cells, {self.slot_min:,} min slots"
