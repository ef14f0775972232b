"""People counted, with somebody or without: visits as they are counted, and the shares that the attacker expects."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from incrowd.anonymize.count_steps import at_top, perturb_points, to_regions
from incrowd.anonymize.dp_counts import bounded, inside
from incrowd.arrays import Flags, Floats, Ints, owners, rows_of
from incrowd.attack.membership.channel import Channel, dp_method
from incrowd.clock import DAY_MIN, DAY_S, MONDAY_S, minute_of_day, slots_per_day
from incrowd.data import Counts, Visits
from incrowd.data.visits import SAME_M
from incrowd.discretize.slots import wall_start
from incrowd.errors import DataError, ParameterError, check_whole

PRIOR = 0.05  # people added to every count, lest a rate be 0
Source = Literal["reference", "other days", "neighbouring slots"]


def from_reference(reference: Visits, keep: Floats, slots: int, cells: int) -> Floats:
    """(count + 0.05) / (people + 0.05 cells) of other people, whose visits are kept with some probability."""
    inside = (reference.slot >= 0) & (reference.slot < slots) & (reference.cell >= 0) & (reference.cell < cells)
    at = reference.slot[inside] * cells + reference.cell[inside]
    count = np.bincount(at, weights=keep[inside], minlength=slots * cells).reshape(slots, cells)
    return np.asarray((count + PRIOR) / (len(reference) + PRIOR * cells), np.float64)


def from_other_counts(counts: Counts, channel: Channel, xy: Floats | None, slots: int, start_min: int) -> Floats:
    """(count + 0.05) / (people + 0.05 cells) of counts of another period: the mean over the same time of its days.

    Cells are the same if their centres are; one that the other counts do not have counts nobody there.

    Args:
        counts: The other counts, as they were published.
        channel: How counts are published: suppressed ones are taken half way.
        xy: Centres of the cells that are asked about.
        slots: How many slots are asked about.
        start_min: Minutes after midnight at which the first of them begins.
    """
    from scipy.spatial import KDTree

    if xy is None:
        raise DataError("counts of another period need to know where the cells are; give visits with xy.")
    apart, cell = KDTree(counts.xy).query(xy)
    there = apart <= SAME_M
    if not there.any():
        raise DataError("the counts of the other period have none of these cells; count both in the same ones.")
    n = np.maximum(counts.n, 0).astype(np.float64)
    if channel.least is not None:
        n[counts.n == 0] = (channel.least - 1) / 2
    people = max(float(np.maximum(counts.n, 0).sum(axis=1).max()), 1.0)
    theirs = (counts.start_min + counts.slot_min * np.arange(len(n))) % DAY_MIN
    expected = np.zeros((slots, len(xy)))
    for slot in range(slots):
        same = theirs == (start_min + counts.slot_min * slot) % DAY_MIN
        if not same.any():
            raise DataError("the counts of the other period lack a time of day that is asked about; count whole days.")
        expected[slot, there] = n[same].mean(axis=0)[cell[there]]
    return np.minimum((expected + PRIOR) / (people + PRIOR * len(xy)), 1.0)


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
        day = slots_per_day(visits.slot_min)
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
        starts, at = rows_of(self.starts, slot)
        return self.slots[at], owners(starts)


def _weekend(visits: Visits, slots: int) -> Flags:
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


def at_published_grain(visits: Visits, mitigation: Mapping[str, Any]) -> Visits:
    """Visits to the regions and in the longer slots that are published; what then falls together counts once."""
    if mitigation.get("region") is not None:
        visits = to_regions(visits, region=mitigation["region"])
    if mitigation.get("region_m") is not None:
        visits = to_regions(visits, cell_m=mitigation["region_m"])
    width = mitigation.get("slot_min")
    if width is None:
        return visits
    check_whole(slot_min=width)
    if visits.slot_min is None or width % visits.slot_min:
        raise ParameterError(f"slot_min must be a multiple of the slots of the visits, got {width!r}.")
    slot = visits.slot // (width // visits.slot_min)
    cell, slot, offsets = Visits.grouped(visits.owner, visits.cell, slot, len(visits))
    return replace(visits, cell=cell, slot=slot, offsets=offsets, slot_min=int(width))


def kept_shares(visits: Visits, mitigation: Mapping[str, Any]) -> Floats:
    """The probability that each visit is counted where it was: moves and the bounds of DPCounts lower it."""
    keep = np.ones(visits.records)
    if mitigation.get("move_share") is not None:
        keep[at_top(visits, int(visits.cell.max(initial=0)) + 1)] -= float(mitigation["move_share"])
    if mitigation.get("dp_epsilon") is not None:
        method = dp_method(mitigation)
        pair = np.unique(visits.owner * (int(visits.slot.max(initial=0)) + 1) + visits.slot, return_inverse=True)[1]
        in_slot = np.bincount(pair)[pair]
        first = np.ones(visits.records, np.bool_)
        first[1:] = pair[1:] != pair[:-1]
        slots = np.bincount(visits.owner[first], minlength=len(visits))[visits.owner]
        keep = keep * np.minimum(1, method.slots_per_person / slots) * np.minimum(1, method.cells_per_slot / in_slot)
    return keep


@dataclass(frozen=True, eq=False)
class Counted:
    """Everybody's visits as one run of the publisher counts them: moved, in regions, bounded."""

    offsets: Ints
    key: Ints  # slot * cells + cell, in order for each person
    cells: int
    slots: int

    @classmethod
    def drawn(cls, visits: Visits, mitigation: Mapping[str, Any], shape: tuple[int, int], rng: Any) -> "Counted":
        """One draw of moves and of the visits that are kept."""
        if mitigation.get("move_share") is not None:
            visits = perturb_points(visits, share=mitigation["move_share"], seed=int(rng.integers(2**31)))
        visits = at_published_grain(visits, mitigation)
        key, offsets = visits.slot * shape[1] + visits.cell, visits.offsets
        if mitigation.get("dp_epsilon") is not None:
            method = dp_method(mitigation)
            kept = bounded(visits.owner, visits.slot, int(method.slots_per_person), int(method.cells_per_slot), rng)
            total = np.append(0, np.cumsum(kept))
            key, offsets = key[kept], total[offsets]
        return cls(offsets, key, shape[1], shape[0])

    def of(self, person: int) -> Ints:
        """Where a person is counted."""
        return self.key[self.offsets[person] : self.offsets[person + 1]]

    def total(self, people: Ints) -> Ints:
        """Counts of some people, flat."""
        return np.bincount(
            np.concatenate([np.zeros(0, np.int64), *(self.of(u) for u in people.tolist())]),
            minlength=self.slots * self.cells,
        )

    def changed(self, at: Ints, counts: Ints, leaves: int | None, joins: int | None) -> Ints:
        """Some counts after one person leaves and another joins."""
        n: Ints = counts[at].copy()
        for person, sign in ((leaves, -1), (joins, 1)):
            if person is not None:
                n += sign * np.isin(at, self.of(person))
        return n


def shape_of(visits: Visits, reference: Visits | None) -> tuple[int, int]:
    """How many slots and cells people span; cells with centres are those of the visits."""
    real = [side for side in (visits, reference) if side is not None]
    if any(not side.records or side.slot.min() < 0 or side.cell.min() < 0 for side in real):
        raise DataError(
            "membership needs visits with slots and cells numbered from 0; make them by incrowd.discretize."
        )
    cells = max(int(side.cell.max()) + 1 for side in real) if visits.xy is None else len(visits.xy)
    return max(int(side.slot.max()) + 1 for side in real), cells


def at_slots(visits: Visits, published: Counts) -> Visits:
    """The same visits, unless their slots are others than those of published counts."""
    if published.n.dtype.kind == "f":
        raise DataError("published counts must be whole numbers; round them as the publisher does.")
    if visits.slot_min not in (None, published.slot_min):
        raise DataError(
            f"the counts have slots of {published.slot_min} min and the visits of {visits.slot_min} min; give visits "
            "in the slots of the counts."
        )
    if visits.start is not None and minute_of_day(visits.start, visits.time_zone) != published.start_min:
        raise DataError("slot 0 of the counts and of the visits begin at different times of day; give both one start.")
    return visits


def placed(visits: Visits, xy: Floats | None, shape: tuple[int, int]) -> Visits:
    """The visits in some cells, found by their centres, and slots from 0 on; the others are left out."""
    owner, cell, slot = inside(visits, xy, shape[1], 0, shape[0])
    if not len(owner):
        raise DataError(
            "none of the visits is in a cell and slot that was counted; give visits in the cells, the plane and the "
            "period of the counts."
        )
    cell, slot, offsets = Visits.grouped(owner, cell, slot, len(visits))
    return replace(visits, cell=cell, slot=slot, offsets=offsets, xy=xy)
