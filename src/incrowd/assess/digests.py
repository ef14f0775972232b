"""The files behind an assessment: their names and SHA-256, the seed that follows from them, the folders they lie in."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from incrowd.assess.options import Options
from incrowd.data.release_folder import sha256_of
from incrowd.read.layouts import Layout, layout_of
from incrowd.read.sources.local import copy_at

Role = Literal["data", "release", "link"]
MOST_NAMED = 10  # more files are taken as one: where there are many, each often bears the name of a person


@dataclass(frozen=True, kw_only=True)
class JudgedFile:
    """A file that was judged or published, or a folder of them.

    Args:
        role: What it was given as.
        name: Its name, without the folders of this machine; of a release with that of its folder.
        files: How many files it stands for; 0 for the records of a database.
        sha256: Digest of the file; of several, that of the lines "digest  name" in order, as sha256sum prints them; of
            a database, that of the records as they were read.
    """

    role: Role
    name: str
    files: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where an assessment comes from.

    Args:
        files: What was read from files.
        folders: Where they lie, and where earlier assessments may lie, too.
        command: The command line as typed, without credentials; empty for a call of the library.
    """

    files: tuple[JudgedFile, ...] = ()
    folders: tuple[Path, ...] = ()
    command: str = ""


def origin_of(source: Any, options: Options, layout: str | Layout | None = None, known: Origin | None = None) -> Origin:
    """Digests of all files that were given; data in memory have none.

    Args:
        source: The data as they were given.
        options: What else was given: a release and its link.
        layout: A known layout, which says what files of a folder are meant.
        known: The command line, and other folders where earlier assessments may lie.
    """
    known = known or Origin()
    paths = _paths(source)
    more = [path for path in (options.release, options.link) if isinstance(path, Path)]
    folders = [path.resolve().parent for path in (*filter(None, map(_original, paths)), *more)]
    files = (*data_files(paths, layout), *release_files(options.release), *_link_file(options.link))
    return replace(known, files=files, folders=tuple(dict.fromkeys((*known.folders, *folders))))


def data_files(paths: Sequence[Path], layout: str | Layout | None = None) -> tuple[JudgedFile, ...]:
    """The files of the data: each by its name, those of a folder and very many ones together."""
    if len(paths) > MOST_NAMED:
        files = [file for path in paths for file in _meant(path, layout)]
        return (_together(f"{len(files):,} files", files),)
    return tuple(_file(path) if path.is_file() else _together(_name(path), _meant(path, layout)) for path in paths)


def _file(path: Path) -> JudgedFile:
    """One file; a copy is called and digested as what it was made from."""
    copy = copy_at(path)
    if copy is None or not copy.sha256:
        return JudgedFile(role="data", name=_name(path), files=1, sha256=sha256_of(path))
    return JudgedFile(role="data", name=copy.name, files=int(copy.is_file), sha256=copy.sha256)


def _original(path: Path) -> Path | None:
    """The file that a path means or is a copy of; None if that is no file."""
    copy = copy_at(path)
    return path if copy is None else Path(copy.given) if Path(copy.given).exists() else None


def _name(path: Path) -> str:
    copy = copy_at(path)
    return path.name if copy is None else copy.name


def release_files(release: Any) -> tuple[JudgedFile, ...]:
    """Every file of a release, with the name of its folder; none for a release in memory."""
    if not isinstance(release, Path):
        return ()
    if release.is_file():
        return (JudgedFile(role="release", name=release.name, files=1, sha256=sha256_of(release)),)
    inside = sorted(path for path in release.rglob("*") if path.is_file())
    folder = release.resolve()
    return tuple(
        JudgedFile(
            role="release",
            name=f"{folder.name}/{path.relative_to(release).as_posix()}",
            files=1,
            sha256=sha256_of(path),
        )
        for path in inside
    )


def digest_of_data(files: Iterable[JudgedFile]) -> str:
    """One digest of all data, in whatever order they were given; empty if none were read from files.

    >>> digest_of_data(())
    ''
    """
    digests = sorted(one.sha256 for one in files if one.role == "data")
    return hashlib.sha256(b"".join(map(bytes.fromhex, digests))).hexdigest() if digests else ""


def seed_of(files: Iterable[JudgedFile]) -> int:
    """A seed that follows from the data, so that nobody chooses it; 0 for data in memory.

    >>> seed_of(())
    0
    """
    return int(digest_of_data(files)[:8] or "0", 16)


def _paths(source: Any) -> list[Path]:
    """The paths among what was given as data."""
    given = source if isinstance(source, (list, tuple)) else [source]
    return [Path(one) for one in given if isinstance(one, (str, Path))]


def _meant(path: Path, layout: str | Layout | None) -> list[Path]:
    from incrowd.read.files import find_files

    return [path] if path.is_file() else find_files(path, layout_of(layout))


def _together(name: str, files: Sequence[Path]) -> JudgedFile:
    """Several files as one: their own names, which may be those of people, are only in the digest."""
    lines = "".join(sorted(_lines(files)))
    return JudgedFile(
        role="data", name=name, files=len(files), sha256=hashlib.sha256(lines.encode("utf-8", "replace")).hexdigest()
    )


def _lines(files: Sequence[Path]) -> Iterator[str]:
    base = os.path.commonpath([file.resolve().parent for file in files])
    for file in files:
        yield f"{sha256_of(file)}  {file.resolve().relative_to(base).as_posix()}\n"


def _link_file(link: Any) -> tuple[JudgedFile, ...]:
    return (JudgedFile(role="link", name=link.name, files=1, sha256=sha256_of(link)),) if isinstance(link, Path) else ()
