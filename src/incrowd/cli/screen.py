"""What a command prints or explains in a page: its answer, notes, warnings, progress, how long the rest will take."""

import re
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from incrowd import progress
from incrowd.data import Counts
from incrowd.data.table import Frame
from incrowd.errors import IncrowdWarning
from incrowd.plain import in_words, several, to_json
from incrowd.show import section_of, text

Report = Annotated[Path | None, typer.Option(help="Also explain the result in this HTML file.")]
Page = Annotated[Path | None, typer.Option("--output", "-o", help="Page to write: .html or .md.")]


class Kept(SystemExit):
    """Interrupted after the answer was printed."""

    def __init__(self) -> None:
        super().__init__(130)


def say(line: str) -> None:
    """A line of the answer; what was copied is called as it was given."""
    from incrowd.read.sources.local import as_given

    sys.stdout.write(f"{as_given(line)}\n")


def note(line: str) -> None:
    """A line beside the answer: what is being done, what went wrong."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def answer(words: str, data: Any, *, as_json: bool) -> None:
    """The answer in words, or the whole record as JSON and nothing else."""
    say(to_json(data, indent=2) if as_json else words)


def present(results: Any, python: str = "", *, grain: str = "", as_json: bool) -> None:
    """A result, or several of one kind, as its section says it, with the grain and the call that gives the same."""
    if as_json:
        say(to_json(results, indent=2))
        return
    section = section_of(results)
    progress.answered(lambda: section)
    say(text(section))
    if python:
        say(f"{grain}{'; ' if grain else ''}in Python: {python}")


def check_page(page: Path | None, *, force: bool) -> None:
    """Refuse, before any work, a page that exists or whose name is that of something else."""
    from incrowd.data.files import refuse_page

    if page is not None:
        refuse_page(page, force=force)


def write_page(page: Path | None, *results: Any, force: bool, **title: str) -> None:
    """Explain results in an HTML file, under a title if one is given."""
    if page is not None:
        from incrowd import report

        report.write(page, *results, force=force, **title)


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
    """One bar with what is left of the whole, and what is being done; nothing if stderr is no terminal.

    What is finished vanishes, and where nothing tells how far it is, a line says that work goes on. Nothing is drawn
    if somebody else listens.
    """
    if progress.current() is not None or not sys.stderr.isatty():
        with progress.listening(progress.current() or _compiling_noted()):
            yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bars = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
    with bars, progress.listening(_one_bar(bars)):
        yield


def _one_bar(bars: Any) -> progress.Listener:
    """Show the outermost work that is not finished, with the part of it that told last."""
    working = bars.add_task("working", total=None)
    unfinished: dict[str, tuple[float, float]] = {}  # the whole first, its parts behind it
    drawn: dict[str, Any] = {}  # the bar of the whole, by its label

    def show(label: str, done: float, total: float) -> None:
        if done >= total:
            unfinished.pop(label, None)
        else:
            unfinished[label] = done, total
        whole = next(iter(unfinished), None)
        for old in [name for name in drawn if name != whole]:
            bars.remove_task(drawn.pop(old))
        bars.update(working, visible=whole is None)
        if whole is None:
            return
        if whole not in drawn:
            drawn[whole] = bars.add_task(whole)
        part = f": {label} {100 * done / total:.0f} %" if label in unfinished and label != whole else ""
        completed, of = unfinished[whole]
        bars.update(drawn[whole], description=f"{whole}{part}", completed=completed, total=of)

    return show


def _compiling_noted() -> progress.Listener:
    """Without a terminal, only what makes the first run slow is said, once for each step."""
    heard: set[str] = set()

    def hear(label: str, _done: float, _total: float) -> None:
        if label.startswith(progress.COMPILING) and label not in heard:
            heard.add(label)
            note(f"incrowd: {label}; later runs start at once")

    return hear


def written(noun: Frame, output: Path, python: str, *lines: str, as_json: bool, **more: Any) -> None:
    """Say what was written where, and what happened to every record; lines more, and their values in the record."""
    progress.answered(noun.ledger.section)
    record = {"output": output.name, "noun": type(noun).__name__, "ledger": noun.ledger, **more}
    words = [f"{noun.ledger}\n", f"{output}: {_in_brief(noun)}", *filter(None, lines), f"in Python: {python}"]
    answer("\n".join(words), record, as_json=as_json)


def _in_brief(noun: Frame) -> str:
    """How much a noun holds, in words."""
    if isinstance(noun, Counts):
        return f"counts of people in {several(noun.shape[1], 'cell')} and {several(noun.shape[0], 'slot')}"
    what = {"Visits": "visit", "Fingerprints": "sample"}.get(type(noun).__name__, "record")
    return f"{several(noun.records, what)} of {several(len(noun), 'person', 'people')}"  # type: ignore[arg-type, attr-defined]


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
