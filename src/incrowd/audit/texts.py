"""Everything readable in a release: words of the table, and the text around it."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import Ints
from incrowd.audit.published import Published
from incrowd.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


def around(release: Published) -> Iterator[tuple[str, str]]:
    """(where, text) of the files beside the data, their names, and what the data file says of itself."""
    yield "the column names", "\n".join(["user", *release.table.numbers, *release.table.extras.column_names])
    yield "the metadata of the data file", _without_centres(release.metadata)
    if release.folder is None:
        return
    files = sorted(path for path in release.folder.rglob("*") if path != release.file)
    yield "the file names", "\n".join(str(path.relative_to(release.folder)) for path in files)
    for position, path in enumerate(path for path in files if path.is_file()):
        yield f"file {position} beside the data", _read(path)


def inside(metadata: str) -> dict[str, Any]:
    """The object that incrowd writes into a Parquet file, empty where there is none."""
    for line in metadata.splitlines():
        key, _, value = line.partition(" ")
        if key == "incrowd":
            try:
                found = json.loads(value)
            except ValueError:
                return {}
            return found if isinstance(found, dict) else {}
    return {}


def _without_centres(metadata: str) -> str:
    """Cell centres are packed as text in which any short word occurs by chance; they stay if they are no numbers."""
    packed = inside(metadata).get("xy")
    if not isinstance(packed, str) or not packed:
        return metadata
    try:
        centres = np.frombuffer(base64.b64decode(packed, validate=True), "<f8")
    except ValueError:
        return metadata
    return metadata.replace(packed, "") if np.isfinite(centres).all() else metadata


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise DataError(f"{path.name} cannot be read; check its permissions.") from error


def words(release: Published) -> Iterator[tuple[str, set[str]]]:
    """(where, distinct words) of every column that holds text or bytes."""
    if release.users.dtype.kind != "i":
        yield "the column user", set(release.users.tolist())
    for position, column in enumerate(release.table.extras.columns):
        found = _distinct(column)
        if found:
            yield f"extra column {position}", found


def whole_numbers(release: Published) -> Iterator[tuple[str, Ints, Ints]]:
    """(where, value, pseudonym) of the columns whose whole numbers could name a person: never cells or times."""
    import pyarrow as pa

    if release.users.dtype.kind == "i":
        yield "the column user", release.users.astype(np.int64), np.arange(len(release))
    for position, column in enumerate(release.table.extras.columns):
        if pa.types.is_integer(column.type):
            there = np.asarray(column.is_valid())
            values = column.fill_null(0).to_numpy().astype(np.int64)
            pairs = np.unique(np.stack([values[there], release.table.code[there]]), axis=1)
            yield f"extra column {position}", pairs[0], pairs[1]


def _distinct(column: "pa.ChunkedArray") -> set[str]:
    import pyarrow as pa
    import pyarrow.compute as pc

    while pa.types.is_list(column.type):
        column = pc.list_flatten(column)
    if pa.types.is_binary(column.type) or pa.types.is_fixed_size_binary(column.type):
        return {value.hex() for value in column.unique().to_pylist() if value is not None}
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return {value for value in column.unique().to_pylist() if value is not None}
    return set()
