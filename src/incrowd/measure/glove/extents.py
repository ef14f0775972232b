"""Published boxes -> how coarse they are; with the people behind them, the box that each original sample is in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.arrays import Ints
from incrowd.data import Fingerprints, Groups, Release
from incrowd.data.fingerprints import BOX
from incrowd.errors import DataError
from incrowd.ledger import Ledger
from incrowd.measure.glove.accuracy import Column
from incrowd.measure.glove.cost_section import section_of_extents
from incrowd.show import Result, Section

DELETED = ("sample of a discarded fingerprint", "sample beyond the largest extent")
DISCARDED = "discarded fingerprint"
FULL_M, FULL_MIN = 20_000, 480  # a box of these sides is as coarse in space as in time [gramaglia2015, Sec. 4.1]
MOST_PAIRS = 20_000_000  # of samples and boxes that are compared at once


@dataclass(frozen=True, eq=False)
class Extents(Result):
    """Longer sides and durations of published boxes, each once per person; what is missing, as the release says."""

    pos_extent: Column
    time_extent: Column
    groups: int
    people: int
    boxes: int
    original_samples: int | None
    deleted_samples: int | None
    original_fingerprints: int | None
    discarded_fingerprints: int | None

    def section(self) -> Section:
        """How coarse published boxes are, in one section."""
        return section_of_extents(self)

    def columns(self) -> Mapping[str, Any]:
        """A row for each published box and person behind it: longer side in metres, duration in minutes."""
        return {"pos_extent": self.pos_extent, "time_extent": self.time_extent}


def extents(data: Fingerprints, ledger: Ledger | None = None) -> Extents:
    """How coarse published boxes are; the ledger of a GLOVE release says what was deleted.

    >>> extents(Fingerprints.from_arrays([1], x=[0], y=[0], t=[0], dx=300, dt=20, crowd=2)).pos_extent.tolist()
    [300, 300]
    """
    people = data.crowd[data.owner]
    steps = [step for step in (ledger.steps if ledger else ()) if step.name == "glove"]
    step = steps[-1] if steps else None
    return Extents(
        np.repeat(np.maximum(data.dx, data.dy), people),
        np.repeat(data.dt, people),
        groups=len(data),
        people=int(data.crowd.sum()),
        boxes=data.records,
        original_samples=step.read if step else None,
        deleted_samples=sum(step.dropped.get(reason, 0) for reason in DELETED) if step else None,
        original_fingerprints=step.users[0] if step and step.users else None,
        discarded_fingerprints=step.notes.get(DISCARDED, 0) if step else None,
    )


def relinked(data: Fingerprints, members: Groups, original: Fingerprints) -> Release:
    """A release as `accuracy` takes it, made from a published table, the people behind each row and the original.

    A sample is taken to be in the smallest box of its person's group that holds it, and to be deleted where none does.

    >>> one = Fingerprints.from_arrays([7], x=[0], y=[0], t=[0])
    >>> boxes = Fingerprints.from_arrays([0, 0], x=[0, 0], y=[0, 0], t=[0, 0], dx=[900, 500])
    >>> relinked(boxes, Groups.from_lists([[0]]), one).provenance["row"].tolist()
    [0]
    """
    if (data.start, data.crs) != (original.start, original.crs):
        raise DataError("the release and the original have another start or plane; give the data it was made from.")
    row = np.full(original.records, -1, np.int64)
    for group, people in enumerate(members):
        boxes = np.arange(data.offsets[group], data.offsets[group + 1])
        size = np.maximum(data.dx, data.dy)[boxes] / FULL_M + data.dt[boxes] / FULL_MIN
        boxes = boxes[np.argsort(size, kind="stable")]
        for person in people:
            mine = np.arange(original.offsets[person], original.offsets[person + 1])
            step = max(1, MOST_PAIRS // max(1, len(boxes)))
            for some in (mine[a : a + step] for a in range(0, len(mine), step)):
                row[some] = _first_around(data, boxes, original, some)
    sides = {name: getattr(data, name) for name in BOX}
    gone = np.setdiff1d(np.arange(len(original)), members.positions)
    private = {"row": row, "box": row, "boxes": {**sides, "group": data.owner}, "discarded_users": gone}
    return Release(data, members, params={"method": "Glove"}, provenance=private)


def _first_around(data: Fingerprints, boxes: Ints, original: Fingerprints, some: Ints) -> Ints:
    """The first of some boxes that holds each sample, or -1."""
    inside = np.ones((len(some), len(boxes)), np.bool_)
    for low, length in (("x", "dx"), ("y", "dy"), ("t", "dt")):
        start, was = getattr(data, low)[boxes], getattr(original, low)[some, None]
        inside &= (start <= was) & (was + getattr(original, length)[some, None] <= start + getattr(data, length)[boxes])
    if not len(boxes):
        return np.full(len(some), -1, np.int64)
    return np.where(inside.any(axis=1), boxes[inside.argmax(axis=1)], -1)
