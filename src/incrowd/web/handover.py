"""One command of a job: its progress and its answer become files in a folder of the job, for the page.

It is `incrowd WORDS` with somebody who listens; the commands themselves do not know the studio.
"""

import json
import pickle
import runpy
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from incrowd import progress
from incrowd.errors import DataError
from incrowd.show import Section

PROGRESS, ANSWER = "progress.json", "answer.pickle"
EVERY_S = 0.25


def main(folder: Path, words: list[str]) -> None:
    """Run a command line and keep what it tells.

    Args:
        folder: Where to.
        words: The command line, without the program.
    """
    sys.argv = ["incrowd", *words]
    with progress.listening(listener(folder)), progress.reading_along(keeper(folder)):
        runpy.run_module("incrowd", run_name="__main__")


def keeper(folder: Path) -> Callable[[Section], None]:
    """Write the section of an answer."""
    return lambda section: _write(folder / ANSWER, pickle.dumps(section))


def listener(folder: Path) -> progress.Listener:
    """Write the outermost work that is not finished, and the part of it that told last, a few times a second."""
    unfinished: dict[str, float] = {}
    last = 0.0

    def hear(label: str, done: float, total: float) -> None:
        nonlocal last
        if done >= total:
            unfinished.pop(label, None)
        else:
            unfinished[label] = done / total
        if not unfinished or time.monotonic() - last < EVERY_S:
            return
        last = time.monotonic()
        whole = next(iter(unfinished))
        part = label if label in unfinished and label != whole else ""
        _write(folder / PROGRESS, json.dumps({"label": whole, "part": part, "share": unfinished[whole]}).encode())

    return hear


def progress_in(folder: Path) -> dict[str, Any]:
    """What the command said last: label, part and share; empty before its first word."""
    try:
        return dict(json.loads((folder / PROGRESS).read_bytes()))
    except (OSError, ValueError):
        return {}


def answer_in(folder: Path) -> Section | None:
    """The section that a finished command answered with; the folder is the user's own, mode 0700."""
    try:
        section = pickle.loads((folder / ANSWER).read_bytes())  # noqa: S301
    except FileNotFoundError:
        return None
    except Exception as error:  # another version of incrowd wrote it
        raise DataError("this result was made by another version of incrowd; run it again.") from error
    return section if isinstance(section, Section) else None


def _write(path: Path, content: bytes) -> None:
    part = path.with_suffix(".part")
    part.write_bytes(content)
    part.replace(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
