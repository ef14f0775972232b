"""A table of visits (user, cell, slot) -> Visits."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import Floats, Ints, Labels
from incrowd.data import Visits
from incrowd.data.table import attributes_of
from incrowd.errors import DataError, check_whole
from incrowd.read.antennas import antennas_of
from incrowd.read.buffers import missing, to_arrow, values
from incrowd.read.count_columns import columns_of, numbers, refuse
from incrowd.read.files import head_of, kind_of
from incrowd.read.layouts import ALIASES, Column, find_columns, layout_of, plain, wanted_columns
from incrowd.read.plane import box_of, plane_around
from incrowd.read.text import is_number_label
from incrowd.read.users import Values

if TYPE_CHECKING:
    import pyarrow as pa

_OWN = ("cell", "slot")
MOST_CELLS = 10_000_000  # rows of the table of centres


def visits(
    source: Any,
    *,
    columns: Mapping[str, Column] | None = None,
    slot_min: int | None = None,
    attributes: Sequence[str] = (),
    antennas: Any = None,
) -> Visits:
    """Read visits, one row (user, cell, slot) each, as `Visits.save` writes them: CSV, Parquet or a data frame.

    `slot_min` is the width of a slot; `antennas` has the place of each cell, as lon and lat or x and y in metres.

    >>> import pyarrow as pa
    >>> visits(pa.table({"user": ["a", "b"], "cell": [3, 4], "slot": [0, 1]}), slot_min=60)
    Visits(users=2, records=2)
    """
    if slot_min is not None:
        check_whole(slot_min=slot_min)
    given = wanted_columns(columns)
    table = columns_of(source, None)
    header: list[str] = table.table.column_names
    found = find_columns(header, {"user": given["user"]} if "user" in given else {}, ["user"], table.place)
    mine = {"user": header[found["user"][0]], **{plain(name): name for name in header if plain(name) in _OWN}}
    table = replace(table, given=mine | {name: name for name in attributes})
    if not len(table.table):
        raise DataError(f"{table.place} has no row; give at least one visit.")
    user, cell, slot = _users(table["user"]), *(_whole(table[role], role) for role in _OWN)
    made = Visits.from_arrays(user, cell, slot, slot_min=slot_min)
    if attributes:
        made = replace(made, attributes=_attributes(made, user, {name: table[name] for name in attributes}))
    return made if antennas is None else _placed(made, antennas, given)


def is_visits(source: Any) -> bool:
    """Whether a file is a table of visits: it has cells and slots, and neither times nor places."""
    if not isinstance(source, (str, Path)) or not Path(source).is_file():
        return False
    try:
        names = {plain(name) for name in _header(Path(source))}
    except DataError:
        return False  # reading it properly says what is wrong
    return names >= set(_OWN) and not any(names & set(ALIASES[noun]) for noun in ("t", "lon", "lat"))


def _header(file: Path) -> Sequence[str]:
    from incrowd.read.arrow import schema_of

    layout = layout_of(None)
    kind = kind_of(file, layout)
    if kind == "parquet":
        names: list[str] = schema_of(file).names
        return names
    head = head_of(file, layout, header=True) if kind == "text" else None
    return () if head is None else head.fields


def _users(column: "pa.Array") -> Labels:
    """Whole numbers where every label is one as we would write it, text where not."""
    import pyarrow as pa

    if column.type == pa.float64():
        column = column.cast(pa.int64(), safe=False)  # a whole column with gaps, which are refused below
    coded = column.cast(pa.string()).dictionary_encode()
    texts = np.array([text or "" for text in coded.dictionary.to_pylist()], np.str_)
    code = values(coded.indices, np.int32)
    refuse(missing(column) | (texts[code] == ""), "user is missing", "name the user of every visit")
    return (texts.astype(np.int64) if all(map(is_number_label, texts)) else texts)[code]


def _whole(column: Any, name: str) -> Ints:
    found = numbers(column, name)
    refuse((found != np.floor(found)) | (np.abs(found) >= 2**53), f"{name} is no whole number", "number them from 0")
    return found.astype(np.int64)


def _attributes(made: Visits, user: Labels, columns: Mapping[str, Any]) -> Any:
    order = np.argsort(made.users)
    code = order[np.searchsorted(made.users, user, sorter=order)].astype(np.int32)
    held: dict[str, Values] = {}
    for name, column in columns.items():
        held[name] = Values()
        held[name].add(code, _known(column))
    return attributes_of({name: kept.per_user(len(made)) for name, kept in held.items()}, len(made))


def _known(column: "pa.Array") -> "pa.Array":
    """CSV has no other way to say that there is no value than to leave it blank."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(pc.equal(column, ""), None, column) if pa.types.is_string(column.type) else column


def _placed(made: Visits, antennas: Any, columns: Mapping[str, Column]) -> Visits:
    """The visits with the centre of each cell that is listed."""
    import pyarrow as pa

    where = antennas_of(antennas, columns)
    listed = [int(number) for number in where.by_number if len(number) < 9]
    cells = np.unique(np.concatenate([made.cell, np.array(listed, np.int64)]))
    cells = cells[cells < MOST_CELLS]
    first, second = where.places(to_arrow(cells).cast(pa.string()))
    there = ~np.isnan(first)
    cells, first, second = cells[there], first[there], second[there]
    lost = np.setdiff1d(made.cell, cells)
    if len(lost) or cells[0] < 0:
        raise DataError(
            f"{len(lost):,} cells have no place in the table of antennas; list every cell, by numbers from 0 to less "
            f"than {MOST_CELLS:,}."
        )
    xy: Floats = np.full((int(cells[-1]) + 1, 2), np.nan)
    plane = None if where.planar else plane_around(box_of(first, second))
    xy[cells] = np.column_stack((first, second) if plane is None else plane(first, second))
    return replace(made, xy=xy, crs=None if plane is None else plane.crs)
