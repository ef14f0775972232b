"""Each method at a few strengths, with the kind of data it takes, and its release as boxes of space and time."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from incrowd.anonymize import METHODS
from incrowd.anonymize.base import Strength, Wanted
from incrowd.anonymize.w4m.points import points_of
from incrowd.arrays import Floats, Ints
from incrowd.data import Fingerprints, Groups, Release, Traces, Visits
from incrowd.data.fingerprints import BOX
from incrowd.discretize import grid
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


@dataclass(frozen=True)
class MethodInputs:
    """The samples of the people, and what the methods take made of them."""

    prints: Fingerprints
    cell_m: int
    slot_min: int

    @cached_property
    def points(self) -> Traces:
        """The centres of the samples."""
        return points_of(self.prints)

    @cached_property
    def visits(self) -> Visits:
        """Every cell of a slot."""
        return self.visits_on(self.cell_m, self.slot_min)

    @cached_property
    def voted(self) -> Visits:
        """The cell of a slot with most samples."""
        return grid(self.points, cell_m=self.cell_m, slot_min=self.slot_min, keep="vote")

    @cached_property
    def middle_s(self) -> float:
        """The middle of the period, in UTC seconds."""
        low, high = boxes_of(self.prints)
        return float(low[:, 2].min() + high[:, 2].max()) / 2

    def visits_on(self, cell_m: float, slot_min: int) -> Visits:
        """Every cell of a slot, on another grid."""
        return grid(self.points, cell_m=cell_m, slot_min=slot_min)


@dataclass(frozen=True)
class Setting:
    """A method at one strength; what could not even be tried has no strength but a problem."""

    method: str
    strength: Strength | None = None
    problem: str = ""

    @property
    def words(self) -> str:
        """The strength in words."""
        return "" if self.strength is None else self.strength.words

    def data(self, source: MethodInputs) -> Any:
        """What the method is given."""
        return None if self.strength is None else getattr(source, self.strength.takes)

    def release(self, source: MethodInputs, *, seed: int, pseudonym_seed: int | None = None) -> Release | str:
        """Run it, or say why not."""
        if self.strength is None:
            return self.problem
        return self.strength.run(self.data(source), seed=seed, pseudonym_seed=pseudonym_seed)


def settings(methods: Sequence[str], wanted: Wanted) -> tuple[Setting, ...]:
    """The strengths at which methods are tried; a method without any is there with its problem.

    >>> [one.words for one in settings(["cut"], Wanted(k=2, points=4, slot_min=120))]
    ['24 h', '6 h']
    """
    none = f"no strength of it fits slots of {wanted.slot_min:,} min; choose a smaller slot_min."
    tried = {name: [Setting(name, one) for one in METHODS[name].strengths(wanted)] for name in methods}
    return tuple(one for name, settings_of in tried.items() for one in settings_of or [Setting(name, problem=none)])


def untouched(data: Fingerprints | Visits) -> Release:
    """The data as they are, each person under a pseudonym: what every method is compared with."""
    alone = Groups(np.arange(len(data) + 1), np.arange(len(data)))
    provenance: dict[str, Any] = {}
    if isinstance(data, Fingerprints):
        rows = np.arange(data.records)
        boxes = {name: getattr(data, name) for name in BOX}
        provenance = {"box": rows, "row": rows, "boxes": {**boxes, "group": data.owner}, "discarded_users": rows[:0]}
    return Release(data, alone, params={"method": "none"}, ledger=data.ledger, provenance=provenance)
