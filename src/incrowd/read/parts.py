"""A source -> pieces of whole users, each small enough for memory; what every discretizer loops over."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from incrowd.arrays import Ints, Labels
from incrowd.data import Traces
from incrowd.data.table import Attributes
from incrowd.errors import DataError
from incrowd.ledger import Ledger

PIECE_RECORDS = 2_000_000


@dataclass(frozen=True)
class Parts:
    """Whole users in time order, piece by piece, with what is known of them all beforehand."""

    users: Labels
    records: int
    planar: bool
    box: tuple[float, float, float, float]  # west, south, east, north in degrees, or the same in metres
    span: tuple[int, int]  # first and last UTC second
    attributes: Attributes
    ledger: Ledger
    pieces: Callable[[], Iterator[tuple[Ints, Traces]]]

    def __iter__(self) -> Iterator[tuple[Ints, Traces]]:
        """Positions of some users among `users`, and their traces."""
        return self.pieces()


def of_traces(traces: Traces) -> Parts:
    """Traces in memory, cut by user."""
    if not traces.ordered:
        raise DataError("these traces are in log order; call incrowd.clean.order, or read them with order='time'.")
    if not traces.records:
        raise DataError("there is no record left; loosen the cleaning.")
    first, second = traces.coordinates
    box = (float(first.min()), float(second.min()), float(first.max()), float(second.max()))
    span = (int(traces.t.min()), int(traces.t.max()))

    def pieces() -> Iterator[tuple[Ints, Traces]]:
        # A cut wherever another PIECE_RECORDS rows are full; a single longer user stays whole.
        wanted = np.arange(PIECE_RECORDS, traces.records, PIECE_RECORDS)
        cuts = np.unique([0, *np.searchsorted(traces.offsets, wanted), len(traces)])
        for a, b in pairwise(cuts):
            yield np.arange(a, b), _users(traces, int(a), int(b))

    return Parts(traces.users, traces.records, traces.planar, box, span, traces.attributes, traces.ledger, pieces)


def _users(traces: Traces, a: int, b: int) -> Traces:
    rows = slice(traces.offsets[a], traces.offsets[b])
    names = ("t", "x", "y") if traces.planar else ("t", "lon", "lat")
    return replace(
        traces,
        users=traces.users[a:b],
        offsets=traces.offsets[a : b + 1] - traces.offsets[a],
        **{name: getattr(traces, name)[rows] for name in names},
        attributes={name: value[a:b] for name, value in traces.attributes.items()},
    )


def parts(source: Traces) -> Parts:
    """Pieces of whole users from any source."""
    return of_traces(source)
