"""A GLOVE release -> how coarse its boxes are; beside its original, what each sample became and what is missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.data import Fingerprints, Groups, Release
from incrowd.data.fingerprints import BOX
from incrowd.errors import DataError, public
from incrowd.ledger import Ledger
from incrowd.measure.glove.section import section_of_accuracies, section_of_accuracy, section_of_extents
from incrowd.measure.glove.stretch import check_fingerprints
from incrowd.show import Result, Section

Column = NDArray[Any]
MEASURES = ("pos_extent", "time_extent", "pos_stretch", "time_stretch", "pos_center", "time_center")
DELETED = ("sample of a discarded fingerprint", "sample beyond the largest extent")
DISCARDED = "discarded fingerprint"
FULL_M, FULL_MIN = 20_000, 480  # a box of these sides is as coarse in space as in time [gramaglia2015, Sec. 4.1]
MOST_PAIRS = 20_000_000  # of samples and boxes that are compared at once


class Lost(Result):
    """What of the original is gone, in shares."""

    original_samples: int
    original_fingerprints: int
    deleted_samples: int
    discarded_fingerprints: int

    @property
    def deleted_share(self) -> float:
        """Deleted samples among the originals, in [0, 1]."""
        return self.deleted_samples / self.original_samples

    @property
    def discarded_share(self) -> float:
        """Discarded fingerprints among the originals, in [0, 1]."""
        return self.discarded_fingerprints / self.original_fingerprints


@dataclass(frozen=True, eq=False, repr=False)
class Accuracy(Lost):
    """Metres and minutes per surviving original sample, in the order of the original; 100 m and 1 min are untouched.

    `mean` and `median` hold the same by name; `*_pub` are extents of published boxes, once per person behind them.
    """

    pos_extent: Column  # the longer side of the box a sample is in
    time_extent: Column
    pos_stretch: Column  # by how much both sides together, 0 is untouched
    time_stretch: Column
    pos_center: Column  # from the centre of the sample to that of its box
    time_center: Column
    pos_extent_pub: Column
    time_extent_pub: Column
    mean: dict[str, float]
    median: dict[str, float]
    original_samples: int
    original_fingerprints: int
    published_samples: int  # each once per person
    deleted_samples: int  # originals in no published box
    deleted_with_users: int  # those of them whose whole fingerprint is gone
    created_samples: int
    discarded_fingerprints: int
    after_reshape: bool
    k: int | None = None  # the crowd that the release claims for everybody
    reshape: str | None = None  # what became of boxes that overlap in time
    device: str | None = None  # where the release was made

    def __repr__(self) -> str:
        crowd = "" if self.k is None else f"k={self.k}, "
        extents = ", ".join(f"{name}={self.mean[name]:,.0f}" for name in ("pos_extent", "time_extent"))
        return (
            f"Accuracy({crowd}mean {extents}, deleted={self.deleted_share:.1%}, discarded={self.discarded_share:.1%})"
        )

    def section(self) -> Section:
        """How coarse the data became, in one section."""
        return section_of_accuracy(self)

    def columns(self) -> Mapping[str, Any]:
        """A row for each surviving sample, in the order of the original: metres and minutes."""
        return {name: getattr(self, name) for name in MEASURES}

    @classmethod
    def together(cls, results: "Sequence[Accuracy]") -> Section:
        """What larger crowds cost, a row for each size of the crowd."""
        return section_of_accuracies(results) if len(results) > 1 else section_of_accuracy(results[0])


@public
def accuracy(release: Release, original: Fingerprints, *, after_reshape: bool = False) -> Accuracy:
    """How coarse a GLOVE release made each original sample, and what of the original is missing.

    Every original sample is looked up in the box that generalises it [gramaglia2015, Sec. 7 and Table 2]; nan if
    nothing remains.

    Args:
        release: What `incrowd.anonymize.Glove` made.
        original: The fingerprints it was made from.
        after_reshape: Take boxes as they are published, not as they were before reshaping; a sample of a box that was
            split is then looked up in the piece that holds its start.

    >>> crowd = Fingerprints.from_arrays([1, 2], x=[0, 1000], y=[0, 0], t=[0, 40])
    >>> from incrowd.anonymize.glove import Glove
    >>> accuracy(Glove(k=2)(crowd), crowd)
    Accuracy(k=2, mean pos_extent=1,100, time_extent=41, deleted=0.0%, discarded=0.0%)
    """
    row, box, crowd = _boxes_of(release, original, after_reshape)
    left = np.flatnonzero(row >= 0)
    columns = _compared(box, row[left], original, left)
    sides = np.maximum(box["dx"], box["dy"])
    columns |= {"pos_extent_pub": np.repeat(sides, crowd), "time_extent_pub": np.repeat(box["dt"], crowd)}
    discarded = np.ones(len(original), np.bool_)
    discarded[release.members.positions] = False
    return Accuracy(
        **columns,
        mean={name: statistic_of(np.mean, values) for name, values in columns.items()},
        median={name: statistic_of(np.median, values) for name, values in columns.items()},
        original_samples=original.records,
        original_fingerprints=len(original),
        published_samples=int(crowd.sum()),
        deleted_samples=original.records - len(left),
        deleted_with_users=int(np.diff(original.offsets)[discarded].sum()),
        created_samples=0,
        discarded_fingerprints=int(discarded.sum()),
        after_reshape=after_reshape,
        k=release.claims.get("k"),
        reshape=release.params.get("reshape"),
        device=release.params.get("device"),
    )


def _boxes_of(release: Release, original: Fingerprints, after_reshape: bool) -> tuple[Ints, dict[str, Ints], Ints]:
    """The box each original sample is in (or -1), all boxes, and the people behind each."""
    check_fingerprints(original)
    known, data = release.provenance, release.data
    if "box" not in known or not isinstance(data, Fingerprints):
        raise DataError("the release does not say which box covers which sample; accuracy needs one made by Glove.")
    if not _made_from(release, original):
        raise DataError("the release was made from other fingerprints; give those it was made from.")
    if after_reshape:
        box = {name: getattr(data, name) for name in ("x", "dx", "y", "dy", "t", "dt")}
        return known["row"], box, data.crowd[data.owner]
    return known["box"], known["boxes"], data.crowd[known["boxes"]["group"]]


def _made_from(release: Release, original: Fingerprints) -> bool:
    """As many samples and users as the release has seen, and every sample inside its box."""
    known = release.provenance
    users = len(release.members.positions) + len(known["discarded_users"])
    if len(known["box"]) != original.records or users != len(original):
        return False
    left = np.flatnonzero(known["box"] >= 0)
    row, inside = known["box"][left], True
    for low, length in (("x", "dx"), ("y", "dy"), ("t", "dt")):
        start, end = known["boxes"][low][row], (known["boxes"][low] + known["boxes"][length])[row]
        was, size = getattr(original, low)[left], getattr(original, length)[left]
        inside &= bool(((start <= was) & (was + size <= end)).all())
    return inside


def _compared(box: dict[str, Ints], row: Ints, original: Fingerprints, left: Ints) -> dict[str, Column]:
    was = {name: getattr(original, name)[left] for name in ("x", "dx", "y", "dy", "t", "dt")}
    now = {name: box[name][row] for name in was}
    # Twice the centres are whole numbers.
    moved = {axis: (2 * now[axis] + now[f"d{axis}"] - 2 * was[axis] - was[f"d{axis}"]) / 2 for axis in "xyt"}
    return {
        "pos_extent": np.maximum(now["dx"], now["dy"]),
        "time_extent": now["dt"],
        "pos_stretch": now["dx"] - was["dx"] + now["dy"] - was["dy"],
        "time_stretch": now["dt"] - was["dt"],
        "pos_center": np.hypot(moved["x"], moved["y"]),
        "time_center": np.abs(moved["t"]),
    }


def statistic_of(statistic: Any, values: Column) -> float:
    """A statistic of some values, nan if there is none."""
    return float(statistic(values)) if values.size else float("nan")


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

    >>> person = Fingerprints.from_arrays([7], x=[0], y=[0], t=[0])
    >>> boxes = Fingerprints.from_arrays([0, 0], x=[0, 0], y=[0, 0], t=[0, 0], dx=[900, 500])
    >>> relinked(boxes, Groups.from_lists([[0]]), person).provenance["row"].tolist()
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
            for rows in (mine[a : a + step] for a in range(0, len(mine), step)):
                row[rows] = _first_around(data, boxes, original, rows)
    sides = {name: getattr(data, name) for name in BOX}
    gone = np.setdiff1d(np.arange(len(original)), members.positions)
    private = {"row": row, "box": row, "boxes": {**sides, "group": data.owner}, "discarded_users": gone}
    return Release(data, members, params={"method": "Glove"}, provenance=private)


def _first_around(data: Fingerprints, boxes: Ints, original: Fingerprints, rows: Ints) -> Ints:
    """The first of some boxes that holds each sample, or -1."""
    inside = np.ones((len(rows), len(boxes)), np.bool_)
    for low, length in (("x", "dx"), ("y", "dy"), ("t", "dt")):
        start, was = getattr(data, low)[boxes], getattr(original, low)[rows, None]
        inside &= (start <= was) & (was + getattr(original, length)[rows, None] <= start + getattr(data, length)[boxes])
    if not len(boxes):
        return np.full(len(rows), -1, np.int64)
    return np.where(inside.any(axis=1), boxes[inside.argmax(axis=1)], -1)
