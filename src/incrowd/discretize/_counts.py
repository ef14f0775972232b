"""Visits -> Counts: how many people were in each cell in each slot."""

import numpy as np

from incrowd.clock import DAY_MIN, minute_of_day
from incrowd.data import Counts, Visits
from incrowd.data.counts import MOST_COUNTS, whole_days
from incrowd.errors import DataError, ParameterError, public


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
    slot_min, xy = visits.slot_min, visits.xy
    if xy is None or slot_min is None:
        raise DataError(
            "these visits have no xy or no slot_min; make them with incrowd.discretize, or give both (--antennas FILE "
            "with the place of each cell, --slot-min)."
        )
    if start_min is not None and not 0 <= start_min < DAY_MIN:
        raise ParameterError(f"start_min must be in [0, 1439], got {start_min}.")
    if not visits.records or visits.slot.min() < 0:
        raise DataError("the visits are empty, or one is in a slot below 0; count slots from the start of the data.")
    slots = whole_days(int(visits.slot.max()) + 1, slot_min)
    if slots * len(xy) > MOST_COUNTS:
        raise ParameterError(f"{slots:,} slots of {len(xy):,} cells are too many counts; use coarser cells or slots.")
    n = np.bincount(visits.slot * len(xy) + visits.cell, minlength=slots * len(xy)).reshape(slots, len(xy))
    several = (visits.slot[1:] == visits.slot[:-1]) & (visits.owner[1:] == visits.owner[:-1])
    ledger = visits.ledger.add(
        "counts",
        read=visits.records,
        kept=visits.records,
        notes={"more cells of a user in one slot": several.sum()},
        users=(len(visits), len(visits)),
    )
    minute = minute_of_day(visits.start or 0, visits.time_zone) if start_min is None else start_min
    return Counts(n, xy, slot_min, minute, ledger)
