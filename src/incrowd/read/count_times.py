"""Columns of published counts -> the slot of each row: whole numbers, hours, dates and times, epochs."""

from datetime import UTC, datetime
from math import floor
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from incrowd.arrays import Ints
from incrowd.clock import DAY_S, EPOCH, HOUR_MIN, HOUR_S, from_epoch, slots_per_day, unit_note, unit_of
from incrowd.columns import refuse
from incrowd.data.counts import MOST_COUNTS
from incrowd.errors import DataError, ParameterError
from incrowd.read.small_table import SmallTable, is_number

if TYPE_CHECKING:
    import pyarrow as pa

SLOT_MIN = 30
_DIGITS = (19_000_101, 99_991_231)  # dates without dashes
_WRITE = "write times like 2024-01-31T08:30"


class Times(NamedTuple):
    """Slots as whole numbers, or the wall clock in seconds at which each begins; the width of a slot if it is known."""

    value: Ints
    clock: bool
    slot_min: int | None = None
    unit: str | None = None  # of epochs


class Slots(NamedTuple):
    """The slot of every row, its width, the minute of the day at which slot 0 begins, and what is worth knowing."""

    slot: Ints
    slot_min: int
    start_min: int
    notes: dict[str, int]


def slots_of(table: SmallTable, zone: ZoneInfo | None, slot_min: int | None, start_min: int | None) -> Slots:
    """Which slot each row is about; two times in one slot would count the same people twice and are refused."""
    when = _when(table, zone)
    notes = {unit_note(when.unit): len(when.value)} if when.unit else {}
    if when.slot_min not in (None, slot_min or when.slot_min):
        raise ParameterError(f"the column hour counts hours; leave slot_min out, got {slot_min!r}.")
    if not when.clock:
        refuse(when.value < 0, "slot is below 0", "count slots from 0")
        slot, width, start = when.value, int(slot_min or when.slot_min or SLOT_MIN), int(start_min or 0)
        return Slots(slot, width, start, notes | _from_one(slot, width))
    if start_min is not None:
        raise ParameterError("the times already state when slots begin; leave start_min out.")
    moments = np.unique(when.value)
    width = int(slot_min or when.slot_min or _width(moments))
    midnight = moments[0] // DAY_S * DAY_S
    since = when.value - midnight
    slot = since // (60 * width)
    _check_apart(moments - midnight, since, width)
    notes["times inside a slot, taken for its beginning"] = int((since % (60 * width) != 0).sum())
    return Slots(slot, width, 0, notes | _from_one(slot, width))


def _when(table: SmallTable, zone: ZoneInfo | None) -> Times:
    """The column that is there: slots or times, hours with or without a date, or dates."""
    slot = table.name("slot") or ""
    if "slot" in table.given and slot.strip().lower() != "hour":
        return times(table["slot"], "slot", zone)
    if slot and not {"slot", "hour", "date"} & set(table.given):
        when = times(table["slot"], "slot", zone)
        if not when.clock and table.has("date"):
            _check_one_date(when.value, table["date"])
        return when
    if slot.strip().lower() == "hour" or table.has("hour"):
        return _hours(table, "slot" if "slot" in table.given else "hour", zone)
    return times(table["date"], "date", zone) if table.has("date") else times(table["slot"], "slot", zone)


def _check_one_date(slot: Ints, date: "pa.Array") -> None:
    """Refuse slots that begin anew on every date: those of all dates would be one."""
    day = np.asarray(date.dictionary_encode(null_encoding="encode").indices)
    order = np.lexsort((day, slot))
    again = np.zeros(len(slot), np.bool_)
    again[order[1:]] = (np.diff(slot[order]) == 0) & (np.diff(day[order]) != 0)
    refuse(again, "a slot is counted on a second date", "number slots on from one date to the next, or write times")


def _hours(table: SmallTable, role: str, zone: ZoneInfo | None) -> Times:
    hour = times(table[role], "hour", zone)
    if hour.clock:
        return hour
    if not table.has("date"):
        return hour._replace(slot_min=HOUR_MIN)
    day = times(table["date"], "date", zone)
    if not day.clock:
        raise DataError(
            f"{table.place} has values in its column of dates that are not dates; write dates like 2024-01-31."
        )
    refuse((hour.value < 0) | (hour.value > 23), "hour is outside 0 to 23", "count the hours of each date from 0")
    return Times(day.value // DAY_S * DAY_S + HOUR_S * hour.value, clock=True, slot_min=HOUR_MIN)


def times(column: "pa.Array", name: str, zone: ZoneInfo | None) -> Times:
    """Whole numbers are slots, or epochs where too large; times are of the wall clock of a zone, naive ones as is."""
    import pyarrow as pa

    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    refuse(np.asarray(column.is_null()), f"{name} is missing", "give a slot or a time in every row")
    coded = column.dictionary_encode()
    values, row = coded.dictionary.to_pylist(), np.asarray(coded.indices)
    kinds = [_kind(value) for value in values]
    if set(kinds) <= {"slot"}:
        return _numbered([int(value if isinstance(value, int) else float(value)) for value in values], row, name, zone)
    odd = np.array([kind != "time" for kind in kinds], np.bool_)[row]
    refuse(odd, f"{name} is neither a time nor, throughout, a whole number", _WRITE)
    return Times(_walls([_moment(value) for value in values], row, name, zone), clock=True)


def _numbered(values: list[int], row: Ints, name: str, zone: ZoneInfo | None) -> Times:
    """Slots; as many as no table can hold are epochs, and a date may be written in digits."""
    low, high = min(values, default=0), max(values, default=0)
    huge = np.array([not -(2**63) <= value < 2**63 for value in values], np.bool_)
    refuse(huge[row], f"{name} is too large a number", _WRITE)
    if name == "date" and _DIGITS[0] <= low and high <= _DIGITS[1]:
        return times(_texts(values, row), name, zone)
    number = np.array(values, np.int64)
    if low < MOST_COUNTS:
        return Times(number[row], clock=False)
    unit = unit_of(number)
    seconds, bad = from_epoch(number, unit) if unit else (number, np.ones(len(number), np.bool_))
    refuse(bad[row], f"{name} is too large for a slot and not a time since 1970 in s, ms, us or ns", _WRITE)
    moments = [datetime.fromtimestamp(second, UTC) for second in seconds.tolist()]
    return Times(_walls(moments, row, name, zone), clock=True, unit=unit)


def _texts(values: list[int], row: Ints) -> "pa.Array":
    import pyarrow as pa

    # Dashes keep them from being numbers again.
    texts = [f"{value // 10_000}-{value // 100 % 100:02}-{value % 100:02}" for value in values]
    return pa.array(np.array(texts, object)[row], pa.string())


def _kind(value: Any) -> str | None:
    if is_number(value) and np.isfinite(float(value)) and float(value) == int(float(value)):
        return "slot"
    try:
        _moment(value)
    except (TypeError, ValueError):
        return None
    return "time"


def _moment(value: Any) -> datetime:
    if isinstance(value, datetime):
        return value
    return datetime.fromisoformat(str(value).strip())  # a date is its midnight


def _walls(moments: list[datetime], row: Ints, name: str, zone: ZoneInfo | None) -> Ints:
    """What the wall clock shows, in seconds; an hour that it shows twice cannot be two slots."""
    walls = [_wall(moment, zone) for moment in moments]
    outside = np.array([wall is None for wall in walls], np.bool_)
    refuse(outside[row], f"{name} is outside the calendar in that time zone", "check the year")
    value = np.array(walls, np.int64)
    instant = np.array([floor(m.timestamp()) if m.tzinfo else wall for m, wall in zip(moments, walls, strict=True)])
    order = np.lexsort((instant, value))
    again = np.zeros(len(value), np.bool_)
    again[order[1:]] = (np.diff(value[order]) == 0) & (np.diff(instant[order]) != 0)
    advice = "leave time_zone out to count by UTC, or add the two hours up"
    refuse(again[row], "the clock shows a time twice, as daylight-saving time ends", advice)
    return value[row]


def _wall(moment: datetime, zone: ZoneInfo | None) -> int | None:
    try:
        if moment.tzinfo is not None:
            moment = moment.astimezone(zone or UTC).replace(tzinfo=None)
    except OverflowError:
        return None
    return floor((moment - EPOCH).total_seconds())


def _width(moments: Ints) -> int:
    """The largest number of minutes that leads from every time to every other."""
    seconds = int(np.gcd.reduce(np.diff(moments))) if len(moments) > 1 else 0
    if not seconds or seconds % 60:
        raise ParameterError("the width of a slot does not follow from these times; pass slot_min.")
    return seconds // 60


def _check_apart(moments: Ints, since: Ints, width: int) -> None:
    """Refuse a second time in one slot: a person there at both is counted twice."""
    second = moments[1:][np.diff(moments // (60 * width)) == 0]
    if len(second):
        advice = "leave slot_min out, or pass the width in which they were counted"
        refuse(np.isin(since, second), f"a second time falls into one slot of {width} min", advice)


def _from_one(slot: Ints, width: int) -> dict[str, int]:
    """A day of one slot after days whose first is empty: slots may have been counted from 1."""
    day = slots_per_day(width)
    phantom = day > 1 and len(slot) > 0 and slot.min() > 0 and slot.max() % day == 0
    return {"empty slot 0 and a last day of one slot: counted from 1, or timed at their end?": int(phantom)}
