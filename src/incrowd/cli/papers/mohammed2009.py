"""incrowd papers mohammed2009."""

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli.inputs import GRAIN, grained, visits_of
from incrowd.cli.options import unmarked
from incrowd.cli.papers.reproducing import PaperRun, runs
from incrowd.cli.reading import ReadingOptions, reads
from incrowd.cli.screen import check_page, progress_bar, write_page
from incrowd.discretize.slots import Grain
from incrowd.errors import ParameterError
from incrowd.papers import PAPERS, reproduce
from incrowd.plain import percent

Sensitive = Annotated[
    str | None, typer.Option(help=unmarked("Attribute of the person to protect. [default: a synthetic one]"))
]


@reads
@grained
@runs
def mohammed2009(
    reading: ReadingOptions,
    run: PaperRun,
    report: Annotated[Path | None, typer.Option(help="HTML file for the figures of the experiments alone.")] = None,
    sensitive: Sensitive = None,
    grain: Grain = GRAIN,
) -> None:
    """Walking in the crowd: LKC-privacy, the running example number by number, and the experiments it left out.

    incrowd papers mohammed2009 --quick

    incrowd papers mohammed2009 --data visits.parquet --report lkc.html
    """
    if not run.data and (report is not None or sensitive is not None):
        raise ParameterError("--report and --sensitive are about your data; pass --data FILE too.")
    check_page(report, force=run.force)
    run.check(PAPERS["mohammed2009"])
    with progress_bar():
        visits = visits_of(list(run.data), reading, grain) if run.data else None
        reproduction = reproduce("mohammed2009", visits, sensitive=sensitive, **run.how(PAPERS["mohammed2009"]))
    write_page(report, *reproduction.others, title="LKC-privacy: loss of detail", force=run.force)
    lines = [
        f"{cost.varied} = {getattr(cost, cost.varied)}: {percent(cost.preserved_share)} of patterns kept, "
        f"{percent(cost.suppressed_visits)} of visits suppressed"
        for cost in reproduction.others[0].runs
    ]
    run.show(reproduction, "", *lines)
