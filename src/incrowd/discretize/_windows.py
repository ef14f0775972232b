"""Visits -> one piece per user and time window."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from incrowd.arrays import Ints
from incrowd.data import Visits
from incrowd.data.table import kept_attributes
from incrowd.errors import DataError, ParameterError, check_positive, check_whole, public
from incrowd.plain import several
from incrowd.show import Result, Section

_CHUNK = 4_000_000  # rows looked at at once


@dataclass(frozen=True, eq=False, repr=False)
class Windows(Result):
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

    def section(self) -> Section:
        """How many pieces there are."""
        cut, visits = several(len(np.unique(self.owner)), "trajectory", "trajectories"), self.visits.records
        pieces = len(self.owner)
        width = f"{self.windows} windows" if self.windows is not None else f"windows of {self.window_h:g} h"
        return Section(
            question="Into how many pieces are the trajectories cut?",
            answer=f"{cut} cut into {width} make {several(pieces, 'piece')} with {several(visits, 'visit')}.",
            number=f"{pieces:,}",
            number_of="pieces",
            options=f"slot {self.start_slot} to {self.start_slot + self.slots - 1}",
            data=self,
        )

    def columns(self) -> Mapping[str, Any]:
        """A row for each piece: the position of its owner, its window, how many visits."""
        return {"owner": self.owner, "window": self.window, "visits": np.diff(self.visits.offsets)}


@public
def windows(
    visits: Visits,
    *,
    window_h: float | None = None,
    windows: int | None = None,
    start_slot: int = 0,
    slots: int | None = None,
) -> Windows:
    """One piece per user and time window, cut at window borders [song2014, Sec. 3.2].

    The window of a slot is floor((slot - start_slot) * windows / slots), in integers; a border belongs to the later
    window. Differs from [song2014]: its closed windows put a border into two of them.

    Args:
        visits: The visits to cut.
        window_h: Hours of a window; give this or `windows`.
        windows: Number of equal windows; give this or `window_h`.
        start_slot: First slot of the recording period.
        slots: Slots of the recording period. [default: to the last visit]

    >>> made = windows(Visits.from_arrays([7, 7, 7], cell=[1, 1, 1], slot=[3, 4, 5]), windows=2, slots=8)
    >>> made.window.tolist(), np.diff(made.visits.offsets).tolist()
    ([0, 1], [1, 2])
    """
    period = _period(visits, start_slot, slots)
    width = window_width(visits.slot_min, window_h, windows, period)
    cuts = piece_starts(visits, start_slot, width)
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
    """The number of slots recorded; every visit is in them."""
    if slots is not None:
        check_whole(slots=slots)
    if not visits.records:
        raise DataError("the visits are empty; give at least one.")
    period = int(visits.slot.max()) + 1 - start_slot if slots is None else int(slots)
    check_period(outside_period(visits.slot, start_slot, period))
    return period


def outside_period(slot: Ints, start_slot: int, period: int) -> int:
    """How many visits are in no slot that was recorded."""
    return int(((slot < start_slot) | (slot >= start_slot + period)).sum())


def check_period(outside: int) -> None:
    """Refuse a recording period that leaves visits out."""
    if outside:
        raise DataError(
            f"{several(outside, 'visit')} {'is' if outside == 1 else 'are'} outside the recording period; check "
            "start_slot and slots."
        )


def window_width(slot_min: int | None, window_h: float | None, windows: int | None, period: int) -> Fraction:
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


def piece_starts(visits: Visits, start_slot: int, width: Fraction) -> Ints:
    """Rows at which a piece begins: a user's rows are in slot order, so its pieces are runs."""
    begins = np.zeros(visits.records, np.bool_)
    begins[visits.offsets[:-1][np.diff(visits.offsets) > 0]] = True
    for a in range(0, visits.records, _CHUNK):
        window = _window(visits.slot[max(a - 1, 0) : a + _CHUNK], start_slot, width)
        rows = slice(max(a, 1), a + len(window) if a == 0 else a - 1 + len(window))
        begins[rows] |= window[1:] != window[:-1]
    return np.flatnonzero(begins)
