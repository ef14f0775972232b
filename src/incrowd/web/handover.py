"""How a command that the studio runs hands over its progress and its sections: files in the folder of its job."""

import json
import os
import pickle
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from incrowd.errors import DataError
from incrowd.progress import JOB
from incrowd.show import Section

PROGRESS, SECTIONS = "progress.json", "sections.pickle"
EVERY_S = 0.25


def hand_over(sections: Sequence[Section]) -> None:
    """Keep sections for the page of the studio, which started this command."""
    _write(Path(os.environ[JOB]) / SECTIONS, pickle.dumps(list(sections)))


def listener() -> Callable[[str, float, float], None]:
    """Write the outermost work that is not finished, and the part of it that told last, a few times a second."""
    folder = Path(os.environ[JOB])
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


def sections_in(folder: Path) -> list[Section]:
    """The sections that a finished command handed over; the folder is the user's own, mode 0700."""
    try:
        return list(pickle.loads((folder / SECTIONS).read_bytes()))  # noqa: S301
    except FileNotFoundError:
        return []
    except Exception as error:  # another version of incrowd wrote it
        raise DataError("this result was made by another version of incrowd; run it again.") from error


def _write(path: Path, content: bytes) -> None:
    part = path.with_suffix(".part")
    part.write_bytes(content)
    part.replace(path)
