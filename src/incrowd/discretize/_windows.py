"""Visits -> one piece per user and time window."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from incrowd.arrays import Ints
from incrowd.data import Visits
from incrowd.data.table import kept_attributes
from incrowd.errors import DataError, ParameterError, check_positive, check_whole

_CHUNK = 4_000_000  # rows looked at at once


@dataclass(frozen=True, eq=False, repr=False)
class Windows:
    """Pieces by owner, then window; `visits` has one user per piece, labelled 0, 1, 2, …"""

    visits: Visits
    owner: Ints  # position of the user each piece was cut from
    window: Ints  # number of its window, from 0
    window_h: float | None
    windows: int | None
    start_slot: int
    slots: int

    def __repr__(self) -> str:
        return f"Windows(pieces={len(self.owner):,}, records={self.visits.records:,})"


def windows(
    visits: Visits,
    *,
    window_h: float | None = None,
    windows: int | None = None,
    start_slot: int = 0,
    slots: int | None = None,
) -> Windows:
    """Cut every user at window borders [song2014, Sec. 3.2], into `windows` equal parts or windows of window_h hours.

    The window of a slot is floor((slot - start_slot) * windows / slots), in integers; a border belongs to the later
    window. `slots` is the recording period and should be given: without it the period ends with the last visit.
    Differs from [song2014]: its closed windows put a border into two of them.

    >>> made = windows(Visits.from_arrays([7, 7, 7], cell=[1, 1, 1], slot=[3, 4, 5]), windows=2, slots=8)
    >>> made.window.tolist(), np.diff(made.visits.offsets).tolist()
    ([0, 1], [1, 2])
    """
    period = _period(visits, start_slot, slots)
    width = _width(visits.slot_min, window_h, windows, period)
    cuts = _cuts(visits, start_slot, width)
    owner = np.searchsorted(visits.offsets, cuts, "right") - 1
    window = _window(visits.slot[cuts], start_slot, width)
    pieces = len(cuts)
    made = replace(
        visits,
        users=np.arange(pieces),
        offsets=np.append(cuts, visits.records),
        attributes=kept_attributes(visits.attributes, owner),
        ledger=visits.ledger.add("windows", read=visits.records, kept=visits.records, users=(len(visits), pieces)),
    )
    return Windows(made, owner, window, window_h, windows, start_slot, period)


def _period(visits: Visits, start_slot: int, slots: int | None) -> int:
    """The number of slots recorded; every visit lies in them."""
    if slots is not None:
        check_whole(slots=slots)
    if not visits.records:
        raise DataError("there is no visit to cut; give at least one.")
    period = int(visits.slot.max()) + 1 - start_slot if slots is None else int(slots)
    outside = int(((visits.slot < start_slot) | (visits.slot >= start_slot + period)).sum())
    if outside:
        raise DataError(f"{outside:,} visits lie outside the recording period; check start_slot and slots.")
    return period


def _width(slot_min: int | None, window_h: float | None, windows: int | None, period: int) -> Fraction:
    """Slots per window, exactly."""
    if (window_h is None) == (windows is None):
        raise ParameterError("give either window_h or windows.")
    if windows is not None:
        check_whole(windows=windows)
        width = Fraction(period, int(windows))
    else:
        check_positive(window_h=window_h or 0)
        if slot_min is None:
            raise ParameterError("window_h needs visits with slot_min; give windows, or make the visits with slot_min.")
        width = Fraction(str(window_h)) * 60 / slot_min
    if max(period * width.denominator, width.numerator) >= 2**62:
        raise ParameterError("the windows are too fine or too wide for exact integers; choose simpler ones.")
    return width


def _window(slot: Ints, start_slot: int, width: Fraction) -> Ints:
    return (slot - start_slot) * width.denominator // width.numerator


def _cuts(visits: Visits, start_slot: int, width: Fraction) -> Ints:
    """Rows at which a piece begins: a user's rows are in slot order, so its pieces are runs."""
    begins = np.zeros(visits.records, np.bool_)
    begins[visits.offsets[:-1][np.diff(visits.offsets) > 0]] = True
    for a in range(0, visits.records, _CHUNK):
        window = _window(visits.slot[max(a - 1, 0) : a + _CHUNK], start_slot, width)
        at = slice(max(a, 1), a + len(window) if a == 0 else a - 1 + len(window))
        begins[at] |= window[1:] != window[:-1]
    return np.flatnonzero(begins)
