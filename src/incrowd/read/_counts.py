"""A table of published counts, and where their cells are -> Counts."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.clock import named_zone
from incrowd.columns import as_array, degrees, refuse
from incrowd.data import Counts, load
from incrowd.data.counts import MOST_COUNTS, check_start, whole_days
from incrowd.data.visits import centres_of
from incrowd.errors import DataError, ParameterError, check_choice, check_seed, check_whole, public
from incrowd.ledger import Ledger
from incrowd.read._kind import holding
from incrowd.read._towers import one_place
from incrowd.read.count_times import slots_of
from incrowd.read.layouts import AntennaAt, Decimal
from incrowd.read.plane import box_of, plane_around
from incrowd.read.small_table import NAMES, Labels, SmallTable, Texts, columns_of, counted, labels, numbers
from incrowd.read.sources.local import local

REGION = NAMES["label"]


@public
def counts(
    source: Any,
    cells: Any = None,
    *,
    columns: Mapping[str, str] | None = None,
    slot_min: int | None = None,
    start_min: int | None = None,
    time_zone: str | None = None,
    suppressed: float = 0.0,
    decimal: Decimal | None = None,
    antenna_at: AntennaAt = "first",
    table: str | None = None,
    query: str | None = None,
) -> Counts:
    """Published counts from a table with one row (slot, cell, n) each; a cell and slot without a row has 0 people.

    Slots are whole numbers (a column hour: hours), or times: slot 0 then begins at midnight of the first day.
    `attack.repair` mends counts that do not add up.

    Args:
        source: CSV or Parquet files (a path, list, glob or folder), or a data frame.
        cells: A table of the places of cells, as x and y in metres or lon and lat, whose rows number the cells.
            [default: the places are in the table of counts]
        columns: Which column is slot, cell, n, x, y, lon, lat. [default: by common names]
        slot_min: Width of a time slot. [default: as the times in the table are apart]
        start_min: Minute of the day at which slot 0 begins. [default: as the times say, else 0]
        time_zone: Zone of times without an offset. [default: UTC]
        suppressed: The number that stands for a suppressed count (blank, *, .., -, NA, <5 or 1-4).
        decimal: The decimal sign of numbers in CSV. [default: as detected]
        antenna_at: Which place is used of a cell that its table lists at two places.
        table: Table of a database, or sheet of a workbook. [default: the only one]
        query: SELECT statement for a database, instead of a table.

    >>> import pyarrow as pa
    >>> rows = pa.table({"slot": [0, 0, 1], "cell": [0, 1, 1], "n": ["2", "<5", "3"]})
    >>> counts(rows, [[0, 0], [500, 0]], slot_min=720).n.tolist()
    [[2, 0], [0, 3]]
    """
    how: dict[str, Any] = {"columns": columns, "slot_min": slot_min, "start_min": start_min, "time_zone": time_zone}
    how |= {"decimal": decimal, "antenna_at": antenna_at}
    with local(source, table, query) as files:
        return labelled_counts(files, cells, **how, suppressed=suppressed)[0]


class Cells(NamedTuple):
    """What a publisher calls each cell, and where it is: the rows number the cells."""

    names: Texts
    xy: Floats
    crs: str | None = None

    def positions(self, label: Labels) -> Ints:
        """The number of the cell of each row of a table."""
        order = np.argsort(self.names)
        row = order[np.minimum(np.searchsorted(self.names, label.names, sorter=order), len(self.names) - 1)]
        unknown = self.names[row] != label.names
        which = f"cell is not among the {len(self.names)} cells"
        refuse(unknown[label.code], which, "list every cell with its place")
        return row[label.code].astype(np.int64)


def labelled_counts(
    source: Any,
    cells: Any,
    *,
    columns: Mapping[str, str] | None = None,
    slot_min: int | None = None,
    start_min: int | None = None,
    time_zone: str | None = None,
    suppressed: float = 0.0,
    decimal: Decimal | None = None,
    antenna_at: AntennaAt = "first",
) -> tuple[Counts, Cells]:
    """The same, and what the publisher calls each cell."""
    _check(slot_min, start_min, suppressed)
    check_choice("antenna_at", antenna_at, ("first", "last"))
    zone = named_zone(time_zone)
    if holding(source).saved:
        counts = _saved(source, cells)
        return counts, _numbered(counts.xy)
    table = columns_of(source, columns, decimal)
    label, (n, hidden) = labels(table["cell"], "cell"), counted(table["n"], "n")
    if not len(n):
        raise DataError(f"{table.place} has no row; give at least one count.")
    slot, width, start, timed = slots_of(table, zone, slot_min, start_min)
    named = _of_table(table, label, antenna_at) if cells is None else cells_of(cells, columns, antenna_at)
    full = _full(slot, named.positions(label), np.where(hidden, suppressed, n), len(named.xy), width)
    made = Counts.from_arrays(full, named.xy, slot_min=width, start_min=start)
    notes = {
        "suppressed counts": hidden.sum(),
        "negative counts": (n < 0).sum(),
        "counts that are not whole": (n[~hidden] != np.floor(n[~hidden])).sum(),
        **{note: rows for note, rows in timed.items() if rows},
    }
    absent = {"no row, taken as 0": full.size - len(n)}
    ledger = Ledger().add("counts read", read=len(n), kept=full.size, created=absent, notes=notes)
    return replace(made, ledger=ledger), named


@public
def regions(path: str | Path) -> Texts:
    r"""The region (or district, zone, area, municipality) of each tower, in the order of the file.

    Args:
        path: A CSV or Parquet file with one row per tower.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "towers.csv"
    ...     _ = file.write_text("lat,lon,district\n52.1,5.1,west\n52.2,5.2,east\n")
    ...     regions(file).tolist()
    ['west', 'east']
    """
    table = columns_of(path, None)
    if not table.has("label"):
        raise DataError(f"{table.place} has no column {' or '.join(REGION)}; add one, with a row per tower.")
    label = labels(table["label"], "region")
    return label.names[label.code]


def _check(slot_min: int | None, start_min: int | None, suppressed: Any) -> None:
    if slot_min is not None:
        check_whole(slot_min=slot_min)
    if start_min is not None:
        check_seed(start_min=start_min)
        check_start(start_min)
    if not isinstance(suppressed, (int, float, np.number)) or not 0 <= suppressed < np.inf:
        raise ParameterError(f"suppressed must be 0 or more and finite, got {suppressed!r}.")


def _saved(source: str | Path, cells: Any) -> Counts:
    counts = load(source)
    if not isinstance(counts, Counts):
        raise DataError(f"{Path(source).name} holds {type(counts).__name__}, not Counts; count it first.")
    if cells is not None:
        raise ParameterError(f"{Path(source).name} was saved by incrowd, which describes its cells; leave cells out.")
    return counts


def _of_table(table: SmallTable, label: Labels, antenna_at: AntennaAt) -> Cells:
    """The cells named in the table itself, in the order of their labels."""
    xy, crs = _places(table)
    names, row = label.names, one_place(label.code, tuple(xy.T), antenna_at, f"cells of {table.place}")
    order = np.argsort(names.astype(np.int64), kind="stable") if all(map(_is_id, names)) else np.arange(len(names))
    return Cells(names[order], xy[row][order], crs)


def _is_id(name: str) -> bool:
    return name.isdecimal() and len(name) < 19


def _numbered(xy: Floats) -> Cells:
    return Cells(np.arange(len(xy)).astype(np.str_), xy)


def cells_of(cells: Any, columns: Mapping[str, str] | None, antenna_at: AntennaAt = "first") -> Cells:
    """The cells of a table of their own, in its order; without labels they are numbered from 0."""
    if isinstance(cells, Cells):
        return cells
    if not isinstance(cells, (str, Path)) and not hasattr(cells, "__arrow_c_stream__"):
        return _numbered(centres_of(as_array(cells, "cells")))
    table = columns_of(cells, None)
    known = {role: name for role, name in (columns or {}).items() if name in table.table.column_names}
    table = replace(table, given=known)
    xy, crs = _places(table)
    if not len(xy):
        raise DataError(f"{table.place} has no row; list every cell with its place.")
    if not table.has("cell"):
        return _numbered(xy)._replace(crs=crs)
    label = labels(table["cell"], "cell")
    row = one_place(label.code, tuple(xy.T), antenna_at, f"cells of {table.place}")
    order = np.argsort(np.unique(label.code, return_index=True)[1])  # as listed first
    return Cells(label.names[order], xy[row][order], crs)


def _places(table: SmallTable) -> tuple[Floats, str | None]:
    """Metres of every row, projected if the table has degrees, and the plane they are then in."""
    if table.has("x") and table.has("y"):
        return np.column_stack([numbers(table["x"], "x"), numbers(table["y"], "y")]), None
    if not (table.has("lon") and table.has("lat")):
        raise DataError(
            f"{table.place} does not state where its cells are; add x and y, or lon and lat, or pass a table of cells."
        )
    lon, lat = degrees(numbers(table["lon"], "lon"), numbers(table["lat"], "lat"))
    plane = plane_around(box_of(lon, lat))
    return np.column_stack(plane(lon, lat)), plane.crs


def _full(slot: Ints, cell: Ints, n: Floats, cells: int, slot_min: int) -> NDArray[Any]:
    slots = whole_days(int(slot.max()) + 1, slot_min)
    if slots * cells > MOST_COUNTS:
        raise ParameterError(
            f"the last slot makes too many counts for {cells:,} cells (more than {MOST_COUNTS:,}); check the slots."
        )
    index = slot * cells + cell
    repeated = np.ones(len(index), np.bool_)
    repeated[np.unique(index, return_index=True)[1]] = False
    advice = "add them up or drop the repetition; local times repeat an hour as daylight-saving time ends"
    refuse(repeated, "a slot and cell are counted again", advice)
    full = np.zeros(slots * cells)
    full[index] = n
    return full.reshape(slots, cells)
