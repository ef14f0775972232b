"""Traces -> Visits to the nearest tower, gaps filled on request."""

import warnings
from collections.abc import Callable
from itertools import pairwise
from math import inf
from typing import Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from incrowd.arrays import Flags, Floats, Ints, distinct_rows, row_order
from incrowd.columns import degrees, floats
from incrowd.data import Traces, Visits
from incrowd.discretize.collect import Fill, Located, Whole, collect
from incrowd.discretize.slots import Source, Start, opened, slot_plan
from incrowd.errors import DataError, IncrowdWarning, ParameterError, check_whole, public
from incrowd.plain import several
from incrowd.read.layouts import Reading, with_reading
from incrowd.read.plane import Plane, box_of, plane_around
from incrowd.threads import threads

TIE_M = 1e-6
FAR_M, FAR_SPACINGS = 50_000.0, 10  # beyond both, most records cannot belong to these towers
FEW_TOWERS, MANY_PEOPLE = 3, 100

MOST_FILLED = 2**28  # visits, 4 GiB
_CHUNK = 4_000_000  # rows filled at once

Search = Callable[[Floats, Floats], Ints]  # x, y -> id of the nearest tower


@public
@with_reading
def towers(
    source: Source,
    towers: ArrayLike,
    *,
    slot_min: int = 30,
    fill: Literal["interpolate"] | None = None,
    start: Start | None = None,
    time_zone: str | None = None,
    slots: int | None = None,
    far_towers: bool = False,
    **reading: Unpack[Reading],
) -> Visits:
    """Visits to towers: in each slot the tower nearest to most records [xu2017, Sec. 5.1], of several the lowest id.

    If `fill` is "interpolate", every user is at one tower in every slot: coordinates are linear in the slot between
    records, constant before the first and after the last. Fewer than 3 towers for 100 people give a warning.

    Args:
        source: Traces, or what `incrowd.read.table` reads; files larger than memory are streamed.
        towers: One row (lon, lat) per tower, or (x, y) in metres as the records are; row numbers become cell ids.
        slot_min: Width of a time slot.
        fill: "interpolate" fills the slots without a record. [default: they stay empty]
        start: When slot 0 begins: a UTC second, a datetime or an ISO string. [default: midnight of the first day]
        time_zone: Zone of times without an offset, and of the slots. [default: UTC]
        slots: How many slots are used; later records are dropped. [default: all; if filled, to the end of the last day]
        far_towers: Go on if more than half of the records are farther from every tower than 50 km and than ten times
            the median distance between neighbouring towers.

    >>> traces = Traces.from_arrays([7, 7], [0, 5400], x=[1000.0, 3000.0], y=[0.0, 0.0])
    >>> towers(traces, [(0, 0), (1000, 0), (2000, 0), (3000, 0)], fill="interpolate", slots=4).cell.tolist()
    [1, 2, 2, 3]
    """
    if fill not in (None, "interpolate"):
        raise ParameterError(f"unknown fill {fill!r}; choose from None, interpolate.")
    if slots is not None:
        check_whole(slots=slots)
    pairs, wanted = _pairs(towers), slot_plan(slot_min, start, time_zone)
    data = opened(source, time_zone, reading)
    xy, plane = _plane(pairs, planar=data.planar)
    clock, nearest = wanted.over(data.span), Nearest(xy)
    period = slots or (clock.slots if fill else None)
    if fill and period and len(data.users) * period > MOST_FILLED:
        raise ParameterError(
            f"filling {period:,} slots of {len(data.users):,} users makes too many visits; a stray time may stretch "
            "the period: pass start and slots (--start; --days of anonymize counts and attack recover), or wider slots."
        )
    reach = Reach(inf if far_towers else max(FAR_M, FAR_SPACINGS * nearest.spacing_m), data.records)
    rows = collect(
        data,
        lambda traces: _located(traces, plane, nearest, reach),
        clock,
        step="towers",
        keep="vote",
        slots=period,
        fill=filler(xy, nearest, period) if fill and period else None,
    )
    used = int(np.count_nonzero(np.bincount(rows.cell)))
    if used < FEW_TOWERS and len(rows.users) >= MANY_PEOPLE:
        warnings.warn(
            f"all {len(rows.users):,} people are at {several(used, 'tower')}; check that the table of towers belongs "
            "to these records.",
            IncrowdWarning,
            stacklevel=2,
        )
    return rows.visits(clock, xy, plane.crs)


def _pairs(towers: ArrayLike) -> Floats:
    pairs = np.asarray(towers)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not len(pairs):
        raise DataError("towers must hold one (lon, lat) row, or (x, y) in metres, per tower.")
    return np.stack([floats(pairs[:, 0], "towers"), floats(pairs[:, 1], "towers")], axis=1)


def _plane(pairs: Floats, *, planar: bool) -> tuple[Floats, Plane]:
    """Towers in metres, and the plane around them, which is the same whatever records are read."""
    if planar:
        return pairs, Plane(None)
    lon, lat = degrees(pairs[:, 0], pairs[:, 1])
    plane = plane_around(box_of(lon, lat))
    return np.stack(plane(lon, lat), axis=1), plane


def _located(traces: Traces, plane: Plane, nearest: "Nearest", reach: "Reach") -> Located:
    """The tower of each record; a record at the place of the one before needs no search."""
    first, second = traces.coordinates
    moved = np.ones(len(first), np.bool_)
    moved[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    x, y = plane(first[moved], second[moved])
    tower, row = nearest(x, y), np.cumsum(moved) - 1
    reach.add((np.hypot(*(np.stack([x, y]) - nearest.xy[tower].T)) > reach.limit_m)[row])
    return Located(tower[row])


class Reach:
    """Counts records beyond a distance from their tower; refuses as soon as they are more than half of all.

    More than half beyond it is the same as a lower median beyond it, and counts add up over pieces.
    """

    def __init__(self, limit_m: float, records: int) -> None:
        self.limit_m, self._records, self._beyond = limit_m, records, 0

    def add(self, beyond: Flags) -> None:
        """Take note of the records of a piece."""
        self._beyond += int(beyond.sum())
        if 2 * self._beyond > self._records:
            raise DataError(
                f"more than half of the {self._records:,} records are more than {self.limit_m / 1000:,.0f} km from the "
                "nearest tower; lon and lat may be swapped in one of the two, or the towers are those of another city. "
                "Check both, or pass far_towers=True (--far-towers) to go on."
            )


class Nearest:
    """The nearest of some towers; those within 1e-6 m of the least distance tie, and the lowest id wins."""

    def __init__(self, xy: Floats) -> None:
        from scipy.spatial import cKDTree

        self.xy = xy
        places, self._id = np.unique(xy, axis=0, return_index=True)  # the lowest id at each place
        self._tree = cKDTree(places)

    @property
    def spacing_m(self) -> float:
        """The median over places of the distance to the next one; 0 for a single place."""
        if len(self._id) == 1:
            return 0.0
        return float(np.median(self._tree.query(self._tree.data, k=[2], workers=threads())[0]))

    def __call__(self, x: Floats, y: Floats) -> Ints:
        """The id of the nearest tower of each point."""
        points = np.stack([x, y], axis=1)
        tower = np.empty(len(points), np.int64)
        rows, most = np.arange(len(points)), 2
        while len(rows):
            most = min(most, len(self._id))
            distance, place = self._tree.query(points[rows], k=list(range(1, most + 1)), workers=threads())
            tied = distance <= distance[:, :1] + TIE_M
            tower[rows] = np.where(tied, self._id[place], self._id.max()).min(axis=1)
            # If even the farthest of them ties, there may be more.
            rows = rows[tied[:, -1]] if most < len(self._id) else rows[:0]
            most *= 2
        return tower


def filler(xy: Floats, nearest: Search, slots: int) -> Fill:
    """Fill whole users: visits per user, their slots and towers -> one tower per user and slot.

    Between two visits the coordinates are linear in the slot and the nearest tower is taken; a gap between equal
    towers is that tower; before the first and after the last visit the tower is constant [xu2017, Sec. 5.1].
    """

    def fill(counts: Ints, slot: Whole, cell: Whole) -> Whole:
        full = np.empty(len(counts) * slots, np.int32)
        begins = np.concatenate([[0], np.cumsum(counts)])
        step = max(_CHUNK // slots, 1)
        for a, b in pairwise([*range(0, len(counts), step), len(counts)]):
            rows = slice(begins[a], begins[b])
            full[a * slots : b * slots] = _filled(counts[a:b], slot[rows], cell[rows], xy, nearest, slots)
        return full

    return fill


def _filled(counts: Ints, slot: Whole, cell: Whole, xy: Floats, nearest: Search, slots: int) -> Whole:
    ends = np.cumsum(counts)
    target = np.repeat(np.arange(len(counts)) * slots, counts) + slot  # where each visit goes
    begins = target.copy()
    begins[ends - counts] = np.arange(len(counts)) * slots  # the first visit reaches back to slot 0
    full = np.repeat(cell, np.diff(begins, append=len(counts) * slots))  # everyone stays until the next visit
    gap = np.diff(target, append=0)
    gap[ends - 1] = 0  # the last visit lasts
    left = np.flatnonzero((gap > 1) & (cell != np.roll(cell, -1)))
    if len(left):
        here, there = cell[left].astype(np.int64), cell[left + 1].astype(np.int64)
        steps, path = _paths(here, there, gap[left], xy, nearest)
        full[np.repeat(target[left], gap[left] - 1) + steps] = path
    return full


def _paths(a: Ints, b: Ints, gap: Ints, xy: Floats, nearest: Search) -> tuple[Ints, Ints]:
    """For every gap in turn its steps 1 to gap - 1 and their towers; each distinct gap is searched once."""
    order = row_order(a, b, gap)
    if order is None:
        order = np.arange(len(a))
    new = distinct_rows(a[order], b[order], gap[order])
    kind = np.empty_like(order)
    kind[order] = np.cumsum(new) - 1
    sample = order[new]  # a gap of each kind
    step, owner = _steps(gap[sample])
    share = (step / gap[sample][owner])[:, None]
    start, end = xy[a[sample]][owner], xy[b[sample]][owner]
    tower = nearest(*(start + (end - start) * share).T)
    begins = np.cumsum(gap[sample] - 1) - (gap[sample] - 1)
    steps, owner = _steps(gap)
    return steps, tower[begins[kind][owner] + steps - 1]


def _steps(gap: Ints) -> tuple[Ints, Ints]:
    """1 to gap - 1 for every gap in turn, and which gap each belongs to."""
    owner = np.repeat(np.arange(len(gap)), gap - 1)
    begins = np.cumsum(gap - 1) - (gap - 1)
    return np.arange(len(owner)) - begins[owner] + 1, owner
