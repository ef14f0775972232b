"""A table of visits (user, cell, slot) -> Visits."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import Floats, Ints, Labels
from incrowd.columns import ints, labels, refuse
from incrowd.data import Visits, load
from incrowd.data.table import attributes_of
from incrowd.errors import DataError, ParameterError, check_whole, public
from incrowd.read._counts import cells_of
from incrowd.read._kind import holding
from incrowd.read._towers import antennas_of, check_at
from incrowd.read.arrow import Values, missing, to_arrow, values
from incrowd.read.layouts import PLACES, AntennaAt, Column, find_columns, plain, wanted_columns
from incrowd.read.plane import box_of, plane_around
from incrowd.read.small_table import SmallTable, columns_of, numbers
from incrowd.read.small_table import labels as cell_labels
from incrowd.read.sources.local import local
from incrowd.read.sources.text import is_number_label

if TYPE_CHECKING:
    import pyarrow as pa

_OWN = ("cell", "slot")
_ROLES = ("user", *_OWN)
MOST_CELLS = 10_000_000  # rows of the table of centres


@public
def visits(
    source: Any,
    *,
    columns: Mapping[str, Column] | None = None,
    slot_min: int | None = None,
    attributes: Sequence[str] = (),
    antennas: Any = None,
    cells: Any = None,
    antenna_at: AntennaAt = "first",
    table: str | None = None,
    query: str | None = None,
) -> Visits:
    """Visits from a table with one row (user, cell, slot) each, as `Visits.save` writes them.

    Args:
        source: CSV or Parquet files (a path, list, glob or folder), any other source of `read.table`, or a data frame.
        columns: Which column is user, cell and slot, and lon and lat or x and y in the table of places. [default: by
            common names]
        slot_min: Width of a time slot.
        attributes: Columns that are kept as attributes of the person.
        antennas: A table of the places of cells: id, lon, lat or x, y in metres.
        cells: The table of cells that `read.counts` takes. Cells then have the names of that table, and their number is
            their row in it, so visits and counts have the same cells.
        antenna_at: Which place is used of a cell that its table lists at two places.
        table: Table of a database, or sheet of a workbook. [default: the only one]
        query: SELECT statement for a database, instead of a table.

    >>> import pyarrow as pa
    >>> visits(pa.table({"user": ["a", "b"], "cell": [3, 4], "slot": [0, 1]}), slot_min=60)
    Visits(users=2, records=2)
    """
    if slot_min is not None:
        check_whole(slot_min=slot_min)
    if antennas is not None and cells is not None:
        raise ParameterError("cells already has the place of each cell; leave antennas out (--antennas).")
    check_at(antenna_at, antennas if cells is None else cells)
    given = _wanted(columns, antennas if cells is None else cells)
    with local(source, table, query) as files:
        return _opened(
            files, given, slot_min=slot_min, attributes=attributes, antennas=antennas, cells=cells, at=antenna_at
        )


def _opened(
    files: Any,
    given: Mapping[str, str],
    *,
    slot_min: int | None,
    attributes: Sequence[str],
    antennas: Any,
    cells: Any,
    at: AntennaAt,
) -> Visits:
    if holding(files).saved:
        return _saved(Path(files), slot_min, bare=not given and not attributes and antennas is None and cells is None)
    table = columns_of(files, None)
    table = replace(table, given=_called(table, given, attributes))
    if not len(table.table):
        raise DataError(f"{table.place} has no row; give at least one visit.")
    user, slot = _users(table["user"]), _whole(table["slot"], "slot")
    if cells is None:
        made = Visits.from_arrays(user, _whole(table["cell"], "cell"), slot, slot_min=slot_min)
    else:
        named = cells_of(cells, given, at)
        cell = named.positions(cell_labels(table["cell"], "cell"))
        made = replace(Visits.from_arrays(user, cell, slot, xy=named.xy, slot_min=slot_min), crs=named.crs)
    if attributes:
        carried = {name: _known(table[name]) if table.text else table[name] for name in attributes}
        made = replace(made, attributes=_attributes(made, user, carried))
    return made if antennas is None else _placed(made, antennas, given, at)


def _wanted(columns: Mapping[str, Column] | None, antennas: Any) -> dict[str, str]:
    """The columns a caller names, each by its name."""
    given = dict(columns or {})
    known = (*_ROLES, *(() if antennas is None else PLACES))
    strange = sorted(str(role) for role in given if role not in known)
    if strange:
        raise ParameterError(f"unknown column {strange[0]!r} of visits; columns names {', '.join(known)}.")
    if not all(isinstance(name, str) for name in given.values()):
        raise ParameterError("columns of a table of visits are given by name; give it a header.")
    wanted_columns({role: name for role, name in given.items() if role in PLACES})
    return {role: str(name) for role, name in given.items()}


def _called(table: SmallTable, given: Mapping[str, str], attributes: Sequence[str]) -> dict[str, str]:
    """What each column is called in the table."""
    header: list[str] = table.table.column_names
    names = [plain(name) for name in header]
    for role in _OWN:
        if role not in given and names.count(role) > 1:
            raise DataError(
                f"{table.place} has {names.count(role)} columns for {role}; pass columns={{'{role}': NAME}} "
                f"(--column {role}=NAME) with one of them."
            )
    mine = {role: role for role in _OWN if role in names}  # before a cell_id beside it
    wanted: dict[str, Column] = {**{name: name for name in attributes}, **mine, **given}
    positions = find_columns(header, wanted, [*_ROLES, *attributes], table.place)
    return {role: header[places[0]] for role, places in positions.items()}


def _saved(path: Path, slot_min: int | None, *, bare: bool) -> Visits:
    """Visits that incrowd saved, which describe themselves."""
    visits = load(path)
    if not isinstance(visits, Visits):
        raise DataError(f"{path.name} holds {type(visits).__name__}, not Visits; discretize the trajectories first.")
    if slot_min not in (None, visits.slot_min) or not bare:
        raise ParameterError(
            f"{path.name} was saved by incrowd, which describes its slots and columns; leave slot_min, columns, "
            "attributes and antennas out."
        )
    return visits


def _users(column: "pa.Array") -> Labels:
    """Whole numbers if every label is one as we would write it, otherwise text."""
    import pyarrow as pa

    advice = "name the user of every visit"
    refuse(missing(column), "user is missing", advice)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return labels(column.to_numpy(zero_copy_only=False))
    coded = column.dictionary_encode()
    texts, code = coded.dictionary.to_pylist(), values(coded.indices, np.int32)
    refuse(np.array([text == "" for text in texts], np.bool_)[code], "user is missing", advice)
    # numpy would drop a null at the end of a label.
    refuse(np.array(["\0" in text for text in texts], np.bool_)[code], "user holds a null character", "strip it first")
    known = np.array(texts, np.str_)
    return (known.astype(np.int64) if all(map(is_number_label, texts)) else known)[code]


def _whole(column: "pa.Array", name: str) -> Ints:
    import pyarrow as pa

    if pa.types.is_integer(column.type):
        return ints(column.to_numpy(zero_copy_only=False), name)
    values = numbers(column, name)
    refuse(values != np.floor(values), f"{name} is not a whole number", "number them from 0")
    refuse(np.abs(values) >= 2**53, f"{name} is too large a number", "number them from 0")
    return values.astype(np.int64)


def _attributes(made: Visits, user: Labels, columns: Mapping[str, Any]) -> Any:
    order = np.argsort(made.users)
    code = order[np.searchsorted(made.users, user, sorter=order)].astype(np.int32)
    held: dict[str, Values] = {}
    for name, column in columns.items():
        held[name] = Values()
        held[name].add(code, column)
    return attributes_of({name: kept.per_user(len(made)) for name, kept in held.items()}, len(made))


def _known(column: "pa.Array") -> "pa.Array":
    """In CSV a missing value is blank."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)


def _placed(made: Visits, antennas: Any, columns: Mapping[str, Column], antenna_at: AntennaAt) -> Visits:
    """The visits with the centre of each cell that is listed."""
    import pyarrow as pa

    where = antennas_of(antennas, columns, antenna_at)
    listed = [int(number) for number in where.by_number if len(number) < 9]
    cells = np.unique(np.concatenate([made.cell, np.array(listed, np.int64)]))
    cells = cells[(cells >= 0) & (cells < MOST_CELLS)]
    first, second = where.places(to_arrow(cells).cast(pa.string()))
    there = ~np.isnan(first)
    cells, first, second = cells[there], first[there], second[there]
    lost = np.setdiff1d(made.cell, cells)
    odd = int(((made.cell < 0) | (made.cell >= MOST_CELLS)).sum())
    if odd:
        raise DataError(f"{odd:,} visits are to cells outside 0 to {MOST_CELLS - 1:,}; number cells from 0.")
    if len(lost):
        raise DataError(f"{len(lost):,} cells have no place in the table of antennas; list every cell.")
    xy: Floats = np.full((int(cells[-1]) + 1, 2), np.nan)
    plane = None if where.planar else plane_around(box_of(first, second))
    xy[cells] = np.column_stack((first, second) if plane is None else plane(first, second))
    return replace(made, xy=xy, crs=None if plane is None else plane.crs)
