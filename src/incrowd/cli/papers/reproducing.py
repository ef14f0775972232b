"""What the commands of papers share: options, data, the table of statements."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any

import typer

from incrowd.cli.inputs import fingerprints_of, saved, saved_noun, visits_of
from incrowd.cli.options import Force, Json, Seed, arguments_of, gathers, options_of
from incrowd.cli.reading import READING, ReadingOptions, one_or_many
from incrowd.cli.screen import answer, progress_bar
from incrowd.data import Fingerprints, Traces, Visits
from incrowd.discretize.slots import Grain
from incrowd.errors import DataError, ParameterError
from incrowd.papers import Paper, Reproduction, Statement, reproduce, save

HEAD = ("where", "what", "theirs", "ours", "verdict")
CACHING = ("tan2017", "gramaglia2015")
WIDTHS = (12, 34, 19, 19, 18)


@dataclass(frozen=True)
class PaperRun:
    """How a paper is reproduced.

    Args:
        data: Your own files instead of made-up data; repeatable.
        quick: Few people and few settings, which takes seconds.
        full: Made-up data at the size of the paper, which takes minutes to hours.
        cache: Folder of finished parts of tan2017 and gramaglia2015, to go on after a stop.
        output: Folder for the report, and JSON and SVG of each figure.
        seed: Seed of every random choice.
        force: Overwrite an existing folder.
        as_json: Print the whole record as JSON.
    """

    data: Sequence[str] = ()
    quick: bool = False
    full: bool = False
    cache: Path | None = None
    output: Path | None = None
    seed: int = 0
    force: bool = False
    as_json: bool = False

    def check(self, paper: Paper | None = None) -> None:
        """Refuse a folder that cannot be written, and options that do not go together, before any work."""
        from incrowd.data.files import refuse_existing

        if self.full and (self.quick or self.data):
            raise ParameterError("--full is about made-up data at the size of the paper; leave out --quick and --data.")
        if self.cache is not None and paper is not None and paper.key not in CACHING:
            raise ParameterError(f"{paper.key} keeps no parts; leave out --cache.")
        if self.output is None:
            return
        refuse_existing(self.output, force=self.force)
        if self.output.is_file():
            raise ParameterError(f"{self.output} is a file; give the name of a folder.")

    def reproduced(self, paper: Paper, reading: ReadingOptions, **options: Any) -> Reproduction:
        """What a paper says beside what these files say, or made-up data if there are none."""
        if not self.data:
            reading.refuse("made-up data are not read from files", *(n for n in READING if n != "antenna_at"))
        if self.data and paper.takes == "Traces":
            options["time_zone"] = reading.time_zone
        with progress_bar():
            noun = noun_of(paper, list(self.data), reading) if self.data else None
            return reproduce(paper.key, noun, **self.how(paper), **options)

    def how(self, paper: Paper) -> dict[str, Any]:
        """The options that are the same of all papers, and the folder of finished parts where a paper keeps some."""
        same: dict[str, Any] = {"quick": self.quick, "full": self.full, "seed": self.seed}
        return same | {"cache": self.cache} if paper.key in CACHING else same

    def save(self, reproduction: Reproduction, folder: Path | None) -> None:
        """Write the figures, if a folder was asked for."""
        if folder is not None:
            with progress_bar():
                save(reproduction, folder)

    def show(self, reproduction: Reproduction, *more: str) -> None:
        """Write what was asked for, and print every statement, how many agree, and more lines."""
        self.save(reproduction, self.output)
        lines = [*statement_lines(reproduction.statements), counted(reproduction), *more]
        answer("\n".join(lines), reproduction, as_json=self.as_json)


runs = gathers(
    "run",
    options_of(
        PaperRun,
        data=(Annotated[list[str], typer.Option(help=arguments_of(PaperRun)["data"])], []),
        output=(Annotated[Path | None, typer.Option("--output", "-o", help=arguments_of(PaperRun)["output"])], None),
        seed=(Seed, 0),
        force=(Force, False),
        as_json=(Json, False),
    ),
    PaperRun,
)


def noun_of(paper: Paper, data: list[str], reading: ReadingOptions) -> Visits | Traces | Fingerprints:
    """What the paper takes, from files."""
    if paper.takes == "Fingerprints":
        return fingerprints_of(data, reading)
    if paper.takes == "Visits":
        return visits_of(data, reading, Grain(paper.cell_m, paper.slot_min))
    source = one_or_many(data)
    noun = saved_noun(source, reading)
    if noun not in (None, "Traces"):
        raise DataError(f"this file holds {noun}, not trajectories; give the trajectories it was made from.")
    return _log(source, reading) if noun is None else saved(Path(str(source)))


def _log(source: str | list[str], reading: ReadingOptions) -> Traces:
    """In log order, because disorder can then be cleaned; a file that is no log (newest first) in time order."""
    import numpy as np

    from incrowd import read
    from incrowd.read.checks import zero_warned_later

    with zero_warned_later():
        traces = read.table(source, order="log", **reading.arguments())
        back = float((np.diff(traces.t) < 0).mean()) if traces.records > 1 else 0.0
        return traces if back < 0.1 else read.table(source, **reading.arguments())


def counted(reproduction: Reproduction) -> str:
    """One line: how many statements have which verdict."""
    return reproduction.section().answer


def statement_lines(statements: Iterable[Statement]) -> list[str]:
    """Every statement as a row, and below it the reason if there is one."""
    lines, indent = _lines(HEAD), " " * (WIDTHS[0] + 1)
    for statement in statements:
        lines += _lines([getattr(statement, name) for name in HEAD])
        if statement.why:
            lines += [f"{indent}{line}" for line in wrap(f"({statement.why})", sum(WIDTHS) - WIDTHS[0])]
    return lines


def _lines(cells: Sequence[str]) -> list[str]:
    """One row; what is too long for its column goes on below."""
    columns = [wrap(cell, width) or [""] for cell, width in zip(cells, WIDTHS, strict=True)]
    rows = zip_longest(*columns, fillvalue="")
    return [" ".join(part.ljust(width) for part, width in zip(row, WIDTHS, strict=True)).rstrip() for row in rows]
