"""incrowd inspect."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli.options import Json, Reading, Sources, one_or_many, reads
from incrowd.cli.screen import answer, progress_bar
from incrowd.plain import percent

if TYPE_CHECKING:
    from incrowd.measure import Summary


@reads
def inspect(
    sources: Sources,
    reading: Reading,
    min_people: Annotated[
        int,
        typer.Option(help="Map cells with fewer people are blank; datasets with fewer show no dates and no rhythm."),
    ] = 5,
    as_json: Json = False,
) -> None:
    """Say what is in a dataset: people, records, days, rhythm, strays, duplicates; nothing about anybody in particular.

    incrowd inspect trips.csv

    incrowd inspect traces.parquet --json
    """
    from incrowd import measure, read

    with progress_bar():
        traces = read.table(one_or_many(sources), **reading.arguments())
        found = measure.summary(traces, time_zone=reading.time_zone, min_people=min_people)
    lines = [f"{name:<20}{value}" for name, value in _lines(found)]
    answer("\n".join([*lines, "", str(traces.ledger)]), {"summary": found, "ledger": traces.ledger}, as_json=as_json)


def _lines(found: "Summary") -> Iterator[tuple[str, str]]:
    """What is said, by its name."""
    size, busiest = found.records_per_user, found.busiest_hour
    yield "people", f"{found.users:,}"
    yield "records", f"{found.records:,}"
    yield "days", f"{found.days:,} (time zone: {found.time_zone})"
    if busiest is None:
        yield "first and last day", f"not shown, fewer than {found.min_people:,} people; the rhythm neither"
    else:
        yield "first day", f"{found.first_day}"
        yield "last day", f"{found.last_day}"
        yield "busiest hour", f"{busiest[0]} ({percent(busiest[1])} of records)"
        yield "time of day", ", ".join(f"{part} {percent(share, 0)}" for part, share in found.day_parts.items())
    yield "area", f"{found.width_km:,.0f} x {found.height_km:,.0f} km (middle 99 % of records each way)"
    yield "records per person", f"{size['50%']:,.0f} (middle 90 %: {size['5%']:,.0f} to {size['95%']:,.0f})"
    yield "at (0, 0)", f"{found.at_zero_records:,} (records without a place)"
    yield "far outside", f"{found.outside_records:,} (records that stretch the box of the others)"
    yield "exact duplicates", f"{found.duplicate_records:,} (records with the user, time and place of another)"
