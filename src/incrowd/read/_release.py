"""A release folder -> what it publishes."""

import csv
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.data import Counts, Fingerprints, Traces, Visits, load
from incrowd.data.files import rebuilt
from incrowd.data.table import COLUMNS
from incrowd.errors import DataError, IncrowdError, check_file
from incrowd.ledger import Ledger
from incrowd.read.sources.text import is_number_label

TABLES = ("data.parquet", "data.csv")


def release(folder: str | Path) -> Traces | Visits | Fingerprints | Counts:
    """The published table of a release, with the places of its cells (docs/release.md); attributes in CSV are text.

    >>> import incrowd as ic, tempfile
    >>> visits = ic.Visits.from_arrays(["ann", "ann", "bob"], cell=[5, 8, 5], slot=[0, 30, 0], slot_min=60, start=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release(ic.anonymize.publish(ic.anonymize.Cut(window_h=24)(visits), f"{folder}/release"))
    Visits(users=3, records=3)
    """
    folder = Path(folder)
    check_file(folder)
    try:
        said = _manifest(folder)
        cell_m = said["plane"]["cell_m"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"{folder.name} has no readable manifest.json; give the folder of a release.") from error
    there = [folder / name for name in TABLES if (folder / name).is_file()]
    if not there:
        raise DataError(f"{folder.name} has no {' or '.join(TABLES)}; give the folder of a release.")
    noun = load(there[0]) if there[0].suffix == ".parquet" else _from_csv(there[0], said)
    cells = folder / "cells.csv"
    return replace(noun, xy=_centres(cells), cell_m=cell_m) if isinstance(noun, Visits) and cells.is_file() else noun


def folder_of(path: str | Path) -> Path:
    """The folder of a release, given as such or by its table."""
    path = Path(path)
    return path.parent if path.name in TABLES else path


def noun_of(table: str | Path) -> str | None:
    """Which noun the manifest beside the CSV of a release states; None for any other file: Parquet says it itself."""
    if Path(table).name != "data.csv":
        return None
    try:
        said = _manifest(folder_of(table))
        return str(said["noun"]) if str(said["format"]).startswith("incrowd-release/") else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _from_csv(path: Path, said: Any) -> Traces | Visits | Fingerprints | Counts:
    """A table in CSV, whose columns have the types of the noun; what describes it as a whole is in the manifest."""
    import pyarrow as pa
    import pyarrow.csv as pc

    try:
        noun = said["noun"]
        meta = {**said["clock"], **said["plane"], "noun": noun, "ordered": True}
        with path.open(encoding="utf-8", newline="") as file:
            names = next(csv.reader(file))
        whole = {name: pa.int64() for name in COLUMNS - {"user"}}
        places = {name: pa.float64() for name in ("lon", "lat", "x", "y")} if noun == "Traces" else {}
        types = {name: pa.string() for name in names} | whole | places
        # What is blank is missing; an empty text is written as "".
        how = pc.ConvertOptions(column_types=types, null_values=[""], strings_can_be_null=True)
        how.quoted_strings_can_be_null = False
        table = pc.read_csv(path, convert_options=how, parse_options=pc.ParseOptions(newlines_in_values=True))
        labels = table["user"]
    except (OSError, ValueError, LookupError, TypeError, StopIteration, csv.Error):
        # The cause is left out: it may quote a value.
        raise DataError(f"{path.name} is not the table its manifest.json speaks of; check the copy.") from None
    if all(is_number_label(label or "") for label in labels.unique().to_pylist()):
        table = table.set_column(table.column_names.index("user"), "user", labels.cast(pa.int64()))
    return rebuilt(table, {**meta, "planar": "x" in names}, path.name)


def ledger_of(folder: str | Path) -> Ledger | None:
    """What the manifest of a release says happened to every record; None where it says nothing that adds up."""
    try:
        return Ledger.from_dict(_manifest(Path(folder))["ledger"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, IncrowdError):
        return None


def _manifest(folder: Path) -> Any:
    check_file(folder / "manifest.json")
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


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
        said = _manifest(folder_of(path))
    except (OSError, ValueError, RecursionError):
        return None
    found = said.get("id") if isinstance(said, dict) else None
    return found if isinstance(found, str) else None


def _centres(path: Path) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """Row c is the centre of cell c; cells that the release does not show have none."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(int(row["cell"]), float(row["x"]), float(row["y"])) for row in csv.DictReader(file)]
    xy = np.full((max(cell for cell, _, _ in rows) + 1, 2), np.nan)
    for cell, x, y in rows:
        xy[cell] = x, y
    return xy
