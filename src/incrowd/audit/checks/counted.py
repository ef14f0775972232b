"""The counts of the original, in the cells and slots of the release."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.audit.reading.published import ROUNDED_M, Published
from incrowd.clock import DAY_MIN, minute_of_day
from incrowd.data import Visits
from incrowd.errors import IncrowdError

SAME_M = 0.01 + 2 * ROUNDED_M  # centres this close are the same cell
RANDOM = ("move_share", "regions")  # what was done to cells cannot be done again


class Truth(NamedTuple):
    """Published counts and those of the original, [slot, cell]."""

    n: NDArray[Any]
    most: Ints  # all visits
    is_exact: bool  # whether all visits were counted, each in its own cell
    visits: Ints  # in each slot
    people: Ints  # the same
    faults: list[str]


def truth_of(release: Published, original: Visits) -> Truth | str:
    """Count the original as the release does, or say why that cannot be."""
    n = _table(release)
    if isinstance(n, str):
        return n
    given = release.parameters
    private = "slots_per_person" in given
    cell, faults = _cells(release, original, private=private)
    slot, late = _slots(release, original, n.shape[0], private=private, cell=cell, n=n)
    faults = [*faults, *late]
    inside = (cell >= 0) & (slot >= 0) & (slot < n.shape[0])
    if not private and not inside.all():
        faults.append("visits lie outside the published cells and slots")
    owner = original.owner
    keys = np.unique(np.stack([owner[inside], slot[inside], cell[inside]]), axis=1)
    there = keys[:, keys[2] < n.shape[1]]
    most = np.bincount(there[1] * n.shape[1] + there[2], minlength=n.size).reshape(n.shape)
    exact = not any(given.get(name) for name in RANDOM) and (not private or _all_kept(keys, given))
    visits, people = (np.bincount(part[1], minlength=n.shape[0]) for part in (keys, np.unique(keys[:2], axis=1)))
    return Truth(n, most, exact, visits, people, faults)


def _table(release: Published) -> NDArray[Any] | str:
    cell, slot = (release.table.numbers[name].astype(np.int64) for name in ("cell", "slot"))
    shape = int(slot.max()) + 1, int(cell.max()) + 1
    if len(cell) != shape[0] * shape[1] or min(cell.min(), slot.min()) < 0:
        return "not every cell and slot is published."
    n = np.full(shape, np.iinfo(np.int64).min, release.table.numbers["n"].dtype)
    n[slot, cell] = release.table.numbers["n"]
    return n if (n > np.iinfo(np.int64).min).all() else "not every cell and slot is published."


def _cells(release: Published, original: Visits, *, private: bool) -> tuple[Ints, list[str]]:
    """The published cell of each visit, -1 for none, and what is wrong with their places."""
    own = original.cell.astype(np.int64)
    if original.xy is None or release.cells is None:
        return own, ["the places of the cells are not both known"]
    centres, region_m = release.cells[1], release.parameters.get("region_m")
    if private:
        from scipy.spatial import cKDTree

        apart, near = cKDTree(centres).query(np.nan_to_num(original.xy, nan=1e12))
        place = np.where(apart <= SAME_M, near, -1)[own]
        return place, [] if (place >= 0).any() else ["no published cell is where one of the original is"]
    if release.parameters.get("regions"):
        return own, []  # whose cells form a region is not said
    xy, number = original.xy, np.arange(len(original.xy))
    if region_m is not None:
        squares = np.floor(original.xy / float(region_m))
        number = np.unique(squares, axis=0, return_inverse=True)[1].ravel()
        size = np.bincount(number)
        xy = np.stack([np.bincount(number, axis) / size for axis in original.xy.T], axis=1)
    moved = xy.shape != centres.shape or not (np.abs(xy - centres) <= ROUNDED_M).all()
    return number[own], ["the cells are not where those of the original are"] if moved else []


def _slots(
    release: Published, original: Visits, slots: int, *, private: bool, cell: Ints, n: NDArray[Any]
) -> tuple[Ints, list[str]]:
    """The published slot of each visit, and what is wrong with the clock; the period of noisy counts is chosen."""
    slot_min, start_min = (release.clock.get(name) for name in ("slot_min", "start_min"))
    if slot_min is None or start_min is None or slot_min != original.slot_min:
        return original.slot.astype(np.int64), ["the slots are not as wide as those of the original"]
    begin = minute_of_day(original.start or 0, original.time_zone)
    if not private:
        off = original.start is not None and start_min != begin
        return original.slot.astype(np.int64), ["the slots do not begin when those of the original do"] if off else []
    reach = int(original.slot.max()) + 1
    firsts = [first for first in range(-slots + 1, reach) if (begin + first * slot_min - start_min) % DAY_MIN == 0]
    if not firsts:
        return original.slot.astype(np.int64), ["the slots do not begin when those of the original do"]
    best = max(firsts, key=lambda first: (_overlap(original.slot - first, cell, n), -abs(first)))
    return original.slot.astype(np.int64) - best, []


def _overlap(slot: Ints, cell: Ints, n: NDArray[Any]) -> float:
    """How much is published where the visits are."""
    inside = (slot >= 0) & (slot < n.shape[0]) & (cell >= 0)
    return float(n[slot[inside], cell[inside]].sum())


def _all_kept(keys: Ints, given: Any) -> bool:
    """Whether nobody has more slots, or more cells in one, than count."""
    slots, cells = given.get("slots_per_person"), given.get("cells_per_slot")
    if not keys.size:
        return True
    if slots is None or cells is None:
        return False
    pairs, times = np.unique(keys[:2], axis=1, return_counts=True)
    return bool(times.max() <= cells and np.bincount(pairs[0]).max() <= slots)


def without_gaps(original: Visits) -> Visits | None:
    """The visits with their gaps filled, as the command line counts them; None if there is none or it cannot be."""
    from incrowd.discretize import filled

    try:
        visits = filled(original)
    except IncrowdError:
        return None
    return None if visits is original else visits
