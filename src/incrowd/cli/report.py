"""incrowd report."""

from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd.cli.inputs import GRAIN, fingerprints_of, grained, saved_noun, source_in_python, visits_of
from incrowd.cli.options import Force, Json, Points, Seed, Sources, numbers
from incrowd.cli.reading import ReadingOptions, one_or_many, reads
from incrowd.cli.screen import answer, check_page, progress_bar
from incrowd.data import Visits
from incrowd.discretize.slots import Grain
from incrowd.errors import ParameterError
from incrowd.plain import several


@reads
@grained
def report(
    sources: Sources,
    reading: ReadingOptions,
    output: Annotated[Path, typer.Option("--output", "-o", help="Page to write: .html or .md.")] = Path("report.html"),
    release: Annotated[Path | None, typer.Option(help="A release of these data, to be explained and audited.")] = None,
    link: Annotated[
        Path | None, typer.Option(help="File that says who is who in the release: pseudonym, user.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(help="Folder for each figure as SVG and PDF, with the JSON it was drawn from.")
    ] = None,
    outline: Annotated[
        Path | None, typer.Option(help="Polygons to draw around the map of risk: GeoJSON or GeoParquet in degrees.")
    ] = None,
    points: Points = "1-5",
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Mobility-data privacy report",
    grain: Grain = GRAIN,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Explain trajectories, visits or fingerprints, and a release of them, on one page.

    incrowd report trips.csv -o report.html

    incrowd report trips.csv --figures figures

    incrowd report visits.parquet --release release -o report.md

    incrowd report trips.csv --release release --link link.csv -o report.html
    """
    from incrowd import report as pages
    from incrowd.report.figures import check_figures, write_figures
    from incrowd.report.overview import about_release, overview
    from incrowd.report.page import record
    from incrowd.show import section_of

    wanted = numbers(points)
    check_page(output, force=force)
    if figures is not None:
        check_figures(figures, force=force)
    if link is not None and release is None:
        raise ParameterError("--link says who is who in a release; pass --release too.")
    for option, path in (("--release", release), ("--link", link), ("--outline", outline)):
        if path is not None and not path.exists():
            raise ParameterError(f"{option} {path} does not exist; check the path.")
    with progress_bar():
        data, visits = _read(sources, reading, grain)
        parts = overview(data, visits, points=wanted, seed=seed, outline=outline, time_zone=reading.time_zone)
        if release is not None:
            parts += about_release(release, data, visits, link=link)
        sections = [section_of(part) for part in (*parts, (visits or data).ledger)]
        pages.write(output, *sections, title=title, force=force)
        made = [] if figures is None else write_figures(figures, sections, force=force)
    lines = [f"report: {output}"]
    if figures is not None:
        lines.append(f"figures: {several(len(made) // 3, 'figure')} in {figures}")
    if visits is not None and visits is not data:
        lines = [f"visits: {grain}; in Python: {source_in_python(sources, reading, grain)}", *lines]
    answer("\n".join(lines), {"report": str(output), **record(*sections, title=title)}, as_json=as_json)


def _read(sources: list[str], reading: ReadingOptions, grain: Grain) -> tuple[Any, Visits | None]:
    """The data as they are, and on a grid unless they are visits already or have no positions."""
    from incrowd import discretize, read

    source = one_or_many(sources)
    if saved_noun(source, reading) == "Fingerprints":
        return fingerprints_of(sources, reading), None
    if saved_noun(source, reading) not in (None, "Traces"):
        visits = visits_of(sources, reading, grain)
        return visits, visits
    traces = read.table(source, **reading.arguments())
    return traces, discretize.grid(traces, cell_m=grain.cell_m, slot_min=grain.slot_min, time_zone=reading.time_zone)
