"""incrowd papers mohammed2009."""

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli.inputs import CellM, SlotMin, visits_of
from incrowd.cli.options import Force, Json, ReadingOptions, Seed, reads
from incrowd.cli.pages import check_page, write_page
from incrowd.cli.papers.reproducing import Data, Folder, Quick, check_folder, save, statement_table
from incrowd.cli.screen import answer, progress_bar
from incrowd.errors import ParameterError


@reads
def mohammed2009(
    reading: ReadingOptions,
    data: Data = [],  # noqa: B006
    quick: Quick = False,
    output: Folder = None,
    report: Annotated[Path | None, typer.Option(help="HTML file for the figures of the experiments alone.")] = None,
    sensitive: Annotated[str | None, typer.Option(help="Attribute to protect; a synthetic one without it.")] = None,
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Walking in the crowd: LKC-privacy, the running example number by number, and the experiments it left out.

    incrowd papers mohammed2009 --quick

    incrowd papers mohammed2009 --data visits.parquet --report lkc.html
    """
    from incrowd.papers import mohammed2009 as paper

    if not data and (report is not None or sensitive is not None):
        raise ParameterError("--report and --sensitive speak of your data; pass --data FILE too.")
    check_page(report, force=force)
    check_folder(output, force=force)
    with progress_bar():
        visits = visits_of(data, reading, cell_m=cell_m, slot_min=slot_min) if data else None
        reproduction = paper.reproduce(visits, quick=quick, seed=seed, sensitive=sensitive)
    save(reproduction, output)
    write_page(report, *reproduction.others, title="LKC-privacy: what it costs", force=force)
    lines = [
        f"{run.varied} = {getattr(run, run.varied)}: {run.preserved_share:.1%} of patterns kept, "
        f"{run.suppressed_visits:.1%} of visits suppressed"
        for run in reproduction.others[0].runs
    ]
    answer("\n".join([statement_table(reproduction), "", *lines]), reproduction, as_json=as_json)
