"""Visits with gaps -> one cell for everybody in every slot."""

from dataclasses import replace

import numpy as np

from incrowd.data import Visits
from incrowd.data.counts import whole_days
from incrowd.discretize.gaps import filler
from incrowd.discretize.nearest import MOST_FILLED, Nearest
from incrowd.errors import DataError, ParameterError


def filled(visits: Visits) -> Visits:
    """Everybody at one cell in each slot, to the end of the last day, as `towers` does with fill="interpolate".

    Coordinates are linear in the slot between visits, constant before the first and after the last, and the nearest
    cell is taken [xu2017, Sec. 5.1]; visits without a gap come back as they are.

    >>> line = [(0, 0), (1000, 0), (2000, 0), (3000, 0)]
    >>> filled(Visits.from_arrays([7, 7], cell=[1, 3], slot=[0, 3], xy=line, slot_min=360)).cell.tolist()
    [1, 2, 2, 3]
    """
    xy, slot_min = visits.xy, visits.slot_min
    if xy is None or slot_min is None:
        raise DataError("these visits have no xy or no slot_min; make them by incrowd.discretize, or pass both.")
    if not visits.records or visits.slot.min() < 0:
        raise DataError("there is no visit, or one in a slot below 0; count slots from the start of the data.")
    if ((visits.slot[1:] == visits.slot[:-1]) & (visits.owner[1:] == visits.owner[:-1])).any():
        raise DataError("somebody is in two cells in one slot; discretize with keep='vote' (--keep vote).")
    slots = whole_days(int(visits.slot.max()) + 1, slot_min)
    if len(visits) * slots > MOST_FILLED:
        raise ParameterError(f"{slots:,} slots of {len(visits):,} users are too many visits to fill; use wider slots.")
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
