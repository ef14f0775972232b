"""Traces -> Visits or Fingerprints on a regular grid in an equal-area plane."""

from dataclasses import replace
from typing import Unpack

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.data import Fingerprints, Traces, Visits
from incrowd.discretize.collect import Locate, Located, collect
from incrowd.discretize.slots import KEEP, Clock, Keep, Source, Start, opened, slot_plan
from incrowd.errors import DataError, ParameterError, check_choice, check_positive, check_whole, public
from incrowd.read._parts import Parts
from incrowd.read.layouts import Reading, with_reading
from incrowd.read.plane import Origin, Plane, check_origin, plane_of

_HALF = 30  # bits of a row or column number, sign aside


@public
@with_reading
def grid(
    source: Source,
    *,
    cell_m: float = 100,
    slot_min: int = 1,
    keep: Keep = "set",
    origin: Origin | None = None,
    start: Start | None = None,
    time_zone: str | None = None,
    **reading: Unpack[Reading],
) -> Visits:
    """Visits on a square grid: Lambert azimuthal equal-area, then floor(x / cell_m) [gramaglia2015, Sec. 3].

    Cells that occur are numbered south to north, then west to east. For the squares of other visits see `alike`.

    Args:
        source: Traces, or what `incrowd.read.table` reads; files larger than memory are streamed.
        cell_m: Side of a cell.
        slot_min: Width of a time slot.
        keep: Every cell of a slot ("set"), or the one with most records ("vote": of several the lowest cell id,
            "vote_first": of several the one visited first).
        origin: (lon, lat) at which the plane touches the Earth and cells are counted from. [default: the whole degrees
            that hold the median longitude and latitude of the records]
        start: When slot 0 begins: a UTC second, a datetime or an ISO string. [default: midnight of the first day]
        time_zone: Zone of times without an offset, and of the slots. [default: UTC]

    >>> traces = Traces.from_arrays([7, 7, 8], [0, 90, 30], x=[10.0, 120.0, 20.0], y=[0.0, 0.0, 30.0])
    >>> grid(traces, cell_m=100, slot_min=1).cell.tolist()
    [0, 1, 0]
    """
    check_positive(cell_m=cell_m)
    check_choice("keep", keep, KEEP)
    check_origin(origin)
    slots = slot_plan(slot_min, start, time_zone)
    data = opened(source, time_zone, reading)
    return _gridded(data, plane_of(data.middle, origin), slots.over(data.span), cell_m, keep)


@public
@with_reading
def alike(
    source: Source,
    other: Visits,
    *,
    cell_m: float | None = None,
    keep: Keep = "set",
    start: Start | None = None,
    time_zone: str | None = None,
    **reading: Unpack[Reading],
) -> Visits:
    """Visits to the squares of other visits, in their slots: what two datasets need to be compared or linked.

    Plane, side of the squares, width and time zone of the slots are those of `other`; a square has the same centre in
    both. Slots begin at the same minutes in both.

    Args:
        source: Traces, or what `incrowd.read.table` reads; files larger than memory are streamed.
        other: The visits whose squares and slots are used.
        cell_m: Side of a square, if the cells of `other` are not squares. [default: that of `other`]
        keep: Every cell of a slot ("set"), or the one with most records ("vote", "vote_first"), as in `grid`.
        start: When slot 0 begins: a UTC second, a datetime or an ISO string. [default: in step with `other`, as early
            as the source begins]
        time_zone: Zone of times without an offset. [default: that of `other`]

    >>> known = grid(Traces.from_arrays([7], [0], x=[10.0], y=[0.0]), cell_m=300, slot_min=60)
    >>> visits = alike(Traces.from_arrays([8, 8], [0, 9000], x=[20.0, 700.0], y=[0.0, 0.0]), known)
    >>> visits.cell_m, visits.slot.tolist(), visits.xy[0].tolist() == known.xy[0].tolist()
    (300, [0, 2], True)
    """
    check_choice("keep", keep, KEEP)
    side = other.cell_m if cell_m is None else cell_m
    if side is None or other.slot_min is None or other.start is None:
        raise DataError(
            "the other visits do not state the side of their squares, or the width and start of their slots; "
            "discretize both in the same way."
        )
    check_positive(cell_m=side)
    slots = slot_plan(other.slot_min, start, other.time_zone)
    data = opened(source, time_zone or other.time_zone, reading)
    if data.planar != (other.crs is None):
        raise DataError("one of the two is in degrees, the other in metres; give both in the same coordinates.")
    clock = slots.over(data.span) if start is not None else slots.in_step(data.span, other.start)
    return _gridded(data, Plane(other.crs), clock, side, keep)


def _gridded(data: Parts, plane: Plane, clock: Clock, cell_m: float, keep: Keep) -> Visits:
    rows = collect(data, squares(plane, cell_m), clock, step="grid", keep=keep)
    return replace(rows.visits(clock, centres(rows.codes, cell_m), plane.crs), cell_m=cell_m)


def centres(codes: Ints, cell_m: float) -> Floats:
    """The middle of each square in metres."""
    row, column = row_column(codes)
    middle: Floats = (np.stack([column, row], axis=1).astype(np.float64) + 0.5) * cell_m
    return middle


@public
@with_reading
def fingerprints(
    source: Source,
    *,
    cell_m: int = 100,
    slot_min: int = 1,
    origin: Origin | None = None,
    start: Start | None = None,
    time_zone: str | None = None,
    **reading: Unpack[Reading],
) -> Fingerprints:
    """The boxes of space and time that each user was in, each once [gramaglia2015, Sec. 3]: the unit of GLOVE.

    Args:
        source: Traces, or what `incrowd.read.table` reads; files larger than memory are streamed.
        cell_m: Side of a box in space.
        slot_min: Length of a box in time.
        origin: (lon, lat) at which the plane touches the Earth and cells are counted from. [default: the whole degrees
            that hold the median longitude and latitude of the records]
        start: When slot 0 begins: a UTC second, a datetime or an ISO string. [default: midnight of the first day]
        time_zone: Zone of times without an offset, and of the slots. [default: UTC]

    >>> traces = Traces.from_arrays([7, 7, 7], [0, 20, 90], x=[10.0, 30.0, 120.0], y=[0.0, 0.0, 0.0])
    >>> fingerprints(traces).x.tolist()
    [0, 100]
    """
    check_whole(cell_m=cell_m)
    check_origin(origin)
    slots = slot_plan(slot_min, start, time_zone)
    data = opened(source, time_zone, reading)
    plane, clock = plane_of(data.middle, origin), slots.over(data.span)
    # Samples are by time, then x, then y, so here columns come before rows.
    rows = collect(data, squares(plane, cell_m, by_column=True), clock, step="fingerprints")
    column, row = row_column(rows.codes)
    size = len(rows.cell)
    return Fingerprints(
        rows.users,
        rows.offsets,
        x=(column * int(cell_m))[rows.cell],
        dx=np.full(size, cell_m, np.int64),
        y=(row * int(cell_m))[rows.cell],
        dy=np.full(size, cell_m, np.int64),
        t=rows.slot * clock.slot_min,
        dt=np.full(size, clock.slot_min, np.int64),
        crowd=np.ones(len(rows.users), np.int64),
        start=clock.start,
        crs=plane.crs,
        attributes=rows.attributes,
        ledger=rows.ledger,
        time_zone=clock.time_zone,
    )


def squares(plane: Plane, cell_m: float, *, by_column: bool = False) -> Locate:
    """Cells of a piece, numbered within the rectangle of rows and columns that it spans."""

    def locate(traces: Traces) -> Located:
        column, row = (_floor(values, cell_m) for values in plane(*traces.coordinates))
        major, minor = (column, row) if by_column else (row, column)
        low, first, wide = int(major.min()), int(minor.min()), int(minor.max() - minor.min()) + 1

        def codes(cell: Ints) -> Ints:
            named: Ints = ((cell // wide + low) << (_HALF + 1)) + (cell % wide + first + 2**_HALF)
            return named

        return Located((major - low) * wide + (minor - first), codes)

    return locate


def _floor(values: Floats, cell_m: float) -> Ints:
    scaled = values / cell_m
    np.floor(scaled, out=scaled)
    if max(-scaled.min(), scaled.max()) >= 2**_HALF - 1:
        raise ParameterError(f"cell_m = {cell_m} is too fine for coordinates this far from 0; choose larger cells.")
    return scaled.astype(np.int64)


def row_column(codes: Ints) -> tuple[Ints, Ints]:
    """Row and column of a square by its name, or column and row if it was named by column."""
    return codes >> (_HALF + 1), (codes & (2 ** (_HALF + 1) - 1)) - 2**_HALF
