"""Records written twice."""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, distinct_rows, row_order
from incrowd.data import Traces
from incrowd.errors import public


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


def repeated(traces: Traces) -> tuple[NDArray[np.bool_], int]:
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
