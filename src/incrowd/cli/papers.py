"""incrowd papers mohammed2009."""

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli.inputs import CellM, SlotMin, visits_of
from incrowd.cli.options import Force, Json, Reading, Seed, reads
from incrowd.cli.screen import answer, progress_bar
from incrowd.errors import ParameterError

app = typer.Typer(name="papers", help="Tables and figures of the papers, theirs beside ours.", no_args_is_help=True)


@app.callback()
def papers() -> None:
    """Tables and figures of the papers, theirs beside ours."""


@app.command()
@reads
def mohammed2009(
    reading: Reading,
    data: Annotated[list[str], typer.Option(help="Also run the experiments the paper left out on these files.")] = [],  # noqa: B006
    report: Annotated[Path | None, typer.Option(help="HTML file for the figures of the experiments.")] = None,
    sensitive: Annotated[str | None, typer.Option(help="Attribute to protect; a synthetic one without it.")] = None,
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """LKC-privacy: the running example number by number, and experiments on your own data.

    incrowd papers mohammed2009

    incrowd papers mohammed2009 --data visits.parquet --report lkc.html
    """
    from incrowd import report as pages
    from incrowd.data.files import refuse_existing
    from incrowd.papers import mohammed2009 as paper

    if not data and (report is not None or sensitive is not None):
        raise ParameterError("--report and --sensitive speak of the experiments; pass --data FILE too.")
    if report is not None:
        refuse_existing(report, force=force)
    rows = paper.running_example()
    lines = [f"{row.where:<12} {row.what}\n    theirs: {row.theirs}\n    ours:   {row.ours}" for row in rows]
    lines.append(f"{sum(row.agrees for row in rows)} of {len(rows)} statements agree")
    record: dict[str, object] = {"running_example": rows}
    if data:
        with progress_bar():
            visits = paper.typical_day(visits_of(data, reading, cell_m=cell_m, slot_min=slot_min))
            found = paper.experiments(visits, name="the data", sensitive=sensitive, seed=seed)
        record["experiments"] = found
        lines += [
            f"{run.varied} = {getattr(run, run.varied)}: {run.preserved_share:.1%} of patterns kept, "
            f"{run.suppressed_visits:.1%} of visits suppressed"
            for run in found.runs
        ]
        if report is not None:
            pages.write(report, found, title="LKC-privacy: what it costs", force=force)
    answer("\n".join(lines), record, as_json=as_json)
