"""Known points -> which people of the target were there, within a tolerance: lists for a ranking."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Ints, distinct_rows, owners
from incrowd.attack.ground import Near
from incrowd.data import Visits
from incrowd.kernels.reference.matching import Ids
from incrowd.measure.index import Axis, found, kernels

BITS = 32  # weights are whole multiples of 2**-32 bits, so that equal sums are equal in any order
_CHUNK = 4_000_000  # rows looked at at once
_SPARSE = 4  # more possible points than this times the visits are found by bisection, not by place


@dataclass(frozen=True)
class Meeting:
    """When two visits match: as many slots apart at most, on a clock that begins anew after each period."""

    tolerance_slots: int = 0
    period_slots: int | None = None

    def slots(self, slot: Ints) -> Iterator[Ints]:
        """All slots of the known at which somebody seen in `slot` would match."""
        for shift in range(-self.tolerance_slots, self.tolerance_slots + 1):
            yield slot + shift if self.period_slots is None else (slot + shift) % self.period_slots


@dataclass(frozen=True, eq=False)
class Postings:
    """The number of each known visit, and the people at each number in order, with the weight of being there."""

    ids: Ids
    starts: Ints
    postings: Ids
    weights: Ints

    @classmethod
    def over(cls, known: Visits, target: Visits, near: Near | None, meeting: "Meeting", device: str) -> "Postings":
        """Lists of the points that are known; the rest of the target is not looked at."""
        points = _Points(known)
        parts = list(_met(points, target, near, meeting))
        sizes = np.concatenate([size for size, _ in parts])
        numbers = np.concatenate([number for _, number in parts])
        offsets = np.append(0, np.cumsum(sizes))
        starts, postings = kernels("matching", device).inverted(numbers, offsets, points.count)
        return cls(points.ids, starts, postings, _weights(np.diff(starts), len(target)))


def _weights(crowd: Ints, users: int) -> Ints:
    """-log2 of the share of people at each point: 0 where everybody is, or nobody."""
    shares = np.where(crowd > 0, crowd, users) / users
    weights: Ints = np.round(-np.log2(shares) * 2.0**BITS).astype(np.int64)
    return weights


class _Points:
    """The distinct points of the known, by number."""

    def __init__(self, known: Visits) -> None:
        self.cells, self.slots = Axis.over(known.cell), Axis.over(known.slot)
        packed = self.slots.number(known.slot) * self.cells.size + self.cells.number(known.cell)
        self.distinct, ids = np.unique(packed, return_inverse=True)
        self.count = len(self.distinct)
        self.ids = self.narrow(ids)
        possible = self.cells.size * self.slots.size
        self.table = None
        if possible <= max(_SPARSE * len(packed), 1 << 16):
            self.table = np.full(possible, -1, np.int32)
            self.table[self.distinct] = np.arange(self.count)

    def narrow(self, numbers: Ints) -> Ids:
        """The same numbers in as few bytes as they need."""
        return numbers.astype(np.int32) if self.count < 2**31 else numbers

    def number(self, cell: Ints, slot: Ints) -> Ints:
        """The numbers of any points, -1 for those nobody is known at."""
        across, along = self.cells.find(cell), self.slots.find(slot)
        packed = np.where((across >= 0) & (along >= 0), along * self.cells.size + across, -1)
        if self.table is None:
            return found(self.distinct, packed)
        return np.where(packed >= 0, self.table[packed], -1).astype(np.int64)


def _met(points: _Points, target: Visits, near: Near | None, meeting: Meeting) -> Iterator[tuple[Ints, Ids]]:
    """How many known points each person of the target met, and their numbers, some people at a time."""
    low = 0
    while low < len(target):
        high = int(np.searchsorted(target.offsets, target.offsets[low] + _CHUNK, "right")) - 1
        high = max(high, low + 1)
        rows = slice(int(target.offsets[low]), int(target.offsets[high]))
        who, cell, slot = owners(target.offsets[low : high + 1]), target.cell[rows], target.slot[rows]
        if near is not None:
            who, cell, slot = _spread(who, cell, slot, near)
        numbers = np.concatenate([points.number(cell, there) for there in meeting.slots(slot)])
        packed = np.tile(who, len(numbers) // max(len(who), 1)) * points.count + numbers
        packed = np.sort(packed[numbers >= 0])
        person, number = np.divmod(packed[distinct_rows(packed)], points.count)
        yield np.bincount(person, minlength=high - low).astype(np.int64), points.narrow(number)
        low = high


def _spread(who: Ints, cell: Ints, slot: Ints, near: Near) -> tuple[Ints, Ints, Ints]:
    """Each visit once for every cell of the known that is near it."""
    size = np.diff(near.starts)[cell]
    row = np.repeat(np.arange(len(cell)), size)
    inside = np.arange(len(row)) - np.repeat(np.cumsum(size) - size, size)
    return who[row], near.cell[near.starts[cell][row] + inside], slot[row]
