"""The folder of a release on disk: names, manifest, id, and how it appears whole or not at all (docs/release.md)."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from incrowd.data.files import left_by_killed_runs, temporary
from incrowd.errors import DataError, IncrowdError, ParameterError, check_file
from incrowd.ledger import Ledger
from incrowd.plain import to_json

FORMAT = "incrowd-release/1"
MANIFEST = "manifest.json"
README = "README.md"
CELLS = "cells.csv"  # the centre of each published cell
TABLES = ("data.parquet", "data.csv")  # one of them


def folder_of(path: str | Path) -> Path:
    """The folder of a release, given as such or by its table."""
    path = Path(path)
    return path.parent if path.name in TABLES else path


def release_at(path: str | Path) -> Path | None:
    """The folder of a release, given as such or by its table; None where no manifest is."""
    folder = folder_of(path)
    return folder if (folder / MANIFEST).is_file() else None


def table_in(folder: str | Path) -> Path | None:
    """The published table of a folder, Parquet before CSV; None where there is none."""
    return next((Path(folder) / name for name in TABLES if (Path(folder) / name).is_file()), None)


def manifest_in(folder: str | Path) -> Any:
    """What the manifest of a release states, as it is: whoever wrote it may have written anything."""
    path = Path(folder) / MANIFEST
    check_file(path)
    return json.loads(path.read_text(encoding="utf-8"))


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest as the last file, with the SHA-256 of every other."""
    files = {path.name: _sha256(path) for path in sorted(folder.iterdir())}
    (folder / MANIFEST).write_text(to_json({**manifest, "files": files}, indent=2) + "\n", encoding="utf-8")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def noun_of(table: str | Path) -> str | None:
    """Which noun the manifest beside the CSV of a release states; None for any other file: Parquet says it itself."""
    if Path(table).name != "data.csv":
        return None
    try:
        manifest = manifest_in(folder_of(table))
        return str(manifest["noun"]) if str(manifest["format"]).startswith("incrowd-release/") else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def ledger_of(folder: str | Path) -> Ledger | None:
    """What the manifest of a release says happened to every record; None where it says nothing that adds up."""
    try:
        return Ledger.from_dict(manifest_in(folder)["ledger"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, IncrowdError):
        return None


def check_link(release: object, ids: Iterable[str]) -> None:
    """Refuse a link file whose column `release` names another release than the manifest; "" names none.

    Pseudonyms are 0 to n - 1 in every release, so that nothing else tells two link files apart.
    """
    stated = _id(release) if isinstance(release, (str, Path)) else None
    if stated is not None and set(ids) - {"", stated}:
        raise DataError("this link file belongs to another release; give the one written with it.")


def _id(path: str | Path) -> str | None:
    """The id in the manifest of a release folder, given as such or by its table; None where there is none."""
    try:
        manifest = manifest_in(folder_of(path))
    except (OSError, ValueError, RecursionError):
        return None
    ident = manifest.get("id") if isinstance(manifest, dict) else None
    return ident if isinstance(ident, str) else None


def is_replaceable(folder: Path) -> bool:
    """Whether a folder is empty or an older release, which a new one may replace."""
    if not folder.is_dir():
        return False
    try:
        manifest = manifest_in(folder)
        return isinstance(manifest, dict) and manifest.get("format") == FORMAT
    except (OSError, ValueError, RecursionError):
        return not any(folder.iterdir())


@contextmanager
def whole_folder(folder: Path, *, force: bool) -> Iterator[Path]:
    """A temporary folder beside `folder` that takes its place only when the block ends well."""
    _sweep(folder)
    part, old = temporary(folder, "part"), temporary(folder, "old")
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
