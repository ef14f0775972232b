"""The folder that the studio may read: its data files, and the only way from a name that a browser sent to a path."""

import os
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from incrowd.errors import DataError, ParameterError
from incrowd.read.files import format_of
from incrowd.read.layouts import layout_of
from incrowd.read.sources.local import SUFFIXES

HOME = "incrowd-studio"  # the studio's own folder in it, mode 0700
UPLOADS = f"{HOME}/uploads"
MOST_FILES = 200  # that a page lists
DEEPEST = 3
NAME = re.compile(r"[\w][\w .()+-]{0,120}")


@dataclass(frozen=True)
class DataFile:
    """A file or folder that can be chosen.

    Args:
        path: Its path below the folder, with slashes.
        size: In words.
        changed: The day it was changed, in words.
    """

    path: str
    size: str
    changed: str


def inside(folder: Path, name: str) -> Path:
    """The path of a file below the folder; anything that leads out of it, also by a link, is refused.

    Args:
        folder: The folder given to `incrowd serve`.
        name: A path below it, as a browser sent it.
    """
    refused = ParameterError("this file is not below the folder that the studio was started with; choose another.")
    if not name or "\0" in name or Path(name).is_absolute() or ".." in Path(name).parts:
        raise refused
    try:
        path = (folder / name).resolve(strict=True)
    except OSError:
        raise ParameterError("this file does not exist any more; choose another.") from None
    if not path.is_relative_to(folder.resolve()):
        raise refused
    return path


def data_files(folder: Path) -> list[DataFile]:
    """What can be chosen: files that incrowd reads by their ending, the latest first, and no link that leads out."""
    found: list[Path] = []
    for root, folders, names in os.walk(folder):
        here = Path(root)
        deep = len(here.relative_to(folder).parts)
        folders[:] = [
            name for name in folders if deep < DEEPEST and not name.startswith(".") and (deep or name != HOME)
        ]
        found += [here / name for name in names if _readable(here / name, folder)]
    uploads = folder / UPLOADS
    found += [path for path in (uploads.iterdir() if uploads.is_dir() else ()) if _readable(path, folder)]
    found.sort(key=lambda path: -path.stat().st_mtime)
    return [_described(path, folder) for path in found[:MOST_FILES]]


def _readable(path: Path, folder: Path) -> bool:
    known = _known(path) and not path.name.startswith(".")
    return known and path.is_file() and path.resolve().is_relative_to(folder.resolve())


def _known(path: Path) -> bool:
    """Whether incrowd reads files of this ending."""
    if path.suffix.lower() in SUFFIXES:
        return True
    try:
        format_of(path, layout_of(None))
    except DataError:
        return False
    return True


def _described(path: Path, folder: Path) -> DataFile:
    status = path.stat()
    day = datetime.fromtimestamp(status.st_mtime)
    return DataFile(path.relative_to(folder).as_posix(), size_in_words(status.st_size), f"{day.day} {day:%B %Y}")


def size_in_words(size: int) -> str:
    """A size of a file.

    >>> size_in_words(900), size_in_words(41_800_000)
    ('1 KB', '41.8 MB')
    """
    if size < 1_000_000:
        return f"{max(round(size / 1_000), 1):,} KB"
    return f"{size / 1_000_000:,.1f} MB" if size < 1_000_000_000 else f"{size / 1_000_000_000:,.1f} GB"


async def upload(folder: Path, name: str, chunks: AsyncIterator[bytes], most: int) -> str:
    """Store what a browser sends as one file, whole or not at all; nothing is unpacked.

    Args:
        folder: The folder given to `incrowd serve`.
        name: Name of the file; it may not name a folder.
        chunks: Its content.
        most: Largest number of bytes.

    Returns:
        Its path below the folder.
    """
    if not NAME.fullmatch(name) or not _known(Path(name)):
        raise ParameterError(
            "the name of this file has unusual characters or an unknown ending; rename it, such as trips.csv."
        )
    place = folder / UPLOADS
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = place / f".{os.urandom(8).hex()}.part"
    try:
        size = 0
        with _private(part) as stream:
            async for chunk in chunks:
                size += len(chunk)
                if size > most:
                    raise DataError(f"this file is larger than {size_in_words(most)}; copy it into the folder instead.")
                stream.write(chunk)
        if not size:
            raise DataError("this file is empty; choose another.")
        part.replace(place / name)
    finally:
        part.unlink(missing_ok=True)
    return f"{UPLOADS}/{name}"


def _private(path: Path) -> Any:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
