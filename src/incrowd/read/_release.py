"""A release folder -> what it publishes."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.data import Counts, Fingerprints, Traces, Visits, load
from incrowd.data.files import rebuilt
from incrowd.data.release_folder import CELLS, MANIFEST, TABLES, manifest_in, table_in
from incrowd.data.table import COLUMNS
from incrowd.errors import DataError, check_file
from incrowd.read.sources.text import is_number_label


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
        manifest = manifest_in(folder)
        cell_m = manifest["plane"]["cell_m"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"{folder.name} has no readable {MANIFEST}; give the folder of a release.") from error
    published = table_in(folder)
    if published is None:
        raise DataError(f"{folder.name} has no {' or '.join(TABLES)}; give the folder of a release.")
    noun = load(published) if published.suffix == ".parquet" else _from_csv(published, manifest)
    cells = folder / CELLS
    return replace(noun, xy=_centres(cells), cell_m=cell_m) if isinstance(noun, Visits) and cells.is_file() else noun


def _from_csv(path: Path, manifest: Any) -> Traces | Visits | Fingerprints | Counts:
    """A table in CSV, whose columns have the types of the noun; what describes it as a whole is in the manifest."""
    import pyarrow as pa
    import pyarrow.csv as pc

    try:
        noun = manifest["noun"]
        meta = {**manifest["clock"], **manifest["plane"], "noun": noun, "ordered": True}
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
        raise DataError(f"{path.name} is not the table its {MANIFEST} speaks of; check the copy.") from None
    if all(is_number_label(label or "") for label in labels.unique().to_pylist()):
        table = table.set_column(table.column_names.index("user"), "user", labels.cast(pa.int64()))
    return rebuilt(table, {**meta, "planar": "x" in names}, path.name)


def _centres(path: Path) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """Row c is the centre of cell c; cells that the release does not show have none."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(int(row["cell"]), float(row["x"]), float(row["y"])) for row in csv.DictReader(file)]
    xy = np.full((max(cell for cell, _, _ in rows) + 1, 2), np.nan)
    for cell, x, y in rows:
        xy[cell] = x, y
    return xy
