"""Columns of published counts -> numbers: slots or times, labels of cells, counts that may be suppressed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.errors import DataError
from incrowd.read.layouts import listed

if TYPE_CHECKING:
    import pyarrow as pa

Mask = NDArray[np.bool_]
Texts = NDArray[np.str_]

# Most telling name first, as in layouts.ALIASES.
NAMES: Mapping[str, tuple[str, ...]] = {
    "slot": ("slot", "timestamp", "datetime", "time", "t", "period", "interval", "hour", "date"),
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
SUPPRESSED = r"^\s*(\*|<=?\s*\d+)?\s*$"  # blank, * or <5
_EPOCH = datetime(1970, 1, 1)
_DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class Columns:
    """A table of which every column can be asked for by its role; `place` names it in messages."""

    table: "pa.Table"
    given: Mapping[str, str]
    place: str

    def has(self, role: str) -> bool:
        """Whether there is such a column."""
        return self._name(role) is not None

    def __getitem__(self, role: str) -> "pa.Array":
        name = self._name(role)
        if name is None:
            said = listed(self.table.column_names)
            advice = f"pass columns={{'{role}': …}} (--column {role}=…)"
            raise DataError(f"{self.place} has no column for {role} ({said}); {advice}.")
        return self.table[name].combine_chunks()

    def _name(self, role: str) -> str | None:
        if role in self.given:
            return self.given[role] if self.given[role] in self.table.column_names else None
        by_name = {name.strip().lower(): name for name in self.table.column_names}
        return next((by_name[alias] for alias in NAMES[role] if alias in by_name), None)


def columns_of(source: Any, given: Mapping[str, str] | None) -> Columns:
    """The columns of a CSV or Parquet file, or of any data frame that speaks Arrow; CSV stays text."""
    import pyarrow as pa

    if not isinstance(source, (str, Path)):
        if not hasattr(source, "__arrow_c_stream__"):
            raise DataError(f"cannot read a {type(source).__name__}; give a path or a data frame that speaks Arrow.")
        return Columns(pa.RecordBatchReader.from_stream(source).read_all(), given or {}, "the data frame")
    path = Path(source)
    if not path.is_file():
        raise DataError(f"there is no file {path}; check the path.")
    try:
        table = _parquet(path) if path.suffix == ".parquet" else _csv(path)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        # The cause is left out: it may quote a value.
        raise DataError(
            f"{path.name} cannot be read as a table; give CSV in UTF-8 with a header, or Parquet."
        ) from None
    return Columns(table, given or {}, path.name)


def _parquet(path: Path) -> "pa.Table":
    import pyarrow.parquet as pq

    return pq.read_table(path)


def _csv(path: Path) -> "pa.Table":
    """All columns as text: a label such as 007 is no number, and <5 no reason to stop."""
    import pyarrow as pa
    import pyarrow.csv as pc

    with pa.input_stream(path) as stream:
        header = bytes(stream.read(1 << 16)).decode("utf-8-sig", "replace").splitlines()[:1]
    parse = pc.ParseOptions(delimiter=max(_DELIMITERS, key="".join(header).count))
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
    found = Labels(names, which[np.asarray(coded.indices)])
    refuse(names[found.code] == "", f"{name} is blank", "label every row")
    return found


def _label(value: Any) -> str:
    """A whole number is the same label as an integer, as a float and as text."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def numbers(column: "pa.Array", name: str) -> Floats:
    """Finite numbers; anything else is refused."""
    found = _floats(column, name, "give numbers with a decimal point")
    refuse(~np.isfinite(found), f"{name} is missing or infinite", "give a number in every row")
    return found


def counted(column: "pa.Array", name: str) -> tuple[Floats, Mask]:
    """Counts, not a number where one is suppressed, and where that is."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        hidden = pc.fill_null(pc.match_substring_regex(column, SUPPRESSED), True)
        column = pc.if_else(hidden, pa.scalar(None, column.type), column)
    found = _floats(column, name, "suppressed counts are blank, * or <5")
    refuse(np.isinf(found), f"{name} is infinite", "give a number or leave it blank")
    return found, np.isnan(found)


def _floats(column: "pa.Array", name: str, advice: str) -> Floats:
    """float64, not a number where a value is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    try:
        found: Floats = (pc.utf8_trim_whitespace(column) if text else column).cast(pa.float64()).to_numpy(False)
    except pa.ArrowException:
        bad = [value is not None and not _is_number(value) for value in column.to_pylist()]
        refuse(np.array(bad, np.bool_), f"{name} is not a number", advice)
        raise DataError(f"{name} holds {column.type} values; {advice}.") from None
    return found


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return "_" not in str(value)


class Times(NamedTuple):
    """Slots as whole numbers, or the wall clock in seconds at which each begins."""

    value: Ints
    clock: bool


def times(column: "pa.Array", name: str, zone: ZoneInfo | None) -> Times:
    """Whole numbers are slots; dates and times are read off the wall clock of a zone, naive ones as they are."""
    import pyarrow as pa

    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    coded = column.dictionary_encode()
    values = coded.dictionary.to_pylist()
    refuse(np.asarray(column.is_null()), f"{name} is missing", "give a slot or a time in every row")
    kinds = {_kind(value) for value in values}
    row = np.asarray(coded.indices)
    if kinds <= {"slot"}:
        return Times(np.array([int(float(value)) for value in values], np.int64)[row], clock=False)
    if kinds > {"time"} or None in kinds:
        odd = np.array([_kind(value) != "time" for value in values], np.bool_)[row]
        refuse(odd, f"{name} is neither a time nor, throughout, a whole number", "write times like 2024-01-31T08:30")
    return Times(np.array([_wall(_moment(value), zone) for value in values], np.int64)[row], clock=True)


def _kind(value: Any) -> str | None:
    if _is_number(value) and np.isfinite(float(value)) and float(value) == int(float(value)):
        return "slot"
    try:
        _moment(value)
    except (TypeError, ValueError):
        return None
    return "time"


def _moment(value: Any) -> datetime:
    if isinstance(value, datetime):
        return value
    return datetime.fromisoformat(str(value).strip())  # a date is its midnight


def _wall(moment: datetime, zone: ZoneInfo | None) -> int:
    if moment.tzinfo is not None:
        moment = moment.astimezone(zone or UTC).replace(tzinfo=None)
    return floor((moment - _EPOCH).total_seconds())


def refuse(bad: Mask, what: str, advice: str) -> None:
    """Say at which row, counted from 0 after the header, a table cannot be used."""
    rows = np.flatnonzero(bad)
    if rows.size:
        raise DataError(f"{what} at row {rows[0]} ({rows.size} such rows); {advice}.")
