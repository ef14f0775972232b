"""What the commands about papers share: options, data, folder, and the table of statements."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli.inputs import fingerprints_of, saved, saved_noun, visits_of
from incrowd.cli.options import READING, ReadingOptions, one_or_many
from incrowd.cli.screen import progress_bar
from incrowd.data import Traces
from incrowd.errors import DataError, ParameterError
from incrowd.papers import Paper

if TYPE_CHECKING:
    from incrowd.papers.record import Reproduction, Statement

Data = Annotated[list[str], typer.Option(help="Your own files instead of made-up data; repeatable.")]
Quick = Annotated[bool, typer.Option("--quick", help="Few people and few settings: seconds.")]
Folder = Annotated[
    Path | None, typer.Option("--output", "-o", help="Folder for the report, and JSON and SVG of each figure.")
]
HEAD = ("where", "what", "theirs", "ours", "verdict")
WIDTHS = (12, 34, 19, 19, 18)


def reproduced(
    paper: Paper, data: list[str], reading: ReadingOptions, *, quick: bool, seed: int, **options: Any
) -> "Reproduction":
    """What a paper says beside what these files say, or made-up data if there are none."""
    if not data:
        reading.refuse("made-up data are not read from files", *(n for n in READING if n != "antenna_at"))
    with progress_bar():
        options["time_zone"] = reading.time_zone if data else None
        return paper(noun_of(paper, data, reading) if data else None, quick=quick, seed=seed, **options)


def noun_of(paper: Paper, data: list[str], reading: ReadingOptions) -> Any:
    """What the paper takes, from files."""
    if paper.takes == "Fingerprints":
        return fingerprints_of(data, reading)
    if paper.takes == "Visits":
        return visits_of(data, reading, cell_m=paper.cell_m, slot_min=paper.slot_min)
    source = one_or_many(data)
    noun = saved_noun(source, reading)
    if noun not in (None, "Traces"):
        raise DataError(f"this file holds {noun}, not trajectories; give the trajectories it was made from.")
    return _log(source, reading) if noun is None else saved(Path(str(source)))


def _log(source: str | list[str], reading: ReadingOptions) -> Traces:
    """In log order, so that disorder can be cleaned; a file that is no log, such as newest first, in time order."""
    import numpy as np

    from incrowd import read
    from incrowd.read.zero import zero_told_later

    with zero_told_later():
        traces = read.table(source, order="log", **reading.arguments())
        back = float((np.diff(traces.t) < 0).mean()) if traces.records > 1 else 0.0
        return traces if back < 0.1 else read.table(source, **reading.arguments())


def check_folder(output: Path | None, *, force: bool) -> None:
    """Refuse a folder that cannot be written, before any work."""
    from incrowd.data.files import refuse_existing

    if output is None:
        return
    refuse_existing(output, force=force)
    if output.is_file():
        raise ParameterError(f"{output} is a file; give the name of a folder.")


def save(reproduction: "Reproduction", output: Path | None) -> None:
    """Write the report, and JSON and SVG of each figure, if a folder was given."""
    from incrowd.papers import record

    if output is not None:
        record.save(reproduction, output)


def statement_table(reproduction: "Reproduction") -> str:
    """Every statement, and how many agree."""
    statements = reproduction.statements
    lines = [
        *_lines(HEAD),
        *(line for statement in statements for line in statement_lines(statement)),
        *verdict_counts(reproduction),
    ]
    return "\n".join(lines)


def verdict_counts(reproduction: "Reproduction") -> Iterable[str]:
    """One line: how many statements have which verdict."""
    verdicts: list[str] = [statement.verdict for statement in reproduction.statements]
    others = {"differ": "differs", "cannot be compared": "cannot be compared"}
    rest = "".join(f", {n} {words}" for words, kind in others.items() if (n := verdicts.count(kind)))
    agree = f"{verdicts.count('agrees')} of {len(verdicts)} statements agree{rest}"
    data = reproduction.spoken_of or f"{reproduction.name}, {reproduction.users:,} users"
    yield f"{reproduction.paper}: {agree} ({data})"


def statement_lines(statement: "Statement") -> list[str]:
    """One statement, and below it the reason where there is one."""
    row = _lines((statement.where, statement.what, statement.theirs, statement.ours, statement.verdict))
    indent = " " * (WIDTHS[0] + 1)
    return (
        row + [f"{indent}{line}" for line in wrap(f"({statement.why})", sum(WIDTHS) - WIDTHS[0])]
        if statement.why
        else row
    )


def _lines(cells: Sequence[str]) -> list[str]:
    """One row; what is too long for its column goes on below."""
    columns = [wrap(cell, width) or [""] for cell, width in zip(cells, WIDTHS, strict=True)]
    rows = zip_longest(*columns, fillvalue="")
    return [" ".join(part.ljust(width) for part, width in zip(row, WIDTHS, strict=True)).rstrip() for row in rows]
