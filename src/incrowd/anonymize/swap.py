"""A folder that appears whole or not at all, whatever happens while it is written."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from incrowd.data.files import left_by_killed_runs
from incrowd.errors import ParameterError


@contextmanager
def whole_folder(folder: Path, *, force: bool) -> Iterator[Path]:
    """A temporary folder beside `folder` that takes its place only when the block ends well."""
    _sweep(folder)
    part, old = (folder.with_name(f".{folder.name}.{os.getpid()}.{kind}") for kind in ("part", "old"))
    part.mkdir()
    try:
        yield part
        for path in part.iterdir():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        _put_in_place(part, folder, old, force=force)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _put_in_place(part: Path, folder: Path, old: Path, *, force: bool) -> None:
    if not folder.exists():
        part.rename(folder)
        return
    if not force:
        raise ParameterError(f"{folder.name} appeared meanwhile; choose another name or pass --force (force=True).")
    folder.rename(old)
    try:
        part.rename(folder)
    except OSError:
        old.rename(folder)
        raise
    shutil.rmtree(old)


def _sweep(folder: Path) -> None:
    """Clear up after runs that were killed: a release set aside comes back where nothing took its place."""
    for old in left_by_killed_runs(folder, "old"):
        if not folder.exists():
            old.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    for part in left_by_killed_runs(folder, "part"):
        shutil.rmtree(part, ignore_errors=True)
