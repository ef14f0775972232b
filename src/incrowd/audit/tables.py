"""A table of any tool -> numpy columns in file order, and every text the file carries beside its values."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, Labels, first_seen
from incrowd.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

SUFFIXES = (".parquet", ".csv")
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


def read_table(path: Path, *, as_text: bool = False) -> "tuple[pa.Table, str]":
    """The table of a Parquet or CSV file, and its metadata as text; `as_text` keeps the zeros of 007."""
    import duckdb
    import pyarrow.parquet as pq

    if path.suffix not in SUFFIXES:
        raise DataError(f"{path.name} is neither .parquet nor .csv; give a release folder or such a file.")
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")  # stdout is the answer's
        try:
            if path.suffix == ".csv":
                return connection.read_csv(str(path), all_varchar=as_text).to_arrow_table(), ""
            return connection.read_parquet(str(path)).to_arrow_table(), metadata_of(pq.read_schema(path))
        except (duckdb.Error, OSError) as error:
            raise DataError(f"{path.name} cannot be read as a table; check the path and the copy.") from error


def metadata_of(schema: "pa.Schema") -> str:
    """Whatever a schema says beside the types: its own metadata and that of its fields."""
    said = [schema.metadata or {}, *(schema.field(i).metadata or {} for i in range(len(schema)))]
    return "\n".join(f"{_text(key)} {_text(value)}" for pairs in said for key, value in pairs.items())


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def split(table: "pa.Table", noun: str | None = None) -> Columns:
    """Find the columns by their canonical names; the noun is the richest one whose columns are there."""
    names = set(table.column_names)
    fitting = [kind for kind, roles in ROLES.items() if names >= set(roles) and kind.endswith(noun or "")]
    if not fitting:
        raise DataError(
            f"the columns ({', '.join(sorted(names))}) are not those of a release; "
            "name them user, cell, slot, or user, x, dx, y, dy, t, dt, crowd, or user, t, lon, lat."
        )
    if not table.num_rows:
        raise DataError("the published table has no row; there is nothing to check.")
    roles = [*ROLES[fitting[0]][1:], *(["crowd"] if "crowd" in names and fitting[0] == "Fingerprints" else [])]
    numbers = {name: _numbers(table[name], name) for name in roles}
    users, code = _users(table["user"])
    return Columns(fitting[0].split()[-1], users, code, numbers, table.drop_columns(["user", *roles]))


def _numbers(column: "pa.ChunkedArray", name: str) -> NDArray[Any]:
    """int64 where every value is whole, float64 where not; points in time become seconds."""
    import pyarrow as pa

    if column.null_count:
        raise DataError(f"column {name!r} has {column.null_count} missing values; every published row is complete.")
    if pa.types.is_temporal(column.type):
        micros: Ints = column.cast(pa.timestamp("us")).cast(pa.int64()).to_numpy()
        return micros // 1_000_000 if not (micros % 1_000_000).any() else micros / 1e6
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_decimal(column.type)):
        raise DataError(f"column {name!r} holds {column.type} values; a release has numbers there.")
    plain = column.cast(pa.float64()) if pa.types.is_decimal(column.type) else column
    values: NDArray[Any] = plain.to_numpy()
    if values.dtype.kind == "f":
        if not np.isfinite(values).all():
            raise DataError(f"column {name!r} has missing or infinite values; every published row is complete.")
        whole = bool((values == np.floor(values)).all()) and float(np.abs(values).max()) < 2**53
        return values.astype(np.int64 if whole else np.float64)
    return values.astype(np.int64, copy=False)


def _users(column: "pa.ChunkedArray") -> tuple[Labels, Ints]:
    """Pseudonyms by run of equal neighbours: a table in their order is told apart without sorting its rows."""
    import pyarrow as pa

    if column.null_count:
        raise DataError(f"column 'user' has {column.null_count} missing values; every published row has a pseudonym.")
    if pa.types.is_integer(column.type):
        return _runs(column.to_numpy().astype(np.int64, copy=False))
    encoded = column.cast(pa.string()).combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    words = np.array(encoded.dictionary.to_pylist(), np.str_)
    users, code = _runs(encoded.indices.to_numpy().astype(np.int64))
    return words[users], code


def _runs(values: Ints) -> tuple[Labels, Ints]:
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    users, code = first_seen(values[starts])
    return users, np.repeat(code, np.diff(starts, append=len(values)))
