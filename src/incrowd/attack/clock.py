"""Slots -> what the wall clock shows when they begin."""

from datetime import UTC, datetime, timedelta

from incrowd.data import Visits
from incrowd.discretize.slots import zone_of
from incrowd.errors import DataError

MONDAY = 4 * 86_400  # 1970-01-05, in seconds


def wall_start(visits: Visits) -> int:
    """What the wall clock of these visits shows at slot 0, in seconds since 1970 as if it were UTC.

    Slots follow the wall clock, through changes of daylight-saving time too, so slot s begins slot_min * s later.

    >>> wall_start(Visits.from_arrays([1], [0], [0], slot_min=60, start=3600))
    3600
    """
    if visits.start is None or visits.slot_min is None:
        raise DataError("these visits do not say when their slots are; make them with start and slot_min.")
    zone = zone_of(visits.time_zone)
    ahead = datetime.fromtimestamp(visits.start, zone or UTC).utcoffset() or timedelta()
    return visits.start + round(ahead.total_seconds())
