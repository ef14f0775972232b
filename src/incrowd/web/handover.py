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
TELLING = 0.05  # share of the work from which on its pace says how long the rest takes
HARMLESS = {
    *(("numpy", name) for name in ("ndarray", "dtype")),
    *(("numpy._core.multiarray", name) for name in ("_reconstruct", "scalar")),
    ("numpy._core.numeric", "_frombuffer"),
    *(("datetime", name) for name in ("date", "datetime", "time", "timedelta", "timezone")),
    *(("pathlib", name) for name in ("Path", "PosixPath", "PurePosixPath")),
    *(("collections", name) for name in ("Counter", "OrderedDict", "defaultdict")),
    *(("builtins", name) for name in ("complex", "frozenset", "range", "set", "slice")),
    ("fractions", "Fraction"),
    ("functools", "partial"),
    ("incrowd.attack.link", "_parted"),
    ("zoneinfo", "ZoneInfo"),
}


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
    """Write the outermost unfinished work, its part that told last, and what is left, a few times a second."""
    unfinished: dict[str, float] = {}
    begun: dict[str, float] = {}
    last = 0.0

    def hear(label: str, done: float, total: float) -> None:
        nonlocal last
        if done >= total:
            unfinished.pop(label, None)
        else:
            if label not in unfinished:
                begun[label] = time.monotonic()
            unfinished[label] = done / total
        if not unfinished or time.monotonic() - last < EVERY_S:
            return
        last = time.monotonic()
        whole = next(iter(unfinished))
        part, share = label if label in unfinished and label != whole else "", unfinished[whole]
        left_s = (last - begun[whole]) * (1 - share) / share if share > TELLING else 0
        _write(folder / PROGRESS, json.dumps({"label": whole, "part": part, "share": share, "left_s": left_s}).encode())

    return hear


def progress_in(folder: Path) -> dict[str, Any]:
    """What the command said last: label, part, share, and seconds left since then; empty before its first word."""
    try:
        said = dict(json.loads((folder / PROGRESS).read_bytes()))
        ago_s = time.time() - (folder / PROGRESS).stat().st_mtime
    except (OSError, ValueError):
        return {}
    return said | {"left_s": max(said["left_s"] - ago_s, 0)}


def answer_in(folder: Path) -> Section | None:
    """The section that a finished command answered with; the folder is the user's own, mode 0700."""
    try:
        with (folder / ANSWER).open("rb") as stream:
            section = _StoredAnswer(stream).load()
    except FileNotFoundError:
        return None
    except Exception as error:  # another version of incrowd wrote it
        raise DataError("this result was made by another version of incrowd; run it again.") from error
    return section if isinstance(section, Section) else None


class _StoredAnswer(pickle.Unpickler):
    """Reads what results are made of and nothing that runs: a folder of data may come from somebody else."""

    def find_class(self, module: str, name: str) -> Any:
        """A class of a result, or what it is made of."""
        if (module, name) in HARMLESS or module == "numpy.dtypes":
            return super().find_class(module, name)
        room = module.split(".")[1] if module.startswith("incrowd.") else "cli"
        found = super().find_class(module, name) if room not in ("cli", "gate", "read", "spark", "web") else None
        if isinstance(found, type) and module != "incrowd.assess.worker":
            return found
        raise pickle.UnpicklingError(f"{module}.{name}")


def _write(path: Path, content: bytes) -> None:
    part = path.with_suffix(".part")
    part.write_bytes(content)
    part.replace(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
