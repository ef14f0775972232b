"""Two Visits -> the same cells and slots: places meet by their centres, slots by their clock."""

import warnings
from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.clock import DAY_MIN
from incrowd.data import Visits
from incrowd.discretize.slots import wall_later_s
from incrowd.errors import DataError, IncrowdWarning, ParameterError

MISMATCH = {
    "slot_min": "the two differ in slot_min; discretize both with the same --slot-min, or give the raw files.",
    "crs": "the cells of the two are counted from different origins, so none is the same; discretize both with one "
    "--origin (origin), or give the raw files, which are put on the same cells.",
}
SAME_M = 0.01  # centres this close are the same: a release rounds them to millimetres


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
    day = DAY_MIN // known.slot_min if known.slot_min and DAY_MIN % known.slot_min == 0 else 1
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
