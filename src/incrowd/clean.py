"""Traces -> Traces, with a ledger of what was removed.

duplicates     the same user, time and place twice: the first stays
still_users    users who never move leave
order          a log in disorder is repaired or thinned until each user's times rise
displaced      records no vehicle could have reached and left again leave
sparse_users   users with few records leave
outside        records at (0, 0) or outside a box leave
"""

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from incrowd.arrays import Flags, Ints, distinct_rows, row_order, tally
from incrowd.data import Traces
from incrowd.data.table import some_rows
from incrowd.data.traces import AT_ZERO
from incrowd.errors import DataError, ParameterError, check_choice, check_positive, public
from incrowd.read.plane import Box

__all__ = ["displaced", "duplicates", "order", "outside", "sparse_users", "still_users"]

Shift = Literal["swap_best", "swap_records", "remove"]
SHIFTS = ("swap_best", "swap_records", "remove")  # as the kernels number them
OUTSIDE = "outside the box"


@public
def duplicates(traces: Traces) -> Traces:
    """Traces with one record for each user, time and place: the first in the log.

    [song2014, Sec. 4], [tan2017, Sec. 4.1]. The ledger also counts records at a time for which their user has an
    earlier record at another place; `order` decides between those.

    Args:
        traces: Traces in time order or in log order.

    >>> twice = Traces.from_arrays(["a", "a", "a"], [0, 0, 60], x=[1, 1, 1], y=[0, 0, 0])
    >>> duplicates(twice).ledger.steps[-1].dropped
    {'exact duplicate': 1}
    """
    twice, conflicts = repeated(traces)
    lost = int(twice.sum())
    ledger = traces.ledger.add(
        "duplicates",
        read=traces.records,
        kept=traces.records - lost,
        dropped={"exact duplicate": lost},
        notes={"same time, other place": conflicts},
        users=(len(traces), len(traces)),
    )
    return traces.where(~twice, ledger)


def repeated(traces: Traces) -> tuple[Flags, int]:
    """Whether each row repeats an earlier one, and how many of the others share only user and time with one."""
    rows, run = _simultaneous(traces)
    x, y = (column[rows] for column in traces.coordinates)
    by_place = np.lexsort((y, x, run))  # stable: the first in the log comes first
    rows, run, x, y = rows[by_place], run[by_place], x[by_place], y[by_place]
    new_moment = distinct_rows(run)
    new_place = new_moment.copy()
    new_place[1:] |= (x[1:] != x[:-1]) | (y[1:] != y[:-1])
    twice = np.zeros(traces.records, np.bool_)
    twice[rows[~new_place]] = True
    return twice, int(new_place.sum() - new_moment.sum())


def _simultaneous(traces: Traces) -> tuple[Ints, Ints]:
    """Rows that share user and time with another, by user, time and place in the log, and the moment of each."""
    owner, t = traces.owner, traces.t
    order = None if traces.ordered else row_order(owner, t)
    if order is not None:
        owner, t = owner[order], t[order]
    first = distinct_rows(owner, t)
    shared = ~first
    shared[:-1] |= ~first[1:]
    rows = np.flatnonzero(shared)
    return (rows if order is None else order[rows]), np.cumsum(first, dtype=np.int64)[rows]


@public
def still_users(traces: Traces, *, singleton: Literal["location", "record"] = "location") -> Traces:
    """Traces without users who never move [song2014, Sec. 4].

    Args:
        traces: Traces in time order or in log order.
        singleton: Remove users with one distinct "location", or those with one distinct "record". The paper writes both
            "only one location" and "only one record location".

    >>> traces = Traces.from_arrays(["a", "a", "b", "b"], [0, 9, 0, 9], x=[5, 5, 5, 6], y=[0, 0, 0, 0])
    >>> still_users(traces)
    Traces(users=1, records=2)
    """
    check_choice("singleton", singleton, ("location", "record"))
    first = np.repeat(traces.offsets[:-1], np.diff(traces.offsets))
    x, y = traces.coordinates
    differs = (x != x[first]) | (y != y[first])
    if singleton == "record":
        differs |= traces.t != traces.t[first]
    why = "user at one location" if singleton == "location" else "user with one record"
    moves = tally(differs, traces.offsets) > 0
    return some_rows(traces, moves[traces.owner], "still_users", why)


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
    places: dict[str, Any] = dict(zip(names, (x[rows], y[rows]), strict=True))
    return replace(traces, t=t, offsets=offsets, **places, ordered=True), done


def _latecomers(traces: Traces, first: Flags) -> tuple[int, int]:
    """How many records at the time of an earlier one are at another place than that, and how many at the same."""
    late = np.flatnonzero(~first)
    earlier = np.flatnonzero(first)[np.cumsum(first)[late] - 1]
    x, y = traces.coordinates
    same = (x[late] == x[earlier]) & (y[late] == y[earlier])
    return int((~same).sum()), int(same.sum())


@public
def displaced(traces: Traces, *, max_speed_kmh: float = 200.0) -> Traces:
    """Traces without records that could only be reached and left at an implausible speed.

    b between a and c leaves iff v(a,b) > v_max, v(b,c) > v_max and v(a,c) <= v_max, until none does
    [tan2017, Sec. 4.1 and Fig. 9]. The paper gives no speed; 200 km/h suits road vehicles. The first and the last
    record and two displaced ones in a row are not caught.

    Args:
        traces: Traces in time order.
        max_speed_kmh: The highest plausible speed.

    >>> traces = Traces.from_arrays([1] * 5, [0, 10, 20, 30, 40], x=[0, 100, 5000, 300, 400], y=[0] * 5)
    >>> displaced(traces, max_speed_kmh=108).x.tolist()
    [0.0, 100.0, 300.0, 400.0]
    """
    check_positive(max_speed_kmh=max_speed_kmh)
    if not traces.ordered:
        raise DataError(
            "these traces are in log order; call incrowd.clean.order first, or read them with order='time'."
        )
    from incrowd.kernels.cpu import cleaning

    gone = cleaning.displaced(traces.offsets, traces.t, *traces.coordinates, traces.planar, max_speed_kmh / 3.6)
    return some_rows(traces, ~gone, "displaced", "implausible speed before and after")


@public
def sparse_users(traces: Traces, *, min_records: int = 7) -> Traces:
    """Traces without users who have few records [tan2017, Sec. 4.1].

    Args:
        traces: Traces in time order or in log order.
        min_records: Users with fewer records are removed. The paper gives no number; the default is the most points
            that its adversary knows [tan2017, Alg. 1].

    >>> sparse_users(Traces.from_arrays([1, 1, 2], [0, 60, 0], x=[1, 2, 3], y=[0, 0, 0]), min_records=2)
    Traces(users=1, records=2)
    """
    check_positive(min_records=min_records)
    enough = np.diff(traces.offsets) >= min_records
    return some_rows(traces, enough[traces.owner], "sparse_users", "user with few records")


@public
def outside(traces: Traces, box: Box | None = None, zero: bool = True) -> Traces:
    """Traces without the records at (0, 0) and outside a box; users left without records leave.

    Args:
        traces: Traces in time order or in log order.
        box: (west, south, east, north) in degrees, or in metres if the coordinates are; its edges belong to it.
            [default: no box]
        zero: Remove records at (0, 0), within 0.001 degrees; coordinates in metres have none.

    >>> traces = Traces.from_arrays([1, 1, 2], [0, 60, 0], lon=[5.0, 0.0, 9.0], lat=[52.0, 0.0, 52.0])
    >>> outside(traces, box=(4, 51, 6, 53)).ledger.steps[-1].dropped
    {'at (0, 0)': 1, 'outside the box': 1}
    """
    check_box(box)
    gone = traces.at_zero if zero else np.zeros(traces.records, np.bool_)
    nowhere = int(gone.sum())
    if box is not None:
        west, south, east, north = box
        first, second = traces.coordinates
        gone |= ~((first >= west) & (first <= east) & (second >= south) & (second <= north))
    lost, users = int(gone.sum()), int((tally(~gone, traces.offsets) > 0).sum())
    ledger = traces.ledger.add(
        "outside",
        read=traces.records,
        kept=traces.records - lost,
        dropped={AT_ZERO: nowhere, OUTSIDE: lost - nowhere},
        users=(len(traces), users),
    )
    return traces.where(~gone, ledger)


def check_box(box: Box | None) -> None:
    """Refuse a box that is not (west, south, east, north)."""
    try:
        west, south, east, north = (0, 0, 0, 0) if box is None else map(float, box)
    except (TypeError, ValueError):
        west, south, east, north = 1, 1, 0, 0
    if not (west <= east and south <= north):
        raise ParameterError("box must be (west, south, east, north) with west <= east and south <= north.")
