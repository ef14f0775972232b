"""Visits -> how regular people are: their most visited cells, their nights, and how far ahead of them one can guess."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints, frozen
from incrowd.clock import DAY_MIN
from incrowd.data import Visits
from incrowd.errors import DataError, check_whole
from incrowd.plain import Shown

NIGHT_MIN = 360  # from midnight [xu2017, Sec. 4.2]


@dataclass(frozen=True)
class Nights(Shown):
    """Where people are from 0 to 6 h, one value per person and night."""

    users: int
    nights: int
    one_cell: float  # share of a person's nights spent in one cell
    one_cell_ever: float  # share of people who are in one cell in all their nights together
    at_top: Floats  # mean share of a night in its 1, 2, … most visited cells
    cells: Ints = field(repr=False)  # distinct cells, [user, night]


def top_shares(visits: Visits, *, top: int = 5) -> Floats:
    """Mean share of a person's visits in the 1, 2, … cells they visit most, in [0, 1] [xu2017, Fig. 2].

    >>> top_shares(Visits.from_arrays([7, 7, 7, 8], cell=[1, 1, 2, 5], slot=[0, 1, 2, 0]), top=2).tolist()
    [0.8333333333333333, 1.0]
    """
    check_whole(top=top)
    if not visits.records:
        raise DataError("there is no visit; give people who were somewhere.")
    return _in_top(visits.owner, visits.cell, top)


def _in_top(owner: Ints, cell: Ints, top: int) -> Floats:
    who, _, times = tallied(owner, cell)
    order = np.lexsort((-times, who))
    rank = np.arange(len(who)) - np.searchsorted(who, who)
    part = times[order] / np.bincount(owner)[who]
    return np.array([part[rank < k].sum() for k in range(1, top + 1)]) / len(np.unique(owner))


def nights(visits: Visits, *, top: int = 5) -> Nights:
    """How many cells people visit by night, and how much of it they spend in one [xu2017, Figs. 4 and 5].

    Everybody needs a cell in every slot. Differs from [xu2017]: its text does not say whether nights are counted one
    by one, as here, or all nights of a person together, which is `one_cell_ever`.

    >>> cell, xy = [0, 1, 2, 2, 0, 0, 0, 0], [[0, 0], [1, 0], [2, 0]]
    >>> nights(Visits.from_arrays([7] * 8, cell, range(8), xy=xy, slot_min=180), top=2).at_top.tolist()
    [0.5, 1.0]
    """
    check_whole(top=top)
    cells = by_day(visits)
    dark = cells[:, :, : NIGHT_MIN // (visits.slot_min or DAY_MIN)]
    if not dark.shape[2]:
        raise DataError("slots are longer than a night of 6 hours; use shorter ones.")
    users, days, slots = dark.shape
    night = np.repeat(np.arange(users * days), slots)
    size = np.bincount(tallied(night, dark.ravel())[0]).reshape(users, days)
    ever = (dark == dark[:, :1, :1]).all(axis=(1, 2))
    return Nights(
        users=users,
        nights=days,
        one_cell=float((size == 1).mean()),
        one_cell_ever=float(ever.mean()),
        at_top=frozen(_in_top(night, dark.ravel(), top)),
        cells=frozen(size),
    )


def prediction_errors(visits: Visits) -> Floats:
    """Metres between 2 q_t - q_(t-1) and where each person then is, by day, [user, slot] [xu2017, Eq. 2, Fig. 6].

    One value for each slot that begins by day and has two before it on that day; nan for the others.

    >>> line = [[0, 0], [100, 0], [200, 0]]
    >>> one = Visits.from_arrays([7] * 4, cell=[0, 1, 2, 2], slot=range(4), xy=line, slot_min=360)
    >>> prediction_errors(one).tolist()
    [[nan, nan, 0.0, 100.0]]
    """
    cells = by_day(visits)
    users, days, slots = cells.shape
    place = (np.zeros((0, 2)) if visits.xy is None else visits.xy)[cells]
    away = place[:, :, 2:] - 2 * place[:, :, 1:-1] + place[:, :, :-2]
    error = np.full((users, days, slots), np.nan)
    error[:, :, 2:] = np.hypot(away[..., 0], away[..., 1])
    error[:, :, : NIGHT_MIN // (visits.slot_min or DAY_MIN)] = np.nan
    return error.reshape(users, days * slots)


def by_day(visits: Visits) -> Ints:
    """The cell of everybody in every slot, [user, day, slot of the day]; refuses visits with gaps."""
    users, slot_min = len(visits), visits.slot_min
    if slot_min is None or visits.xy is None or DAY_MIN % slot_min:
        raise DataError("these visits have no xy, or no slot_min that divides a day; pass both.")
    slots = visits.records // max(users, 1)
    day = DAY_MIN // slot_min
    whole = users and slots % day == 0 and (np.diff(visits.offsets) == slots).all()
    if not whole or (visits.slot.reshape(users, slots) != np.arange(slots)).any():
        raise DataError("not everybody has one cell in every slot of whole days; call incrowd.discretize.filled first.")
    return visits.cell.reshape(users, slots // day, day)


def tallied(owner: Ints, cell: Ints) -> tuple[Ints, Ints, Ints]:
    """Each owner's distinct cells in order, and how often each occurs."""
    wide = int(cell.max(initial=0)) + 1
    packed, times = np.unique(owner * wide + cell, return_counts=True)
    who, where = np.divmod(packed, wide)
    return who, where, times


def moves(visits: Visits) -> float:
    """Share of steps by day that change the cell; the steps are those of `prediction_errors`."""
    cells = by_day(visits)
    night = max(NIGHT_MIN // (visits.slot_min or DAY_MIN), 2)
    changed: NDArray[np.bool_] = cells[:, :, night:] != cells[:, :, night - 1 : -1]
    return float(changed.mean())
