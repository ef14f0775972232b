"""Visits -> paths of numbered pairs, and sequences of pairs back to (cell, slot)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.arrays import Ints, distinct_rows, row_order
from incrowd.data import Visits
from incrowd.errors import DataError, check_choice, check_positive
from incrowd.kernels.types import Items
from incrowd.kernels.watch import Watch

Pair = tuple[int, int]  # cell, slot
SAME_TIME = ("refuse", "order")


@dataclass(frozen=True, eq=False, repr=False)
class Sequences:
    """Sequence j is the pairs items[starts[j]:starts[j+1]]; pair p is (cell[p], slot[p]), by slot, then cell."""

    starts: Ints
    items: Items
    cell: Ints
    slot: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __repr__(self) -> str:
        return f"Sequences({len(self):,}, pairs={len(self.cell):,})"

    def to_list(self) -> list[tuple[Pair, ...]]:
        """Tuples of (cell, slot), by length, then slots, then cells."""
        pairs = list(zip(self.cell.tolist(), self.slot.tolist(), strict=True))
        sizes = np.diff(self.starts)
        listed: list[tuple[Pair, ...]] = []
        for size in np.unique(sizes).tolist():
            rows = self.items[self.starts[:-1][sizes == size][:, None] + np.arange(size)]
            order = np.lexsort((*self.cell[rows].T[::-1], *self.slot[rows].T[::-1]))
            listed += [tuple(pairs[p] for p in row) for row in rows[order].tolist()]
        return listed

    def without(self, gone: Items) -> "Sequences":
        """Those that hold none of some pairs."""
        hit = np.isin(self.items, gone)
        keep = np.add.reduceat(hit, self.starts[:-1]) == 0 if len(self) else np.zeros(0, np.bool_)
        sizes = np.diff(self.starts)
        starts = np.concatenate([[0], np.cumsum(sizes[keep])])
        return Sequences(starts, self.items[np.repeat(keep, sizes)], self.cell, self.slot)

    def to_dict(self) -> dict[str, Any]:
        """Counts, for JSON: the sequences themselves are the data."""
        return {"sequences": len(self), "pairs": len(np.unique(self.items))}


@dataclass(frozen=True, eq=False, repr=False)
class Paths:
    """The path of each user as numbered pairs, rising."""

    items: Items
    offsets: Ints
    cell: Ints
    slot: Ints

    def sequences(self, starts: Ints, items: Items) -> Sequences:
        """Sequences over the same pairs."""
        return Sequences(starts, items, self.cell, self.slot)


def paths_of(visits: Visits, same_time: str = "refuse") -> Paths:
    """Number the distinct pairs by slot, then cell; with one cell per slot, a subsequence is a subset.

    [mohammed2009, Sec. 3] orders a path by time alone; `same_time="order"` orders cells within a slot too.
    """
    check_choice("same_time", same_time, SAME_TIME)
    if not isinstance(visits, Visits):
        raise DataError(
            f"sequences are made of visits, not {type(visits).__name__}; call discretize.grid, blocks or towers first."
        )
    if same_time == "refuse":
        _refuse_same_time(visits)
    order = row_order(visits.slot, visits.cell)
    order = np.arange(visits.records) if order is None else order
    cell, slot = visits.cell[order], visits.slot[order]
    first = distinct_rows(slot, cell)
    items = np.empty(visits.records, np.int32)
    items[order] = np.cumsum(first) - 1
    return Paths(items, visits.offsets, cell[first], slot[first])


def _refuse_same_time(visits: Visits) -> None:
    owner = visits.owner
    twice = (visits.slot[1:] == visits.slot[:-1]) & (owner[1:] == owner[:-1])
    if twice.any():
        users = np.unique(owner[1:][twice])
        raise DataError(
            f"{len(users):,} users are in two cells in one slot, the first at position {users[0]}; keep one cell per "
            "slot (keep='vote' or shorter slots when discretizing; incrowd discretize --keep vote, --slot-min) or pass "
            "same_time='order' (--same-time order)."
        )


def watch(what: str, advice: str, limit_s: float, limit_gib: float) -> Watch:
    """The limits under which sequences are searched."""
    check_positive(limit_s=limit_s, limit_gib=limit_gib)
    return Watch(what=what, advice=f"{advice}, use coarser cells and slots", limit_s=limit_s, limit_gib=limit_gib)


def stacked(matrices: list[Items]) -> tuple[Ints, Items]:
    """Starts and items of sets given as one matrix per length."""
    sizes = np.concatenate([np.full(len(rows), rows.shape[1]) for rows in matrices])
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), np.concatenate([rows.ravel() for rows in matrices])


def pairs_of(items: Items, cell: Ints, slot: Ints) -> list[Pair]:
    """(cell, slot) of some items."""
    return list(zip(cell[items].tolist(), slot[items].tolist(), strict=True))
