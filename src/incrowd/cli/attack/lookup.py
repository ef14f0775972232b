"""incrowd attack lookup."""

from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd import attack
from incrowd.cli.inputs import fingerprints_of, in_python, is_records, source_in_python, traces_of, visits_of
from incrowd.cli.options import Force, Json, takes
from incrowd.cli.reading import ReadingOptions, reads, refuse_own_input
from incrowd.cli.screen import Report, check_page, present, progress_bar, write_page
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
        known, made = _original(release, original, reading)
        result = attack.lookup(release, known, **question)
        write_page(report, result, force=force)
    present(result, in_python(attack.lookup, f"{str(release)!r}, {made}", **question), as_json=as_json)


def _original(release: Path, original: str, reading: ReadingOptions) -> tuple[Any, str]:
    """The original as the noun that the release publishes, and the call that makes it.

    Trajectories are put on the cells of the release by the attack.
    """
    from incrowd import read

    published, sources = read.release(release), [original]
    if isinstance(published, Fingerprints):
        return fingerprints_of(sources, reading), source_in_python(sources, reading, into="fingerprints")
    if isinstance(published, Traces) or is_records(original, reading):
        return traces_of(sources, reading), source_in_python(sources, reading, into="traces")
    return visits_of(sources, reading, Grain()), source_in_python(sources, reading)
