"""Users who tell too little to keep."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import tally
from incrowd.data import Traces
from incrowd.errors import check_choice, check_positive


def still_users(traces: Traces, *, singleton: Literal["location", "record"] = "location") -> Traces:
    """Remove users with exactly one distinct location, or (`"record"`) with one record repeats aside.

    [song2014, Sec. 4] speaks of "only one location" and of "only one record location"; the former is the default.

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
    return _without(traces, tally(differs, traces.offsets) == 0, "still_users", why)


def sparse_users(traces: Traces, *, min_records: int = 7) -> Traces:
    """Remove users with fewer than `min_records` records [tan2017, Sec. 4.1].

    The paper gives no number; by default a user must have the most points its adversary knows, 7 [tan2017, Alg. 1].

    >>> sparse_users(Traces.from_arrays([1, 1, 2], [0, 60, 0], x=[1, 2, 3], y=[0, 0, 0]), min_records=2)
    Traces(users=1, records=2)
    """
    check_positive(min_records=min_records)
    return _without(traces, np.diff(traces.offsets) < min_records, "sparse_users", "user with few records")


def _without(traces: Traces, leaving: NDArray[np.bool_], step: str, why: str) -> Traces:
    gone = leaving[traces.owner]
    lost, users = int(gone.sum()), len(traces) - int(leaving.sum())
    ledger = traces.ledger.add(
        step,
        read=traces.records,
        kept=traces.records - lost,
        dropped={why: lost},
        users=(len(traces), users),
    )
    return traces.where(~gone, ledger)
