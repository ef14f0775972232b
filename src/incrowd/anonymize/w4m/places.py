"""Traces -> those records whose box decides the radius of W4M, and the others by reason."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Ints, tally
from incrowd.clean._outside import OUTSIDE
from incrowd.data import Traces
from incrowd.data.traces import AT_ZERO
from incrowd.discretize._blocks import lattice_of
from incrowd.discretize.bounds import Bounds, bounds_of
from incrowd.discretize.collect import NOWHERE
from incrowd.errors import DataError
from incrowd.read._parts import of_traces
from incrowd.read.plane import Box


@dataclass(frozen=True)
class Placed:
    """Records that stay, and where they and their users stand in the original."""

    data: Traces
    rows: Ints
    people: Ints
    lost: Mapping[str, int]  # records by reason
    bounds: Bounds | None = None  # None where the radius does not follow from a box


def everywhere(traces: Traces) -> Placed:
    """All records, wherever they are."""
    return Placed(traces, np.arange(traces.records), np.arange(len(traces)), {})


def inside(traces: Traces, box: Box | None, *, keep_zero: bool) -> Placed:
    """The records in the box, but for those at (0, 0); with a warning if strays made the box another."""
    bounds = bounds_of(of_traces(traces), box, keep_zero=keep_zero)
    zero = np.zeros(traces.records, np.bool_) if keep_zero else traces.at_zero
    beyond = ~zero & (lattice_of(bounds.box, 1, planar=traces.planar).locate(traces).cell == NOWHERE)
    lost = {AT_ZERO: int(zero.sum()), OUTSIDE: int(beyond.sum())}
    bounds.warn(at_zero=lost[AT_ZERO], outside=lost[OUTSIDE])
    stay = ~zero & ~beyond
    if not stay.any():
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in lost.items() if n)
        raise DataError(f"no record is left ({reasons}); check the box.")
    people = np.flatnonzero(tally(stay, traces.offsets))
    kept = {reason: n for reason, n in lost.items() if n}
    return Placed(traces.where(stay, traces.ledger), np.flatnonzero(stay), people, kept, bounds)
