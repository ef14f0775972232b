"""People counted and published, with somebody or without: visits as they are counted, and counts where they matter."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from incrowd.anonymize.count_steps import at_top, perturb_points, to_regions
from incrowd.anonymize.dp_counts import bounded, inside
from incrowd.arrays import Floats, Ints
from incrowd.attack.membership.channel import dp_method
from incrowd.clock import minute_of_day
from incrowd.data import Counts, Visits
from incrowd.errors import DataError, ParameterError, check_whole


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
