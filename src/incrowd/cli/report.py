"""incrowd report."""

from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd.cli.inputs import CellM, SlotMin, fingerprints_of, saved_noun, visits_of
from incrowd.cli.options import Force, Json, ReadingOptions, Seed, Sources, numbers, one_or_many, reads
from incrowd.cli.screen import answer, progress_bar
from incrowd.data import Visits
from incrowd.errors import ParameterError


@reads
def report(
    sources: Sources,
    reading: ReadingOptions,
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")] = Path("report.html"),
    release: Annotated[Path | None, typer.Option(help="Also say what this release is good for, and audit it.")] = None,
    link: Annotated[Path | None, typer.Option(help="Who is who in the release: pseudonym, user.")] = None,
    points: Annotated[str, typer.Option(help="How many points the attacker knows.")] = "1-5",
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Mobility-data privacy report",
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Explain trajectories, visits or fingerprints, and a release of them, in one HTML file.

    incrowd report trips.csv -o report.html

    incrowd report visits.parquet --release release -o report.html

    incrowd report trips.csv --release release --link link.csv -o report.html
    """
    from incrowd import report as pages
    from incrowd.data.files import refuse_existing
    from incrowd.report.overview import about_release, overview
    from incrowd.report.page import record
    from incrowd.report.section import Section, section

    wanted = numbers(points)
    refuse_existing(output, force=force)
    if link is not None and release is None:
        raise ParameterError("--link says who is who in a release; pass --release too.")
    with progress_bar():
        data, visits = _read(sources, reading, cell_m, slot_min)
        clock = {"time_zone": reading.time_zone}
        parts = overview(data, visits, points=wanted, seed=seed, **clock)
        if release is not None:
            parts += about_release(release, data, visits, link=link)
        sections = [part if isinstance(part, Section) else section(part) for part in (*parts, (visits or data).ledger)]
        pages.write(output, *sections, title=title, force=force)
    answer(f"report: {output}", {"report": str(output), **record(*sections, title=title)}, as_json=as_json)


def _read(sources: list[str], reading: ReadingOptions, cell_m: float, slot_min: int) -> tuple[Any, Visits | None]:
    """The data as they are, and on a grid unless they are visits already or no longer tell their points."""
    from incrowd import discretize, read

    source = one_or_many(sources)
    if saved_noun(source, reading) == "Fingerprints":
        return fingerprints_of(sources, reading), None
    if saved_noun(source, reading) not in (None, "Traces"):
        visits = visits_of(sources, reading, cell_m=cell_m, slot_min=slot_min)
        return visits, visits
    traces = read.table(source, **reading.arguments())
    return traces, discretize.grid(traces, cell_m=cell_m, slot_min=slot_min, time_zone=reading.time_zone)
