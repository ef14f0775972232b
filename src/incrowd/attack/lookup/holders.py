"""A published table -> its rows, the people behind each, and which of them hold a record that somebody knows."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints, distinct_rows, owners, positions_of, rows_by_code, rows_of
from incrowd.attack.link.sides import crowd_of, on_grid
from incrowd.attack.link.views import aligned, on_cells
from incrowd.attack.people import read_link
from incrowd.data import Fingerprints, Groups, Release, Traces, UserTable, Visits
from incrowd.errors import DataError
from incrowd.measure.uniqueness.index import Index

DEGREE_M = 111_195.0  # of latitude
MOST_DIGITS = 9
BUCKETS = 4_096  # of time, at most, by which boxes are found
Records = NDArray[Any]  # a row for each record


@dataclass(frozen=True, eq=False)
class Holder:
    """The rows of a release by what they hold.

    Args:
        known: Records of the original, one after the other.
        spans: For each person of the original where its records begin and end.
        published: Records of the release, in its order.
    """

    known: Records
    spans: Ints
    published: Records

    def rows(self, records: Records) -> list[Ints]:
        """The published rows that hold each record, in order."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class VisitHolder(Holder):
    """Rows hold a visit if they have the same cell and slot; records are numbers of points in the index."""

    index: Index

    @classmethod
    def over(cls, release: Visits, original: Any) -> "VisitHolder":
        """The original is put on the cells and slots of the release if it is finer."""
        index = Index.build(release)
        ours = at_grain(original, release)
        place = positions_of(original.users, ours.users)
        spans = np.stack([ours.offsets[place], ours.offsets[place + 1]], axis=1) * (place >= 0)[:, None]
        return cls(index.find(ours.cell, ours.slot), spans, index.ids, index)

    def rows(self, records: Records) -> list[Ints]:
        """The list of each point."""
        starts = self.index.starts
        return [self.index.postings[starts[k] : starts[k + 1]].astype(np.int64) for k in records.tolist()]


def at_grain(original: Any, release: Visits) -> Visits:
    """The original as visits to the cells of the release, in its slots: as precise as the release shows them."""
    if isinstance(original, Traces):
        from incrowd import discretize

        original = discretize.alike(original, release)
    if not isinstance(original, Visits):
        raise DataError("a release of visits is compared with the visits or trajectories it was made from.")
    coarser = [getattr(original, name) != getattr(release, name) for name in ("cell_m", "slot_min")]
    if any(coarser) and release.xy is not None and original.xy is not None:
        return on_grid(original, release)
    theirs, near = aligned(release, original, 0)
    return on_cells(theirs, near, release)


@dataclass(frozen=True, eq=False)
class BoxHolder(Holder):
    """Rows hold a sample if one of their boxes contains it; records are rows of begins and of ends below 0.

    Then a box contains a sample if none of its six numbers is larger.
    """

    boxes: Fingerprints

    @classmethod
    def over(cls, release: Fingerprints, original: Any) -> "BoxHolder":
        """The original has samples on the same plane and clock."""
        if not isinstance(original, Fingerprints):
            raise DataError("a release of boxes is compared with the fingerprints it was made from.")
        return cls(_boxes(original), spans_of(original), _boxes(release), release)

    @cached_property
    def _buckets(self) -> tuple[int, int, Ints, Ints, Records]:
        """First minute and width of a bucket of time, where each begins, and the boxes that reach into each.

        Of these boxes the owners, in order, and the six numbers, a column each.
        """
        low, high = int(self.boxes.t.min()), int((self.boxes.t + self.boxes.dt).max())
        width = max((high - low) // BUCKETS, int(np.median(self.boxes.dt)), 1)
        first, last = ((end - low) // width for end in (self.boxes.t, self.boxes.t + self.boxes.dt - 1))
        ends = np.cumsum(last - first + 1)
        box = owners(np.append(0, ends))
        bucket = np.arange(ends[-1]) + (last - ends + 1)[box]
        order, starts = rows_by_code(bucket, int(last.max()) + 1)
        box = box if order is None else box[order]
        return low, width, starts, self.boxes.owner[box], np.take(self.published.T, box, axis=1)

    @property
    def near(self) -> float:
        """Boxes that are compared with a sample, on average over samples that are as often in a bucket as boxes."""
        reaching = np.diff(self._buckets[2]).astype(np.float64)
        return float((reaching**2).sum() / reaching.sum())

    def rows(self, records: Records) -> list[Ints]:
        """Rows with a box around each sample."""
        low, width, starts, owner, boxes = self._buckets
        bucket = (records[:, 2] - low) // width
        held = []
        for sample, at in zip(records[:, :, None], bucket.tolist(), strict=True):
            near = slice(*starts[at : at + 2].tolist()) if 0 <= at < len(starts) - 1 else slice(0)
            rows = owner[near][(boxes[:, near] <= sample).all(axis=0)]
            held.append(rows[distinct_rows(rows)])
        return held


def _boxes(prints: Fingerprints) -> Records:
    x, y, t = (-(low + wide) for low, wide in ((prints.x, prints.dx), (prints.y, prints.dy), (prints.t, prints.dt)))
    return np.stack([prints.x, prints.y, prints.t, x, y, t], axis=1)


@dataclass(frozen=True, eq=False)
class PointHolder(Holder):
    """Rows hold a point if they have one within so many metres and seconds; records are rows of x, y, t."""

    owner: Ints
    within_m: float
    within_s: float

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import KDTree

        return KDTree(self._scaled(self.published))

    def _scaled(self, points: Records) -> Floats:
        """Within 1 in each direction are those within reach, and a few more."""
        reach = np.array([self.within_m, self.within_m, self.within_s]) * (1 + 1e-9) + 1e-9
        scaled: Floats = points / reach
        return scaled

    def rows(self, records: Records) -> list[Ints]:
        """Rows with a point near each of these in space and time."""
        near = self._tree.query_ball_point(self._scaled(records), 1.0, p=np.inf)
        held = []
        for point, candidates in zip(records, near, strict=True):
            at = np.array(candidates, np.int64)
            apart = np.hypot(*(self.published[at, :2] - point[:2]).T)
            held.append(np.unique(self.owner[at[apart <= self.within_m * (1 + 1e-9) + 1e-9]]))
        return held


def spans_of(table: UserTable) -> Ints:
    """Where the records of each person begin and end."""
    return np.stack([table.offsets[:-1], table.offsets[1:]], axis=1)


def points_of(release: Traces, original: Any) -> tuple[Records, Records]:
    """Points of the original and of the release in the same plane: x, y in metres, t in seconds."""
    if not isinstance(original, Traces) or original.planar != release.planar:
        raise DataError("a release of points is compared with the trajectories it was made from, in the same plane.")
    wide = 1.0 if release.planar else DEGREE_M * float(np.cos(np.radians(np.median(release.coordinates[1]))))
    scale = np.array([wide, 1.0 if release.planar else DEGREE_M, 1.0])
    ours, theirs = (np.stack([*side.coordinates, side.t], axis=1) * scale for side in (original, release))
    return ours, theirs


def resolution(release: Traces) -> tuple[float, float]:
    """How far a point may be from what is published of it, in metres and seconds, if only the last digit is rounded.

    That is half the diagonal of a square whose side is a step of the last digit, and half a step of the times.
    """
    step_m = 10.0 ** -max(map(_digits, release.coordinates))
    seconds = int(np.gcd.reduce(release.t)) or 1
    return step_m * (1 if release.planar else DEGREE_M) * sqrt(0.5), seconds / 2


def _digits(values: Floats) -> int:
    """Decimals that these numbers have."""
    for digits in range(MOST_DIGITS):
        if np.allclose(values, np.round(values, digits), rtol=0, atol=10.0**-MOST_DIGITS):
            return digits
    return MOST_DIGITS


@dataclass(frozen=True, eq=False)
class ReleasedRows:
    """What is published, and who stands behind each row."""

    data: Any
    members: Groups  # positions in the original of the people behind each row, as far as they are known
    rows: Groups  # rows of each person of the original
    crowd: Ints  # people behind each row
    claims: Any

    @classmethod
    def of(cls, release: Any, original: Any, link: str | Path | None) -> "ReleasedRows":
        """Open the release; its members, a link file or equal labels say who is who."""
        data: Any = release
        claims: Mapping[str, Any] = {}
        members: Groups | None = None
        if isinstance(release, (str, Path)):
            from incrowd import read
            from incrowd.data.release_folder import manifest_in

            data, claims = read.release(release), manifest_in(release).get("claims") or {}
        elif isinstance(release, Release):
            data, claims, members = release.data, release.claims, release.members
        if not isinstance(data, (Visits, Fingerprints, Traces)):
            raise DataError(f"a lookup needs rows of people, and {type(data).__name__} has none.")
        if not data.records:
            raise DataError("the release publishes no record, so nothing can be looked up.")
        if link is not None:
            members = read_link(link, release).members(data, original)
        elif members is None and data is release:
            row = positions_of(original.users, data.users)
            members = Groups.of_pairs(row[row >= 0], np.flatnonzero(row >= 0), len(data))
        if members is None or not len(members.positions):
            raise DataError("a lookup needs to know who is behind each row; give the link file (link, --link).")
        seen = np.diff(data.offsets)[members.owner] > 0  # a row that lost all its records is in no file
        rows = Groups.of_pairs(members.positions[seen], members.owner[seen], len(original))
        return cls(data, members, rows, crowd_of(release if data is not release else data, len(data)), claims)

    @cached_property
    def _behind(self) -> Ints:
        """How many people stand behind each row alone."""
        return np.maximum(self.crowd, np.diff(self.members.offsets))

    @cached_property
    def _once(self) -> bool:
        """Whether nobody has several rows."""
        return len(np.unique(self.members.positions)) == len(self.members.positions)

    def people(self, rows: Ints) -> int:
        """How many people stand behind some rows; a person with several of them counts once."""
        people = int(self._behind[rows].sum())
        if self._once:
            return people
        members = self.members.positions[rows_of(self.members.offsets, rows)[1]]
        return people - len(members) + len(np.unique(members))
