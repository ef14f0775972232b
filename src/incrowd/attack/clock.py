"""Slots -> what the wall clock shows when they begin; hours of the day, checked."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

from incrowd.data import Visits
from incrowd.discretize.slots import wall_at, zone_of
from incrowd.errors import DataError, ParameterError

MONDAY = 4 * 86_400  # 1970-01-05, in seconds


def wall_start(visits: Visits) -> int:
    """What the wall clock of these visits shows at slot 0, in seconds since 1970 as if it were UTC.

    Slots follow the wall clock, through changes of daylight-saving time too, so slot s begins slot_min * s later.

    >>> wall_start(Visits.from_arrays([1], [0], [0], slot_min=60, start=3600))
    3600
    """
    if visits.start is None or visits.slot_min is None:
        raise DataError("these visits do not say when their slots are; make them with start and slot_min.")
    return wall_at(visits.start, zone_of(visits.time_zone))


def check_hours(**values: Any) -> None:
    """Refuse what is not two hours of the day."""
    for name, hours in values.items():
        pair = isinstance(hours, Sequence) and len(hours) == 2
        if not pair or not all(isinstance(hour, Real) and 0 <= float(hour) <= 24 for hour in hours):
            raise ParameterError(f"{name} must be two hours from 0 to 24, such as (0, 6).")
