"""Summary -> its section: what is in the data, without anybody in particular."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from incrowd.plain import percent, several
from incrowd.show import Line, Lines, Map, Section, Table

if TYPE_CHECKING:
    from incrowd.measure._summary import Summary

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
OUTSIDE = (
    "A record is far outside if it is beyond the middle 99 % of records by more than half of their side, and the box "
    "of all records is more than 4 times as long as theirs."
)


def section_of_summary(result: "Summary") -> Section:
    """What is in the data, in one section."""
    typical = result.records_per_user.get("50%")
    each = "" if typical is None else f"; a typical person has {typical:,.0f} records"
    dates = f" ({result.first_day} to {result.last_day}, {result.time_zone})" if result.first_day else ""
    over = "" if result.days is None else f" over {several(result.days, 'day')}{dates}"
    few = several(result.min_people, "person", "people")
    return Section(
        question="What is in the data?",
        answer=f"{several(result.users, 'person', 'people')} left {several(result.records, 'record')}{over}, nearly "
        f"all within {result.width_km:,.0f} by {result.height_km:,.0f} km{each}.",
        number=f"{result.users:,}",
        number_of="people",
        panels=[_map(result), *_rhythm(result), *_sizes(result)],
        tables=[Table(("what", "value"), list(_lines(result))), *_quantile_table(result)],
        method=[
            f"The map counts people, not records; cells with fewer than {few} are blank.",
            f"Days and hours of the week with fewer than {few} are left out.",
            f"A quantile is left out if fewer than {few} are below or above it.",
            "The map and the area cover the middle 99 % of records each way.",
            f"Days and hours are those of {result.time_zone}.",
            "Quantiles are over people (records) and over pairs of consecutive records (minutes).",
            "Records at (0, 0) are in neither map nor area.",
            OUTSIDE,
        ],
        options=f"time zone {result.time_zone}; figures about fewer than {few} are left out",
        data=result,
    )


def _lines(summary: "Summary") -> Iterator[tuple[str, str]]:
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


def _map(result: "Summary") -> Map:
    enough = result.users_in_cell >= 0
    count, (rows, columns) = int(enough.sum()), enough.shape
    caption = (
        f"People per cell of {result.cell_km:.2g} km (n = {result.users:,}); {count:,} cells are shown, those with "
        f"fewer than {several(result.min_people, 'person', 'people')} are blank."
    )
    words = f"Map of {rows} by {columns} cells coloured by people seen; {count} hold enough to be shown."
    people = np.where(enough, result.users_in_cell, np.nan)
    return Map("map", people, result.cell_km, "people seen", caption, words, least=result.min_people, log=True)


def _rhythm(result: "Summary") -> list[Lines]:
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


def _sizes(result: "Summary") -> list[Lines]:
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


def _quantile_table(result: "Summary") -> list[Table]:
    quantiles = result.records_per_user
    if not quantiles:
        return []
    gaps = [f"{result.minutes_between[q]:,.1f}" if q in result.minutes_between else "-" for q in quantiles]
    rows = [("records per person", *(f"{v:,.0f}" for v in quantiles.values())), ("minutes between records", *gaps)]
    return [Table(("", *(q.replace("%", " %") for q in quantiles)), rows, "Quantiles.")]
