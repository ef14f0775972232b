"""Each method at a few strengths, with the kind of data it takes, all made from the same samples."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from incrowd.anonymize import METHODS
from incrowd.anonymize.base import Strength, Wanted
from incrowd.anonymize.w4m.points import points_of
from incrowd.assess.compare.views import boxes_of
from incrowd.data import Fingerprints, Groups, Release, Traces, Visits
from incrowd.data.fingerprints import BOX
from incrowd.discretize import grid


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
