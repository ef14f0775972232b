"""A table or query of a database -> a Parquet file of its records, batch by batch, and their digest."""

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.errors import DataError, check_file
from incrowd.progress import tell
from incrowd.read.arrow import missing, values
from incrowd.read.sources.local import Address
from incrowd.read.sources.parquet import EXTENSION, identifier, sort_of

if TYPE_CHECKING:
    import pyarrow as pa

Records = tuple["pa.Schema", Iterable["pa.RecordBatch"]]
COPY = "copied records.parquet"
ROWS = 100_000  # in a batch
_LISTED = 10  # tables that a message names
_MEMORY = "512MB"


def as_parquet(address: Address, folder: Path, table: str | None, query: str | None) -> tuple[Path, str]:
    """Copy the records that a table or query holds; the path of the copy, and the digest of the records."""
    if address.kind != "postgresql":
        check_file(Path(address.text), there=True)
    with _opened(address.kind)(address.text, table, query) as (schema, batches):
        return _written(schema, batches, folder / COPY)


def _opened(kind: str) -> "Callable[[str, str | None, str | None], AbstractContextManager[Records]]":
    if kind == "postgresql":
        from incrowd.read.sources.postgres import records

        return records
    return _duckdb_records if kind == "duckdb" else _sqlite_records


def _written(given: "pa.Schema", batches: "Iterable[pa.RecordBatch]", path: Path) -> tuple[Path, str]:
    """Write records; columns whose values no step can use are left out."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    usable = [field for field in given if _is_usable(field)]
    schema = pa.schema(usable, metadata=given.metadata)
    digest, rows = RecordDigest(schema), 0
    with pq.ParquetWriter(path, schema, compression="lz4") as writer:
        for batch in batches:
            usable_batch = pa.record_batch([batch.column(field.name) for field in usable], schema=schema)
            digest.add(usable_batch)
            writer.write_batch(usable_batch)
            rows += usable_batch.num_rows
            tell("reading the database", rows, rows + 1)
    tell("reading the database", rows, rows)
    return path, digest.hexdigest()


def _is_usable(field: "pa.Field") -> bool:
    import pyarrow.types as types

    return sort_of(field.type) != "other" or types.is_boolean(field.type) or EXTENSION in (field.metadata or {})


def selected(table: str | None, query: str | None, tables: Mapping[str, str], place: str) -> str:
    """What to select from: a query in brackets, or a table that is there; the only table if none is named.

    Args:
        table: The name of a table.
        query: A SELECT statement.
        tables: How SQL writes each table, by its name.
        place: What messages call the database.
    """
    if query is not None:
        # On lines of its own: a query may end in a comment.
        return f"(\n{query.strip().rstrip(';')}\n) AS records"
    names = sorted(tables)
    if table is None and len(names) == 1:
        table = names[0]
    if table is None or table not in names:
        more = f", and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
        listed = f"has: {', '.join(names[:_LISTED])}{more}" if names else "has none that you may read"
        missing = "name a table" if table is None else f"there is no table {table!r}"
        raise DataError(f"{missing} of {place} ({listed}); pass table=NAME (--table NAME), or a query (--query SQL).")
    return tables[table]


def named_tables(pairs: Iterable[tuple[str, str]], own: str) -> dict[str, str]:
    """How SQL writes each table of some schemas; those of our own schema are named without it."""
    return {
        name if schema == own else f"{schema}.{name}": f"{identifier(schema)}.{identifier(name)}"
        for schema, name in pairs
    }


def own(table: str | None, schema: str) -> str | None:
    """A table of our own schema, which may be named with it, without it."""
    return table and table.removeprefix(f"{schema}.")


def refused(place: str, why: str) -> DataError:
    """The sentence for a query or table that the database does not give, in words of our own: its own quote values."""
    return DataError(f"{place} did not give the records: {why}; try the query in the database itself.")


@contextmanager
def _duckdb_records(path: str, table: str | None, query: str | None) -> Iterator[Records]:
    """The records of a DuckDB file, which is opened for reading alone and may read no other file."""
    import duckdb
    import pyarrow as pa

    try:
        with duckdb.connect(path, read_only=True, config={"memory_limit": _MEMORY}) as connection:
            connection.execute(
                "SET TimeZone='UTC'; SET enable_progress_bar=false; SET autoinstall_known_extensions=false;"
                "SET autoload_known_extensions=false; SET enable_external_access=false; SET lock_configuration=true"
            )
            listed = connection.execute(
                "SELECT table_schema, table_name FROM information_schema.tables "
                "WHERE table_catalog = current_database()"
            ).fetchall()
            origin = selected(own(table, "main"), query, named_tables(listed, "main"), path)
            reader = connection.sql(f"SELECT * FROM {origin}").to_arrow_reader(ROWS)  # noqa: S608 - names are quoted
            yield reader.schema, reader
    except duckdb.CatalogException:
        raise refused(path, "the query names a table or function that is not there") from None
    except duckdb.BinderException:
        raise refused(path, "the query names a column that is not there, or mixes types") from None
    except duckdb.ParserException:
        raise refused(path, "the query is not one SELECT statement") from None
    except duckdb.IOException:
        raise DataError(
            f"{path} cannot be opened as a DuckDB database; another program may write it, or it is of another format "
            "or a newer version."
        ) from None
    except (duckdb.Error, pa.ArrowException) as error:
        raise refused(path, f"it stopped while reading ({type(error).__name__})") from None


@contextmanager
def _sqlite_records(path: str, table: str | None, query: str | None) -> Iterator[Records]:
    """The records of an SQLite file, opened for reading alone; a column has the type that fits all its values."""
    import pyarrow as pa

    try:
        with closing(sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("BEGIN")  # what is looked at first is what is read
            listed = connection.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
            )
            origin = selected(table, query, {name: identifier(name) for (name,) in listed}, path)
            names = [one[0] for one in connection.execute(f"SELECT * FROM {origin} LIMIT 0").description]  # noqa: S608
            if len(set(map(str.lower, names))) < len(names):
                raise DataError(f"two columns of the records of {path} have one name; rename one in a query.")
            kinds = _kinds(connection, origin, names)
            columns = ", ".join(map(identifier, kinds)) or "NULL"  # one of blobs is left out
            schema = pa.schema([(name, pa.type_for_alias(_ARROW[kind])) for name, kind in kinds.items()])
            rows = connection.execute(f"SELECT {columns} FROM {origin}")  # noqa: S608
            yield schema, _batches(rows, schema, mixed={name for name, kind in kinds.items() if kind == "mixed"})
    except sqlite3.OperationalError as error:
        reasons = {"locked": "another program writes it", "decode": "a text is not UTF-8"}
        usual = "a table or column is not there, or the query is not one SELECT statement"
        raise refused(path, next((why for mark, why in reasons.items() if mark in str(error)), usual)) from None
    except (sqlite3.Error, OverflowError, UnicodeError):
        raise DataError(f"{path} cannot be read as an SQLite database; it is damaged or of another format.") from None


_ARROW = {"integer": "int64", "real": "float64", "text": "string", "mixed": "string"}


def _kinds(connection: sqlite3.Connection, origin: str, names: Sequence[str]) -> dict[str, str]:
    """What each column holds, by all its values: SQLite does not keep to the types of a table."""
    typed = ", ".join(f"group_concat(DISTINCT typeof({identifier(name)}))" for name in names)
    answers = connection.execute(f"SELECT {typed} FROM {origin}").fetchone()  # noqa: S608 - names are quoted
    kinds = {}
    for name, answer in zip(names, answers, strict=True):
        types = set((answer or "null").split(",")) - {"null"}
        if "blob" not in types:
            kinds[name] = _kind(types)
    return kinds


def _kind(types: set[str]) -> str:
    if "text" in types or not types:
        return "mixed" if len(types) > 1 else "text"
    return "real" if "real" in types else "integer"


def _batches(rows: sqlite3.Cursor, schema: "pa.Schema", mixed: set[str]) -> Iterator["pa.RecordBatch"]:
    import pyarrow as pa

    while chunk := rows.fetchmany(ROWS):
        columns = zip(*chunk, strict=True)
        arrays = [
            pa.array(map(_text, column) if field.name in mixed else column, field.type)
            for column, field in zip(columns, schema, strict=False)
        ]
        yield pa.record_batch(arrays, schema=schema)


def _text(value: Any) -> str | None:
    """A value of a column that mixes types, with every digit of a number."""
    return value if value is None or isinstance(value, str) else repr(value)


class RecordDigest:
    """The digest of records by column: which values are there, how long texts and lists are, and the values.

    >>> import pyarrow as pa
    >>> one, two = (pa.record_batch({"user": ["a", None]}), pa.record_batch({"user": ["a"]}))
    >>> first, second = RecordDigest(one.schema), RecordDigest(one.schema)
    >>> first.add(one), second.add(one.slice(0, 1)), second.add(one.slice(1)), first.hexdigest() == second.hexdigest()
    (None, None, None, True)
    """

    def __init__(self, schema: "pa.Schema") -> None:
        self._names = [f"{field.name}\0{field.type}" for field in schema]
        self._parts: dict[tuple[int, str], hashlib._Hash] = {}

    def add(self, batch: "pa.RecordBatch") -> None:
        """Take in the next records."""
        for place, column in enumerate(batch.columns):
            self._column(place, column, "")

    def hexdigest(self) -> str:
        """The digest of all records so far."""
        whole = hashlib.sha256()
        for place, name in enumerate(self._names):
            whole.update(name.encode())
            for (_, part), digest in sorted((key, value) for key, value in self._parts.items() if key[0] == place):
                whole.update(part.encode() + digest.digest())
        return whole.hexdigest()

    def _column(self, place: int, column: "pa.Array", depth: str) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.types as types

        if types.is_dictionary(column.type):
            column = column.dictionary_decode()
        absent = missing(column)
        self._feed(place, f"{depth}missing", absent.astype(np.uint8).tobytes())
        if types.is_list(column.type) or types.is_large_list(column.type):
            lengths = pc.fill_null(pc.list_value_length(column), 0).cast(pa.int64())
            self._feed(place, f"{depth}length", values(lengths, np.int64).tobytes())
            self._column(place, column.drop_null().flatten(), f"{depth}item ")
        elif types.is_string(column.type) or types.is_binary(column.type) or types.is_large_string(column.type):
            texts = column.drop_null().cast(pa.large_binary())
            self._feed(place, f"{depth}length", values(pc.binary_length(texts), np.int64).tobytes())
            self._feed(place, f"{depth}value", _joined(texts))
        else:
            self._feed(place, f"{depth}value", _fixed(column.drop_null()))

    def _feed(self, place: int, part: str, data: bytes) -> None:
        self._parts.setdefault((place, part), hashlib.sha256()).update(data)


def _joined(texts: "pa.Array") -> bytes:
    """All texts of a column, one behind the other."""
    _, offsets, data = texts.buffers()
    if data is None:
        return b""
    ends = np.frombuffer(offsets, np.int64)
    return bytes(data[int(ends[texts.offset]) : int(ends[texts.offset + len(texts)])])


def _fixed(column: "pa.Array") -> bytes:
    """The bytes of values of one width, whatever they mean."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        column = column.cast(pa.uint8())
    width = column.type.bit_width // 8
    data = column.buffers()[1]
    return b"" if data is None else bytes(data[width * column.offset : width * (column.offset + len(column))])
