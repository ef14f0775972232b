"""Two Visits -> the same cells and slots, and features by view: places, by quarter of the day, by hour of the week."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints, distinct_rows
from incrowd.clock import DAY_MIN, HOUR_MIN, MONDAY_S, slots_per_day
from incrowd.data import Visits
from incrowd.data.visits import SAME_M
from incrowd.discretize.slots import wall_later_s, wall_start
from incrowd.errors import DataError, IncrowdWarning, ParameterError

MISMATCH = {
    "slot_min": "the two differ in slot_min; discretize both with the same --slot-min, or give the raw files.",
    "crs": "the cells of the two are counted from different origins, so none is the same; discretize both with one "
    "--origin (origin), or give the raw files, which are put on the same cells.",
}
View = Literal["places", "rhythm", "week", "moments"]
VIEWS: tuple[View, ...] = ("places", "rhythm", "week", "moments")
CLOCKED = ("rhythm", "week")  # views that need to know when a slot begins
QUARTER_MIN, WEEK_H = 360, 168
BLOCKS = {"places": 1, "rhythm": DAY_MIN // QUARTER_MIN, "week": WEEK_H}


@dataclass(frozen=True, eq=False)
class Near:
    """Cells of the known that are meant when a target is in cell c: cell[starts[c]:starts[c + 1]]."""

    starts: Ints
    cell: Ints


def aligned(known: Visits, target: Visits, tolerance_m: float) -> tuple[Visits, Near | None]:
    """The target in the slots of the known, and which of its cells are near which; None where ids are the same."""
    return same_slots(known, target), _near(known, target, tolerance_m)


def warn_apart(known: Visits, target: Visits, tolerance_slots: int) -> None:
    """Warn if no slot of the known is within the tolerance of one of the target, once both have the same slots."""
    ours, theirs = np.unique(known.slot), np.unique(target.slot)
    low = np.searchsorted(theirs, ours - tolerance_slots, "left")
    if (np.searchsorted(theirs, ours + tolerance_slots, "right") > low).any():
        return
    day = slots_per_day(known.slot_min) or 1
    how = "time of day" if day > 1 else "place alone"
    warnings.warn(
        "the two have no time slot in common, so no visits can match and every rank is chance; pass --period-slots "
        f"{day} (period_slots={day}) to compare by {how}.",
        IncrowdWarning,
        stacklevel=3,
    )


def folded(visits: Visits, period_slots: int | None) -> Visits:
    """Visits by slot of the period, such as the hour of the week; what then falls together counts once.

    >>> folded(Visits.from_arrays([1, 1, 1], [5, 5, 5], [0, 1, 24]), 24).slot.tolist()
    [0, 1]
    """
    if period_slots is None:
        return visits
    cell, slot, offsets = Visits.grouped(visits.owner, visits.cell, visits.slot % period_slots, len(visits))
    return replace(visits, cell=cell, slot=slot, offsets=offsets)


def same_slots(known: Visits, target: Visits) -> Visits:
    """The target in the slots of the known; slots or planes that differ are refused."""
    for name, why in MISMATCH.items():
        a, b = getattr(known, name), getattr(target, name)
        if a is not None and b is not None and a != b:
            raise DataError(why)
    if None in (known.start, target.start, known.slot_min, target.slot_min):
        return target
    late, rest = divmod(wall_later_s(known, target), 60 * (known.slot_min or 1))
    if rest:
        raise DataError("the slots of the two begin at different minutes; discretize both with the same start.")
    return replace(target, slot=target.slot + late) if late else target


def _near(known: Visits, target: Visits, tolerance_m: float) -> Near | None:
    if known.xy is None or target.xy is None:
        if tolerance_m:
            raise ParameterError(
                "tolerance_m needs cell centres on both sides; discretize with grid or towers, or say where cells are "
                "(xy, --antennas FILE)."
            )
        return None
    if not tolerance_m and (known.xy is target.xy or np.array_equal(known.xy, target.xy)):
        return None
    lists = _within(target.xy, known.xy, max(tolerance_m, SAME_M))
    return Near(np.cumsum([0, *map(len, lists)], dtype=np.int64), np.array([c for near in lists for c in near], int))


def _within(centres: Floats, others: Floats, reach_m: float) -> list[list[int]]:
    """The others near each centre; a cell without a centre is near nobody."""
    from scipy.spatial import KDTree

    real, other = (np.flatnonzero(~np.isnan(side).any(axis=1)) for side in (centres, others))
    lists: list[list[int]] = [[] for _ in range(len(centres))]
    neighbours = KDTree(others[other]).query_ball_point(centres[real], reach_m)
    for cell, near in zip(real.tolist(), neighbours, strict=True):
        lists[cell] = sorted(other[near].tolist())
    return lists


class FeatureRows(NamedTuple):
    """One row for each person and feature, by person, then feature."""

    owner: Ints
    feature: Ints
    value: Floats  # slots of that person with the feature, or their share

    def at(self, which: NDArray[Any]) -> "FeatureRows":
        """Some of the rows."""
        return FeatureRows(self.owner[which], self.feature[which], self.value[which])


class Tally(NamedTuple):
    """Both sides by feature, and how common each feature is among all visits of both."""

    known: FeatureRows
    target: FeatureRows
    share: Floats  # [feature] of all visits
    spread: Floats  # [feature] share of its cell times share of its block


def has_clock(*sides: Visits) -> bool:
    """Whether every side says when its slots begin."""
    return all(side.start is not None and side.slot_min is not None for side in sides)


def on_cells(target: Visits, near: Near | None, known: Visits) -> Visits:
    """The target with the cell ids of the known; a cell that the known does not have gets an id of its own."""
    if near is None:
        return target
    first, size = near.starts[:-1], np.diff(near.starts)
    own = int(known.cell.max()) + 1 + np.arange(len(size))
    cells = np.where(size > 0, near.cell[np.minimum(first, max(len(near.cell) - 1, 0))], own) if len(near.cell) else own
    cell, slot, offsets = Visits.grouped(target.owner, cells[target.cell], target.slot, len(target))
    return replace(target, cell=cell, slot=slot, offsets=offsets, xy=None)


def tallied(known: Visits, target: Visits, view: View) -> Tally:
    """Count the slots of each person with each feature; both sides have the same cells and the clock of the known."""
    code = np.unique(np.concatenate([known.cell, target.cell]), return_inverse=True)[1]
    blocks = BLOCKS[view]
    block = [_block(known, side.slot, view) for side in (known, target)]
    packed = code * blocks + np.concatenate(block)
    names, feature = np.unique(packed, return_inverse=True)
    share = np.bincount(feature) / len(feature)
    of_cell = np.bincount(code) / len(code)
    of_block = np.bincount(np.concatenate(block), minlength=blocks) / len(code)
    parts = feature[: known.records], feature[known.records :]
    ours, theirs = (_counted(side.owner, part, len(names)) for side, part in zip((known, target), parts, strict=True))
    return Tally(ours, theirs, share, of_cell[names // blocks] * of_block[names % blocks])


def _block(known: Visits, slot: Ints, view: View) -> Ints:
    """Which block of the day or the week each slot begins in, by the wall clock of the known side."""
    if view == "places":
        return np.zeros(len(slot), np.int64)
    minutes = (wall_start(known) - MONDAY_S) // 60 + slot * (known.slot_min or 1)
    return minutes % DAY_MIN // QUARTER_MIN if view == "rhythm" else minutes // HOUR_MIN % WEEK_H


def _counted(owner: Ints, feature: Ints, features: int) -> FeatureRows:
    packed = np.sort(owner * features + feature)
    first = np.flatnonzero(distinct_rows(packed))
    count = np.diff(first, append=len(packed)).astype(np.float64)
    return FeatureRows(*np.divmod(packed[first], features), count)


def check_views(given: Iterable[View]) -> tuple[View, ...]:
    """Refuse a view that does not exist, none at all, or one named twice."""
    views: tuple[View, ...] = () if isinstance(given, str) else tuple(given)
    unknown = [view for view in views if view not in VIEWS]
    if unknown or not views or len(set(views)) != len(views):
        raise ParameterError(
            f"views must name one or more of {', '.join(VIEWS)}, each once, in a tuple, got {given!r}."
        )
    return views
