"""Traces -> whole numbers that every resolution of a sweep starts from; the files of resolutions that are finished."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.arrays import Ints, row_order, tally
from incrowd.clean import OUTSIDE
from incrowd.data import Traces
from incrowd.data.files import whole_file
from incrowd.data.traces import AT_ZERO
from incrowd.discretize._blocks import Lattice, lattice_of
from incrowd.discretize.bounds import Along, Bins, Bounds, bounds_of, whole
from incrowd.discretize.slots import Clock, opened, slot_plan
from incrowd.errors import DataError, ParameterError
from incrowd.kernels import kernel
from incrowd.kernels.types import Whole
from incrowd.ledger import Ledger
from incrowd.measure.sweep.result import SweepPlan, Tally
from incrowd.progress import tell
from incrowd.read._parts import Parts
from incrowd.threads import in_blocks

_VEHICLES = 128  # per thread at once
FORMAT = 1  # another number forgets all files written before; raise it if the same data give other numbers


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


@dataclass(frozen=True)
class SweepFrame:
    """What all records of a sweep are counted from: its clock, and the corner and size of its box."""

    clock: Clock
    bounds: Bounds
    lattice: Lattice
    keep_zero: bool

    @classmethod
    def of(cls, data: Parts, plan: SweepPlan, count: Callable[[Bins], Along] | None = None) -> "SweepFrame":
        """That of some data; `count` passes over all records, if they are not those of the pieces of `data`."""
        clock = slot_plan(1, plan.start, plan.time_zone).over(data.span)
        bounds = bounds_of(data, plan.box, keep_zero=plan.keep_zero, blocks=max(plan.blocks), count=count)
        return cls(clock, bounds, lattice_of(bounds.box, 1, planar=data.planar), plan.keep_zero)

    @property
    def size(self) -> tuple[int, int]:
        """Of the box, in micro-degrees or millimetres."""
        return self.lattice.east - self.lattice.west, self.lattice.north - self.lattice.south

    @property
    def types(self) -> tuple[np.dtype[Any], np.dtype[Any]]:
        """The fewest bytes that hold a minute, and a coordinate."""
        return _narrowest(self.clock.slots), np.promote_types(np.int32, _narrowest(max(self.size)))

    def records(self, offsets: Ints, columns: Sequence[Whole], ledger: Ledger) -> SweepRecords:
        """Minutes, x and y of users that have some."""
        least = max(self.size[0], 1), max(self.size[1], 1)
        t, x, y = columns
        return SweepRecords(offsets, t, x, y, least, self.clock.slots, self.bounds, ledger)

    def ledger(self, before: Ledger, counts: Ints, lost: Mapping[str, int]) -> Ledger:
        """What happened to every record, told aloud where places were the reason."""
        inside = int(counts.sum())
        self.bounds.warn(at_zero=lost[AT_ZERO], outside=lost[OUTSIDE])
        dropped = {reason: n for reason, n in lost.items() if n}
        if not inside:
            reasons = ", ".join(f"{n:,} {reason}" for reason, n in dropped.items())
            raise DataError(f"no record is left ({reasons}); check start and box.")
        users = len(counts), int((counts > 0).sum())
        read = inside + sum(dropped.values())
        return before.add("sweep", read=read, kept=inside, dropped=dropped, users=users)


def sweep_records(traces: Traces, plan: SweepPlan) -> SweepRecords:
    """The records of a sweep, piece by piece: no column is twice in memory as floats."""
    data = opened(traces, None, {})
    frame = SweepFrame.of(data, plan)
    minutes, places = frame.types
    t = np.empty(data.records, minutes)
    x, y = np.empty(data.records, places), np.empty(data.records, places)
    counts, lost = np.zeros(len(data.users), np.int64), nothing_lost()
    done = inside = 0
    for positions, piece in data:
        tell("preparing the sweep", done, data.records)
        minute, east, north, counts[positions] = inside_of(piece, frame, lost)
        rows = slice(inside, inside + len(minute))
        t[rows], x[rows], y[rows] = minute, east, north
        done, inside = done + piece.records, rows.stop
    ledger = frame.ledger(data.ledger, counts, lost)
    offsets = np.append(0, np.cumsum(counts[counts > 0]))
    return frame.records(offsets, (t[:inside], x[:inside], y[:inside]), ledger)


def nothing_lost() -> dict[str, int]:
    """Why records may leave, in the order in which that is asked."""
    return {AT_ZERO: 0, "before the start": 0, OUTSIDE: 0}


def _narrowest(top: int) -> np.dtype[Any]:
    """The smallest integers that hold this and its negative."""
    return np.min_scalar_type(-top - 1)


def inside_of(piece: Traces, frame: SweepFrame, lost: dict[str, int]) -> tuple[Ints, Ints, Ints, Ints]:
    """Minute, x and y of the records that stay, and how many of each user do; `lost` counts the others."""
    clock, lattice, keep_zero = frame.clock, frame.lattice, frame.keep_zero
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


@dataclass(frozen=True)
class Cache:
    """Files named by a hash of the data and the question; a file that is not exactly what was written is not believed.

    Without a folder nothing is kept. The files hold counts only: no place, no time, no user.
    """

    folder: Path | None
    data: str  # hash of the data

    def key(self, asks: dict[str, Any]) -> str:
        """What a resolution is filed under."""
        return _digest({"format": FORMAT, "data": self.data, **asks})

    def load(self, asks: dict[str, Any]) -> list[Tally] | None:
        """The numbers of one resolution, None if they have to be computed."""
        if self.folder is None:
            return None
        key = self.key(asks)
        try:
            entry = json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
            intact = entry.pop("digest") == _digest(entry) and entry["key"] == key
            return [(hits, samples, population) for hits, samples, population in entry["tallies"]] if intact else None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def keep(self, asks: dict[str, Any], tallies: list[Tally]) -> None:
        """File the numbers of one resolution, whole or not at all."""
        if self.folder is None:
            return
        key = self.key(asks)
        entry: dict[str, Any] = {"key": key, "asks": asks, "tallies": [list(tally) for tally in tallies]}
        entry["digest"] = _digest(entry)
        with whole_file(self.folder / f"{key}.json", force=True) as part:
            part.write_text(json.dumps(entry), encoding="utf-8")


def folder_of(cache: str | Path | None) -> Path | None:
    """The folder of a cache, made if it is missing."""
    if cache is None:
        return None
    folder = Path(cache)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(f"cache {folder} is not a folder and cannot be made one; give another path.") from error
    return folder


def _digest(value: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
