"""Any release -> boxes of space and time, so that one attacker and one measure of loss fit all methods."""

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.data import Fingerprints, Groups, Release, Traces, Visits
from incrowd.errors import DataError

CELL_M, MINUTE_S = 100, 60  # of a sample


@dataclass(frozen=True, eq=False, repr=False)
class Visible:
    """What a release shows: box b, half-open from low[b] to high[b] in (x, y, t), belongs to published row[b]."""

    row: Ints
    low: Floats  # [boxes, 3] metres, metres, UTC seconds
    high: Floats
    members: Groups

    @property
    def middle(self) -> Floats:
        """The centre of each box, what a user of the data would take for the place and time."""
        return (self.low + self.high) / 2


def visible(release: Release) -> Visible:
    """Fingerprints and visits as the boxes they are; points as samples of a cell and a minute around them.

    >>> from incrowd import Visits
    >>> visits = Visits.from_arrays([4], cell=[0], slot=[2], xy=[[50, 50]], slot_min=10, start=0)
    >>> from dataclasses import replace
    >>> one = Release.from_arrays(replace(visits, cell_m=100), members=[[0]])
    >>> visible(one).low.tolist(), visible(one).high.tolist()
    ([[0.0, 0.0, 1200.0]], [[100.0, 100.0, 1800.0]])
    """
    data = release.data
    if isinstance(data, Fingerprints):
        low, high = boxes_of(data)
    elif isinstance(data, Visits):
        low, high = _squares(data)
    elif isinstance(data, Traces) and data.planar:
        middle, half = np.column_stack([*data.coordinates, data.t]), np.array([CELL_M, CELL_M, MINUTE_S]) / 2
        low, high = middle - half, middle + half
    else:
        raise DataError(f"a release of {type(data).__name__} cannot be compared; it needs places in metres.")
    return Visible(data.owner, low, high, release.members)


def boxes_of(prints: Fingerprints) -> tuple[Floats, Floats]:
    """Corners in metres and UTC seconds."""
    start = prints.start or 0
    low = np.column_stack([prints.x, prints.y, start + 60 * prints.t]).astype(np.float64)
    return low, low + np.column_stack([prints.dx, prints.dy, 60 * prints.dt])


def _squares(visits: Visits) -> tuple[Floats, Floats]:
    if visits.xy is None or visits.cell_m is None or visits.slot_min is None:
        raise DataError("visits without squares and a clock cannot be compared; discretize with grid.")
    middle, slot_s = visits.xy[visits.cell], 60 * visits.slot_min
    when = (visits.start or 0) + visits.slot * slot_s
    low = np.column_stack([middle - visits.cell_m / 2, when])
    return low, low + np.array([visits.cell_m, visits.cell_m, slot_s])
