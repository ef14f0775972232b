"""Numbers -> whole UTC seconds."""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints

FIRST, LAST = -62_135_596_800, 253_402_300_799  # the years 1 and 9999, as in datetime
PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
# A number is an epoch in the unit whose window holds it; the gaps hold dates written as digits, 20080517100000.
_WINDOWS = {"s": (0.0, 1e11), "ms": (1e11, 1e13), "us": (1e14, 1e16), "ns": (1e17, 1e19)}
_NAMES = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}


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
