"""incrowd inspect."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli.options import Json, ReadingOptions, Sources, one_or_many, reads
from incrowd.cli.screen import answer, progress_bar
from incrowd.plain import percent

if TYPE_CHECKING:
    from incrowd.measure import Summary


@reads
def inspect(
    sources: Sources,
    reading: ReadingOptions,
    min_people: Annotated[
        int,
        typer.Option(help="Map cells, days, hours and quantiles that are about fewer people are left out."),
    ] = 5,
    as_json: Json = False,
) -> None:
    """Say what is in a dataset: people, records, days, rhythm, strays, duplicates; nothing about anybody in particular.

    incrowd inspect trips.csv

    incrowd inspect traces.parquet --json
    """
    from incrowd import measure, read
    from incrowd.read.zero import zero_told_later

    with progress_bar():
        with zero_told_later():
            traces = read.table(one_or_many(sources), **reading.arguments())
        summary = measure.summary(traces, time_zone=reading.time_zone, min_people=min_people)
    lines = [f"{name:<20}{value}" for name, value in _lines(summary)]
    answer("\n".join([*lines, "", str(traces.ledger)]), {"summary": summary, "ledger": traces.ledger}, as_json=as_json)


def _lines(summary: "Summary") -> Iterator[tuple[str, str]]:
    """What is said, by its name."""
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
