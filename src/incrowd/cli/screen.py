"""What a command prints: its answer, notes, warnings, progress, and how long the rest will take."""

import re
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from incrowd import progress
from incrowd.data.table import Frame
from incrowd.errors import IncrowdWarning
from incrowd.plain import in_words, several, to_json

SIDES = "(west-east x south-north)"  # of a block in metres


class Kept(SystemExit):
    """Interrupted after the answer was printed."""

    def __init__(self) -> None:
        super().__init__(130)


def say(text: str) -> None:
    """A line of the answer."""
    sys.stdout.write(f"{text}\n")


def note(text: str) -> None:
    """A line beside the answer: what is being done, what went wrong."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def answer(text: str, data: Any, *, as_json: bool) -> None:
    """The answer in words, or the whole record as JSON and nothing else."""
    say(to_json(data, indent=2) if as_json else text)


@contextmanager
def warnings_noted() -> Iterator[None]:
    """Show what incrowd warns of as one line each, once whatever its numbers; other warnings as Python does."""
    seen, usual = set(), warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if not issubclass(category, IncrowdWarning):
            usual(message, category, filename, lineno, file, line)
        elif (words := re.sub(r"[\d.,]+", "", str(message))) not in seen:
            seen.add(words)
            note(f"incrowd: {message}")

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


@contextmanager
def progress_bar() -> Iterator[None]:
    """Show the progress of everything inside; nothing when stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def show(label: str, done: float, total: float) -> None:
            if label not in tasks:
                tasks[label] = bars.add_task(label, total=total)
            bars.update(tasks[label], completed=done, total=total)

        with progress.listening(show):
            yield


def written(noun: Frame, output: Path, line: str = "", *, as_json: bool, **more: Any) -> None:
    """Say what was written where, and what happened to every record; a line more, and its values in the record."""
    record = {"output": output.name, "noun": type(noun).__name__, "ledger": noun.ledger, **more}
    lines = [f"{noun.ledger}\n", f"{noun!r} -> {output}", *([line] if line else [])]
    answer("\n".join(lines), record, as_json=as_json)


@contextmanager
def foretelling(label: str, one: str) -> Iterator[None]:
    """Say how many parts under a label of progress are left, and how long they take if all are like the second.

    The first part also loads and compiles the code, or was done before.
    """
    outer, begun = progress.current(), [time.monotonic()]

    def hear(name: str, done: float, total: float) -> None:
        if outer is not None:
            outer(name, done, total)
        if name == label and done == 1:
            begun[0] = time.monotonic()
        if name == label and done == 2 and total > 2:
            left, each = int(total) - 2, time.monotonic() - begun[0]
            note(f"{several(left, one)} more, {in_words(left * each)} if each takes as long as the last")

    with progress.listening(hear):
        yield
