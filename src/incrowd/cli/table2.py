"""incrowd papers gramaglia2015 --table 2."""

from pathlib import Path
from typing import TYPE_CHECKING

from incrowd.cli.screen import answer, note, progress_bar

if TYPE_CHECKING:
    from incrowd.data import Fingerprints
    from incrowd.papers.gramaglia2015.table2 import Cell


def table_2(
    data: "Fingerprints | None",
    *,
    quick: bool,
    users: int,
    real: Path | None,
    output: Path | None,
    seed: int,
    force: bool,
    as_json: bool,
) -> None:
    """Run both methods on every dataset, and say what differs from the paper and why."""
    from incrowd import report
    from incrowd.papers.gramaglia2015 import table2 as paper

    with progress_bar():
        few = min(users, paper.QUICK_USERS) if quick else users
        found = paper.table_2(data, users=few, real=real, seed=seed)
    for one in found.skipped:
        note(f"skipped {one}; pass --real FOLDER.")
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        report.write(output / "table-2.html", found, title="W4M-LC and GLOVE", force=force)
    lines = [_line(cell) for cell in found.cells]
    lines.insert(
        0,
        f"{'data':<12} {'people':>7} {'k':>2} {'method':<7} {'discarded':>9} {'created':>8} "
        f"{'deleted':>8} {'position':>9} {'time':>10}",
    )
    for said in found.statements:
        why = f": {said.why}" if said.why else ""
        lines.append(f"{said.where:<9} {said.what}\n    theirs: {said.theirs}; ours: {said.ours}; {said.verdict}{why}")
    agree = sum(said.verdict == "agrees" for said in found.statements)
    lines.append(f"{agree} of {len(found.statements)} statements agree (seed {seed})")
    answer("\n".join(lines), found, as_json=as_json)


def _line(cell: "Cell") -> str:
    from incrowd.papers.gramaglia2015.table2 import form

    shares = f"{cell.discarded:>9.1%} {cell.created:>8.1%} {cell.deleted:>8.1%}"
    errors = f"{form('position_m', cell.position_m):>9} {form('time_min', cell.time_min):>10}"
    return f"{cell.data:<12} {cell.users:>7,} {cell.k:>2} {cell.method:<7} {shares} {errors}"
