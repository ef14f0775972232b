"""Clock, plane and claims of a manifest -> those values that have a meaning, and a fault for each that has none."""

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isfinite
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from incrowd.clock import DAY_MIN

_YEARS = (-62_167_219_200, 253_402_300_799)  # seconds: the years 0 to 9999
_CENTURY_MIN = 52_596_000
_SHARE = re.compile(r"\d{1,18}/\d{1,18}|\d?\.?\d{1,18}")

ZONE = "time_zone"

Rules = Mapping[str, Callable[[Any], bool]]


def clock_of(stated: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The parts of a clock, and what is wrong with the others.

    >>> clock_of({"slot_min": 60, "start": "today", "time_zone": "Nowhere/X"})
    ({'slot_min': 60}, ['clock.start has no meaning', 'clock.time_zone has no meaning'])
    """
    return _usable("clock", stated, CLOCK)


def plane_of(stated: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The parts of a plane, and what is wrong with the others."""
    return _usable("plane", stated, PLANE)


def claims_of(stated: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Claims, shares such as "1/3" as exact numbers; and what claims nothing that could be checked.

    >>> claims_of({"l": 2, "k": 3, "c": "1/3", "sensitive": "ill", "delta_m": float("nan")})
    ({'l': 2, 'k': 3, 'c': Fraction(1, 3), 'sensitive': 'ill'}, ['claims.delta_m has no meaning'])
    """
    claims, faults = _usable("claims", {**stated, "c": _share(stated.get("c"))}, CLAIMS)
    if "l" in claims and not {"k", "c"} & claims.keys():
        faults.append("claims.l means nothing without k or c")
    if "c" in claims and "l" not in claims:
        faults.append("claims.c means nothing without l")
    if "c" in claims and claims["c"] < 1 and "sensitive" not in claims:
        faults.append("claims.c bounds nothing without a sensitive attribute")
    if "values" in claims and "sensitive" not in claims:
        faults.append("claims.values are those of no attribute")
    if "delta_m" in claims and "k" not in claims:
        faults.append("claims.delta_m means nothing without k")
    return claims, faults


def stated_zone(clock: Mapping[str, Any]) -> Any:
    """The time zone of a clock, UTC where it names none."""
    return clock.get(ZONE) or "UTC"


def _usable(part: str, stated: Mapping[str, Any], rules: Rules) -> tuple[dict[str, Any], list[str]]:
    given = {name: value for name, value in stated.items() if name in rules and value is not None}
    wrong = [name for name, value in given.items() if not rules[name](value)]
    usable = {name: value for name, value in given.items() if name not in wrong}
    unknown = len(set(stated) - set(rules))
    odd = [f"{part} holds {unknown} unknown keys"] if unknown else []
    return usable, [*(f"{part}.{name} has no meaning" for name in wrong), *odd]


def _share(value: Any) -> Any:
    """Short texts only: a number written as 1e999999999 would take forever."""
    if not isinstance(value, str) or not _SHARE.fullmatch(value):
        return value
    try:
        return Fraction(value)
    except ZeroDivisionError:
        return value


def _is_amount(value: Any) -> bool:
    number = isinstance(value, (int, float, Fraction, np.number)) and not isinstance(value, bool)
    return number and bool(0 < value < 2**63) and isfinite(value)


def _is_whole(value: Any) -> bool:
    return _is_amount(value) and value == int(value)


def is_zone(value: Any) -> bool:
    """Whether something names a time zone."""
    try:
        return isinstance(value, str) and bool(value) and ZoneInfo(value) is not None
    except (ValueError, OSError, KeyError):  # no such zone, or a path instead of a name
        return False


def _is_second(value: Any) -> bool:
    return type(value) is int and _YEARS[0] <= value <= _YEARS[1]


def _are_flat(values: Any) -> bool:
    return all(isinstance(value, (str, int, float, np.generic)) for value in values)


CLOCK: Rules = {
    "slot_min": lambda value: type(value) is int and 0 < value <= _CENTURY_MIN,
    "start": _is_second,
    "time_zone": is_zone,
    "grain_s": _is_amount,
    "start_min": lambda value: type(value) is int and 0 <= value < DAY_MIN,
}
PLANE: Rules = {"crs": lambda value: isinstance(value, str) and value != "", "cell_m": _is_amount}
CLAIMS: Rules = {
    "k": _is_whole,
    "l": _is_whole,
    "c": lambda value: _is_amount(value) and value <= 1,
    "delta_m": _is_amount,
    "epsilon": _is_amount,
    "delta": lambda value: value == 0 or (_is_amount(value) and value < 1),
    "unit": lambda value: value == "person",
    "sensitive": lambda value: isinstance(value, str),
    "values": lambda value: isinstance(value, (list, tuple, set, frozenset)) and len(value) > 0 and _are_flat(value),
}
