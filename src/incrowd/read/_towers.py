"""Tables of towers -> their places, in the order of the file, or looked up by the id that records carry."""

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.columns import degrees
from incrowd.errors import DataError, IncrowdWarning, ParameterError, check_choice, check_file, public
from incrowd.read.arrow import values
from incrowd.read.layouts import ALIASES, PLACES, Column, listed, plain
from incrowd.read.small_table import SmallTable, columns_of, labels, numbers

if TYPE_CHECKING:
    import pyarrow as pa

_NUMBER = re.compile(r"0*(\d+)(\.0*)?")


@public
def towers(path: str | Path) -> Floats:
    r"""The (lon, lat) rows of a CSV or Parquet file of towers or stations; row numbers become cell ids.

    Args:
        path: The file, with columns lon and lat.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "towers.csv"
    ...     _ = file.write_text("name,lat,lon\nmill,52.1,5.1\nquay,52.2,5.2\n")
    ...     towers(file).tolist()
    [[5.1, 52.1], [5.2, 52.2]]
    """
    table = _table(Path(path))
    by_name = {name.strip().lower(): name for name in table.column_names}
    columns = []
    for role in ("lon", "lat"):
        name = next((by_name[alias] for alias in ALIASES[role] if alias in by_name), None)
        if name is None:
            header = listed(table.column_names)
            raise DataError(f"{Path(path).name} has no column for {role} ({header}); rename one to {role}.")
        columns.append(table[name].to_numpy())
    if not len(table):
        raise DataError(f"{Path(path).name} has no row; list at least one place.")
    return np.column_stack(degrees(*columns))


def _table(path: Path) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    check_file(path, there=True)
    try:
        return pq.read_table(path) if path.suffix == ".parquet" else pc.read_csv(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"{path.name} cannot be read as a table; give CSV with a header, or Parquet.") from error


@dataclass(frozen=True, eq=False, repr=False)
class Antennas:
    """Where each antenna is, by its id as it is written, or by its number if no two share that."""

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
        row_of = np.array([*map(self._row, coded.dictionary.to_pylist()), -1], np.int64)
        rows = row_of[values(coded.indices.fill_null(len(row_of) - 1), np.int32)]
        return self.first[rows], self.second[rows]

    def _row(self, text: str) -> int:
        row = self.by_text.get(text)
        return self.by_number.get(_number(text), -1) if row is None else row


def check_at(antenna_at: str, antennas: Any) -> None:
    """Refuse an unknown place of an antenna, or one of a table that was not given."""
    check_choice("antenna_at", antenna_at, ("first", "last"))
    if antenna_at == "last" and antennas is None:
        raise ParameterError("antenna_at needs a table of antennas; pass antennas=TABLE (--antennas FILE) too.")


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
    >>> antennas = antennas_of(pa.table({"cell_id": ["007", "8"], "lon": [5.1, 5.2], "lat": [52.1, 52.2]}), {})
    >>> antennas.places(pa.array(["7", "08", "9", None]))[0].tolist()
    [5.1, 5.2, nan, nan]
    """
    given = {role: name for role, name in columns.items() if role in PLACES}
    if not all(isinstance(name, str) for name in given.values()):
        raise ParameterError(
            "lon and lat are given by position, but a table of antennas is read by name; leave antennas out, or give "
            "the names of its columns."
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
        raise DataError(f"{table.place} has no column of antenna ids ({listed(header)}); rename it to cell.")
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
            f"x and y of {table.place} may be degrees; pass columns={{'lon': 'x', 'lat': 'y'}} (--column lon=x "
            "--column lat=y) for degrees, or {'x': 'x', 'y': 'y'} (--column x=x --column y=y) for metres."
        )
    return True, x, y


def _by_number(names: list[str]) -> dict[str, int]:
    """Antennas by the number of their id; a number that two have is left out."""
    rows: dict[str, int] = {}
    for i, name in enumerate(names):
        if number := _number(name):
            rows[number] = -1 if number in rows else i
    return rows


def _number(text: str) -> str:
    """The whole number that an id is, as we would write it; nothing if it is not one.

    >>> _number("007"), _number("7.0"), _number("7a")
    ('7', '7', '')
    """
    match = _NUMBER.fullmatch(text)
    return match.group(1) if match else ""
