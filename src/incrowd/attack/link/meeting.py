"""Known points -> which people of the target were there, within a tolerance: lists for a ranking."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Ints, owners, rows_of, runs
from incrowd.attack.link.evidence import rarity
from incrowd.attack.link.views import FeatureRows, Near
from incrowd.data import Visits
from incrowd.kernels.types import Ids
from incrowd.measure.uniqueness.index import Axis

_CHUNK = 4_000_000  # rows looked at at once
_LAST = 2**63 - 1
_SPARSE = 4  # more possible points than this times the visits are found by bisection, not by place


@dataclass(frozen=True)
class Meeting:
    """When two visits match: as many slots apart at most, on a clock that begins anew after each period."""

    tolerance_slots: int = 0
    period_slots: int | None = None

    def windows(self, slot: Ints) -> Iterator[tuple[Ints, Ints]]:
        """From which slot to which somebody of the known matches each of these, both included; two across a period."""
        reach, period = min(self.tolerance_slots, _LAST), self.period_slots
        if period is None:
            yield np.maximum(slot, reach - _LAST) - reach, np.minimum(slot, _LAST - reach) + reach
        elif reach >= period // 2:
            yield np.zeros_like(slot), np.full_like(slot, period - 1)
        else:
            low, high = (slot % period - reach) % period, (slot % period + reach) % period
            yield low, np.where(low <= high, high, period - 1)
            yield np.zeros_like(slot), np.where(low <= high, -1, high)


def met(
    known: Visits, target: Visits, near: Near | None, meeting: Meeting, *, nats: bool = False
) -> tuple[FeatureRows, FeatureRows, Ints]:
    """Rows of the known points on both sides, those within the tolerance, and the weight of each point.

    The rest of the target is not looked at.
    """
    points = _Points(known)
    parts = list(_met(points, target, near, meeting))
    people = np.repeat(np.arange(len(target)), np.concatenate([size for size, _ in parts]))
    numbers = np.concatenate([number for _, number in parts])
    crowd = np.bincount(numbers, minlength=points.count)
    ours, theirs = (
        FeatureRows(owner, feature.astype(np.int64), np.ones(len(owner)))
        for owner, feature in ((known.owner, points.ids), (people, numbers))
    )
    return ours, theirs, rarity(crowd, len(target), nats=nats)


class _Points:
    """The distinct points of the known, numbered by cell, then slot, so that those of a window follow each other."""

    def __init__(self, known: Visits) -> None:
        self.cells, self.slots = Axis.over(known.cell), np.unique(known.slot)
        packed = self.cells.number(known.cell) * len(self.slots) + np.searchsorted(self.slots, known.slot)
        self.distinct, ids = np.unique(packed, return_inverse=True)
        self.count = len(self.distinct)
        self.ids = self.narrow(ids)
        possible = self.cells.size * len(self.slots)
        self.table = None
        if possible <= max(_SPARSE * len(packed), 1 << 16):
            self.table = self.narrow(np.searchsorted(self.distinct, np.arange(possible + 1)))

    def narrow(self, numbers: Ints) -> Ids:
        """The same numbers in as few bytes as they need."""
        return numbers.astype(np.int32) if self.count < 2**31 else numbers

    def between(self, cell: Ints, low: Ints, high: Ints) -> tuple[Ints, Ints]:
        """The first number of a cell within some slots, and the one after the last; the same where there is none."""
        across = self.cells.find(cell)
        row = np.maximum(across, 0) * len(self.slots)
        begin = self._before(row + np.searchsorted(self.slots, low))
        end = self._before(row + np.searchsorted(self.slots, high, "right"))
        return begin, np.where(across >= 0, np.maximum(begin, end), begin)

    def _before(self, packed: Ints) -> Ints:
        if self.table is None:
            return np.searchsorted(self.distinct, packed)
        return self.table[packed].astype(np.int64)


def _met(points: _Points, target: Visits, near: Near | None, meeting: Meeting) -> Iterator[tuple[Ints, Ids]]:
    """How many known points each person of the target met, and their numbers, some people at a time."""
    for part in runs(target.offsets, _CHUNK):
        rows = slice(int(target.offsets[part.start]), int(target.offsets[part.stop]))
        who, cell, slot = owners(target.offsets[part.start : part.stop + 1]), target.cell[rows], target.slot[rows]
        if near is not None:
            who, cell, slot = _spread(who, cell, slot, near)
        base = who * (points.count + 1)
        spans = [points.between(cell, *window) for window in meeting.windows(slot)]
        begin, end = (np.concatenate([base + ends for ends in side]) for side in zip(*spans, strict=True))
        person, number = np.divmod(_covered(begin, end), points.count + 1)
        yield np.bincount(person, minlength=part.stop - part.start).astype(np.int64), points.narrow(number)


def _covered(begin: Ints, end: Ints) -> Ints:
    """All whole numbers in some ranges, once each and in order.

    >>> _covered(np.array([5, 1, 2]), np.array([7, 4, 3])).tolist()
    [1, 2, 3, 5, 6]
    """
    filled = end > begin
    order = np.argsort(begin[filled], kind="stable")
    begin, end = begin[filled][order], end[filled][order]
    begin[1:] = np.maximum(begin[1:], np.maximum.accumulate(end)[:-1])
    size = np.maximum(end - begin, 0)
    shift: Ints = np.repeat(begin - (np.cumsum(size) - size), size)
    return np.arange(len(shift)) + shift


def _spread(who: Ints, cell: Ints, slot: Ints, near: Near) -> tuple[Ints, Ints, Ints]:
    """Each visit once for every cell of the known that is near it."""
    starts, at = rows_of(near.starts, cell)
    row = owners(starts)
    return who[row], near.cell[at], slot[row]
