"""A release folder -> what it publishes."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import Floats
from incrowd.data import Counts, Fingerprints, Traces, Visits, load
from incrowd.data.files import rebuilt
from incrowd.data.release_folder import CELLS, MANIFEST, TABLES, manifest_in, table_in
from incrowd.data.table import COLUMNS
from incrowd.errors import DataError, check_file, public
from incrowd.read._kind import holding
from incrowd.read.sources.text import is_number_label

if TYPE_CHECKING:
    import pyarrow as pa


@public
def release(folder: str | Path) -> Traces | Visits | Fingerprints | Counts:
    """The published table of a release, with the places of its cells (docs/release.md); attributes in CSV are text.

    Args:
        folder: The folder of the release.

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
    cells = folder / CELLS
    centres = _centres(cells) if cells.is_file() else None
    if published.suffix == ".parquet" and holding(published).saved and manifest.get("noun") != "Counts":
        noun: Traces | Visits | Fingerprints | Counts = load(published)
    else:
        noun = _by_manifest(published, manifest, centres)
    return noun if centres is None or not isinstance(noun, Visits) else replace(noun, xy=centres, cell_m=cell_m)


def _by_manifest(path: Path, manifest: Any, centres: Floats | None) -> Traces | Visits | Fingerprints | Counts:
    """A table whose columns have the types of the noun; what describes it as a whole is in the manifest."""
    try:
        noun, clock = manifest["noun"], manifest["clock"]
        table = _csv(path, noun) if path.suffix == ".csv" else _parquet(path)
        if noun == "Counts":
            n = np.zeros((manifest["counts"]["slots"], manifest["counts"]["cells"]), table["n"].to_numpy().dtype)
            n[table["slot"].to_numpy(), table["cell"].to_numpy()] = table["n"].to_numpy()
            return Counts.from_arrays(n, centres, slot_min=clock["slot_min"], start_min=clock["start_min"])  # type: ignore[arg-type]
        meta = {**clock, **manifest["plane"], "noun": noun, "ordered": True, "planar": "x" in table.column_names}
    except (OSError, ValueError, LookupError, TypeError, StopIteration, csv.Error):
        # The cause is left out: it may quote a value.
        raise DataError(f"{path.name} is not the table that its {MANIFEST} describes; check the copy.") from None
    return rebuilt(table, meta, path.name)


def _parquet(path: Path) -> "pa.Table":
    import pyarrow.parquet as pq

    return pq.read_table(path)


def _csv(path: Path, noun: str) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.csv as pc

    with path.open(encoding="utf-8", newline="") as file:
        names = next(csv.reader(file))
    whole = {name: pa.int64() for name in COLUMNS - {"user"}}
    places = {name: pa.float64() for name in ("lon", "lat", "x", "y")} if noun == "Traces" else {}
    types = {name: pa.string() for name in names if name != "n"} | whole | places
    # What is blank is missing; an empty text is written as "".
    how = pc.ConvertOptions(column_types=types, null_values=[""], strings_can_be_null=True)
    how.quoted_strings_can_be_null = False
    table = pc.read_csv(path, convert_options=how, parse_options=pc.ParseOptions(newlines_in_values=True))
    if noun == "Counts":
        return table
    labels = table["user"]
    if all(is_number_label(label or "") for label in labels.unique().to_pylist()):
        table = table.set_column(table.column_names.index("user"), "user", labels.cast(pa.int64()))
    return table


def _centres(path: Path) -> Floats:
    """Row c is the centre of cell c; cells that the release does not show have none."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(int(row["cell"]), float(row["x"]), float(row["y"])) for row in csv.DictReader(file)]
    xy = np.full((max(cell for cell, _, _ in rows) + 1, 2), np.nan)
    for cell, x, y in rows:
        xy[cell] = x, y
    return xy
