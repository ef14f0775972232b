"""Users with too few records or places."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import tally
from incrowd.data import Traces
from incrowd.errors import check_choice, check_positive, public


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
    return _without(traces, tally(differs, traces.offsets) == 0, "still_users", why)


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
