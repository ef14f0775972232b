"""A Parquet or CSV file -> record batches, one after the other; paths are literal, and nothing is guessed from them."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from incrowd.audit.reading.parquet import Footer, footer_of, untrue_statistics
from incrowd.errors import DataError, check_file

if TYPE_CHECKING:
    import pyarrow as pa

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
