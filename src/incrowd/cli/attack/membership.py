"""incrowd attack membership."""

from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd import anonymize, attack
from incrowd.cli.counting import Counting, Regions, counting, everywhere, everywhere_in_python
from incrowd.cli.inputs import grain_of, in_python
from incrowd.cli.options import Force, Json, Sources, takes
from incrowd.cli.reading import ReadingOptions, reads
from incrowd.cli.screen import Report, check_page, present, progress_bar, write_page
from incrowd.data import Counts
from incrowd.data.release_folder import release_at
from incrowd.errors import DataError

GIVEN = ("visits", "published", "mitigation", "reference", "truth")
STEPS = ("data", "region", "cells", "slots", "seed")


@reads
@counting
@takes(anonymize.counts, "mitigation", leave_out=STEPS)
@takes(attack.membership, "question", leave_out=GIVEN)
def membership(
    sources: Sources,
    reading: ReadingOptions,
    question: dict[str, Any],
    mitigation: dict[str, Any],
    published: Annotated[
        Path | None, typer.Option(help="Counts that somebody published: ask about the people of the sources.")
    ] = None,
    reference: Annotated[
        Path | None, typer.Option(help="Trajectories or visits of other people, for the usual shares of people.")
    ] = None,
    where: Counting = Counting(),
    regions: Regions = None,
    report: Report = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Ask whether somebody whose visits are known is among the people counted.

    The options say how the counts are published.

    incrowd attack membership calls.csv --towers towers.csv --size 500

    incrowd attack membership calls.csv --towers towers.csv --suppress-below 5 --round-to 5

    incrowd attack membership people.csv --towers towers.csv --published counts.parquet --size 2500 --noise-epsilon 1
    """
    from incrowd import read

    check_page(report, force=force)
    with progress_bar():
        visits = everywhere(sources, reading, where)
        others = None if reference is None else everywhere([str(reference)], reading, where)
        steps = {**mitigation, "region": None if regions is None else read.regions(regions)}
        counts = None if published is None else _counts(published)
        result = attack.membership(visits, published=counts, mitigation=steps, reference=others, **question)
        write_page(report, result, force=force)
    made = everywhere_in_python(sources, reading, where)
    call = in_python(attack.membership, made, mitigation=_changed(mitigation), **question)
    whole = made and published is None and reference is None and regions is None
    present(result, call if whole else "", grain=grain_of(visits), as_json=as_json)


def _changed(mitigation: dict[str, Any]) -> dict[str, Any] | None:
    """The steps that were asked for."""
    usual = signature(anonymize.counts).parameters
    return {name: value for name, value in mitigation.items() if value != usual[name].default} or None


def _counts(published: Path) -> Counts:
    """Counts from a table or from the folder of a release."""
    from incrowd import read

    if release_at(published) is None:
        return read.counts(published)
    counts = read.release(published)
    if not isinstance(counts, Counts):
        raise DataError(f"{published.name} publishes no counts; membership is asked of counts.")
    return counts
