"""What a source holds, decided here and nowhere else, and the noun it holds, also that of a release."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from incrowd.arrays import Floats
from incrowd.data import Counts, Fingerprints, Release, Traces, Visits, load
from incrowd.data.files import KEY, no_parquet, noted, rebuilt, undescribed
from incrowd.data.release_folder import CELLS, MANIFEST, TABLES, manifest_in, release_at, table_in
from incrowd.data.table import COLUMNS
from incrowd.errors import DataError, ParameterError, check_file, public
from incrowd.read.files import format_of, head_of
from incrowd.read.layouts import ALIASES, PLACES, Column, Layout, layout_of, plain
from incrowd.read.sources.local import local
from incrowd.read.sources.text import is_number_label

if TYPE_CHECKING:
    import pyarrow as pa

KINDS = {"Traces": "records", "Visits": "visits", "Fingerprints": "fingerprints", "Counts": "counts"}


@public
def kind(
    source: Any,
    *,
    columns: Mapping[str, Column] | None = None,
    table: str | None = None,
    query: str | None = None,
) -> str:
    """What a source holds: "records", "visits", "fingerprints", "counts" or "release".

    The folder of a release and the table in it are a release. A file saved by incrowd says what it holds; a result is
    named for its class, such as "uniqueness". Any other table is known by its columns: visits have cells and slots and
    neither times nor places, and counts have a number of people instead of a user. Everything else holds records.

    Args:
        source: A path, several paths, an address, a data frame, or a noun in memory.
        columns: Which column is user, t, lon, lat, x, y, cell, slot or n. [default: by common names]
        table: Table of a database, or sheet of a workbook. [default: the only one]
        query: SELECT statement for a database, instead of a table.

    >>> import pyarrow as pa
    >>> kind(pa.table({"user": ["a"], "cell": [3], "slot": [0]})), kind(pa.table({"cell": [3], "slot": [0], "n": [9]}))
    ('visits', 'counts')
    """
    if isinstance(source, (Traces, Visits, Fingerprints, Counts)):
        return KINDS[type(source).__name__]
    if isinstance(source, Release) or (isinstance(source, (str, Path)) and release_at(source) is not None):
        return "release"
    if noun := _described(source).get("noun"):
        return KINDS[noun]
    with local(source, table, query) as files:
        held = holding(files, columns)
        if held.noun == "Visits" and not held.saved and _counts_people(_names(files), columns):
            return "counts"
    return "records" if held.noun is None else KINDS.get(held.noun, held.noun.lower())


@public
def open(source: Any, **options: Any) -> Any:  # noqa: A001
    """The noun that a source holds: Traces, Visits, Fingerprints or Counts; of a release what it publishes.

    Args:
        source: A path, several paths, a data frame, or a noun in memory.
        **options: The options of `read.table`, `read.visits` or `read.counts`, as `kind` decides. What incrowd saved or
            published describes itself and takes none.

    >>> import pyarrow as pa
    >>> open(pa.table({"user": ["a", "b"], "cell": [3, 4], "slot": [0, 1]}), slot_min=60)
    Visits(users=2, records=2)
    """
    from incrowd.read._counts import counts
    from incrowd.read._table import table
    from incrowd.read._visits import visits

    if (meta := _described(source)) and not options:
        return rebuilt(source, meta, "the data frame")
    in_memory = isinstance(source, (Release, Traces, Visits, Fingerprints, Counts))
    with local(source, options.pop("table", None), options.pop("query", None)) as files:
        what = kind(files, columns=options.get("columns"))
        if not in_memory and what != "release" and not holding(files).saved:
            if what == "visits":
                return visits(files, **options)
            return counts(files, **options) if what == "counts" else table(files, **options)
        if options:
            raise ParameterError(f"this source describes itself; leave {', '.join(options)} out.")
        if in_memory:
            return files.data if isinstance(files, Release) else files
        return release(release_at(files) or files) if what == "release" else load(files)


class Holding(NamedTuple):
    """What is known of a source before it is read."""

    noun: str | None  # that of a file of incrowd; Visits for any table of cells and slots; None for records
    saved: bool = False  # by incrowd in Parquet, which says what it is
    published: bool = False  # as the table of a release, whose manifest says what it is


def holding(
    source: Any,
    columns: Mapping[str, Column] | None = None,
    *,
    layout: str | Layout | None = None,
    time_format: str | None = None,
    antennas: Any = None,
) -> Holding:
    """What a file, a folder or a data frame holds.

    A table is not one of visits if options of records are given: a layout, how times are written, or columns of places
    that are not those of `antennas`.
    """
    path = Path(source) if isinstance(source, (str, Path)) else None
    note = None if path is None else _noted(path)
    if path is not None and note is not None:
        try:
            return Holding(str(json.loads(note)["noun"]), saved=True)
        except (ValueError, LookupError, TypeError, RecursionError):
            raise undescribed(path.name) from None
    if path is not None and (noun := _published(path)) is not None:
        return Holding(noun, published=True)
    records = layout is not None or time_format is not None
    records = records or (antennas is None and not set(columns or {}).isdisjoint(PLACES))
    return Holding(None if records or not _is_visits(source, columns) else "Visits")


def _described(source: Any) -> dict[str, Any]:
    """What `to_arrow` of a noun noted in its table; nothing for any other source."""
    schema = getattr(source, "schema", None)
    return noted(getattr(schema, "metadata", None), "the data frame")


def _published(path: Path) -> str | None:
    """Which noun the manifest beside the table of a release states; None for any other file."""
    if path.name not in TABLES or not path.is_file():
        return None
    try:
        manifest = manifest_in(path.parent)
        return str(manifest["noun"]) if str(manifest["format"]).startswith("incrowd-release/") else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _noted(path: Path) -> bytes | None:
    """What incrowd noted in a Parquet file of its own; None for any other file. One that cannot be read is refused."""
    if path.suffix != ".parquet" or not path.is_file():
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return (pq.read_schema(path).metadata or {}).get(KEY)
    except (pa.ArrowException, OSError):
        raise no_parquet(path) from None


def _is_visits(source: Any, columns: Mapping[str, Column] | None) -> bool:
    """Whether a source is a table of visits: it has cells and slots, and neither times nor places.

    `columns` are those that a caller names: a slot is one of visits, a time one of trajectories.
    """
    given = set(columns or {})
    paths = isinstance(source, (str, Path, list, tuple))
    if "t" in given or (paths and (not isinstance(source, (str, Path)) or not Path(source).is_file())):
        return False
    if "slot" in given:
        return True
    try:
        names = _names(source)
    except DataError:
        return False  # the reader explains what is wrong
    own = "slot" in names and ("cell" in given or not names.isdisjoint(ALIASES["cell"]))
    return own and not any(names & set(ALIASES[noun]) for noun in ("t", "lon", "lat"))


def _counts_people(names: set[str], columns: Mapping[str, Column] | None) -> bool:
    """Whether a table of cells and slots says how many people, and not who."""
    from incrowd.read.small_table import NAMES

    given = columns or {}
    counted = "n" in given or not names.isdisjoint(NAMES["n"])
    return counted and "user" not in given and names.isdisjoint(ALIASES["user"])


def _names(source: Any) -> set[str]:
    """The names of the columns of a file or a data frame, in plain letters."""
    if isinstance(source, (str, Path)):
        return {plain(name) for name in header_of(Path(source))}
    names = getattr(source, "column_names", None)
    return {plain(str(name)) for name in (getattr(source, "columns", ()) if names is None else names)}


def header_of(file: Path) -> Sequence[str]:
    """The names of the columns of a file."""
    from incrowd.read.sources.parquet import schema_of

    layout = layout_of(None)
    written = format_of(file, layout)
    if written == "parquet":
        names: list[str] = schema_of(file).names
        return names
    head = head_of(file, layout, header=True) if written == "text" else None
    return () if head is None else head.fields


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
    import pyarrow.parquet as pq

    try:
        noun, clock = manifest["noun"], manifest["clock"]
        table = _csv(path, noun) if path.suffix == ".csv" else pq.read_table(path)
        if noun == "Counts":
            n = np.zeros((manifest["counts"]["slots"], manifest["counts"]["cells"]), table["n"].to_numpy().dtype)
            n[table["slot"].to_numpy(), table["cell"].to_numpy()] = table["n"].to_numpy()
            return Counts.from_arrays(n, centres, slot_min=clock["slot_min"], start_min=clock["start_min"])  # type: ignore[arg-type]
        meta = {**clock, **manifest["plane"], "noun": noun, "ordered": True, "planar": "x" in table.column_names}
    except (OSError, ValueError, LookupError, TypeError, StopIteration, csv.Error):
        # The cause is left out: it may quote a value.
        raise DataError(f"{path.name} is not the table that its {MANIFEST} describes; check the copy.") from None
    return rebuilt(table, meta, path.name)


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
