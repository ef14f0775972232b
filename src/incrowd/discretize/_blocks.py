"""Traces -> Visits on SR x SR blocks of a box, in exact integer arithmetic."""

from typing import NamedTuple, Unpack

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.clean import OUTSIDE, check_box
from incrowd.data import Traces, Visits
from incrowd.discretize.bounds import Bounds, bounds_of, units_of, whole
from incrowd.discretize.collect import NOWHERE, Located, collect
from incrowd.discretize.slots import KEEP, Keep, Source, Start, opened, slot_plan
from incrowd.errors import ParameterError, check_choice, check_whole, public
from incrowd.read.layouts import Reading, with_reading
from incrowd.read.plane import Box, Plane, plane_around

MOST_BLOCKS = 4096  # per side: 16 million cells, each with its centre


@public
@with_reading
def blocks(
    source: Source,
    *,
    blocks: int = 100,
    slot_min: int = 20,
    box: Box | None = None,
    keep: Keep = "vote",
    keep_zero: bool = False,
    start: Start | None = None,
    time_zone: str | None = None,
    **reading: Unpack[Reading],
) -> Visits:
    """Visits on blocks x blocks equal parts of a box [tan2017, Sec. 4.3]; id = row * blocks + column, from south-west.

    column = min(blocks - 1, floor((x - west) * blocks / (east - west))) in integer micro-degrees (millimetres for x
    and y), rounded half to even. Records at (0, 0) and outside the box are dropped and counted.

    Args:
        source: Traces, or what `incrowd.read.table` reads; files larger than memory are streamed.
        blocks: Number of blocks along each side of the box.
        slot_min: Width of a time slot.
        box: (west, south, east, north) in degrees, or in metres if the coordinates are. [default: that of the data,
            without records at (0, 0); a side that a few strays stretch to more than 4 times that of the middle 99 % of
            the records is replaced by the latter, widened by half on each end, with a warning]
        keep: Every block of a slot ("set"), or the one with most records ("vote": of several the lowest id,
            "vote_first": of several the one visited first).
        keep_zero: Keep records at (0, 0), which are otherwise dropped with a warning.
        start: When slot 0 begins: a UTC second, a datetime or an ISO string. [default: midnight of the first day]
        time_zone: Zone of times without an offset, and of the slots. [default: UTC]

    >>> traces = Traces.from_arrays([7, 7, 8], [0, 1, 2], x=[0.0, 99.0, 100.0], y=[0.0, 0.0, 100.0])
    >>> blocks(traces, blocks=10, keep="set").cell.tolist()
    [0, 9, 99]
    """
    return divided(
        source,
        blocks=blocks,
        slot_min=slot_min,
        box=box,
        keep=keep,
        keep_zero=keep_zero,
        start=start,
        time_zone=time_zone,
        **reading,
    )[0]


def divided(
    source: Source,
    *,
    blocks: int = 100,
    slot_min: int = 20,
    box: Box | None = None,
    keep: Keep = "vote",
    keep_zero: bool = False,
    start: Start | None = None,
    time_zone: str | None = None,
    **reading: Unpack[Reading],
) -> tuple[Visits, Bounds]:
    """The visits of `blocks`, and the box that was divided."""
    check_blocks(blocks, keep, box)
    slots = slot_plan(slot_min, start, time_zone)
    data = opened(source, time_zone, reading)
    clock = slots.over(data.span)
    bounds = bounds_of(data, box, keep_zero=keep_zero, blocks=int(blocks))
    lattice = lattice_of(bounds.box, int(blocks), planar=data.planar)
    rows = collect(data, lattice.locate, clock, step="blocks", keep=keep, outside=OUTSIDE, bounds=bounds)
    plane = Plane(None) if data.planar else plane_around(bounds.box)
    return rows.visits(clock, lattice.centres(plane), plane.crs), bounds


def check_blocks(blocks: int, keep: str, box: Box | None) -> None:
    """Refuse options that have no meaning."""
    check_whole(blocks=blocks)
    if blocks > MOST_BLOCKS:
        raise ParameterError(f"blocks must be at most {MOST_BLOCKS}, got {blocks}; use incrowd.discretize.grid.")
    check_choice("keep", keep, KEEP)
    check_box(box)


class Lattice(NamedTuple):
    """Equal parts of a box; sides in whole micro-degrees or millimetres."""

    west: int
    south: int
    east: int
    north: int
    blocks: int
    units: float  # per degree or metre

    def locate(self, traces: Traces) -> Located:
        """The block of each record."""
        first, second = traces.coordinates
        column = self._index(whole(first, self.units), self.west, self.east)
        row = self._index(whole(second, self.units), self.south, self.north)
        cell = row * self.blocks + column
        cell[(column < 0) | (row < 0)] = NOWHERE
        return Located(cell)

    def _index(self, place: Ints, low: int, high: int) -> Ints:
        outside = (place < low) | (place > high)
        index = (place - low) * self.blocks // max(high - low, 1)
        np.minimum(index, self.blocks - 1, out=index)  # the far edge belongs to the last block
        index[outside] = NOWHERE
        return index

    def centres(self, plane: Plane) -> Floats:
        """The middle of each block in metres."""
        middle = (np.arange(self.blocks) + 0.5) / self.blocks
        across = (self.west + (self.east - self.west) * middle) / self.units
        up = (self.south + (self.north - self.south) * middle) / self.units
        lat, lon = np.meshgrid(up, across, indexing="ij")
        centres: Floats = np.stack(plane(lon.ravel(), lat.ravel()), axis=1)
        return centres


def lattice_of(box: Box, blocks: int, *, planar: bool) -> Lattice:
    """The lattice of a box in degrees or metres."""
    units = units_of(planar=planar)
    west, south, east, north = whole(np.array(box, np.float64), units).tolist()
    return Lattice(west, south, east, north, blocks, units)
