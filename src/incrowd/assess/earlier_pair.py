"""An earlier release and a new one, as visits on the same cells and clock, and who is who in them."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from incrowd.arrays import Ints
from incrowd.assess.dataset import Dataset
from incrowd.assess.earlier_releases import EarlierRelease
from incrowd.assess.subject import Subject
from incrowd.attack.link.sides import as_visits, on_grid
from incrowd.attack.people import read_link
from incrowd.data import Groups, Traces, Visits
from incrowd.discretize import alike
from incrowd.errors import DataError

Views = tuple[Literal["places", "rhythm", "week", "moments"], ...]
UNSCORED = "its link file was not kept, so who was recognised rightly is not scored"
NOBODY_COMMON = "its link file names nobody who is in the new release, so who was recognised rightly is not scored"
SOME_UNKNOWN = "its link file does not name everybody of the new release, so who else is recognised is not scored"
UNVOUCHED = "its link file is not known to be the one that was written with it, so what it scores is not all"
BELIED = "more rows stand out than its link file says are recognised, as if labels had gone to other people since"
CROSSED = "one release has larger cells and the other longer slots, so they cannot be compared; publish both alike"
APART = (
    "most cells of the earlier release are none of the new one, so rows cannot be compared; publish both on one plane"
)
PLACELESS = "the cells of a release have no places, so only releases with the same cells and slots can be compared"
MOST = 0.5  # of the earlier rows or visits, that the new release must know


@dataclass(frozen=True, eq=False)
class Pair:
    """An earlier release and the new one as visits on the same cells and clock, and who is who.

    Args:
        subject: The new release.
        earlier: The rows that were published before.
        members: Positions of the people behind each of them among the people of the new data; none if that is unknown.
        target: The rows of the new release.
        why_unscored: Why it is not known who is who.
        asked: Earlier rows that are asked about where nothing is scored; all of them if None.
        recognised: How many others are recognised as the link file scores it.
    """

    subject: Subject
    earlier: Visits
    members: Groups
    target: Visits
    why_unscored: str
    asked: Ints | None = None
    recognised: float = 0.0

    @classmethod
    def of(cls, one: EarlierRelease, table: Any, data: Dataset) -> "Pair":
        """Put both on the cells and slots of the coarser one."""
        subject, why = data.subject, "" if one.link else UNSCORED
        members = Groups.nobody(len(table))
        if one.link is not None:
            members = read_link(one.link, one.folder).members(table, subject.original)
            if not np.isin(members.positions, subject.present).any():
                members, why = Groups.nobody(len(table)), NOBODY_COMMON
        earlier = _as_visits(table, subject)
        earlier, target = _same_grain(earlier, subject.visits)
        return cls(subject, earlier, members, target, why)

    def without_link(self, why: str, asked: Ints | None = None, recognised: float = 0.0) -> "Pair":
        """The same as if it were not known who is who.

        Args:
            why: Why that is not believed.
            asked: Earlier rows that are asked about then.
            recognised: How many others are recognised as the link file scores it.
        """
        members = Groups.nobody(len(self.members))
        return replace(self, members=members, why_unscored=why, asked=asked, recognised=recognised)

    @property
    def scored(self) -> bool:
        """Whether it is known who is who."""
        return not self.why_unscored

    @property
    def unknown(self) -> Ints:
        """The earlier rows behind which the link knows nobody of the new release."""
        there = np.isin(self.members.positions, self.subject.present)
        return np.setdiff1d(np.arange(len(self.members)), self.members.owner[there])

    @property
    def room(self) -> int:
        """How many of the new rows, each as often as its crowd, are of nobody whom the link knows."""
        named = np.unique(self.members.positions)
        everybody = self.subject.crowd[np.diff(self.target.offsets) > 0].sum()
        return max(int(everybody - np.diff(self.subject.rows.offsets)[named].sum()), 0)

    @property
    def single(self) -> bool:
        """Whether everybody has one row at most in each of them, as far as that is known."""
        twice = np.unique(self.members.positions, return_counts=True)[1].max(initial=0) > 1
        several_rows = np.diff(self.subject.rows.offsets).max(initial=0) > 1
        in_crowds = max(self.subject.crowd.max(initial=1), np.diff(self.members.offsets).max(initial=0)) > 1
        return not (twice or several_rows or in_crowds)

    @property
    def views(self) -> list[Views]:
        """What is compared: places and rhythm, and moments too where the two periods overlap."""
        usual: Views = ("places", "rhythm")
        ours, theirs = self.earlier, self.target
        clocked = None not in (ours.start, theirs.start, ours.slot_min, theirs.slot_min)
        if not clocked:
            return [("places",)]
        first, width = (int(side.start or 0) for side in (ours, theirs)), 60 * (ours.slot_min or 1)
        slots = [start // width + side.slot for start, side in zip(first, (ours, theirs), strict=True)]
        return [usual, ("places", "rhythm", "moments")] if np.isin(slots[0], slots[1]).any() else [usual]

    def crowd_of(self, rows: Ints) -> Ints:
        """For each of some earlier rows the fewest people among whom one of its people stands in the new release."""
        crowd = self.subject.per_person(self.subject.crowd)
        large = np.iinfo(np.int64).max
        sizes = [crowd[self.members[row]] for row in rows.tolist()]
        return np.array([min((int(one) for one in own if one), default=large) for own in sizes], np.int64)


def _as_visits(table: Any, subject: Subject) -> Visits:
    if isinstance(table, Visits):
        return table
    if isinstance(table, Traces):
        return alike(table, subject.visits)
    visits: Visits = as_visits(table, subject.visits)
    return visits


def _same_grain(ours: Visits, theirs: Visits) -> tuple[Visits, Visits]:
    """Both in the cells and slots of the coarser one; earlier cells that are not among the new ones in the nearest."""
    if ours.xy is not None and ours.xy is theirs.xy:  # boxes, which were put on these cells
        return ours, theirs
    if ours.xy is not None and theirs.xy is not None:
        grains = [(_spacing_m(side), side.slot_min or 0) for side in (ours, theirs)]
        if all(a >= b for a, b in zip(*grains, strict=True)) and grains[0] != grains[1]:
            theirs = replace(on_grid(theirs, ours), cell_m=ours.cell_m)
        elif all(a <= b for a, b in zip(*grains, strict=True)):
            ours = replace(on_grid(ours, theirs), cell_m=theirs.cell_m, xy=theirs.xy)
        else:
            raise DataError(CROSSED)
    elif ours.xy is not None or theirs.xy is not None or ours.slot_min != theirs.slot_min:
        raise DataError(PLACELESS)
    if np.isin(ours.cell, theirs.cell).mean() < MOST:
        raise DataError(APART)
    return ours, theirs


def _spacing_m(visits: Visits) -> float:
    """The side of a square, or how far apart places are that are no squares."""
    from scipy.spatial import KDTree

    if visits.cell_m:
        return visits.cell_m
    xy = np.asarray(visits.xy, np.float64)[np.unique(visits.cell)]
    return float(np.median(KDTree(xy).query(xy, k=2)[0][:, 1])) if len(xy) > 1 else 0.0
