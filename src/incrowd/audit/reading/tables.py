"""A table of any tool -> numpy columns in file order, and every text the file carries beside its values."""

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, Labels, distinct_rows
from incrowd.columns import first_seen
from incrowd.errors import DataError, check_file
from incrowd.threads import threads

if TYPE_CHECKING:
    import pyarrow as pa

SUFFIXES = (".parquet", ".csv")
_WHOLE = "^(0|-?[1-9][0-9]{0,17})$"  # a whole number as we would write it, within 64 bits
ROLES = {
    "Visits": ("user", "cell", "slot"),
    "Fingerprints": ("user", "x", "dx", "y", "dy", "t", "dt"),
    "Traces": ("user", "t", "lon", "lat"),
    "planar Traces": ("user", "t", "x", "y"),
}


class Columns(NamedTuple):
    """The canonical columns as numbers; `extras` holds what is left."""

    noun: str
    users: Labels  # distinct pseudonyms in order of first appearance
    code: Ints  # position among them of the pseudonym of each row
    numbers: dict[str, NDArray[Any]]  # int64 or float64, in file order
    extras: "pa.Table"


def read_table(path: Path) -> "tuple[pa.Table, str]":
    """The table of a Parquet or CSV file, and its metadata as text; CSV stays text, which loses no zero or digit."""
    import duckdb
    import pyarrow.parquet as pq

    check_file(path)
    if path.suffix not in SUFFIXES:
        raise DataError(f"{path.name} is neither .parquet nor .csv; give a release folder or such a file.")
    with duckdb.connect(config={"threads": threads()}) as connection:
        connection.execute("SET enable_progress_bar = false")  # stdout is the answer's
        try:
            if path.suffix == ".csv":
                return connection.read_csv(str(path), all_varchar=True, header=True).to_arrow_table(), ""
            return connection.read_parquet(str(path)).to_arrow_table(), metadata_of(pq.read_schema(path))
        except (duckdb.Error, OSError, ValueError) as error:
            raise DataError(f"{path.name} cannot be read as a table; check the path and the copy.") from error


def metadata_of(schema: "pa.Schema") -> str:
    """Whatever a schema says beside the types: its own metadata and that of its fields."""
    metadata = [schema.metadata or {}, *(schema.field(i).metadata or {} for i in range(len(schema)))]
    return "\n".join(f"{_text(key)} {_text(value)}" for pairs in metadata for key, value in pairs.items())


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def split(table: "pa.Table", noun: str | None = None) -> Columns:
    """Find the columns by their canonical names; the noun is the richest one whose columns are there."""
    names = set(table.column_names)
    fitting = [kind for kind, roles in ROLES.items() if names >= set(roles) and kind.endswith(noun or "")]
    if not fitting:
        # In a file without a header the names are somebody's values, so that only ours are said.
        ours = sorted(names & {role for roles in ROLES.values() for role in roles})
        raise DataError(
            f"the {len(table.column_names)} columns ({', '.join(ours) or 'none'} among them) are not those of a "
            "release; name them user, cell, slot, or user, x, dx, y, dy, t, dt, crowd, or user, t, lon, lat."
        )
    if not table.num_rows and noun is None:  # a Release, whose noun is known, may be empty by right
        raise DataError("the published table has no row; there is nothing to check.")
    roles = [*ROLES[fitting[0]][1:], *(["crowd"] if "crowd" in names and fitting[0] == "Fingerprints" else [])]
    columns = {name: numbers(table[name], name) for name in roles}
    users, code = _users(table["user"])
    return Columns(fitting[0].split()[-1], users, code, columns, table.drop_columns(["user", *roles]))


def numbers(column: "pa.ChunkedArray", name: str) -> NDArray[Any]:
    """int64 where every value is whole, float64 where not, points in time as seconds; refused where that loses."""
    import pyarrow as pa

    if column.null_count:
        raise DataError(f"column {name!r} has {column.null_count} missing values; every published row is complete.")
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return _seconds(column, name)
    if pa.types.is_decimal(kind) or pa.types.is_uint64(kind):
        column = column.cast(pa.string())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or is_text(kind)):
        raise DataError(f"column {name!r} holds {kind} values; a release has numbers there.")
    values = _parsed(column, name) if is_text(column.type) else column.to_numpy()
    if values.dtype.kind != "f":
        return values.astype(np.int64, copy=False)
    if not np.isfinite(values).all():
        raise DataError(f"column {name!r} has missing or infinite values; every published row is complete.")
    whole = bool((values == np.floor(values)).all()) and float(np.abs(values).max(initial=0)) < 2**53
    return values.astype(np.int64 if whole else np.float64)


def is_text(kind: "pa.DataType") -> bool:
    """Whether a column holds text."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _seconds(column: "pa.ChunkedArray", name: str) -> NDArray[Any]:
    import pyarrow as pa

    try:
        micros: Ints = column.cast(pa.timestamp("us")).cast(pa.int64()).to_numpy()
    except pa.ArrowInvalid:
        raise DataError(
            f"column {name!r} has times finer than a microsecond or too far away; round them first."
        ) from None
    return micros // 1_000_000 if not (micros % 1_000_000).any() else micros / 1e6


def _parsed(column: "pa.ChunkedArray", name: str) -> NDArray[Any]:
    """Text as whole numbers, numbers or points in time, whichever is the first that all of it is."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pc.utf8_trim_whitespace(column)
    for kind in (pa.int64(), pa.float64(), pa.timestamp("us"), pa.timestamp("us", "UTC")):
        try:
            cast = texts.cast(kind)
        except pa.ArrowInvalid:
            continue
        if pa.types.is_timestamp(kind):
            return _seconds(cast, name)
        if pa.types.is_floating(kind):
            _refuse_rounded(texts, name)
        parsed: NDArray[Any] = cast.to_numpy()
        return parsed
    raise DataError(f"column {name!r} holds text; a release has numbers there.")


def _refuse_rounded(texts: "pa.ChunkedArray", name: str) -> None:
    """Different numbers may not become the same one."""
    import pyarrow as pa

    distinct = texts.unique()
    values = distinct.cast(pa.float64()).to_numpy(zero_copy_only=False)
    order = np.argsort(values)
    for at in np.flatnonzero(values[order[1:]] == values[order[:-1]]).tolist():
        if Decimal(distinct[order[at]].as_py()) != Decimal(distinct[order[at + 1]].as_py()):
            raise DataError(f"column {name!r} has numbers of more digits than 64 bits can tell apart; shorten them.")


def _users(column: "pa.ChunkedArray") -> tuple[Labels, Ints]:
    """Pseudonyms by run of equal neighbours: a table in their order is told apart without sorting its rows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.null_count:
        raise DataError(f"column 'user' has {column.null_count} missing values; every published row has a pseudonym.")
    if pa.types.is_integer(column.type) and not pa.types.is_uint64(column.type):
        return _runs(column.to_numpy().astype(np.int64, copy=False))
    encoded = _as_words(column).dictionary_encode().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    words = encoded.dictionary
    users, code = _runs(encoded.indices.to_numpy().astype(np.int64))
    whole = bool(pc.all(pc.match_substring_regex(words, _WHOLE)).as_py())
    names = words.cast(pa.int64()).to_numpy() if whole else np.array(words.to_pylist(), np.str_)
    return names[users], code


def _as_words(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    import pyarrow as pa

    try:
        return column.cast(pa.string())
    except pa.ArrowInvalid:  # bytes that are no text
        return pa.chunked_array([pa.array([value.hex() for value in column.to_pylist()])])
    except pa.ArrowNotImplementedError:
        raise DataError("column 'user' holds no single values; a pseudonym is a number or a text.") from None


def codes_of(column: "pa.ChunkedArray") -> Ints:
    """Whole numbers that are equal where the values are, whatever these are; -1 for a missing value."""
    import pyarrow as pa

    try:
        encoded = column.dictionary_encode().combine_chunks()
    except pa.ArrowNotImplementedError:  # nested values
        encoded = pa.array([None if value is None else repr(value) for value in column.to_pylist()]).dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    codes: Ints = encoded.indices.fill_null(-1).to_numpy().astype(np.int64)
    return codes


def _runs(values: Ints) -> tuple[Labels, Ints]:
    starts = np.flatnonzero(distinct_rows(values))
    users, code = first_seen(values[starts])
    return users, np.repeat(code, np.diff(starts, append=len(values)))
