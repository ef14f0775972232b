"""Records displaced in space."""

from incrowd.data import Traces
from incrowd.errors import DataError, check_positive, public


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
    lost = int(gone.sum())
    ledger = traces.ledger.add(
        "displaced",
        read=traces.records,
        kept=traces.records - lost,
        dropped={"implausible speed before and after": lost},
        users=(len(traces), len(traces)),
    )
    return traces.where(~gone, ledger)
