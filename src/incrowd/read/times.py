"""Numbers and local times -> whole UTC seconds."""

from datetime import datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.errors import ParameterError

FIRST, LAST = -62_135_596_800, 253_402_300_799  # the years 1 and 9999, as in datetime
PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
# A number is an epoch in the unit whose window holds it; the gaps hold dates written as digits, 20080517100000.
_WINDOWS = {"s": (0.0, 1e11), "ms": (1e11, 1e13), "us": (1e14, 1e16), "ns": (1e17, 1e19)}
_NAMES = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
_DAY = 86_400
_EPOCH = datetime(1970, 1, 1)


def zone_of(name: str | None) -> ZoneInfo | None:
    """A time zone by its IANA name."""
    try:
        return None if name is None else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ParameterError(f"unknown time_zone {name!r}; give an IANA name such as 'Europe/Amsterdam'.") from error


def unit_of(values: Floats | Ints) -> str | None:
    """The unit of an epoch, by the magnitude of its median, which a few strangers do not move; None where none fits."""
    size = np.abs(values.astype(np.float64))
    size = size[np.isfinite(size)]
    middle = np.partition(size, len(size) // 2)[len(size) // 2] if len(size) else 0.0
    return next((unit for unit, (low, high) in _WINDOWS.items() if low <= middle < high), None)


def from_epoch(values: Floats | Ints, unit: str) -> tuple[Ints, NDArray[np.bool_]]:
    """Whole seconds, floored, and where there are none: missing, or too small or large to be in this unit.

    >>> from_epoch(np.array([1_600_000_000_999.0, 1_600_000_000.0]), "ms")
    (array([1600000000,          0]), array([False,  True]))
    """
    whole = values.dtype.kind != "f"
    scaled = np.floor_divide(values, PER_SECOND[unit]) if whole else np.floor(values / PER_SECOND[unit])
    good = (np.abs(values) >= _WINDOWS[unit][0]) & (np.abs(scaled) <= LAST)
    return np.where(good, scaled, 0).astype(np.int64, copy=False), ~good


def unit_note(unit: str) -> str:
    """How the ledger says what numeric times were taken for."""
    return f"timed in epoch {_NAMES[unit]}"


def to_utc(local: Ints, zone: ZoneInfo) -> tuple[Ints, dict[str, int]]:
    """Local seconds -> UTC; a time the clock shows twice or never is read as zoneinfo does with fold=0.

    >>> skipped = int((datetime(2024, 3, 31, 2, 30) - datetime(1970, 1, 1)).total_seconds())
    >>> to_utc(np.array([skipped]), ZoneInfo("Europe/Amsterdam"))
    (array([1711848600]), {'local times the clock skipped': 1, 'local times the clock showed twice': 0})
    """
    days = np.unique(np.floor_divide(local, _DAY)).tolist()
    changes = np.array([change for day in days for change in _changes(day, zone)], np.int64).reshape(-1, 3)
    starts, early, late = changes.T
    at = np.searchsorted(starts, local, side="right") - 1
    notes = {
        "local times the clock skipped": int((early < late)[at].sum()),
        "local times the clock showed twice": int((early > late)[at].sum()),
    }
    return local - early[at], notes


@lru_cache(maxsize=4096)
def _changes(day: int, zone: ZoneInfo) -> list[tuple[int, int, int]]:
    """From which local second of a day which offsets hold, under fold=0 and fold=1."""
    at, last = day * _DAY, (day + 1) * _DAY - 1
    changes = [(at, *_offsets(at, zone))]
    # A gap and an overlap are two changes each: at their first second and after their last.
    while _offsets(last, zone) != changes[-1][1:]:
        at = _first_change(at, last, zone)
        changes.append((at, *_offsets(at, zone)))
    return changes


def _first_change(low: int, high: int, zone: ZoneInfo) -> int:
    before = _offsets(low, zone)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _offsets(middle, zone) == before else (low, middle)
    return high


def _offsets(local: int, zone: ZoneInfo) -> tuple[int, int]:
    wall = (_EPOCH + timedelta(seconds=local)).replace(tzinfo=zone)
    first, second = (wall.replace(fold=fold).utcoffset() or timedelta() for fold in (0, 1))
    return int(first.total_seconds()), int(second.total_seconds())
