"""The folder that the studio may read: its data files, and the only way from a name that a browser sent to a path."""

import os
import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from incrowd.clock import DAY_S
from incrowd.errors import DataError, ParameterError
from incrowd.plain import several
from incrowd.read.files import format_of
from incrowd.read.layouts import layout_of
from incrowd.read.sources.local import SUFFIXES

GLOB = re.compile(r"[*?\[\]{}]")  # a name with these stands for other files, too
HOME = "incrowd-studio"  # the studio's own folder in it, mode 0700
UPLOADS = f"{HOME}/uploads"
MOST_FILES = 200  # that a page lists
DEEPEST = 3
NAME = re.compile(r"[\w][\w .()+-]{0,120}")
LONGEST_NAME = 200  # bytes; file systems take 255


@dataclass(frozen=True)
class DataFile:
    """A file or folder that can be chosen.

    Args:
        path: Its path below the folder, with slashes; a folder ends with one.
        size: In words.
        changed: The day it was changed, in words; of a folder how many files it has.
    """

    path: str
    size: str
    changed: str


def inside(folder: Path, name: str) -> Path:
    """A data file below the folder, or one of its folders; what leads out of it, also by a link, is refused.

    Args:
        folder: The folder given to `incrowd serve`.
        name: A path below it, as a browser sent it.
    """
    refused = ParameterError("this file is not below the folder that the studio was started with; choose another.")
    if not name or "\0" in name or Path(name).is_absolute() or ".." in Path(name).parts:
        raise refused
    if GLOB.search(name):
        raise ParameterError("the name of this file has one of * ? [ ] { }; rename it.")
    top = folder.resolve()
    try:
        path = (top / name).resolve(strict=True)
    except OSError:
        raise ParameterError("this file does not exist any more; choose another.") from None
    own = path.is_relative_to(top / HOME) and not path.is_relative_to(top / UPLOADS)
    if path == top or own or not path.is_relative_to(top):
        raise refused
    if path.is_dir() and not all(one.resolve().is_relative_to(path) for one in path.rglob("*")):
        raise ParameterError("this folder holds links that lead out of it; choose a file.")
    return path


def data_files(folder: Path) -> list[DataFile]:
    """What can be chosen: files that incrowd reads by their ending, and folders of several; the latest first."""
    found: list[tuple[float, DataFile]] = []
    for root, folders, names in os.walk(folder):
        here = Path(root)
        inner = here.relative_to(folder).parts
        folders[:] = [name for name in folders if _walked(name, inner)]
        if inner == (HOME,):
            continue
        described = [one for name in names if (one := _described(here / name, folder)) is not None]
        found += described
        if inner and inner[0] != HOME and len(described) > 1 and len({Path(name).suffix for name in names}) == 1:
            path = f"{here.relative_to(folder).as_posix()}/"
            found.append(
                (max(changed for changed, _ in described), DataFile(path, "", several(len(described), "file")))
            )
    found.sort(key=lambda one: (-one[0], one[1].path))
    return [one for _, one in found[:MOST_FILES]]


def _walked(name: str, inner: tuple[str, ...]) -> bool:
    """Whether a folder in these folders is looked into; of the studio's own only the one with uploads."""
    if inner[:1] == (HOME,):
        return (*inner, name) == Path(UPLOADS).parts
    return len(inner) < DEEPEST and not name.startswith(".")


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


def _described(path: Path, folder: Path) -> tuple[float, DataFile] | None:
    """When a file was changed, and its row; None if it cannot be chosen, or went while we looked."""
    name = path.relative_to(folder).as_posix()
    try:
        name.encode()  # what is no text cannot be written on a page
        if GLOB.search(name) or not _readable(path, folder):
            return None
        status = path.stat()
    except (OSError, UnicodeEncodeError):
        return None
    day = datetime.fromtimestamp(status.st_mtime)
    return status.st_mtime, DataFile(name, size_in_words(status.st_size), f"{day.day} {day:%B %Y}")


def size_in_words(size: int) -> str:
    """A size of a file.

    >>> size_in_words(900), size_in_words(41_800_000)
    ('1 KB', '41.8 MB')
    """
    if size < 1_000_000:
        return f"{max(round(size / 1_000), 1):,} KB"
    return f"{size / 1_000_000:,.1f} MB" if size < 1_000_000_000 else f"{size / 1_000_000_000:,.1f} GB"


def sweep(folder: Path) -> None:
    """Remove what uploads of a server that was killed left half written, once it is a day old.

    Args:
        folder: The folder given to `incrowd serve`.
    """
    for part in (folder / UPLOADS).glob(".*.part"):
        if time.time() - part.stat().st_mtime > DAY_S:
            part.unlink(missing_ok=True)


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
    if not NAME.fullmatch(name) or len(name.encode()) > LONGEST_NAME or not _known(Path(name)):
        raise ParameterError(
            "the name of this file has unusual characters or an unknown ending; rename it, such as trips.csv."
        )
    place = folder / UPLOADS
    part = place / f".{os.urandom(8).hex()}.part"
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
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
    except OSError as error:
        raise DataError("this file could not be stored, most likely because the disk is full; make room.") from error
    finally:
        part.unlink(missing_ok=True)
    return f"{UPLOADS}/{name}"


def _private(path: Path) -> Any:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
