"""Logs whose times do not rise."""

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, distinct_rows
from incrowd.data import Traces
from incrowd.errors import check_choice, check_positive, public

Shift = Literal["swap_best", "swap_records", "remove"]
SHIFTS = ("swap_best", "swap_records", "remove")  # as the kernels number them


@public
def order(traces: Traces, *, shift: Shift = "swap_best", max_speed_kmh: float = 200.0) -> Traces:
    """Traces in which each user's times rise strictly: a log in disorder is repaired [tan2017, Sec. 4.1 and Fig. 8].

    A record whose time fits neither neighbour is dropped as uncorrelated. Of several records at one time the first
    stays.

    Args:
        traces: Traces in log order (read with order="log").
        shift: What happens to two records out of order by one: "swap_records" exchanges them; "swap_best" exchanges
            them or their times, whichever is slower to travel, and drops one if both exceed `max_speed_kmh`; "remove"
            drops one.
        max_speed_kmh: The highest plausible speed.

    >>> log = Traces.from_arrays([1] * 4, [1, 3, 2, 4], x=[0] * 4, y=[0] * 4, order="log")
    >>> order(log).t.tolist(), order(log, shift="remove").t.tolist()
    ([1, 2, 3, 4], [1, 2, 4])
    """
    check_choice("shift", shift, SHIFTS)
    check_positive(max_speed_kmh=max_speed_kmh)
    repaired, (uncorrelated, shifted, records, times) = _repaired(traces, shift, max_speed_kmh / 3.6)
    first = distinct_rows(repaired.owner, repaired.t)
    elsewhere, repeated = _latecomers(repaired, first)
    ledger = traces.ledger.add(
        "order",
        read=traces.records,
        kept=int(first.sum()),
        dropped={
            "uncorrelated time": uncorrelated,
            "implausible shift" if shift == "swap_best" else "shifted by one": shifted,
            "same time, other place": elsewhere,
            "same time and place": repeated,
        },
        notes={"records swapped": records, "times swapped": times},
        users=(len(traces), len(traces)),
    )
    return repaired.where(first, ledger)


def _repaired(traces: Traces, shift: Shift, max_speed_ms: float) -> tuple[Traces, Ints]:
    """Traces in time order, and how often the kernel did what."""
    if traces.ordered:
        return traces, np.zeros(4, np.int64)
    from incrowd.kernels.cpu import cleaning

    x, y = traces.coordinates
    rows, t, offsets, done = cleaning.repair_order(
        traces.offsets, traces.t, x, y, traces.planar, SHIFTS.index(shift), max_speed_ms
    )
    names = ("x", "y") if traces.planar else ("lon", "lat")
    places = dict(zip(names, (x[rows], y[rows]), strict=True))
    return replace(traces, t=t, offsets=offsets, **places, ordered=True), done


def _latecomers(traces: Traces, first: NDArray[np.bool_]) -> tuple[int, int]:
    """How many records at the time of an earlier one are at another place than that, and how many at the same."""
    late = np.flatnonzero(~first)
    earlier = np.flatnonzero(first)[np.cumsum(first)[late] - 1]
    x, y = traces.coordinates
    same = (x[late] == x[earlier]) & (y[late] == y[earlier])
    return int((~same).sum()), int(same.sum())
