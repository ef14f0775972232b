"""incrowd read | inspect."""

from typing import Annotated

import typer

from incrowd.cli.options import Force, Json, Order, Output, Reading, Sources, one_or_many, reads
from incrowd.cli.screen import answer, progress_bar, written


@reads
def read(
    sources: Sources,
    output: Output,
    reading: Reading,
    order: Annotated[Order, typer.Option(help="Sort each user by time, or keep the order of the log.")] = "time",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Read trajectories and write them as one clean table: user, t (UTC seconds), lon, lat.

    incrowd read trips.csv -o traces.parquet --time-zone Europe/Amsterdam

    incrowd read Geolife/Data --layout geolife -o traces.parquet

    incrowd read 'day-*.csv.gz' -o traces.parquet --column user=rider --bad-rows bad.csv
    """
    from incrowd import read
    from incrowd.data.files import check_table

    check_table(output, force=force)
    with progress_bar():
        traces = read.table(one_or_many(sources), order=order, **reading.arguments())
        traces.save(output, force=force)
    written(traces, output, as_json=as_json)


@reads
def inspect(
    sources: Sources,
    reading: Reading,
    min_people: Annotated[int, typer.Option(help="Map cells with fewer people are blank.")] = 5,
    as_json: Json = False,
) -> None:
    """Say what is in a dataset: people, records, days, rhythm; nothing about anybody in particular.

    incrowd inspect trips.csv

    incrowd inspect traces.parquet --json
    """
    from incrowd import measure, read

    with progress_bar():
        traces = read.table(one_or_many(sources), **reading.arguments())
        found = measure.summary(traces, min_people=min_people)
    size = found.records_per_user
    area = f"{found.width_km:,.0f} x {found.height_km:,.0f} km"
    lines = (
        f"people              {found.users:>12,}",
        f"records             {found.records:>12,}",
        f"days                {found.days:>12,}",
        f"area                {area:>12}",
        f"records per person  {size['50%']:>12,.0f}  (middle 90 %: {size['5%']:,.0f} to {size['95%']:,.0f})",
        "",
        str(traces.ledger),
    )
    answer("\n".join(lines), {"summary": found, "ledger": traces.ledger}, as_json=as_json)
