"""incrowd inspect."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from incrowd import measure, read
from incrowd.cli.inputs import in_python, source_in_python
from incrowd.cli.options import Json, Sources, takes
from incrowd.cli.reading import ReadingOptions, one_or_many, reads
from incrowd.cli.screen import present, progress_bar
from incrowd.read.checks import zero_warned_later


@reads
@takes(measure.summary, "how", leave_out=("traces", "time_zone", "cells"))
def inspect(
    sources: Sources,
    reading: ReadingOptions,
    how: dict[str, Any],
    preview: Annotated[
        bool, typer.Option("--preview", help="Say what each column holds, in counts and no values, and stop.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Say what is in a dataset: people, records, days, rhythm, strays, duplicates; nothing about one person.

    incrowd inspect trips.csv

    incrowd inspect traces.parquet --json

    incrowd inspect trips.csv --preview
    """
    if preview:
        present(read.preview(one_or_many(sources)), as_json=as_json)
        return
    how["time_zone"] = reading.time_zone
    with progress_bar():
        with zero_warned_later():
            traces = read.table(one_or_many(sources), **reading.arguments())
        summary = measure.summary(traces, **how)
    both = {"summary": summary, "ledger": traces.ledger}
    section = summary.section()
    section = replace(section, tables=[*section.tables, *traces.ledger.section().tables])
    call = in_python(measure.summary, source_in_python(sources, reading, into="traces"), **how)
    present(both if as_json else section, call, as_json=as_json)
