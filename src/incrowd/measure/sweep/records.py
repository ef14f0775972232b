"""Traces -> whole numbers that every resolution of a sweep starts from: minutes, and distances from one corner."""

import hashlib
from dataclasses import dataclass, field
from math import gcd
from typing import Any

import numpy as np

from incrowd.arrays import Ints, row_order, tally
from incrowd.clean import OUTSIDE
from incrowd.data import Traces
from incrowd.data.traces import AT_ZERO
from incrowd.discretize._blocks import Lattice, lattice_of
from incrowd.discretize.bounds import Bounds, bounds_of
from incrowd.discretize.middle import whole
from incrowd.discretize.slots import Clock, opened, slot_plan
from incrowd.errors import DataError
from incrowd.kernels import kernel
from incrowd.kernels.types import Whole
from incrowd.ledger import Ledger
from incrowd.measure.sweep.plan import SweepPlan
from incrowd.progress import tell
from incrowd.threads import in_blocks

_VEHICLES = 128  # per thread at once


@dataclass(frozen=True, eq=False)
class SweepRecords:
    """Records from the start on and inside the box, by user, then minute.

    t counts minutes of the wall clock since the start, x and y micro-degrees (millimetres) from the south-west corner,
    each in as few bytes as hold it.
    """

    offsets: Ints
    t: Whole
    x: Whole
    y: Whole
    size: tuple[int, int]  # of the box, at least 1 each way
    minutes: int  # from the start to the end of the last day
    bounds: Bounds
    ledger: Ledger
    _periods: dict[int, Ints] = field(default_factory=dict)  # of each user, by their length

    @property
    def digest(self) -> str:
        """A hash of all that a sweep depends on; who the users are is not part of it."""
        digest = hashlib.sha256(f"{self.size} {self.minutes}".encode())
        for column in (self.offsets, self.t, self.x, self.y):
            digest.update(np.ascontiguousarray(column).data)
        return digest.hexdigest()

    def represent(self, blocks: int, minutes: tuple[int, ...], keep: str) -> list[tuple[Whole, Ints]]:
        """Points and offsets of every user on these blocks, for each length of a period in minutes.

        A point is one integer, period * blocks**2 + cell; the same as `discretize.blocks` gives.
        """
        counts = self._counts(blocks, minutes, keep)
        ends = np.cumsum(counts.ravel())
        begins = (ends - counts.ravel()).reshape(counts.shape)
        possible = -(-self.minutes // min(minutes)) * blocks**2
        ids = np.empty(ends[-1], np.int32 if possible < 2**31 - 1 else np.int64)
        self._points(blocks, minutes, keep, begins, ids)
        offsets = [np.append(0, np.cumsum(count)) for count in counts]
        return [(ids[begin[0] : begin[0] + edges[-1]], edges) for begin, edges in zip(begins, offsets, strict=True)]

    def _counts(self, blocks: int, minutes: tuple[int, ...], keep: str) -> Ints:
        nowhere = np.zeros(0, np.int32)
        if keep == "set":
            return self._points(blocks, minutes, keep, None, nowhere)
        # A vote has one point per period whatever the blocks: it is counted once, on a single block.
        new = tuple(m for m in minutes if m not in self._periods)
        if new:
            self._periods.update(zip(new, self._points(1, new, keep, None, nowhere), strict=True))
        return np.stack([self._periods[m] for m in minutes])

    def _points(self, blocks: int, minutes: tuple[int, ...], keep: str, begins: Ints | None, ids: Whole) -> Ints:
        users = len(self.offsets) - 1
        counts = np.zeros((len(minutes), users), np.int64)
        starts = counts if begins is None else begins
        represent = kernel("sweep").represent
        base, periods = gcd(*minutes), np.array(minutes, np.int64)

        def work(part: slice) -> None:
            edges = self.offsets[part.start : part.stop + 1]
            columns = (column[edges[0] : edges[-1]] for column in (self.t, self.x, self.y))
            options = (self.size, blocks, base, periods, keep == "vote", starts[:, part], ids)
            counts[:, part] = represent(*columns, edges - edges[0], *options)

        in_blocks(work, users, block=_VEHICLES)
        return counts


def sweep_records(traces: Traces, plan: SweepPlan) -> SweepRecords:
    """The records of a sweep, piece by piece: no column is twice in memory as floats."""
    slots = slot_plan(1, plan.start, plan.time_zone)
    data = opened(traces, None, {})
    clock = slots.over(data.span)
    bounds = bounds_of(data, plan.box, keep_zero=plan.keep_zero, blocks=max(plan.blocks))
    lattice = lattice_of(bounds.box, 1, planar=data.planar)
    size = lattice.east - lattice.west, lattice.north - lattice.south
    t = np.empty(data.records, _narrowest(clock.slots))
    x, y = (np.empty(data.records, np.promote_types(np.int32, _narrowest(max(size)))) for _ in range(2))
    counts = np.zeros(len(data.users), np.int64)
    lost = {AT_ZERO: 0, "before the start": 0, OUTSIDE: 0}
    done = inside = 0
    for positions, piece in data:
        tell("preparing the sweep", done, data.records)
        minute, east, north, counts[positions] = _inside(piece, clock, lattice, lost, keep_zero=plan.keep_zero)
        rows = slice(inside, inside + len(minute))
        t[rows], x[rows], y[rows] = minute, east, north
        done, inside = done + piece.records, rows.stop
    bounds.warn(at_zero=lost[AT_ZERO], outside=lost[OUTSIDE])
    if not inside:
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in lost.items() if n)
        raise DataError(f"no record is left ({reasons}); check start and box.")
    there = counts[counts > 0]
    ledger = data.ledger.add(
        "sweep",
        read=done,
        kept=inside,
        dropped={reason: n for reason, n in lost.items() if n},
        users=(len(counts), len(there)),
    )
    offsets, least = np.append(0, np.cumsum(there)), (max(size[0], 1), max(size[1], 1))
    return SweepRecords(offsets, t[:inside], x[:inside], y[:inside], least, clock.slots, bounds, ledger)


def _narrowest(top: int) -> np.dtype[Any]:
    """The smallest integers that hold this and its negative."""
    return np.min_scalar_type(-top - 1)


def _inside(
    piece: Traces, clock: Clock, lattice: Lattice, lost: dict[str, int], *, keep_zero: bool
) -> tuple[Ints, Ints, Ints, Ints]:
    """Minute, x and y of the records that stay, and how many of each user do."""
    first, second = piece.coordinates
    x, y, minute = whole(first, lattice.units), whole(second, lattice.units), clock(piece.t)
    stay = np.ones(len(x), np.bool_) if keep_zero else ~piece.at_zero
    left = len(x)
    for reason, meets in (
        (AT_ZERO, stay),
        ("before the start", minute >= 0),
        (OUTSIDE, (x >= lattice.west) & (x <= lattice.east) & (y >= lattice.south) & (y <= lattice.north)),
    ):
        stay = stay & meets
        lost[reason] += left - int(stay.sum())
        left = int(stay.sum())
    counts = tally(stay, piece.offsets)
    x -= lattice.west
    y -= lattice.south
    if not stay.all():
        minute, x, y = minute[stay], x[stay], y[stay]
    if len(clock.changes):  # a clock put back shows some minutes twice
        order = row_order(np.repeat(np.arange(len(counts)), counts), minute)
        if order is not None:
            minute, x, y = minute[order], x[order], y[order]
    return minute, x, y, counts
