"""Visits with gaps, or trajectories -> one cell for every user in every slot; Visits -> people per cell and slot."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from incrowd.arrays import Floats
from incrowd.clock import DAY_MIN, minute_of_day
from incrowd.data import Counts, Visits
from incrowd.data.counts import check_size, check_start, whole_days
from incrowd.data.table import some_rows
from incrowd.discretize._grid import grid
from incrowd.discretize._towers import MOST_FILLED, Nearest, filler
from incrowd.discretize._towers import towers as to_towers
from incrowd.discretize.slots import Source
from incrowd.errors import DataError, ParameterError, check_whole, public


@public
def counts(visits: Visits, *, start_min: int | None = None) -> Counts:
    """How many people are in each cell in each slot: P[t, m], people in cell m in slot t [xu2017, Sec. 5.1].

    Rows run from slot 0 to the last one, and on to the end of its day if slot_min divides a day. A user in several
    cells of one slot counts in each, and the ledger notes how many such counts there are.

    Args:
        visits: Visits with the places of their cells (`xy`) and the width of their slots (`slot_min`).
        start_min: Minute of the day at which slot 0 begins. [default: that of the visits]

    >>> visits = Visits.from_arrays([7, 8], cell=[0, 1], slot=[0, 0], xy=[[0, 0], [500, 0]], slot_min=720)
    >>> counts(visits).n.tolist()
    [[1, 1], [0, 0]]
    """
    if start_min is not None:
        check_start(start_min)
    xy, slot_min, slots = _extent(visits)
    check_size(slots, len(xy))
    n = np.bincount(visits.slot * len(xy) + visits.cell, minlength=slots * len(xy)).reshape(slots, len(xy))
    ledger = visits.ledger.add(
        "counts",
        read=visits.records,
        kept=visits.records,
        notes={"more cells of a user in one slot": visits.again.sum()},
        users=(len(visits), len(visits)),
    )
    minute = minute_of_day(visits.start or 0, visits.time_zone) if start_min is None else start_min
    return Counts(n, xy, slot_min, minute, ledger)


@public
def filled(visits: Visits) -> Visits:
    """Every user at one cell in every slot, to the end of the last day, as `towers` does with fill="interpolate".

    Coordinates are linear in the slot between visits, constant before the first and after the last, and the nearest
    cell is taken [xu2017, Sec. 5.1]; visits without a gap come back as they are.

    Args:
        visits: Visits with one cell per user and slot, the places of cells (`xy`) and the width of slots (`slot_min`).

    >>> line = [(0, 0), (1000, 0), (2000, 0), (3000, 0)]
    >>> filled(Visits.from_arrays([7, 7], cell=[1, 3], slot=[0, 3], xy=line, slot_min=360)).cell.tolist()
    [1, 2, 2, 3]
    """
    xy, _, slots = _extent(visits)
    if visits.again.any():
        raise DataError(
            "somebody is in two cells in one slot; discretize with keep='vote' (incrowd discretize --keep vote)."
        )
    if len(visits) * slots > MOST_FILLED:
        raise ParameterError(
            f"{slots:,} slots of {len(visits):,} users are too many visits to fill; a stray time may stretch the "
            "period: pass start and days (--start, --days) of the period with records, or use wider slots."
        )
    if visits.records == len(visits) * slots:
        return visits
    cell = filler(xy, Nearest(xy), slots)(np.diff(visits.offsets), visits.slot, visits.cell)
    ledger = visits.ledger.add(
        "filled",
        read=visits.records,
        kept=len(cell),
        created={"interpolated": len(cell) - visits.records},
        users=(len(visits), len(visits)),
    )
    return replace(
        visits,
        cell=cell.astype(np.int64),
        slot=np.tile(np.arange(slots), len(visits)),
        offsets=np.arange(len(visits) + 1) * slots,
        ledger=ledger,
    )


def _extent(visits: Visits) -> tuple[Floats, int, int]:
    """The places of cells, the width of slots, and how many there are to the end of the last day."""
    if visits.xy is None or visits.slot_min is None:
        raise DataError(
            "these visits have no xy or no slot_min; make them with incrowd.discretize, or give both (--antennas FILE "
            "with the place of each cell, --slot-min)."
        )
    if not visits.records or visits.slot.min() < 0:
        raise DataError("the visits are empty, or one is in a slot below 0; count slots from the start of the data.")
    return visits.xy, visits.slot_min, whole_days(int(visits.slot.max()) + 1, visits.slot_min)


def everybody(
    source: Source,
    *,
    towers: ArrayLike | None,
    cell_m: float,
    slot_min: int,
    days: int | None = None,
    far_towers: bool = False,
    **reading: Any,
) -> Visits:
    """Trajectories -> every user at one cell in each slot: the tower of most records, or a square if `towers` is None.

    `days` from the start are used, or all if None; `far_towers` as in `towers`.

    >>> from incrowd.data import Traces
    >>> traces = Traces.from_arrays([7, 7], [0, 64800], x=[0.0, 900.0], y=[0.0, 0.0])
    >>> everybody(traces, towers=[(0, 0), (500, 0), (900, 0)], cell_m=0, slot_min=360).cell.tolist()
    [0, 1, 1, 2]
    """
    if towers is not None:
        slots = _slots(days, slot_min)
        how: Any = {"slot_min": slot_min, "fill": "interpolate", "slots": slots, "far_towers": far_towers}
        return to_towers(source, towers, **how, **reading)
    return filled(_first(grid(source, cell_m=cell_m, slot_min=slot_min, keep="vote", **reading), days))


def in_longer_slots(
    source: Source,
    visits: Visits,
    *,
    towers: ArrayLike | None,
    cell_m: float,
    slot_min: int,
    days: int | None = None,
    far_towers: bool = False,
    **reading: Any,
) -> Visits:
    """The trajectories that `everybody` made these visits of -> the same in longer slots, in the same cells.

    A square that has most records only in a longer slot is taken for the nearest one that there is.
    """
    if towers is not None:
        how: Any = {"towers": towers, "cell_m": cell_m, "slot_min": slot_min, "days": days, "far_towers": far_towers}
        return everybody(source, **how, **reading)
    longer = _first(grid(source, cell_m=cell_m, slot_min=slot_min, keep="vote", **reading), days)
    if visits.xy is None or longer.xy is None:
        raise DataError("these visits do not state where their cells are; give trajectories.")
    return filled(replace(longer, cell=Nearest(visits.xy)(*longer.xy.T)[longer.cell], xy=visits.xy))


def _slots(days: int | None, slot_min: int) -> int | None:
    if days is None:
        return None
    check_whole(days=days)
    return -(-days * DAY_MIN // slot_min)


def _first(visits: Visits, days: int | None) -> Visits:
    """The visits of the first days."""
    slots = _slots(days, visits.slot_min or DAY_MIN)
    return visits if slots is None else some_rows(visits, visits.slot < slots, "first days", "later")
