"""A Parquet or CSV file -> record batches, one after the other; paths are literal, and nothing is guessed from them."""

import base64
import csv
from collections.abc import Iterator
from pathlib import Path
from struct import calcsize, unpack
from typing import TYPE_CHECKING, Any, NamedTuple

from incrowd.audit.reading.parquet import STATISTICS, Chunk, Footer, footer_of, runs_of
from incrowd.errors import DataError, check_file

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = b"ARROW:schema"  # where the writer of Parquet keeps the columns
_UNPACK = {1: "<i", 2: "<q", 4: "<f", 5: "<d"}  # statistics by physical type; others are text
SUFFIXES = (".parquet", ".csv")
DELIMITERS = ",;\t|"
_BLOCK = 1 << 24  # bytes of a CSV file at a time
_LONGEST_HEADER = 1 << 16


class Source(NamedTuple):
    """A table on disk: its columns, what its file says besides, and its rows in batches."""

    names: list[str]
    metadata: str
    footer: Footer | None
    batches: Iterator["pa.RecordBatch"]
    faults: list[str]  # of its layout; more are found while batches are read


def source_of(path: Path, *, strict: bool = False, text: bool = False) -> Source:
    """Open a table. `strict` takes no blank line and only commas, as releases have it; `text` reads any name as CSV."""
    path = path.absolute()  # so that no name is taken for a scheme or a home folder
    check_file(path)
    if not path.is_file():
        raise unreadable(path)
    if path.suffix not in SUFFIXES and not text:
        raise DataError(f"{path.name} is neither .parquet nor .csv; give a release folder or such a file.")
    return _parquet(path) if path.suffix == ".parquet" else _text(path, strict=strict)


def pa_table(source: Source) -> "pa.Table":
    """The whole of a small table."""
    import pyarrow as pa

    batches = list(source.batches)
    return (
        pa.Table.from_batches(batches)
        if batches
        else pa.table({name: pa.array([], pa.string()) for name in source.names})
    )


def unreadable(path: Path) -> DataError:
    """The one sentence about a file that is no table; its cause may quote a value and is left out."""
    return DataError(f"{path.name} cannot be read as a table; check the path and the copy.")


def _parquet(path: Path) -> Source:
    import pyarrow as pa
    import pyarrow.parquet as pq

    footer = footer_of(path)
    try:
        file = pq.ParquetFile(path)
        schema = file.schema_arrow
    except (pa.ArrowException, OSError, ValueError, RuntimeError) as error:
        raise unreadable(path) from error
    faults = list(footer.faults)
    return Source(schema.names, metadata_of(schema), footer, _groups(path, file, footer, faults), faults)


def _groups(path: Path, file: Any, footer: Footer, faults: list[str]) -> Iterator["pa.RecordBatch"]:
    import pyarrow as pa

    try:
        for group in range(file.num_row_groups):
            table = file.read_row_group(group)
            faults += [fault for fault in untrue_statistics(file.metadata, group, table, footer) if fault not in faults]
            yield from table.to_batches()
    except (pa.ArrowException, OSError, ValueError, RuntimeError) as error:
        raise unreadable(path) from error


def metadata_of(schema: "pa.Schema") -> str:
    """Whatever a schema says beside the types: its own metadata and that of its fields."""
    metadata = [schema.metadata or {}, *(schema.field(i).metadata or {} for i in range(len(schema)))]
    return "\n".join(f"{_decoded(key)} {_decoded(value)}" for pairs in metadata for key, value in pairs.items())


def _decoded(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _text(path: Path, *, strict: bool) -> Source:
    import pyarrow as pa
    import pyarrow.csv as pc

    delimiter = "," if strict else _delimiter(path)
    how = {
        "read_options": pc.ReadOptions(block_size=_BLOCK),
        "parse_options": pc.ParseOptions(delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=not strict),
    }
    try:
        names = _header(path, delimiter)
        types = {name: pa.string() for name in names}
        convert = pc.ConvertOptions(column_types=types, strings_can_be_null=True, null_values=[""])
        convert.quoted_strings_can_be_null = False
        reader = pc.open_csv(path, convert_options=convert, **how)
    except (pa.ArrowException, OSError, ValueError, csv.Error) as error:
        raise unreadable(path) from error
    if len(set(names)) < len(names):
        raise DataError(f"{path.name} names a column twice; check the copy.")
    return Source(names, "", None, _lines(path, reader), [])


def _lines(path: Path, reader: Any) -> Iterator["pa.RecordBatch"]:
    import pyarrow as pa

    try:
        yield from reader
    except (pa.ArrowException, OSError, ValueError) as error:
        raise unreadable(path) from error


def _header(path: Path, delimiter: str) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader([file.readline(_LONGEST_HEADER)], delimiter=delimiter), [])


def _delimiter(path: Path) -> str:
    """The one of the usual delimiters that the first line has most of."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            first = file.readline(_LONGEST_HEADER)
    except (OSError, ValueError) as error:
        raise unreadable(path) from error
    return max(DELIMITERS, key=first.count)


def foreign_schema(keys: dict[bytes, bytes], schema: "pa.Schema") -> bool:
    """Whether the Arrow schema in a footer holds more than the columns: text that is not that of the schema itself."""
    import pyarrow as pa

    stored = keys.get(SCHEMA)
    if stored is None:
        return False
    try:
        raw = base64.b64decode(stored, validate=True)
        read = pa.ipc.read_schema(pa.py_buffer(raw))
    except (ValueError, pa.ArrowException, OSError):
        return True
    if read.names != schema.names or any(field.metadata for field in read):
        return True
    known = bytes(read.serialize()) + b"\n".join(name.encode() for name in schema.names)
    return any(run not in known for run in runs_of(raw))


def untrue_statistics(metadata: Any, group: int, table: "pa.Table", footer: Footer) -> list[str]:
    """Faults of a row group: statistics that are not those of its values, dictionary entries that no row uses."""
    import pyarrow as pa
    import pyarrow.compute as pc

    faults = []
    chunks = {chunk.path: chunk for chunk in footer.chunks if chunk.group == group}
    for number, name in enumerate(table.column_names):
        column, kind = table[name], table.schema.field(name).type
        if pa.types.is_dictionary(kind):
            column, kind = column.cast(kind.value_type), kind.value_type
        if kind.num_fields:
            continue
        meta = metadata.row_group(group).column(number) if metadata.num_columns == len(table.column_names) else None
        chunk = chunks.get(name)
        if chunk is not None and chunk.dictionary is not None and chunk.dictionary != pc.count_distinct(column).as_py():
            faults.append("a dictionary of the Parquet file holds entries that no row uses")
        if meta is None or meta.statistics is None:
            continue
        ends, stated = pc.min_max(column).as_py(), meta.statistics
        untrue = stated.has_min_max and (stated.min, stated.max) != (ends["min"], ends["max"])
        if untrue or (chunk is not None and _is_plain(kind) and _untrue_pages(chunk, column)):
            faults.append("statistics in the Parquet file are not those of its values")
    return faults


def _is_plain(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    return any(is_kind(kind) for is_kind in (pa.types.is_signed_integer, pa.types.is_floating, pa.types.is_string))


def _untrue_pages(chunk: Chunk, column: "pa.ChunkedArray") -> bool:
    """Whether a page states another smallest or largest value than it has."""
    import pyarrow.compute as pc

    at = 0
    for page in chunk.pages:
        part, at = column.slice(at, page.values), at + page.values
        ends = pc.min_max(part).as_py()
        stated = page.statistics
        for name, fields in (("max", (1, 5)), ("min", (2, 6))):
            if any(field in stated and _value(stated[field], chunk.kind) != ends[name] for field in fields):
                return True
        if set(stated) - STATISTICS or stated.get(3, part.null_count) != part.null_count:
            return True
    return False


def _value(data: bytes, kind: int) -> Any:
    if kind in _UNPACK:
        return unpack(_UNPACK[kind], data)[0] if len(data) == calcsize(_UNPACK[kind]) else None
    return data.decode("utf-8", "replace")
