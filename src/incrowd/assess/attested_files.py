"""The files of an attestation: are those that are there the ones that were judged?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from incrowd.assess.digests import JudgedFile, data_files, release_files
from incrowd.audit.verdict import Check, failed, passed, unasked
from incrowd.data.release_folder import sha256_of
from incrowd.plain import several

FILES = "files"


@dataclass(frozen=True, kw_only=True)
class Given:
    """Where the files of an attestation may be.

    Args:
        folder: Where the attestation is.
        release: The release, if somebody names it.
        original: The data, if somebody names them.
        link: The link file, if somebody names it.
        layout: A known layout of the data.
    """

    folder: Path
    release: Path | None = None
    original: Sequence[str] = ()
    link: Path | None = None
    layout: str | None = None


def files_check(files: Sequence[JudgedFile], where: Given) -> Check:
    """Whether the files that are there have the digests that are stated.

    Args:
        files: Those of the attestation.
        where: Where they may be.
    """
    faults = list(_faults(files, where))
    return failed(FILES, f"{'; '.join(faults)}.") if faults else _fitting(files, where)


def _faults(files: Sequence[JudgedFile], where: Given) -> Iterator[str]:
    """Files that are there and are not those that were judged."""
    for one in files:
        there = _digest(one, where)
        if there is not None and there != one.sha256:
            yield f"{one.name} is not the file that was judged"
    folder = _release(files, where)
    if folder is not None and folder.is_dir():
        listed = {one.name.partition("/")[2] for one in files if one.role == "release"}
        others = {one.name.partition("/")[2] for one in release_files(folder)} - listed
        if others:
            yield f"the release holds {several(len(others), 'file that was', 'files that were')} not judged"
    given = [Path(one) for one in where.original]
    if given and {one.sha256 for one in data_files(given, where.layout)} != {
        one.sha256 for one in files if one.role == "data"
    }:
        yield "the data given are not those that were judged"


def _fitting(files: Sequence[JudgedFile], where: Given) -> Check:
    """How many files are there and are those that were judged."""
    found = [one for one in files if (where.original and one.role == "data") or _digest(one, where) is not None]
    if not files:
        return unasked(FILES, "the data were in memory, so there are no digests.")
    if not found:
        return unasked(FILES, "no file is beside the page; give RELEASE, --original and --link.")
    missing = [one.name for one in files if one not in found]
    words = f"{len(found)} of {several(len(files), 'file')} have the stated SHA-256"
    return passed(FILES, f"{words}{'; not found: ' if missing else ''}{', '.join(missing)}.")


def _digest(one: JudgedFile, where: Given) -> str | None:
    """The digest of a file that is there; None if it is not, or if its name leads elsewhere."""
    if Path(one.name).is_absolute() or ".." in Path(one.name).parts:
        return None
    if one.role == "data":
        path = where.folder / one.name
        if where.original or not one.name or not path.exists():
            return None
        return data_files([path], where.layout)[0].sha256
    if one.role == "link":
        path = where.link or where.folder / one.name
    elif where.release is not None and where.release.is_dir():
        path = where.release / one.name.partition("/")[2]
    else:
        path = where.release or where.folder / one.name
    return sha256_of(path) if path.is_file() else None


def _release(files: Sequence[JudgedFile], where: Given) -> Path | None:
    """The folder of the release, if it was given or is beside the page."""
    names = {one.name.partition("/")[0] for one in files if one.role == "release" and "/" in one.name}
    named = next((name for name in sorted(names) if name not in ("", ".", "..")), None)
    return where.release or (None if named is None else where.folder / named)
