"""Records outside a box, or at (0, 0)."""

import numpy as np

from incrowd.arrays import tally
from incrowd.data import Traces
from incrowd.data.traces import AT_ZERO
from incrowd.errors import ParameterError, public
from incrowd.read.plane import Box

OUTSIDE = "outside the box"


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
