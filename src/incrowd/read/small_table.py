"""Columns of published counts -> labels of cells, numbers, counts that may be suppressed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Floats, Ints
from incrowd.clock import FIRST, LAST, PER_SECOND
from incrowd.columns import refuse
from incrowd.errors import DataError, check_choice
from incrowd.read.arrow import stream_of
from incrowd.read.files import DELIMITERS, find_files
from incrowd.read.layouts import ALIASES, column_advice, layout_of, listed, plain

if TYPE_CHECKING:
    import pyarrow as pa

Texts = NDArray[np.str_]

# Most telling name first, as in layouts.ALIASES.
NAMES: Mapping[str, tuple[str, ...]] = {
    "slot": ("slot", "timestamp", "datetime", "time", "t", "period", "interval"),
    "hour": ("hour",),
    "date": ("date",),
    "cell": (
        *("cell", "cell_id", "tower", "tower_id", "zone", "zone_id", "region", "station", "station_id"),
        *("site", "site_id", "grid_id", "location", "location_id", "area", "id"),
    ),
    "n": ("n", "count", "counts", "people", "persons", "users", "devices", "visitors", "value", "total"),
    "x": ("x",),
    "y": ("y",),
    "lon": ("lon", "lng", "long", "longitude"),
    "lat": ("lat", "latitude"),
    "label": ("region", "district", "zone", "area", "municipality"),
}
# Blank, * or **, .., -, NA, N/A, NULL, a letter such as s, <5 or ≤5.0, 1-4.
SUPPRESSED = r"(?i)^\s*(\*+|\.{2,}|…|[-–—]|n/?a|null|none|[scx]|(<=?|≤)\s*\d+(\.\d+)?|\d+\s*[-–]\s*\d+)?\s*$"
SUPPRESSED_AS = "suppressed counts are blank, *, .., -, NA, <5 or 1-4"
_NUMBERS = ("lon", "lat", "x", "y", "n")
_COMMA = r"^\s*[+-]?\d+,\d+\s*$"


@dataclass(frozen=True)
class SmallTable:
    """A table whose columns are known by their role; `place` names it in messages."""

    table: "pa.Table"
    given: Mapping[str, str]
    place: str
    text: bool = False  # CSV, where what is missing is blank
    decimal: str = "."

    def has(self, role: str) -> bool:
        """Whether there is such a column."""
        return self.name(role) is not None

    def __getitem__(self, role: str) -> "pa.Array":
        name = self.name(role)
        if name is None:
            header = listed(self.table.column_names)
            advice = column_advice(role, self.table.column_names if header.startswith("has: ") else ())
            raise DataError(f"{self.place} has no column for {role} ({header}); {advice}.")
        column = _plain(self.table[name], f"the column for {role} of {self.place}")
        return _with_points(column, role) if self.decimal == "," and role in _NUMBERS else column

    @property
    def counted(self) -> bool:
        """Whether these are counts rather than records: slots, cells and numbers, and no users."""
        if not all(map(self.has, ("cell", "n"))) or not any(map(self.has, ("slot", "hour", "date"))):
            return False
        others = set(self.table.column_names) - {self.name("cell")}  # an id may be that of a cell
        return not any(plain(name) in ALIASES["user"] for name in others)

    def name(self, role: str) -> str | None:
        """What the column is called; None if there is none; two are refused."""
        names = self.table.column_names
        if role in self.given:
            matches = [name for name in names if name == self.given[role]]
        else:
            by_alias = ([name for name in names if name.strip().lower() == alias] for alias in NAMES[role])
            matches = next(filter(None, by_alias), [])
        if len(matches) > 1:
            raise DataError(f"{self.place} has {len(matches)} columns of one name for {role}; rename all but one.")
        return matches[0] if matches else None


def _plain(chunks: "pa.ChunkedArray", what: str) -> "pa.Array":
    """The same values as text or numbers, however they were packed."""
    import pyarrow as pa

    if pa.types.is_dictionary(chunks.type):
        # One by one: Arrow neither joins nor unpacks dictionaries of views.
        kind = pa.string() if pa.types.is_string_view(chunks.type.value_type) else chunks.type.value_type
        chunks = pa.chunked_array([one.dictionary.cast(kind).take(one.indices) for one in chunks.chunks], kind)
    column = chunks.combine_chunks()
    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        raise DataError(f"{what} holds nested or binary values; give one plain value per row.")
    if pa.types.is_timestamp(column.type):
        seconds = np.asarray(column.fill_null(0).cast(pa.int64())) // PER_SECOND[column.type.unit]
        refuse((seconds < FIRST) | (seconds > LAST), f"{what} is outside the calendar", "check the year")
    return column.cast(pa.string()) if pa.types.is_string_view(column.type) else column


def _with_points(column: "pa.Array", role: str) -> "pa.Array":
    """Numbers in text with decimal commas, with decimal points."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    point = pc.fill_null(pc.match_substring_regex(column, r"\d\.\d"), False)
    refuse(np.asarray(point), f"{role} has a decimal point, and decimal signs are commas", "write one decimal sign")
    return pc.replace_substring(column, ",", ".")


def columns_of(source: Any, given: Mapping[str, str] | None, decimal: str | None = None) -> SmallTable:
    """The columns of CSV or Parquet files, or of any data frame that supports Arrow; CSV stays text.

    The decimal sign is a comma if a place in a file whose fields are not separated by commas has one.
    """
    import pyarrow as pa

    if decimal is not None:
        check_choice("decimal", decimal, (".", ","))
    if hasattr(source, "__arrow_c_stream__"):
        return SmallTable(stream_of(source).read_all(), given or {}, "the data frame", decimal=decimal or ".")
    if not isinstance(source, (str, Path, list, tuple)):
        raise DataError(f"cannot read a {type(source).__name__}; give a path or a data frame that supports Arrow.")
    files = _files(source)
    delimiters = [_delimiter(file) for file in files]
    tables = [_read(file, delimiter) for file, delimiter in zip(files, delimiters, strict=True)]
    for file, table in zip(files, tables, strict=True):
        if table.column_names != tables[0].column_names:
            raise DataError(f"{file.name} has other columns than {files[0].name}; give files of one kind.")
    try:
        table = tables[0] if len(tables) == 1 else pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException:
        raise DataError(
            f"{files[0].name} and the files beside it hold other kinds of values; write them alike."
        ) from None
    place = files[0].name if len(files) == 1 else f"the table of {len(files)} files"
    sign = decimal or ("." if {",", ""} & set(delimiters) else _decimal(table, given or {}))
    return SmallTable(table, given or {}, place, text=all(file.suffix != ".parquet" for file in files), decimal=sign)


def _decimal(table: "pa.Table", given: Mapping[str, str]) -> str:
    """The decimal sign of the places in a table of text."""
    import pyarrow.compute as pc

    roles = ("lon", "lat", "x", "y")
    known = {alias for role in roles for alias in NAMES[role]} | {given[role] for role in roles if role in given}
    places = [i for i, name in enumerate(table.column_names) if name in known or name.strip().lower() in known]
    return "," if any(pc.any(pc.match_substring_regex(table.column(i), _COMMA)).as_py() for i in places) else "."


def _files(source: Any) -> list[Path]:
    """Every file meant by a path, list, glob or folder; one that is named may be called anything."""
    if isinstance(source, (str, Path)) and Path(source).is_file():
        return [Path(source)]
    return find_files(source, layout_of(None))


def _read(path: Path, delimiter: str) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return _csv(path, delimiter) if delimiter else pq.read_table(path)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        # The cause is left out: it may quote a value.
        raise _no_table(path) from None


def _no_table(path: Path) -> DataError:
    return DataError(f"{path.name} cannot be read as a table; give CSV in UTF-8 with a header, or Parquet.")


def _delimiter(path: Path) -> str:
    """What separates the fields of CSV, by its header; empty for Parquet."""
    import pyarrow as pa

    if path.suffix == ".parquet":
        return ""
    try:
        with pa.input_stream(path) as stream:
            header = bytes(stream.read(1 << 16)).decode("utf-8-sig", "replace").splitlines()[:1]
    except (pa.ArrowException, OSError):
        raise _no_table(path) from None
    return max(DELIMITERS, key="".join(header).count)


def _csv(path: Path, delimiter: str) -> "pa.Table":
    """All columns as text: a label such as 007 is not a number, and <5 is not an error."""
    import pyarrow as pa
    import pyarrow.csv as pc

    parse = pc.ParseOptions(delimiter=delimiter)
    with pc.open_csv(path, parse_options=parse) as file:
        names = file.schema.names
    return pc.read_csv(
        path, parse_options=parse, convert_options=pc.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    )


class Labels(NamedTuple):
    """Distinct labels in order, as text, and which of them each row has."""

    names: Texts
    code: Ints


def labels(column: "pa.Array", name: str) -> Labels:
    """Labels without blanks around them; a missing one is refused."""
    refuse(np.asarray(column.is_null()), f"{name} is missing", "label every row")
    coded = column.dictionary_encode()
    texts = np.array([_label(value) for value in coded.dictionary.to_pylist()], np.str_)
    names, which = np.unique(texts, return_inverse=True)
    rows = Labels(names, which[np.asarray(coded.indices)])
    refuse(names[rows.code] == "", f"{name} is blank", "label every row")
    return rows


def _label(value: Any) -> str:
    """A whole number is the same label as an integer, as a float and as text."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def numbers(column: "pa.Array", name: str) -> Floats:
    """Finite numbers; anything else is refused."""
    values = _floats(column, name, "give numbers with a decimal point, or pass decimal=',' (--decimal ,)")
    refuse(~np.isfinite(values), f"{name} is missing or infinite", "give a number in every row")
    return values


def counted(column: "pa.Array", name: str) -> tuple[Floats, Flags]:
    """Counts, not a number where one is suppressed, and where that is."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        hidden = pc.fill_null(pc.match_substring_regex(column, SUPPRESSED), True)
        column = pc.if_else(hidden, pa.scalar(None, column.type), column)
    values = _floats(column, name, SUPPRESSED_AS)
    refuse(np.isinf(values), f"{name} is infinite", "give a number or leave it blank")
    return values, np.isnan(values)


def _floats(column: "pa.Array", name: str, advice: str) -> Floats:
    """float64, not a number where a value is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    try:
        values: Floats = (pc.utf8_trim_whitespace(column) if text else column).cast(pa.float64()).to_numpy(False)
    except pa.ArrowException:
        bad = [value is not None and not is_number(value) for value in column.to_pylist()]
        refuse(np.array(bad, np.bool_), f"{name} is not a number", advice)
        raise DataError(f"{name} holds {column.type} values; {advice}.") from None
    return values


def is_number(value: Any) -> bool:
    """Whether a value reads as one; 1_000 does not."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return "_" not in str(value)
