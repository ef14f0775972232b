"""incrowd papers gramaglia2015."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli.inputs import fingerprints_of
from incrowd.cli.options import Force, Json, ReadingOptions, Seed, reads
from incrowd.cli.pages import write_page
from incrowd.cli.papers.reproducing import Folder, Quick, check_folder, statement_table
from incrowd.cli.screen import answer, note, progress_bar
from incrowd.errors import ParameterError

if TYPE_CHECKING:
    from incrowd.data import Fingerprints
    from incrowd.papers.gramaglia2015.table2 import Cell


@reads
def gramaglia2015(
    reading: ReadingOptions,
    data: Annotated[
        list[str],
        typer.Option(help="Your own files instead of made-up data; besides them with --table 2; repeatable."),
    ] = [],  # noqa: B006
    quick: Quick = False,
    output: Folder = None,
    table: Annotated[int | None, typer.Option(help="2: Table 2 alone, W4M-LC beside GLOVE.")] = None,
    users: Annotated[
        int | None,
        typer.Option(help="People in the made-up country of --table 2, and at most of yours; 500 without it."),
    ] = None,
    real: Annotated[Path | None, typer.Option(help="Folder with ValleyBike and Cabspotting, for Table 2.")] = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """k-gap and GLOVE: Figures 3 to 11 on a synthetic country or your data, the paper's words beside them.

    incrowd papers gramaglia2015 --quick -o figures

    incrowd papers gramaglia2015 --data calls.parquet -o figures

    incrowd papers gramaglia2015 --table 2 --users 500 --real data
    """
    from incrowd import anonymize
    from incrowd.papers import gramaglia2015 as paper

    check_folder(output, force=force)
    if table not in (None, 2):
        raise ParameterError("--table takes 2; leave it out for the figures.")
    if table is None and real is not None:
        raise ParameterError("--real holds the data of Table 2; pass --table 2 too.")
    if table is None and users is not None:
        raise ParameterError("--users is the size of the data of Table 2; pass --table 2 too.")
    with progress_bar():
        prints = fingerprints_of(data, reading) if data else None
    if table == 2:
        table_2(prints, quick=quick, users=users, real=real, output=output, seed=seed, force=force, as_json=as_json)
        return
    with progress_bar():
        if prints is not None and not quick:
            note(f"each run of GLOVE: {anonymize.glove_cost(prints)}")
        reproduction = paper.reproduce(prints, quick=quick, seed=seed)
    if output is not None:
        paper.save(reproduction, output)
    answer(statement_table(reproduction), reproduction, as_json=as_json)


def table_2(
    data: "Fingerprints | None",
    *,
    quick: bool,
    users: int | None,
    real: Path | None,
    output: Path | None,
    seed: int,
    force: bool,
    as_json: bool,
) -> None:
    """Run both methods on every dataset, and say what differs from the paper and why."""
    from incrowd.papers.gramaglia2015 import table2 as paper

    with progress_bar():
        wanted = paper.USERS if users is None else users
        few = min(wanted, paper.QUICK_USERS) if quick else wanted
        comparison = paper.table_2(data, users=few, real=real, seed=seed)
    for one in comparison.skipped:
        note(f"skipped {one}; pass --real FOLDER.")
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        write_page(output / "table-2.html", comparison, title="W4M-LC and GLOVE", force=force)
    lines = [_line(cell) for cell in comparison.cells]
    lines.insert(
        0,
        f"{'data':<12} {'people':>7} {'k':>2} {'method':<7} {'discarded':>9} {'created':>8} "
        f"{'deleted':>8} {'position':>9} {'time':>10}",
    )
    for statement in comparison.statements:
        why = f": {statement.why}" if statement.why else ""
        lines.append(
            f"{statement.where:<9} {statement.what}\n    theirs: {statement.theirs}; ours: {statement.ours}; "
            f"{statement.verdict}{why}"
        )
    agree = sum(statement.verdict == "agrees" for statement in comparison.statements)
    lines.append(f"{agree} of {len(comparison.statements)} statements agree (seed {seed})")
    answer("\n".join(lines), comparison, as_json=as_json)


def _line(cell: "Cell") -> str:
    from incrowd.papers.gramaglia2015.table2 import form

    shares = f"{cell.discarded:>9.1%} {cell.created:>8.1%} {cell.deleted:>8.1%}"
    errors = f"{form('position_m', cell.position_m):>9} {form('time_min', cell.time_min):>10}"
    return f"{cell.data:<12} {cell.users:>7,} {cell.k:>2} {cell.method:<7} {shares} {errors}"
