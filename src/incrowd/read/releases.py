"""A release folder -> what it publishes."""

import csv
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.data import Counts, Fingerprints, Traces, Visits, load
from incrowd.errors import DataError, IncrowdError
from incrowd.ledger import Ledger


def release(folder: str | Path) -> Traces | Visits | Fingerprints | Counts:
    """The published table of a release in Parquet, with the places of its cells (docs/release.md)."""
    folder = Path(folder)
    try:
        cell_m = _manifest(folder)["plane"]["cell_m"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"{folder.name} has no readable manifest.json; give the folder of a release.") from error
    if not (folder / "data.parquet").is_file():
        raise DataError(
            f"{folder.name} has no data.parquet; publish it with --file parquet, or check it with incrowd audit."
        )
    noun = load(folder / "data.parquet")
    cells = folder / "cells.csv"
    return replace(noun, xy=_centres(cells), cell_m=cell_m) if isinstance(noun, Visits) and cells.is_file() else noun


def ledger_of(folder: str | Path) -> Ledger | None:
    """What the manifest of a release says happened to every record; None where it says nothing that adds up."""
    try:
        return Ledger.from_dict(_manifest(Path(folder))["ledger"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, IncrowdError):
        return None


def _manifest(folder: Path) -> Any:
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
    path = Path(path)
    folder = path.parent if path.name in ("data.parquet", "data.csv") else path
    try:
        said = _manifest(folder)
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
