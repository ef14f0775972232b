"""incrowd read."""

from typing import Annotated

import typer

from incrowd.cli.inputs import in_python
from incrowd.cli.options import Force, Json, Output, Sources
from incrowd.cli.reading import ReadingOptions, one_or_many, reads
from incrowd.cli.screen import progress_bar, written
from incrowd.data.traces import Order


@reads
def read(
    sources: Sources,
    output: Output,
    reading: ReadingOptions,
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
    source = one_or_many(sources)
    with progress_bar():
        traces = read.table(source, order=order, **reading.arguments())
        traces.save(output, force=force)
    call = in_python(read.table, repr(source), order=order, **reading.arguments())
    written(traces, output, call, as_json=as_json)
