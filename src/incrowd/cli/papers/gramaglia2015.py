"""incrowd papers gramaglia2015."""

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli.inputs import fingerprints_of
from incrowd.cli.options import unmarked
from incrowd.cli.papers.reproducing import PaperRun, runs, statement_lines
from incrowd.cli.reading import ReadingOptions, reads
from incrowd.cli.screen import answer, note, progress_bar, write_page
from incrowd.data import Fingerprints
from incrowd.errors import ParameterError
from incrowd.papers import PAPERS, reproduce
from incrowd.show import lined_up

Users = Annotated[
    int | None,
    typer.Option(help=unmarked("People in the made-up country of --table 2, and at most of yours. [default: 500]")),
]


@reads
@runs
def gramaglia2015(
    reading: ReadingOptions,
    run: PaperRun,
    table: Annotated[int | None, typer.Option(help="2: Table 2 alone, W4M-LC beside GLOVE.")] = None,
    users: Users = None,
    real: Annotated[Path | None, typer.Option(help="Folder with ValleyBike and Cabspotting, for Table 2.")] = None,
) -> None:
    """The k-gap and GLOVE: Figures 3 to 11 on a synthetic country or your data, the paper's words beside them.

    With --table 2 your data are added to the made-up ones.

    incrowd papers gramaglia2015 --quick -o figures

    incrowd papers gramaglia2015 --data calls.parquet -o figures

    incrowd papers gramaglia2015 --table 2 --users 500 --real data
    """
    from incrowd import anonymize

    run.check()
    if table not in (None, 2):
        raise ParameterError("--table takes 2; leave it out for the figures.")
    if table is None and real is not None:
        raise ParameterError("--real holds the data of Table 2; pass --table 2 too.")
    if table is None and users is not None:
        raise ParameterError("--users is the size of the data of Table 2; pass --table 2 too.")
    with progress_bar():
        prints = fingerprints_of(list(run.data), reading) if run.data else None
    if table == 2:
        _table_2(prints, run, users=users, real=real)
        return
    with progress_bar():
        if prints is not None and not run.quick:
            note(f"each run of GLOVE: {anonymize.glove_estimate(prints)}")
        reproduction = reproduce("gramaglia2015", prints, **run.how(PAPERS["gramaglia2015"]))
    run.show(reproduction)


def _table_2(data: Fingerprints | None, run: PaperRun, *, users: int | None, real: Path | None) -> None:
    """Run both methods on every dataset, and say what differs from the paper and why."""
    from incrowd.papers.gramaglia2015 import table2

    with progress_bar():
        wanted = table2.USERS if users is None else users
        few = min(wanted, table2.QUICK_USERS) if run.quick else wanted
        comparison = table2.table_2(data, users=few, real=real, seed=run.seed)
    for absent in comparison.skipped:
        note(f"skipped {absent}; pass --real FOLDER.")
    if run.output is not None:
        run.output.mkdir(parents=True, exist_ok=True)
        write_page(run.output / "table-2.html", comparison, title="W4M-LC and GLOVE", force=run.force)
    section = comparison.section()
    lines = [*lined_up(section.tables[0]), "", *statement_lines(comparison.statements), section.answer]
    answer("\n".join(lines), comparison, as_json=run.as_json)
