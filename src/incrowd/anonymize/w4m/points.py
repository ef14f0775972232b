"""What W4M is given: the centres of fingerprints as points, and the records whose box decides the radius."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import Ints, tally
from incrowd.clean import OUTSIDE
from incrowd.data import Fingerprints, Traces
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
    bounds: Bounds | None = None  # None if the radius does not follow from a box


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


def points_of(prints: Fingerprints) -> Traces:
    """One point per sample: the centre of its box in metres, and the middle of its time in seconds after `start`.

    Points are in the order of these middles, which `sample_of` relates to that of the samples.

    >>> points = points_of(Fingerprints.from_arrays([7, 7], x=[0, 300], y=[0, 0], t=[0, 2]))
    >>> points.x.tolist(), points.t.tolist()
    ([50.0, 350.0], [30, 150])
    """
    if prints.crowd.max(initial=1) > 1:
        raise DataError("a fingerprint stands for several people; give fingerprints of one person each.")
    middle = _middle(prints)
    place = (prints.x + prints.dx / 2, prints.y + prints.dy / 2)
    points = Traces.from_codes(prints.users, prints.owner, middle, *place, planar=True, order="time")
    return replace(points, attributes=prints.attributes, ledger=prints.ledger)


def sample_of(prints: Fingerprints) -> Ints:
    """The sample behind each point; a long sample that begins first may have the later middle.

    >>> sample_of(Fingerprints.from_arrays([7, 7], x=[0, 300], y=[0, 0], t=[0, 2], dt=[60, 1])).tolist()
    [1, 0]
    """
    return np.lexsort((_middle(prints), prints.owner))


def _middle(prints: Fingerprints) -> Ints:
    middle: Ints = (prints.start or 0) + 60 * prints.t + 30 * prints.dt
    return middle
