"""What a source holds, decided here and nowhere else, and the noun it holds."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from incrowd.data import Counts, Fingerprints, Release, Traces, Visits, load
from incrowd.data.files import KEY, unsaid
from incrowd.data.release_folder import noun_of, release_at
from incrowd.errors import DataError, ParameterError
from incrowd.read.layouts import ALIASES, PLACES, Column, Layout, layout_of, plain
from incrowd.read.sources.files import head_of, kind_of

KINDS = {"Traces": "records", "Visits": "visits", "Fingerprints": "fingerprints", "Counts": "counts"}


def kind(source: Any, *, columns: Mapping[str, Column] | None = None) -> str:
    """What a source holds: "records", "visits", "fingerprints", "counts" or "release".

    A source is a path, several, a data frame, or a noun in memory. The folder of a release and the table in it are a
    release; a file saved by incrowd says what it holds; another table is known by its columns, or by those that
    `columns` names: visits have cells and slots and neither times nor places, counts are such a table with no user and
    a count. All else is read as records. A result that incrowd saved is named for its class, such as "uniqueness".

    >>> import pyarrow as pa
    >>> kind(pa.table({"user": ["a"], "cell": [3], "slot": [0]})), kind(pa.table({"cell": [3], "slot": [0], "n": [9]}))
    ('visits', 'counts')
    """
    if isinstance(source, Release) or (isinstance(source, (str, Path)) and release_at(source) is not None):
        return "release"
    if isinstance(source, (Traces, Visits, Fingerprints, Counts)):
        return KINDS[type(source).__name__]
    noun = noun_in(source, columns)
    if noun == "Visits" and not is_saved(source) and _counts_people(_names(source), columns):
        return "counts"
    return "records" if noun is None else KINDS.get(noun, noun.lower())


def open(source: Any, **options: Any) -> Any:  # noqa: A001
    """The noun that a source holds: Traces, Visits, Fingerprints or Counts; of a release what it publishes.

    `options` are those of `read.table`, `read.visits` or `read.counts`, as `kind` decides. What incrowd saved or
    published describes itself and takes none.

    >>> import pyarrow as pa
    >>> open(pa.table({"user": ["a", "b"], "cell": [3, 4], "slot": [0, 1]}), slot_min=60)
    Visits(users=2, records=2)
    """
    from incrowd.read._counts import counts
    from incrowd.read._release import release
    from incrowd.read._table import table
    from incrowd.read._visits import visits

    held = kind(source, columns=options.get("columns"))
    in_memory = isinstance(source, (Release, Traces, Visits, Fingerprints, Counts))
    if not in_memory and held != "release" and not is_saved(source):
        if held == "visits":
            return visits(source, **options)
        return counts(source, **options) if held == "counts" else table(source, **options)
    if options:
        raise ParameterError(f"this source describes itself; leave {', '.join(options)} out.")
    if in_memory:
        return source.data if isinstance(source, Release) else source
    return release(release_at(source) or source) if held == "release" else load(source)


def noun_in(
    source: Any,
    columns: Mapping[str, Column] | None = None,
    *,
    layout: str | Layout | None = None,
    time_format: str | None = None,
    antennas: Any = None,
) -> str | None:
    """Which noun a file saved by incrowd holds, Visits for any table of cells and slots; None for the rest.

    A table is not one of visits if options of records are given: a layout, how times are written, or columns of places
    that are not those of `antennas`.
    """
    if isinstance(source, (str, Path)) and (published := noun_of(source)) is not None:
        return published
    noted = _noted(source)
    if noted is not None:
        try:
            return str(json.loads(noted)["noun"])
        except (ValueError, LookupError, TypeError, RecursionError):
            raise unsaid(Path(source).name) from None
    if layout is not None or time_format is not None:
        return None
    places = antennas is None and not set(columns or {}).isdisjoint(PLACES)
    return "Visits" if not places and is_visits(source, columns) else None


def is_saved(source: Any) -> bool:
    """Whether a file was saved by incrowd; a Parquet file that cannot be read is refused."""
    return _noted(source) is not None


def _noted(source: Any) -> bytes | None:
    """What incrowd noted in a Parquet file of its own; None for any other source."""
    if not isinstance(source, (str, Path)) or Path(source).suffix != ".parquet" or not Path(source).is_file():
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return (pq.read_schema(source).metadata or {}).get(KEY)
    except (pa.ArrowException, OSError):
        name = Path(source).name
        raise DataError(f"{name} is not a readable Parquet file; check the path and the copy.") from None


def is_visits(source: Any, columns: Mapping[str, Column] | None = None) -> bool:
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
        return False  # reading it properly says what is wrong
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
    from incrowd.read.sources.arrow import schema_of

    layout = layout_of(None)
    format_of_file = kind_of(file, layout)
    if format_of_file == "parquet":
        names: list[str] = schema_of(file).names
        return names
    head = head_of(file, layout, header=True) if format_of_file == "text" else None
    return () if head is None else head.fields
