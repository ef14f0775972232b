"""Visits: who was in which cell in which time slot, once each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from incrowd.arrays import Flags, Floats, Ints, distinct_rows, offsets_of, row_order
from incrowd.columns import as_array, first_seen, floats, ints, labels, owned, same_length, seconds
from incrowd.data.table import Attributes, UserTable, attributes_of, start_of, started
from incrowd.errors import DataError, check_whole, public
from incrowd.ledger import Ledger

SAME_M = 0.01  # centres this close are the same cell: a release rounds them to millimetres


@dataclass(frozen=True, eq=False, repr=False)
class Visits(UserTable):
    """Distinct (cell, slot) pairs of many users; each user's rows by slot, then cell."""

    MADE_BY: ClassVar[str] = "ic.discretize.grid(...)"
    META: ClassVar[tuple[str, ...]] = ("slot_min", "start", "time_zone", "crs", "cell_m")
    ROWS: ClassVar[tuple[str, ...]] = ("cell", "slot")

    cell: Ints
    slot: Ints
    xy: Floats | None = None  # centre of each cell in metres, shape [cells, 2]
    slot_min: int | None = None
    start: int | None = None  # UTC second at which slot 0 begins
    crs: str | None = None  # the plane of xy as a PROJ string, if it is known
    attributes: Attributes = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    cell_m: float | None = None  # side of a cell, if cells are squares
    time_zone: str | None = None  # whose wall clock the slots follow; None for UTC

    @classmethod
    @public
    def from_arrays(
        cls,
        user: ArrayLike,
        cell: ArrayLike,
        slot: ArrayLike,
        *,
        xy: ArrayLike | None = None,
        slot_min: int | None = None,
        start: int | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> "Visits":
        """Visits from one row each, in any order; repeated visits become one, and the ledger counts them.

        Args:
            user: The label of the user of each row.
            cell: The cell of each row, a whole number.
            slot: The time slot of each row, a whole number.
            xy: The centre (x, y) of each cell in metres, by cell id.
            slot_min: Width of a time slot.
            start: UTC second at which slot 0 begins.
            attributes: One value per user, by name, in the order of first appearance.

        >>> Visits.from_arrays([7, 7, 8], cell=[0, 0, 1], slot=[3, 3, 3])
        Visits(users=2, records=2)
        """
        label, cells, slots = labels(user), ints(cell, "cell"), ints(slot, "slot")
        size = same_length(user=label, cell=cells, slot=slots)
        centres = None if xy is None else centres_of(xy, cells)
        start = start_of(start)
        _check_clock(slots, slot_min, start)
        users, code = first_seen(label)
        cells, slots, offsets = cls.grouped(code, owned(cells, cell), owned(slots, slot), len(users))
        dropped = {"repeated visit": size - len(cells)}
        ledger = started("given", read=size, kept=len(cells), users=len(users), dropped=dropped)
        columns = attributes_of(attributes, len(users))
        return cls(users, offsets, cells, slots, centres, slot_min, start, None, columns, ledger)

    @staticmethod
    def grouped(code: Ints, cell: Ints, slot: Ints, users: int) -> tuple[Ints, Ints, Ints]:
        """Cells, slots and offsets by user, slot, cell, without repetition."""
        order = row_order(code, slot, cell)
        if order is not None:
            code, cell, slot = code[order], cell[order], slot[order]
        keep = distinct_rows(code, slot, cell)
        if not keep.all():
            code, cell, slot = code[keep], cell[keep], slot[keep]
        return cell, slot, offsets_of(code, users)

    @property
    def again(self) -> Flags:
        """Which visits are in the slot of the one before, by the same user in another cell.

        >>> Visits.from_arrays([1, 1, 2], cell=[0, 5, 5], slot=[3, 3, 3]).again.tolist()
        [False, True, False]
        """
        again, owner = np.zeros(self.records, np.bool_), self.owner
        again[1:] = (self.slot[1:] == self.slot[:-1]) & (owner[1:] == owner[:-1])
        return again

    def everywhere(self, slots: int) -> Ints | None:
        """The cell of everybody in each of so many slots, [user, slot]; None if somebody has none, several or others.

        Args:
            slots: How many, from 0 on.

        >>> Visits.from_arrays([1, 1], cell=[4, 5], slot=[0, 1]).everywhere(2).tolist()
        [[4, 5]]
        """
        each = self.records == len(self) * slots and (np.diff(self.offsets) == slots).all()
        if not each or (self.slot.reshape(len(self), slots) != np.arange(slots)).any():
            return None
        return self.cell.reshape(len(self), slots)

    def columns(self) -> dict[str, NDArray[Any]]:
        """One row per visit: user, cell, slot, attributes."""
        user = self.user_columns(self.attributes)
        return {"user": user.pop("user"), "cell": self.cell, "slot": self.slot, **user}


def centres_of(xy: ArrayLike, cells: Ints | None = None) -> Floats:
    """Cell centres as a checked [cells, 2] array that covers every cell id used."""
    pairs = as_array(xy, "xy")
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not len(pairs):
        raise DataError("xy must hold one (x, y) row in metres per cell.")
    centres: Floats = np.stack([floats(pairs[:, 0], "xy"), floats(pairs[:, 1], "xy")], axis=1)
    if cells is not None and (cells.min() < 0 or cells.max() >= len(centres)):
        raise DataError(f"a cell id is outside 0 to {len(centres) - 1}, the rows of xy; give xy for every cell.")
    return centres


def _check_clock(slot: Ints, slot_min: int | None, start: int | None) -> None:
    if slot_min is None:
        return
    check_whole(slot_min=slot_min)
    ends = [(start or 0) + int(s) * slot_min * 60 for s in (slot.min(), slot.max())]
    if max(map(abs, ends)) >= 2**63:
        raise DataError("a slot overflows the calendar; check slot_min and the unit of slot.")
    seconds(np.array(ends), "the time of a slot")
