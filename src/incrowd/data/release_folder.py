"""The folder of a release on disk: names, manifest, id, and how it appears whole or not at all (docs/release.md)."""

import csv
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.data.counts import Counts
from incrowd.data.files import _refuse_sets, left_by_killed_runs, temporary, to_arrow
from incrowd.data.release import Release
from incrowd.errors import DataError, IncrowdError, ParameterError, check_file
from incrowd.ledger import Ledger
from incrowd.plain import to_json

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = "incrowd-release/2"
FORMATS = ("incrowd-release/1", FORMAT)
MANIFEST = "manifest.json"
README = "README.md"
CELLS = "cells.csv"  # the centre of each published cell
TABLES = ("data.parquet", "data.csv")  # one of them
ATTESTED = ".assessment.json"  # ends the name of an assessment that was attested
ROW_GROUP = 2**20  # rows of a row group of Parquet
_ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def folder_of(path: str | Path) -> Path:
    """The folder of a release, given as such or by its table."""
    path = Path(path)
    return path.parent if path.name in TABLES else path


def release_at(path: str | Path) -> Path | None:
    """The folder of a release, given as such or by its table; None if there is no manifest."""
    folder = folder_of(path)
    return folder if (folder / MANIFEST).is_file() else None


def attestation_of(release: str | Path) -> Path:
    """The file beside a release, never in it, that attests an assessment of it.

    >>> attestation_of("out/release").as_posix(), attestation_of("out/release/data.csv").name
    ('out/release.assessment.json', 'release.assessment.json')
    """
    folder = folder_of(release)
    folder = folder if folder.name not in ("", "..") else folder.resolve()
    return folder.with_name(f"{folder.name}{ATTESTED}")


def table_in(folder: str | Path) -> Path | None:
    """The published table of a folder, Parquet before CSV; None if there is none."""
    return next((Path(folder) / name for name in TABLES if (Path(folder) / name).is_file()), None)


def manifest_in(folder: str | Path) -> Any:
    """What the manifest of a release states, as it is: it may hold anything."""
    path = Path(folder) / MANIFEST
    check_file(path)
    return json.loads(path.read_text(encoding="utf-8"))


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest as the last file, with the SHA-256 of every other."""
    files = {path.name: sha256_of(path) for path in sorted(folder.iterdir())}
    (folder / MANIFEST).write_text(to_json({**manifest, "files": files}, indent=2) + "\n", encoding="utf-8")


def sha256_of(path: Path) -> str:
    """The digest of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def ledger_of(folder: str | Path) -> Ledger | None:
    """What the manifest of a release says happened to every record; None if it has none that adds up."""
    try:
        return Ledger.from_dict(manifest_in(folder)["ledger"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, IncrowdError):
        return None


def check_link(release: object, ids: Iterable[str]) -> None:
    """Refuse a link file whose column `release` names another release than the manifest; "" names none.

    Pseudonyms are 0 to n - 1 in every release, and nothing else distinguishes two link files.
    """
    stated = id_in(release) if isinstance(release, (str, Path)) else None
    if stated is not None and set(ids) - {"", stated}:
        raise DataError("this link file belongs to another release; give the one written with it.")


def id_in(path: str | Path) -> str | None:
    """The id in the manifest of a release folder, given as such or by its table; None if there is none."""
    try:
        manifest = manifest_in(folder_of(path))
    except (OSError, ValueError, RecursionError):
        return None
    ident = manifest.get("id") if isinstance(manifest, dict) else None
    return ident if isinstance(ident, str) else None


def link_id(link: Path) -> str | None:
    """The id of the release that a link file belongs to; None if it is not a link file or states no id."""
    try:
        with link.open(encoding="utf-8", newline="") as file:
            first = next(csv.DictReader(file), {})
    except (OSError, ValueError, csv.Error):
        return None
    return first.get("release") or None


def pending_links(link: Path) -> list[Path]:
    """Link files beside `link` that carry the id of a release in their name."""
    named = re.compile(rf"{re.escape(link.stem)}\.{_ID}{re.escape(link.suffix)}")
    return [path for path in link.parent.iterdir() if named.fullmatch(path.name)]


def published_table(release: Release) -> "pa.Table":
    """The published table: every value, and no more about itself than the format needs."""
    table = to_arrow(release)
    if isinstance(release.data, Counts):
        return _every_count(release.data).replace_schema_metadata(table.schema.metadata)
    return table


def write_table(schema: "pa.Schema", batches: Iterable["pa.RecordBatch"], path: Path) -> None:
    """Write a published table as its batches come; however it is cut into batches, the bytes are the same."""
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    if path.suffix == ".csv":
        _refuse_sets(schema)
        with pc.CSVWriter(path, schema) as out:
            for table in _in_groups(schema, batches):
                out.write_table(table)
        return
    with pq.ParquetWriter(path, schema, compression="zstd", store_schema=False) as writer:
        for table in _in_groups(schema, batches):
            writer.write_table(table, ROW_GROUP)
        writer.add_key_value_metadata(schema.metadata)


def _in_groups(schema: "pa.Schema", batches: Iterable["pa.RecordBatch"]) -> Iterator["pa.Table"]:
    """The rows in tables of a row group each, the last one shorter; one without rows if there are none."""
    import pyarrow as pa

    waiting, rows, first = [], 0, True
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        while rows >= ROW_GROUP:
            table, first = pa.Table.from_batches(waiting, schema), False
            yield table.slice(0, ROW_GROUP).combine_chunks()
            waiting, rows = table.slice(ROW_GROUP).to_batches(), rows - ROW_GROUP
    if rows or first:
        yield pa.Table.from_batches(waiting, schema).combine_chunks()


def _every_count(counts: Counts) -> "pa.Table":
    """A row for every cell and slot, the empty ones too."""
    import pyarrow as pa

    slot, cell = (index.ravel() for index in np.indices(counts.shape))
    return pa.table({"cell": cell, "slot": slot, "n": counts.n.ravel()})


def is_replaceable(folder: Path) -> bool:
    """Whether a folder is empty or an older release, which a new one may replace."""
    if not folder.is_dir():
        return False
    try:
        manifest = manifest_in(folder)
        return isinstance(manifest, dict) and manifest.get("format") in FORMATS
    except (OSError, ValueError, RecursionError):
        return not any(folder.iterdir())


@contextmanager
def whole_folder(folder: Path, *, force: bool) -> Iterator[Path]:
    """A temporary folder beside `folder` that takes its place only when the block ends well."""
    _sweep(folder)
    part, old = temporary(folder, "part"), temporary(folder, "old")
    part.mkdir()
    mode = part.stat().st_mode
    part.chmod(0o700)  # until it is whole, nobody else looks into it
    try:
        yield part
        for path in part.iterdir():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        part.chmod(mode)
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
