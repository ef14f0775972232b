"""A table of antennas -> the place of each, looked up by the id that records carry."""

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.columns import degrees
from incrowd.errors import DataError, IncrowdWarning, ParameterError, check_choice
from incrowd.read.buffers import values
from incrowd.read.layouts import ALIASES, PLACES, Column, listed, plain
from incrowd.read.small_table import SmallTable, columns_of, labels, numbers

if TYPE_CHECKING:
    import pyarrow as pa

_NUMBER = re.compile(r"0*(\d+)(\.0*)?")


@dataclass(frozen=True, eq=False, repr=False)
class Antennas:
    """Where each antenna is, by its id as it is written, or by its number where no two share that."""

    by_text: Mapping[str, int]
    by_number: Mapping[str, int]
    first: Floats  # longitude, or x; the last is not a number
    second: Floats
    planar: bool

    def __len__(self) -> int:
        return len(self.by_text)

    def places(self, cell: "pa.Array") -> tuple[Floats, Floats]:
        """Both coordinates of the antenna of each record; not a number where its id is missing or unknown."""
        coded = cell.dictionary_encode()
        at = np.array([*map(self._row, coded.dictionary.to_pylist()), -1], np.int64)
        rows = at[values(coded.indices.fill_null(len(at) - 1), np.int32)]
        return self.first[rows], self.second[rows]

    def _row(self, text: str) -> int:
        row = self.by_text.get(text)
        return self.by_number.get(_number(text), -1) if row is None else row


def check_at(antenna_at: str, antennas: Any) -> None:
    """Refuse an unknown place of an antenna, or one of a table that was not given."""
    check_choice("antenna_at", antenna_at, ("first", "last"))
    if antenna_at == "last" and antennas is None:
        raise ParameterError("antenna_at is about a table of antennas; pass antennas=TABLE (--antennas FILE) too.")


def one_place(code: Ints, places: Sequence[Floats], antenna_at: str, what: str) -> Ints:
    """The row at which the place of each label is: the first that has the label, or the last; two places are reported.

    >>> one_place(np.array([1, 0, 1]), [np.array([5.0, 6.0, 5.0])], "last", "antennas").tolist()
    [1, 2]
    """
    _, first = np.unique(code, return_index=True)
    moved = np.logical_or.reduce([column != column[first][code] for column in places])
    if moved.any():
        many = len(np.unique(code[moved]))
        others = "first" if antenna_at == "last" else "last"
        warnings.warn(
            f"{many:,} of {len(first):,} {what} {'is' if many == 1 else 'are'} listed at more than one place; the "
            f"{antenna_at} is used (antenna_at='{others}' or --antenna-at {others} uses the {others}).",
            IncrowdWarning,
            stacklevel=2,
        )
    if antenna_at == "first":
        return first
    last: Ints = len(code) - 1 - np.unique(code[::-1], return_index=True)[1]
    return last


def antennas_of(source: Any, columns: Mapping[str, Column], antenna_at: str = "first") -> Antennas:
    """Read a table of antennas: an id, and lon and lat or x and y in metres; of two places the first or last counts.

    >>> import pyarrow as pa
    >>> found = antennas_of(pa.table({"cell_id": ["007", "8"], "lon": [5.1, 5.2], "lat": [52.1, 52.2]}), {})
    >>> found.places(pa.array(["7", "08", "9", None]))[0].tolist()
    [5.1, 5.2, nan, nan]
    """
    given = {role: name for role, name in columns.items() if role in PLACES}
    if not all(isinstance(name, str) for name in given.values()):
        raise ParameterError(
            "lon and lat are given by position, as in files that have their places themselves; leave antennas out, or "
            "name these columns of its table."
        )
    table = columns_of(source, given)  # type: ignore[arg-type]
    table = replace(table, given={**table.given, "cell": _id_column(table, columns.get("cell"))})
    label = labels(table["cell"], "an antenna id")
    planar, first, second = _places(table)
    row = one_place(label.code, (first, second), antenna_at, f"antennas of {table.place}")
    names = label.names.tolist()
    by_text = {name: i for i, name in enumerate(names)}
    return Antennas(by_text, _by_number(names), np.append(first[row], np.nan), np.append(second[row], np.nan), planar)


def _id_column(table: SmallTable, given: Column | None) -> str:
    """The column of ids: by the name it has among the records, or by a common one."""
    header: list[str] = table.table.column_names
    by_name = {plain(name): name for name in header}
    wanted = ([given] if isinstance(given, str) else []) + [*ALIASES["cell"], "id"]
    column = next((by_name[plain(name)] for name in wanted if plain(name) in by_name), None)
    if column is None:
        raise DataError(f"{table.place} has no column of antenna ids ({listed(header)}); name it cell.")
    return column


def _places(table: SmallTable) -> tuple[bool, Floats, Floats]:
    """Whether places are in metres, and both coordinates of each."""
    if not len(table.table):
        raise DataError(f"{table.place} has no row; list at least one antenna.")
    planar_given = "x" in table.given
    planar = planar_given or ("lon" not in table.given and not table.has("lon") and table.has("x") and table.has("y"))
    if not planar:
        return False, *degrees(numbers(table["lon"], "lon"), numbers(table["lat"], "lat"))
    x, y = numbers(table["x"], "x"), numbers(table["y"], "y")
    if not planar_given and np.abs(x).max() <= 180 and np.abs(y).max() <= 90:
        raise DataError(
            f"x and y of {table.place} may be degrees; say so with columns={{'lon': 'x', 'lat': 'y'}} (--column lon=x "
            "--column lat=y), or {'x': 'x', 'y': 'y'} (--column x=x --column y=y) for metres."
        )
    return True, x, y


def _by_number(names: list[str]) -> dict[str, int]:
    """Antennas by the number of their id; a number that two have is nobody's."""
    rows: dict[str, int] = {}
    for i, name in enumerate(names):
        if number := _number(name):
            rows[number] = -1 if number in rows else i
    return rows


def _number(text: str) -> str:
    """The whole number that an id is, as we would write it; nothing where it is none.

    >>> _number("007"), _number("7.0"), _number("7a")
    ('7', '7', '')
    """
    match = _NUMBER.fullmatch(text)
    return match.group(1) if match else ""
