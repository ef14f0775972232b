"""incrowd attack lookup."""

from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd import attack
from incrowd.cli.inputs import fingerprints_of, is_records, traces_of, visits_of
from incrowd.cli.options import Force, Json, takes
from incrowd.cli.overwrite import refuse_own_input
from incrowd.cli.pages import Report, check_page, write_page
from incrowd.cli.reading import ReadingOptions, reads
from incrowd.cli.screen import present, progress_bar
from incrowd.data import Fingerprints, Traces
from incrowd.discretize.slots import Grain


@reads
@takes(attack.lookup, "question", leave_out=("release", "original"))
def lookup(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The folder of a release.")],
    original: Annotated[str, typer.Argument(metavar="ORIGINAL", help="The data that the release was made from.")],
    reading: ReadingOptions,
    question: dict[str, Any],
    report: Report = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Look a few known records of everybody up in a release, at the precision it publishes.

    incrowd attack lookup release visits.parquet --link link.csv

    incrowd attack lookup release trips.csv --link link.csv --records 8
    """
    refuse_own_input({"release": release, "original": Path(original), "link": question["link"], "report": report})
    check_page(report, force=force)
    with progress_bar():
        found = attack.lookup(release, _original(release, original, reading), **question)
        write_page(report, found, force=force)
    present(found, as_json=as_json)


def _original(release: Path, original: str, reading: ReadingOptions) -> Any:
    """The original as the noun that the release publishes; trajectories are put on its cells by the attack."""
    from incrowd import read

    published = read.release(release)
    if isinstance(published, Fingerprints):
        return fingerprints_of([original], reading)
    if isinstance(published, Traces) or is_records(original, reading):
        return traces_of([original], reading)
    return visits_of([original], reading, Grain())
