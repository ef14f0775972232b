"""A release folder -> what it publishes."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from incrowd.data import Counts, Fingerprints, Traces, Visits, load
from incrowd.errors import DataError


def release(folder: str | Path) -> Traces | Visits | Fingerprints | Counts:
    """The published table of a release in Parquet, with the places of its cells (docs/release.md)."""
    folder = Path(folder)
    try:
        said = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        cell_m = said["plane"]["cell_m"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{folder.name} has no readable manifest.json; give the folder of a release.") from error
    if not (folder / "data.parquet").is_file():
        raise DataError(f"{folder.name} has no data.parquet; a release in CSV is read with incrowd.read.table.")
    noun = load(folder / "data.parquet")
    cells = folder / "cells.csv"
    return replace(noun, xy=_centres(cells), cell_m=cell_m) if isinstance(noun, Visits) and cells.is_file() else noun


def _centres(path: Path) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """Row c is the centre of cell c; cells that the release does not show have none."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(int(row["cell"]), float(row["x"]), float(row["y"])) for row in csv.DictReader(file)]
    xy = np.full((max(cell for cell, _, _ in rows) + 1, 2), np.nan)
    for cell, x, y in rows:
        xy[cell] = x, y
    return xy
