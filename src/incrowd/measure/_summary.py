"""Traces -> Summary: what is in a dataset, without anybody in particular; its section and the squares of its map."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from incrowd.arrays import Flags, Floats, Ints
from incrowd.clean import repeated
from incrowd.clock import DAY_H, HOUR_S, MONDAY_S, zone_of
from incrowd.data import Traces
from incrowd.discretize.bounds import strays
from incrowd.discretize.slots import wall_hours
from incrowd.errors import DataError, check_positive, public
from incrowd.plain import percent, several
from incrowd.show import Line, Lines, Map, Result, Section, Table

PARTS = ("0 to 6 h", "6 to 12 h", "12 to 18 h", "18 to 24 h")
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)  # the extremes would be one person's
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
OUTSIDE = (
    "A record is far outside if it is beyond the middle 99 % of records by more than half of their side, and the box "
    "of all records is more than 4 times as long as theirs."
)
MIDDLE = (0.005, 0.995)  # quantiles between which a map lies; stray points would stretch it


@dataclass(frozen=True, eq=False)
class Summary(Result):
    """Size, rhythm and extent of a dataset; every figure is about many people."""

    users: int
    records: int
    time_zone: str  # whose wall clock days and hours follow
    days: int | None  # calendar days from first_day to last_day
    first_day: str | None  # as 2024-01-31, the first on which min_people people have a record; None if there is none
    last_day: str | None
    records_per_user: dict[str, float]  # quantile -> records; those with min_people people on either side
    minutes_between: dict[str, float]  # quantile -> minutes from a record to the same user's next
    width_km: float  # of the box that holds the middle 99 % of records each way; stray points would stretch it
    height_km: float
    at_zero_records: int  # at (0, 0), which stands for no place: in no other figure about places
    outside_records: int  # far from all others: outside the box of the middle 99 % if they stretch the box of all
    duplicate_records: int  # with the user, time and place of an earlier one
    day_parts: dict[str, float]  # part of the day -> share of records; empty if no hour has min_people
    hour_of_week: Ints  # records in each of 168 hours, from Monday 00:00; 0 in hours with fewer than min_people people
    users_in_cell: Ints  # [row, column] people seen in each cell of that box, south to north; -1: too few to show
    cell_km: float
    min_people: int
    sizes: Ints = field(repr=False)  # records of each user, sorted, without min_people - 1 at each end; for drawing

    @property
    def busiest_hour(self) -> tuple[str, float] | None:
        """The hour of the week with most records, in words, and their share; None for too few people."""
        if not self.day_parts:
            return None
        hour = int(self.hour_of_week.argmax())
        return f"{WEEKDAYS[hour // DAY_H]} {hour % DAY_H:02}:00", float(self.hour_of_week[hour] / self.records)

    def section(self) -> Section:
        """What is in the data, in one section."""
        typical = self.records_per_user.get("50%")
        each = "" if typical is None else f"; a typical person has {typical:,.0f} records"
        dates = f" ({self.first_day} to {self.last_day}, {self.time_zone})" if self.first_day else ""
        over = "" if self.days is None else f" over {several(self.days, 'day')}{dates}"
        few = several(self.min_people, "person", "people")
        return Section(
            question="What is in the data?",
            answer=f"{several(self.users, 'person', 'people')} left {several(self.records, 'record')}{over}, nearly "
            f"all within {self.width_km:,.0f} by {self.height_km:,.0f} km{each}.",
            number=f"{self.users:,}",
            number_of="people",
            panels=[_map(self), *_rhythm(self), *_sizes(self)],
            tables=[Table(("what", "value"), list(_lines(self))), *_quantile_table(self)],
            method=[
                f"The map counts people, not records; cells with fewer than {few} are blank.",
                f"Days and hours of the week with fewer than {few} are left out.",
                f"A quantile is left out if fewer than {few} are below or above it.",
                "The map and the area cover the middle 99 % of records each way.",
                f"Days and hours are those of {self.time_zone}.",
                "Quantiles are over people (records) and over pairs of consecutive records (minutes).",
                "Records at (0, 0) are in neither map nor area.",
                OUTSIDE,
            ],
            options=f"time zone {self.time_zone}; figures about fewer than {few} are left out",
            data=self,
        )


@public
def summary(traces: Traces, *, time_zone: str | None = None, min_people: int = 5, cells: int = 30) -> Summary:
    """What is in a dataset: people, records, days, rhythm, area, strays and duplicates; nothing about one person.

    A quantile needs `min_people` people below and above it: with 5, the median needs 10 people and the 95 % quantile
    100. Records are outside if a side of the box of all is more than 4 times as long as that between the 0.5 % and
    99.5 % quantiles, and they are farther than half of the latter beyond it.

    Args:
        traces: The trajectories.
        time_zone: Zone of all days and hours, such as Europe/Amsterdam. [default: UTC]
        min_people: Map cells, days, hours and quantiles that are about fewer people are left out.
        cells: Cells along the longer side of the map.

    >>> from incrowd import Traces
    >>> s = summary(Traces.from_arrays([1, 1, 2], [0, 3600, 60], lon=[5, 5.1, 5], lat=[52, 52, 52.1]), min_people=1)
    >>> s.users, s.records, s.days, s.records_per_user["50%"]
    (2, 3, 1, 1.5)
    """
    check_positive(min_people=min_people, cells=cells)
    zone = zone_of(time_zone)
    if not traces.records:
        raise DataError("no record is left to summarize; loosen the cleaning.")
    sizes = np.sort(np.diff(traces.offsets))
    zero = traces.at_zero
    placed = ~zero if not zero.all() else zero
    east_m, north_m = (centred(axis, placed) for axis in _metres(traces, placed))
    squares = Squares.over(east_m, north_m, cells)
    people = squares.people(traces.owner)
    same = np.diff(traces.owner) == 0
    gaps = np.abs(np.diff(traces.t))[same] / 60
    hours = wall_hours(traces.t, time_zone)
    day, week_hour = hours // DAY_H, (hours - MONDAY_S // HOUR_S) % (7 * DAY_H)
    common = day[_shared(day, traces.owner, min_people)]
    week_hour = week_hour[_shared(week_hour, traces.owner, min_people)]
    week = np.bincount(week_hour, minlength=7 * DAY_H).astype(np.int64)
    return Summary(
        users=len(traces),
        records=traces.records,
        time_zone=zone.key if zone else "UTC",
        days=int(common.max() - common.min()) + 1 if len(common) else None,
        first_day=_date(int(common.min())) if len(common) else None,
        last_day=_date(int(common.max())) if len(common) else None,
        records_per_user=_quantiles(sizes, sizes.size, min_people),
        minutes_between=_quantiles(gaps, len(np.unique(traces.owner[1:][same])), min_people),
        width_km=float(np.nanmax(east_m)) / 1000,
        height_km=float(np.nanmax(north_m)) / 1000,
        at_zero_records=int(zero.sum()),
        outside_records=int(strays(traces).sum()),
        duplicate_records=int(repeated(traces)[0].sum()),
        day_parts=_parts(week) if len(week_hour) else {},
        hour_of_week=week,
        users_in_cell=np.where(people < min_people, -1, people),
        cell_km=squares.cell_m / 1000,
        min_people=min_people,
        sizes=sizes[min_people - 1 : len(sizes) - min_people + 1],
    )


def _shared(value: Ints, owner: Ints, min_people: int) -> Flags:
    """Which records are on a day, or in an hour, in which at least so many people have one."""
    kinds, number = np.unique(value, return_inverse=True)
    pairs = np.unique(number.astype(np.int64) * (int(owner.max()) + 1) + owner) // (int(owner.max()) + 1)
    result: Flags = (np.bincount(pairs, minlength=len(kinds)) >= min_people)[number]
    return result


def _date(day: int) -> str:
    return str(np.datetime64(day, "D"))


def _parts(week: Ints) -> dict[str, float]:
    counts = week.reshape(7, len(PARTS), -1).sum(axis=(0, 2))
    return dict(zip(PARTS, (counts / counts.sum()).tolist(), strict=True))


def _quantiles(values: Ints | Floats, people: int, min_people: int) -> dict[str, float]:
    """The quantiles with at least min_people people's worth of values on the far side of each, by their share."""
    if not values.size:
        return {}
    enough = [q for q in QUANTILES if min(q, 1 - q) * people >= min_people]
    return {f"{q:.0%}": float(value) for q, value in zip(enough, np.quantile(values, enough), strict=True)}


def _metres(traces: Traces, placed: Flags) -> tuple[Floats, Floats]:
    """East and north; a flat Earth is good enough for a picture and an extent."""
    first, second = traces.coordinates
    if traces.planar:
        return first, second
    metres_per_degree = 111_195.08
    shrink = np.cos(np.radians(np.median(second[placed])))
    return first * (metres_per_degree * shrink), second * metres_per_degree


def _lines(summary: Summary) -> Iterator[tuple[str, str]]:
    """Everything that can be printed about the data, by its name."""
    size, busiest = summary.records_per_user, summary.busiest_hour
    few = f"not shown, because fewer than {summary.min_people:,} people"
    yield "people", f"{summary.users:,}"
    yield "records", f"{summary.records:,}"
    if summary.days is None:
        yield "days", f"{few} have records on any one day"
    else:
        yield "days", f"{summary.days:,} (time zone: {summary.time_zone})"
        yield "first day", f"{summary.first_day}"
        yield "last day", f"{summary.last_day}"
    if busiest is None:
        yield "busiest hour", f"{few} have records in any one hour of the week"
    else:
        yield "busiest hour", f"{busiest[0]} ({percent(busiest[1])} of records)"
        yield "time of day", ", ".join(f"{part} {percent(share, 0)}" for part, share in summary.day_parts.items())
    yield "area", f"{summary.width_km:,.0f} x {summary.height_km:,.0f} km (middle 99 % of records each way)"
    middle = f" (middle 90 %: {size['5%']:,.0f} to {size['95%']:,.0f})" if "95%" in size else ""
    yield "records per person", f"{size['50%']:,.0f}{middle}" if size else f"{few} are on either side of the median"
    yield "at (0, 0)", f"{summary.at_zero_records:,} (records without a place)"
    yield "far outside", f"{summary.outside_records:,} (records that stretch the box of the others)"
    yield "exact duplicates", f"{summary.duplicate_records:,} (records with the user, time and place of another)"


def _map(result: Summary) -> Map:
    enough = result.users_in_cell >= 0
    count, (rows, columns) = int(enough.sum()), enough.shape
    caption = (
        f"People per cell of {result.cell_km:.2g} km (n = {result.users:,}); {count:,} cells are shown, those with "
        f"fewer than {several(result.min_people, 'person', 'people')} are blank."
    )
    words = f"Map of {rows} by {columns} cells coloured by people seen; {count} hold enough to be shown."
    people = np.where(enough, result.users_in_cell, np.nan)
    return Map("map", people, result.cell_km, "people seen", caption, words, least=result.min_people, log=True)


def _rhythm(result: Summary) -> list[Lines]:
    """Records by hour of the week; nothing if no hour has enough people."""
    if not result.day_parts:
        return []
    share, zone = result.hour_of_week / result.records, result.time_zone
    peak, days = int(share.argmax()), [day[:3] for day in WEEKDAYS]
    x = (np.arange(len(share)) + 0.5) / 24 - 0.5  # the name of a day is at its noon
    words = f"Share of records in each hour of the week; highest on {days[peak // 24]} at {peak % 24:02}:00, {zone}."
    caption = f"Rhythm of the week from Monday 00:00, {zone} (n = {result.records:,} records)."
    line = Line("", x.tolist(), share.tolist(), style="area")
    return [Lines("week", "", "share of records per hour", (line,), caption, share=False, ticks=days, words=words)]


def _sizes(result: Summary) -> list[Lines]:
    """Records per person without those few at each end; nothing if too few are between them."""
    median = result.records_per_user.get("50%")
    if median is None:
        return []
    shares = (np.arange(len(result.sizes)) + result.min_people) / result.users
    caption = (
        f"Records per person (n = {result.users:,}); half have at most {median:,.0f}. The {result.min_people - 1} "
        "people with fewest and with most records are not drawn."
    )
    words = f"Cumulative distribution of records per person, median {median:,.0f}."
    line = Line("", result.sizes.tolist(), shares.tolist(), style="step")
    name, x = "records-per-person", "records of a person, at most"
    return [Lines(name, x, "share of people", (line,), caption, scale_x="log", words=words)]


def _quantile_table(result: Summary) -> list[Table]:
    quantiles = result.records_per_user
    if not quantiles:
        return []
    gaps = [f"{result.minutes_between[q]:,.1f}" if q in result.minutes_between else "-" for q in quantiles]
    rows = [("records per person", *(f"{v:,.0f}" for v in quantiles.values())), ("minutes between records", *gaps)]
    return [Table(("", *(q.replace("%", " %") for q in quantiles)), rows, "Quantiles.")]


def centred(metres: Floats, placed: Flags) -> Floats:
    """From the low end of the middle 99 % of the values that are placed; NaN outside it."""
    low, high = np.quantile(metres[placed], MIDDLE, method="nearest")
    return np.where((metres < low) | (metres > high) | ~placed, np.nan, metres - low)


@dataclass(frozen=True, eq=False)
class Squares:
    """Squares from the south-west corner of a map, row by row; `at` is that of each record, -1 outside the map."""

    rows: int
    columns: int
    cell_m: float
    at: Ints

    @classmethod
    def over(cls, east_m: Floats, north_m: Floats, squares: int) -> "Squares":
        """As many squares along the longer side; NaN is outside."""
        cell_m = max(float(np.nanmax(east_m)), float(np.nanmax(north_m)), 1.0) / squares * (1 + 1e-9)
        columns, rows = (int(np.nanmax(axis) // cell_m) + 1 for axis in (east_m, north_m))
        inside = ~np.isnan(east_m) & ~np.isnan(north_m)
        at = np.full(len(east_m), -1, np.int64)
        at[inside] = (north_m[inside] // cell_m).astype(np.int64) * columns + (east_m[inside] // cell_m).astype(
            np.int64
        )
        return cls(rows, columns, cell_m, at)

    def people(self, owner: Ints, records: Flags | None = None) -> Ints:
        """Distinct people with a record in each square, or with one of some records."""
        wanted = self.at >= 0 if records is None else (self.at >= 0) & records
        size = self.rows * self.columns
        seen = np.unique(owner[wanted] * size + self.at[wanted]) % size
        return np.bincount(seen, minlength=size).reshape(self.rows, self.columns).astype(np.int64)
