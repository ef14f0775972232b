"""incrowd report."""

from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd.cli.inputs import CellM, SlotMin, saved_noun, visits_of
from incrowd.cli.options import Force, Json, Reading, Seed, Sources, numbers, one_or_many, reads
from incrowd.cli.screen import answer, progress_bar


@reads
def report(
    sources: Sources,
    reading: Reading,
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")] = Path("report.html"),
    release: Annotated[Path | None, typer.Option(help="Also say what this release is good for, and audit it.")] = None,
    points: Annotated[str, typer.Option(help="How many points the attacker knows.")] = "1-5",
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Mobility-data privacy report",
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Explain a dataset, and a release of it, in one HTML file.

    incrowd report trips.csv -o report.html

    incrowd report visits.parquet --release release -o report.html
    """
    from incrowd import audit, measure, read
    from incrowd import report as pages
    from incrowd.data import Visits
    from incrowd.data.files import refuse_existing

    wanted = numbers(points)
    refuse_existing(output, force=force)
    parts: list[Any] = []
    with progress_bar():
        if saved_noun(one_or_many(sources)) != "Visits":
            parts.append(measure.summary(read.table(one_or_many(sources), **reading.arguments())))
        visits = visits_of(sources, reading, cell_m=cell_m, slot_min=slot_min)
        shorts = ("drop", "all")
        parts.append([measure.uniqueness(visits, points=m, short=s, seed=seed) for s in shorts for m in wanted])
        parts.append(measure.exposure(visits))
        if release is not None:
            published = read.release(release) if release.is_dir() else read.saved(release)
            parts += [measure.utility(visits, published)] if isinstance(published, Visits) else []
            parts.append(audit.check(release, original=visits))
        pages.write(output, *parts, visits.ledger, title=title, force=force)
    answer(f"report: {output}", {"report": str(output)}, as_json=as_json)
