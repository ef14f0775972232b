"""Counts: how many people were in each cell in each slot, the kind of aggregate that gets published."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from incrowd.arrays import Floats
from incrowd.clock import DAY_MIN, slots_per_day
from incrowd.columns import as_array, floats, ints
from incrowd.data.table import Frame
from incrowd.data.visits import centres_of
from incrowd.errors import DataError, ParameterError, check_whole, public
from incrowd.ledger import Ledger

MOST_COUNTS = 2**28  # 2 GiB
MOST_PEOPLE = 2**34  # in one count; more than there are, and so few that a slot of MOST_COUNTS fits in 64 bits

MOST_M = 1e8  # of a coordinate; no place on earth is farther off in any projection


@dataclass(frozen=True, eq=False, repr=False)
class Counts(Frame):
    """People per slot and cell; published counts may be negative or not whole until `attack.repair` mends them."""

    MADE_BY: ClassVar[str] = "ic.discretize.counts(...)"
    META: ClassVar[tuple[str, ...]] = ("slot_min", "start_min", "shape")

    n: NDArray[Any]  # [slot, cell]; int64, or float64 if a count is not whole
    xy: Floats  # [cell, 2] metres
    slot_min: int = 30
    start_min: int = 0  # minutes after midnight at which slot 0 begins
    ledger: Ledger = field(default_factory=Ledger)

    def __post_init__(self) -> None:
        if self.n.dtype.kind in "iu" and self.n.dtype != np.int64:
            object.__setattr__(self, "n", self.n.astype(np.int64))
        if self.n.size and not -MOST_PEOPLE <= self.n.min() <= self.n.max() <= MOST_PEOPLE:
            raise DataError(f"a count exceeds {MOST_PEOPLE:,}, more people than there are; check the column n.")
        if (np.abs(self.xy) > MOST_M).any():
            raise DataError(f"a cell is more than {MOST_M / 1000:,.0f} km from the origin; give x and y in metres.")
        self._freeze()

    @classmethod
    @public
    def from_arrays(cls, n: ArrayLike, xy: ArrayLike, *, slot_min: int = 30, start_min: int = 0) -> "Counts":
        """Counts from a table with one row per slot and one column per cell.

        Args:
            n: How many people are in each cell, [slots, cells].
            xy: The centre (x, y) of each cell in metres.
            slot_min: Width of a time slot.
            start_min: Minutes after midnight at which slot 0 begins.

        >>> Counts.from_arrays([[2, 1], [1, 2]], xy=[[0, 0], [500, 0]])
        Counts(slots=2, cells=2, people=3)
        """
        table = as_array(n, "n")
        if table.ndim != 2 or not table.size:
            raise DataError("n must hold one row per slot and one column per cell, at least one of each.")
        numbers = _numbers(table.ravel()).reshape(table.shape).copy()
        centres = centres_of(xy)
        if len(centres) != table.shape[1]:
            raise DataError(f"xy has {len(centres)} rows for {table.shape[1]} cells; give one per cell.")
        check_whole(slot_min=slot_min)
        check_start(start_min)
        return cls(numbers, centres, slot_min, start_min, Ledger().add("given", read=table.size, kept=table.size))

    def __repr__(self) -> str:
        slots, cells = self.n.shape
        inside = self.n.sum(axis=1)
        least, most = round(inside.min().item()), round(inside.max().item())
        people = "people" if least == most > 0 else "most_in_slot"  # only people who are always counted add up
        return f"Counts(slots={slots:,}, cells={cells:,}, {people}={most:,})"

    def sizes(self) -> dict[str, int]:
        """Slots and cells."""
        return dict(zip(("slots", "cells"), self.shape, strict=True))

    @property
    def shape(self) -> tuple[int, int]:
        """(slots, cells)."""
        slots, cells = self.n.shape
        return slots, cells

    @property
    def whole(self) -> bool:
        """Whether every count is a whole number."""
        return self.n.dtype.kind == "i"

    def columns(self) -> dict[str, NDArray[Any]]:
        """One row per count that is not 0: slot, cell, n."""
        slot, cell = np.nonzero(self.n)
        return {"slot": slot, "cell": cell, "n": self.n[slot, cell]}


def whole_days(slots: int, slot_min: int) -> int:
    """So many slots, and on to the end of the day where whole slots make a day.

    >>> whole_days(3, 360), whole_days(3, 50)
    (4, 3)
    """
    day = slots_per_day(slot_min)
    return -(-slots // day) * day if day else slots


def _numbers(column: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers as int64; float64 if one is finite and not whole."""
    if column.dtype.kind == "f" and np.isfinite(column).all() and (column != np.floor(column)).any():
        return floats(column, "n")
    return ints(column, "n")


def check_start(start_min: int) -> None:
    """Refuse what is no minute of a day."""
    if not 0 <= start_min < DAY_MIN:
        raise ParameterError(f"start_min must be in [0, {DAY_MIN - 1}], got {start_min}.")


def check_size(slots: int, cells: int) -> None:
    """Refuse more counts than are held in memory."""
    if slots * cells > MOST_COUNTS:
        raise ParameterError(f"{slots:,} slots of {cells:,} cells are too many counts; use coarser cells or slots.")
