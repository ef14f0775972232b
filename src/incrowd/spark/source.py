"""A Parquet path, a table name or a DataFrame -> the columns of records that are needed, and how to read them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as all of Spark's users write it

from incrowd.clock import WINDOWS
from incrowd.data.files import noted
from incrowd.errors import DataError, ParameterError
from incrowd.read._table import request_of
from incrowd.read.files import find_files, format_of
from incrowd.read.layouts import Layout
from incrowd.read.sources.parquet import identifier, scan_of, schema_of
from incrowd.read.sources.scan import Request, Scan
from incrowd.spark.session import SPARK_ERRORS

if TYPE_CHECKING:
    import pyarrow as pa

FILE, ROW, KEY = "file_index", "incrowd_row", "incrowd_key"
_URI = "incrowd_uri"
_PATTERN = r"[][{}*?\\]"  # has a meaning in a path of Spark
_NANOSECONDS = "TIMESTAMP(NANOS"
_NO_CSV = (
    "Spark reads Parquet only, as the many ways to write CSV are parsed on one machine; convert the files first: "
    "incrowd read FILE -o FILE.parquet."
)


@dataclass(frozen=True)
class Opened:
    """What is read from where: rows of `frame` are whole records, which `scan` says how to check."""

    frame: DataFrame  # the columns needed, and of files also which file and row it is
    names: dict[str, str]  # of its columns in the source; mapInArrow of PySpark 4.3 takes no dot or backtick in a name
    scan: Scan
    zone: ZoneInfo | None
    unit: str | None  # of times that are numbers
    saved: tuple[Any, ...]  # what incrowd noted in each file
    bad_rows: Path | None

    @property
    def has_order(self) -> bool:
        """Whether rows have an order: those of files have, those of a table or a DataFrame have none."""
        return bool(self.scan.files)


def open_source(spark: SparkSession, source: Any, options: dict[str, Any]) -> Opened:
    """Check the options and the columns, before any record is read."""
    if options.pop("memory_mb", None) is not None:
        raise ParameterError("memory_mb is for one machine; on Spark the memory of a task decides (docs/scale.md).")
    if options.pop("table", None) is not None or options.pop("query", None) is not None:
        raise ParameterError("table and query are for databases; give the name of a table of Spark as the source.")
    request, zone, bad_rows = request_of(**options)
    if request.layout.kind not in (None, "parquet"):
        raise ParameterError(_NO_CSV)
    frame, files, schemas = _found(spark, source, request.layout)
    if bad_rows is not None and not files:
        raise ParameterError(
            "bad_rows needs files: rows of a table or a DataFrame have no number; filter them in Spark, or save the "
            "table as Parquet."
        )
    scan, saved = _scan(frame, files, schemas, request)
    used = " ".join(scan.selection.sql.values())
    names = {f"column{place}": name for place, name in enumerate(frame.columns) if identifier(name) in used}
    columns = [_column(name).alias(plain) for plain, name in names.items()]
    columns += [F.col(FILE), F.col(ROW)] if files else []
    rows = frame.select(*columns, _key(frame, scan).alias(KEY))
    return Opened(rows, names, scan, zone, _unit(frame, scan), saved, bad_rows)


def _found(spark: SparkSession, source: Any, layout: Layout) -> tuple[DataFrame, list[Path], "list[pa.Schema]"]:
    """The rows, and of files their paths in the order in which they are read, and their schemas if they are local."""
    if isinstance(source, DataFrame):
        return source, [], []
    if not isinstance(source, (str, Path, list, tuple)):
        what = type(source).__name__
        raise DataError(f"cannot read a {what} on Spark; give a Parquet path, a table name or a DataFrame of Spark.")
    given = [_local(str(one)) for one in (source if isinstance(source, (list, tuple)) else [source])]
    if any("://" in one for one in given) or not _is_here(given, layout):
        return _elsewhere(spark, given)
    files = find_files(given, layout)
    if format_of(files[0], layout) != "parquet":
        raise ParameterError(_NO_CSV)
    schemas = [schema_of(file) for file in files]
    for file, schema in zip(files, schemas, strict=True):
        if set(schema.names) != set(schemas[0].names):
            raise DataError(f"{file} has other columns than {files[0]}; read them apart, or give both the same ones.")
    return _bare_times(_numbered(spark, [f"file://{file.resolve()}" for file in files]), files, schemas), files, schemas


def _bare_times(frame: DataFrame, files: list[Path], schemas: "list[pa.Schema]") -> DataFrame:
    """Times of 96 bits as one machine reads them, without an offset; for Spark they are in UTC, whoever wrote them."""
    from pyarrow import timestamp

    bare = [tuple(field.name for field in schema if field.type == timestamp("ns")) for schema in schemas]
    for file, names in zip(files, bare, strict=True):
        if set(names) != set(bare[0]):
            raise DataError(f"{file} has times of another type than {files[0]}; read them apart.")
    return frame.withColumns({name: _column(name).cast("timestamp_ntz") for name in bare[0]})


def _local(path: str) -> str:
    return unquote(urlsplit(path).path) if path.startswith("file:") else path


def _is_here(given: Sequence[str], layout: Layout) -> bool:
    """Whether paths name files of this machine."""
    try:
        find_files(list(given), layout)
    except DataError as error:
        if any(Path(one).exists() for one in given) or len(given) != 1:
            raise
        return "cannot tell" in str(error)
    return True


def _elsewhere(spark: SparkSession, given: list[str]) -> tuple[DataFrame, list[Path], "list[pa.Schema]"]:
    """Files of another file system, or a table of the catalogue."""
    try:
        if len(given) == 1 and "/" not in given[0] and spark.catalog.tableExists(given[0]):
            return spark.table(given[0]), [], []
        paths = sorted(map(unquote, spark.read.parquet(*given).inputFiles()))
    except SPARK_ERRORS as error:
        raise _unreadable(given[0], error) from None
    return _numbered(spark, paths), [Path(path) for path in paths], []


def _numbered(spark: SparkSession, paths: list[str]) -> DataFrame:
    """All rows of files, with the number of their file in this order and of their row in it."""
    try:
        # Each file is its own base: what its folders say of users and attributes is read as on one machine.
        frame = spark.read.parquet(*(re.sub(_PATTERN, r"\\\g<0>", path) for path in paths))
    except SPARK_ERRORS as error:
        raise _unreadable(paths[0].removeprefix("file://"), error) from None
    places = {_bare(path): number for number, path in enumerate(paths)}
    listed = {uri: places[_bare(unquote(uri))] for uri in frame.inputFiles()}
    listed |= {_bare(uri): number for uri, number in listed.items()}
    values = ", ".join(f"({_literal(uri)}, {number}L)" for uri, number in listed.items())
    numbers = spark.sql(f"SELECT * FROM VALUES {values} AS files({_URI}, {FILE})")  # noqa: S608 - quoted
    placed = frame.select("*", F.col("_metadata.file_path").alias(_URI), F.col("_metadata.row_index").alias(ROW))
    return placed.join(F.broadcast(numbers), _URI, "left").drop(_URI)


def _bare(uri: str) -> str:
    """The name of a file with one slash, as Spark writes it beside a row if there is no host."""
    return re.sub("^([a-z0-9]+:/)//", r"\1", uri)


def _literal(text: str) -> str:
    """A text as SQL writes it."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _unreadable(place: str, error: Exception) -> DataError:
    if _NANOSECONDS in str(error):
        return DataError(f"{place} has times in nanoseconds, which Spark does not read; write them in microseconds.")
    name = getattr(error, "getCondition", lambda: None)() or type(error).__name__
    if name == "COLUMN_ALREADY_EXISTS":
        return DataError(
            f"{place} has names of columns that differ in case alone, which Spark does not tell apart; rename them, or "
            "set spark.sql.caseSensitive=true."
        )
    return DataError(f"Spark cannot read {place} ({name}); give a Parquet path, a table name or a DataFrame.")


def _scan(
    frame: DataFrame, files: list[Path], schemas: "list[pa.Schema]", request: Request
) -> tuple[Scan, tuple[Any, ...]]:
    """How each record is checked: as on one machine, with the columns as Spark hands them over."""
    visible = [name for name in frame.columns if name not in (FILE, ROW)]
    schema = frame.select(*map(_column, visible)).limit(0).toArrow().schema
    saved = tuple(noted(own.metadata, str(file)) for file, own in zip(files, schemas, strict=False))
    if len({(note.get("noun"), note.get("planar")) for note in saved}) > 1:
        raise DataError(
            "some of the files are in other coordinates than the first, or saved by incrowd while others are not; read "
            "them apart."
        )
    if schemas:
        schema = schema.with_metadata(schemas[0].metadata)
    scan = scan_of(files, "frame", schema, replace(request, set_aside=True))
    return replace(scan, numbered=ROW if files else ""), saved or ({},)


def _key(frame: DataFrame, scan: Scan) -> Column:
    """What records of one user have in common, so that they meet in one block."""
    if "user" in scan.constants:
        users = scan.constants["user"]  # of each file
        code = {user: number for number, user in enumerate(users)}
        return F.get(F.lit([code[user] for user in users]), F.col(FILE).cast("int"))
    name = scan.selection.names["user"]
    key = _column(name)
    return key if frame.schema[name].dataType.typeName() == "string" else key.try_cast("bigint")


def _unit(frame: DataFrame, scan: Scan) -> str | None:
    """The unit of times that are numbers: that of their median."""
    if not scan.selection.epoch or scan.saved:
        return None
    size = F.abs(_column(scan.selection.names["t"]).cast("double"))
    low = [
        (f"{unit}{end}", F.count(F.when(size < bound, 1)))
        for unit, ends in WINDOWS.items()
        for end, bound in enumerate(ends)
    ]
    finite = frame.where(size < float("inf"))
    row = finite.agg(F.count(F.lit(1)).alias("n"), *(count.alias(name) for name, count in low)).first()
    middle = row["n"] // 2 if row is not None else 0
    unit = next((u for u in WINDOWS if row is not None and row[f"{u}0"] <= middle < row[f"{u}1"]), None)
    if unit is None and row is not None and row["n"]:
        raise DataError(
            f"the numbers in column {scan.selection.names['t']!r} of {scan.place} are not seconds, milliseconds, "
            "microseconds or nanoseconds since 1970; give one of these, or ISO 8601."
        )
    return unit


def _column(name: str) -> Column:
    return F.expr("`" + name.replace("`", "``") + "`")  # col() knows no backtick within a name
