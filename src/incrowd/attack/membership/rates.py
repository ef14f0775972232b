"""What the attacker expects: the share of people in each cell and slot, without the one who is asked about."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.attack.membership.channel import Channel
from incrowd.clock import DAY_MIN, DAY_S, MONDAY_S
from incrowd.data import Visits
from incrowd.discretize.slots import wall_start

PRIOR = 0.05  # people added to every count, lest a rate be 0
Source = Literal["reference", "other days", "neighbouring slots"]


def from_reference(reference: Visits, keep: Floats, slots: int, cells: int) -> Floats:
    """(count + 0.05) / (people + 0.05 cells) of other people, whose visits are kept with some probability."""
    inside = (reference.slot >= 0) & (reference.slot < slots) & (reference.cell >= 0) & (reference.cell < cells)
    at = reference.slot[inside] * cells + reference.cell[inside]
    count = np.bincount(at, weights=keep[inside], minlength=slots * cells).reshape(slots, cells)
    return np.asarray((count + PRIOR) / (len(reference) + PRIOR * cells), np.float64)


@dataclass(frozen=True, eq=False)
class OtherSlots:
    """Which slots tell what is usual in each: the same time on other days, or the slots beside it.

    Args:
        starts: The slots that are compared with slot t are slots[starts[t]:starts[t+1]].
        slots: These slots, one list after the other.
        source: What they are.
    """

    starts: Ints
    slots: Ints
    source: Source

    @classmethod
    def over(cls, slots: int, visits: Visits) -> "OtherSlots":
        """The same time on other days, of the same kind where there are any; the neighbours if there is one day."""
        width = visits.slot_min
        day = DAY_MIN // width if width is not None and DAY_MIN % width == 0 else 0
        if not day or slots <= day:
            lists = [[t for t in (slot - 1, slot + 1) if 0 <= t < slots] or [slot] for slot in range(slots)]
            return cls._of(lists, "neighbouring slots")
        weekend = _weekend(visits, slots)
        lists = []
        for slot in range(slots):
            others = [t for t in range(slot % day, slots, day) if t != slot]
            alike = [t for t in others if weekend[t] == weekend[slot]]
            lists.append(alike or others or [t for t in (slot - 1, slot + 1) if 0 <= t < slots])
        return cls._of(lists, "other days")

    @classmethod
    def _of(cls, lists: list[list[int]], source: Source) -> "OtherSlots":
        starts = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        return cls(starts, np.array([t for one in lists for t in one], np.int64), source)

    def compared(self, slot: Ints) -> tuple[Ints, Ints]:
        """For each slot the slots it is compared with, one after the other, and to which of them each belongs."""
        size = np.diff(self.starts)[slot]
        at = np.repeat(self.starts[slot] - (np.cumsum(size) - size), size) + np.arange(size.sum())
        return self.slots[at], np.repeat(np.arange(len(slot)), size)


def _weekend(visits: Visits, slots: int) -> NDArray[np.bool_]:
    """Whether each slot begins on a Saturday or Sunday; none where that is not known."""
    if visits.start is None or visits.slot_min is None:
        return np.zeros(slots, np.bool_)
    second = wall_start(visits) - MONDAY_S + np.arange(slots) * visits.slot_min * 60
    return second // DAY_S % 7 >= 5


def from_counts(y: Ints, of: Ints, visits: int, channel: Channel, people: int, cells: int) -> Floats:
    """Rates from published counts of other slots: clipped to what is possible, suppressed ones half way.

    Args:
        y: Published counts of the slots compared.
        of: To which visit each belongs.
        visits: How many visits there are.
        channel: How counts are published.
        people: How many people were counted.
        cells: How many cells there are.
    """
    count = np.clip(y, 0, people).astype(np.float64)
    if channel.least is not None:
        count[y == 0] = (channel.least - 1) / 2
    size = np.maximum(np.bincount(of, minlength=visits), 1)
    mean = np.bincount(of, weights=count, minlength=visits) / size
    return np.minimum((mean + PRIOR) / (people + PRIOR * cells), 1.0)
