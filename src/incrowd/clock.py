"""Days, hours, minutes and epochs; the wall clock of a time zone, through changes of daylight-saving time.

A wall time is what a clock on the wall shows, in seconds since 1970 as if it showed UTC.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from numbers import Real
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from incrowd.arrays import Flags, Floats, Ints
from incrowd.errors import ParameterError

HOUR_S = 3_600
HOUR_MIN = 60
DAY_S = 86_400
DAY_MIN = 1_440
DAY_H = 24
MONDAY_S = 4 * DAY_S  # 1970-01-05, the first Monday of the epoch
CALENDAR = (-62_100_000_000, 253_370_000_000)  # seconds a datetime in any zone can hold
EPOCH = datetime(1970, 1, 1)
FIRST, LAST = -62_135_596_800, 253_402_300_799  # the years 1 and 9999, as in datetime
PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
# A number is an epoch in the unit whose window holds it; the gaps hold dates written as digits, 20080517100000.
WINDOWS = {"s": (0.0, 1e11), "ms": (1e11, 1e13), "us": (1e14, 1e16), "ns": (1e17, 1e19)}
_NAMES = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}


def named_zone(name: str | None) -> ZoneInfo | None:
    """A zone of the IANA database by its name, UTC too; None if no name is given."""
    try:
        return None if name is None else ZoneInfo(str(name))
    except (KeyError, ValueError, OSError) as error:
        raise ParameterError(f"unknown time_zone {name!r}; give an IANA name such as 'Europe/Amsterdam'.") from error


def zone_of(time_zone: str | None) -> ZoneInfo | None:
    """A zone of the IANA database by its name; None for UTC, which is also what no name means."""
    return None if time_zone == "UTC" else named_zone(time_zone)


def check_hours(**values: Any) -> None:
    """Refuse what is not two hours of the day."""
    for name, hours in values.items():
        pair = isinstance(hours, Sequence) and len(hours) == 2
        if not pair or not all(isinstance(hour, Real) and 0 <= float(hour) <= 24 for hour in hours):
            raise ParameterError(f"{name} must be two hours from 0 to 24, such as (0, 6).")


def within_hours(value: Ints | Floats, begin: float, end: float) -> Flags:
    """Which times of a day are from one to another, which may be past midnight.

    >>> within_hours(np.array([1, 12, 23]), 22, 6).tolist()
    [True, False, True]
    """
    after, before = begin <= value, value < end
    return after & before if begin <= end else after | before


def slots_per_day(slot_min: int | None) -> int:
    """How many slots make a day; 0 if none of them do.

    >>> slots_per_day(60), slots_per_day(50), slots_per_day(None)
    (24, 0, 0)
    """
    return 0 if slot_min is None or DAY_MIN % slot_min else DAY_MIN // slot_min


def wall_at(start: int, zone: ZoneInfo | None) -> int:
    """What the wall clock shows when slots begin at a UTC second; midnight if it jumps over it."""
    wall, before = start + _ahead(start, zone), start + _ahead(start - 1, zone)
    return before if before < wall and before % DAY_S == 0 else wall


def minute_of_day(second: int, time_zone: str | None) -> int:
    """What the wall clock shows when slots begin at a UTC second, in minutes after midnight."""
    return wall_at(second, zone_of(time_zone)) % DAY_S // 60


def utc_of(wall: int, zone: ZoneInfo | None) -> int:
    """The first UTC second at which the wall clock shows this, or jumps over it."""
    if zone is None:
        return wall
    return int((EPOCH + timedelta(seconds=wall)).replace(tzinfo=zone).timestamp())


def jumps(low: int, high: int, zone: ZoneInfo | None) -> tuple[Ints, Ints]:
    """UTC seconds in (low, high] at which the wall clock jumps, and its lead before the first and after each."""
    seconds, ahead = [], [_ahead(low, zone)]
    for a in range(low, high, DAY_S) if zone else ():
        b = min(a + DAY_S, high)
        if _ahead(b, zone) != ahead[-1]:
            seconds.append(_first_change(a, b, lambda second: _ahead(second, zone)))
            ahead.append(_ahead(b, zone))
    return np.array(seconds, np.int64), np.array(ahead, np.int64)


def _first_change(low: int, high: int, value: Callable[[int], object]) -> int:
    """The one second in (low, high] from which a value is no longer that at `low`."""
    before = value(low)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if value(middle) == before else (low, middle)
    return high


def _ahead(second: int, zone: ZoneInfo | None) -> int:
    """Seconds by which the wall clock is ahead of UTC."""
    if zone is None:
        return 0
    low, high = CALENDAR
    there = datetime.fromtimestamp(min(max(second, low), high), zone)
    return round((there.utcoffset() or timedelta()).total_seconds())


def to_utc(local: Ints, zone: ZoneInfo) -> tuple[Ints, dict[str, int]]:
    """Wall times -> UTC; a time the clock shows twice or never is read as zoneinfo does with fold=0.

    >>> skipped = int((datetime(2024, 3, 31, 2, 30) - datetime(1970, 1, 1)).total_seconds())
    >>> to_utc(np.array([skipped]), ZoneInfo("Europe/Amsterdam"))
    (array([1711848600]), {'local times the clock skipped': 1, 'local times the clock showed twice': 0})
    """
    days = np.unique(np.floor_divide(local, DAY_S)).tolist()
    changes = np.array([change for day in days for change in _offsets_of(day, zone)], np.int64).reshape(-1, 3)
    starts, early, late = changes.T
    row = np.searchsorted(starts, local, side="right") - 1
    notes = {
        "local times the clock skipped": int((early < late)[row].sum()),
        "local times the clock showed twice": int((early > late)[row].sum()),
    }
    return local - early[row], notes


@lru_cache(maxsize=4096)
def _offsets_of(day: int, zone: ZoneInfo) -> list[tuple[int, int, int]]:
    """From which local second of a day which offsets hold, under fold=0 and fold=1."""
    second, last = day * DAY_S, (day + 1) * DAY_S - 1
    changes = [(second, *_offsets(second, zone))]
    # A gap and an overlap are two changes each: at their first second and after their last.
    while _offsets(last, zone) != changes[-1][1:]:
        second = _first_change(second, last, lambda local: _offsets(local, zone))
        changes.append((second, *_offsets(second, zone)))
    return changes


def _offsets(local: int, zone: ZoneInfo) -> tuple[int, int]:
    wall = (EPOCH + timedelta(seconds=local)).replace(tzinfo=zone)
    first, second = (wall.replace(fold=fold).utcoffset() or timedelta() for fold in (0, 1))
    return int(first.total_seconds()), int(second.total_seconds())


def unit_of(values: Floats | Ints) -> str | None:
    """The unit of an epoch, by the magnitude of its median, which a few strangers do not move; None where none fits."""
    size = np.abs(values.astype(np.float64))
    size = size[np.isfinite(size)]
    middle = np.partition(size, len(size) // 2)[len(size) // 2] if len(size) else 0.0
    return next((unit for unit, (low, high) in WINDOWS.items() if low <= middle < high), None)


def from_epoch(values: Floats | Ints, unit: str) -> tuple[Ints, Flags]:
    """Whole seconds, rounded down, and which are none: missing, or too small or large to be in this unit.

    >>> from_epoch(np.array([1_600_000_000_999.0, 1_600_000_000.0]), "ms")
    (array([1600000000,          0]), array([False,  True]))
    """
    whole = values.dtype.kind != "f"
    scaled = np.floor_divide(values, PER_SECOND[unit]) if whole else np.floor(values / PER_SECOND[unit])
    good = (np.abs(values) >= WINDOWS[unit][0]) & (np.abs(scaled) <= LAST)
    return np.where(good, scaled, 0).astype(np.int64, copy=False), ~good


def unit_note(unit: str) -> str:
    """The note in a ledger on the unit of times that are numbers."""
    return f"timed in epoch {_NAMES[unit]}"
