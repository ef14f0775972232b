"""A table or query of PostgreSQL, with or without PostGIS -> Arrow batches through ADBC."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from incrowd.errors import DataError, MissingExtra
from incrowd.read.sources.databases import Records, named_tables, own, refused, selected
from incrowd.read.sources.parquet import EXTENSION, identifier

if TYPE_CHECKING:
    import pyarrow as pa

_CONNECT_S = 10
_TYPE = b"POSTGRESQL:type"
_GEOMETRY = ("geometry", "geography")
# How columns are asked for; a numeric goes through a text, in which it keeps every digit.
_AS = {"uuid": "{}::text", "bpchar": "{}::text", "numeric": "round(nullif({}, 'NaN'), 9)::text"}
_DIGITS, _DECIMALS = 38, 9
_WHERE = {
    "Connection refused": "no server answers there",
    "timeout expired": "no server answers there",
    "translate host name": "there is no such host",
    "No such file or directory": "no server answers there",
    "no password supplied": "it asks for a password; set PGPASSWORD, or write it into ~/.pgpass",
    "password authentication failed": "user or password are wrong; check PGUSER and PGPASSWORD",
    "definition of service": "there is no such service; check PGSERVICEFILE",
    "does not exist": "there is no such database or user",
    "no pg_hba.conf entry": "the server does not let this user in from here",
    "SSL": "the secure connection failed; check sslmode",
}
_REASONS = {
    "42P01": "the query names a table that is not there",
    "42703": "the query names a column that is not there",
    "42883": "the query names a function that is not there, or with other types",
    "42601": "the query is not one SELECT statement",
    "42501": "you may not read it",
    "25006": "the query would write, and incrowd only reads",
    "57014": "it took longer than the server allows",
    "22P05": "a text is not UTF-8",
}
_TABLES = """
    SELECT n.nspname, c.relname, coalesce(current_schema(), '')
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
      AND n.nspname NOT LIKE 'pg_t%' AND has_table_privilege(c.oid, 'SELECT')
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')"""
# Rows in the same order whenever a table is read again, so that its digest stays.
_SETTINGS = (
    "SET default_transaction_read_only = on",
    "SET max_parallel_workers_per_gather = 0",
    "SET synchronize_seqscans = off",
    "SET TimeZone = 'UTC'",
)


@contextmanager
def records(address: str, table: str | None, query: str | None) -> Iterator[Records]:
    """The records of a table or query; points are turned into longitude and latitude (WGS 84) by the database."""
    try:
        import adbc_driver_postgresql.dbapi as driver
        import pyarrow as pa
    except ImportError as error:
        raise MissingExtra("databases of PostgreSQL need ADBC; install it with: pip install 'incrowd[sql]'.") from error
    try:
        connection = driver.connect(with_timeout(address, _CONNECT_S), autocommit=True)
    except driver.Error as error:
        raise _unreachable(address, str(error)) from None
    try:
        with closing(connection), closing(connection.cursor()) as cursor:
            for setting in _SETTINGS:
                cursor.execute(setting)
            cursor.execute(_TABLES)
            listed = cursor.fetchall()
            schema = listed[0][2] if listed else ""
            tables = named_tables([(place, name) for place, name, _ in listed], schema)
            yield _read(cursor, selected(own(table, schema), query, tables, address), address)
    except (driver.Error, pa.ArrowException, OSError) as error:
        raise refused(address, _reason(error)) from None


def _read(cursor: Any, origin: str, place: str) -> Records:
    cursor.execute(f"SELECT * FROM {origin} LIMIT 0")  # noqa: S608 - names are quoted
    columns = cursor.fetch_record_batch().schema
    if len(set(columns.names)) < len(columns.names):
        raise DataError(f"two columns of the records of {place} have one name; rename one in a query.")
    types = {field.name: (field.metadata or {}).get(_TYPE, b"").decode() for field in columns}
    point = _point(cursor, [name for name, kind in types.items() if kind in _GEOMETRY], origin, place)
    chosen = []
    for name, kind in types.items():
        column = identifier(name)
        if name == point:
            # Without height and measure; a geography is in degrees already.
            chosen.append(f"ST_AsBinary(ST_Force2D(ST_Transform({column}::geometry, 4326))) AS {column}")
        elif kind not in _GEOMETRY:
            chosen.append(f"{_AS.get(kind, '{}').format(column)} AS {column}")
    cursor.execute(f"SELECT {', '.join(chosen)} FROM {origin}")  # noqa: S608 - names are quoted
    reader = cursor.fetch_record_batch()
    numeric = {name for name, kind in types.items() if kind == "numeric"}
    schema = _plain(reader.schema, numeric, point)
    return schema, (_exact(batch, schema) for batch in reader)


def _point(cursor: Any, names: list[str], origin: str, place: str) -> str | None:
    """The column of points, if there is one; what cannot be read as points in degrees is refused."""
    if not names:
        return None
    if len(names) > 1:
        raise DataError(
            f"the records of {place} have {len(names)} columns of geometry ({', '.join(names)}); give a query "
            "(--query SQL) that selects one."
        )
    column = identifier(names[0])
    cursor.execute(
        f"SELECT GeometryType({column}::geometry), ST_SRID({column}::geometry) FROM {origin} "  # noqa: S608
        f"WHERE {column} IS NOT NULL LIMIT 1"
    )
    first = cursor.fetchone()
    kind, system = first or ("POINT", 4326)
    if not kind.startswith("POINT"):
        raise DataError(
            f"column {names[0]!r} of {place} holds {kind} and not points; give a query (--query SQL) that makes a "
            "record of each point, such as one with (ST_DumpPoints(geom)).geom AS geom."
        )
    if not system:
        raise DataError(
            f"column {names[0]!r} of {place} does not say its coordinate system (SRID 0); set it in a query (--query "
            "SQL), such as with ST_SetSRID(geom, 4326) AS geom."
        )
    return names[0]


def _plain(schema: "pa.Schema", numeric: set[str], point: str | None) -> "pa.Schema":
    """The columns without the marks of the driver; numbers that it writes as text are numbers, points are marked."""
    import pyarrow as pa

    kind, mark = pa.decimal128(_DIGITS, _DECIMALS), {EXTENSION: b"geoarrow.wkb"}
    return pa.schema(
        [
            pa.field(one.name, kind if one.name in numeric else one.type, metadata=mark if one.name == point else None)
            for one in schema
        ]
    )


def _exact(batch: "pa.RecordBatch", schema: "pa.Schema") -> "pa.RecordBatch":
    import pyarrow as pa

    columns = [column.cast(field.type) for column, field in zip(batch.columns, schema, strict=True)]
    return pa.record_batch(columns, schema=schema)


def _unreachable(address: str, message: str) -> DataError:
    """The sentence for a server that does not let us in, in words of our own."""
    why = next((words for mark, words in _WHERE.items() if mark in message), "the server refused")
    return DataError(f"cannot connect to {address}: {why}.")


def _reason(error: Exception) -> str:
    """Why a query failed, by its SQLSTATE; the message itself may quote a value."""
    state = getattr(error, "sqlstate", None)
    return _REASONS.get(state or "", f"it stopped while reading{f' (SQLSTATE {state})' if state else ''}")


def with_timeout(text: str, seconds: int) -> str:
    """The address of a database, with a limit on how long connecting may take unless it has one.

    >>> with_timeout("postgresql://host/city?sslmode=require", 10)
    'postgresql://host/city?sslmode=require&connect_timeout=10'
    """
    options = urlsplit(text).query
    if "connect_timeout" in options:
        return text
    return f"{text}{'&' if options else '?'}connect_timeout={quote(str(seconds))}"
