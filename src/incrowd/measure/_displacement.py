"""A release of moved points beside its original -> how far they were moved, how many are made up, what is missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.data import Release, Traces
from incrowd.errors import DataError, public
from incrowd.measure.glove.accuracy import Column, Lost, statistic_of
from incrowd.plain import of_people, percent
from incrowd.show import Section, Table

COUNTS = {
    "created_samples": "created: by which trajectories grew",
    "deleted_samples": "deleted: by which they shrank, and all of discarded people",
    "deleted_with_users": "deleted with discarded people",
    "repeated_samples": "rows that show a point again",
    "dropped_samples": "points of published people in no row",
}
MOVED = {"center": "surviving point", "row": "published row", "moved": "row that was moved"}


@dataclass(frozen=True, eq=False, repr=False)
class Displacement(Lost):
    """Metres and minutes by which points were moved, and counts by the names of `Accuracy`, to be read beside it.

    `*_center` has each surviving original once, at the first row that shows it; `*_row` every published row. `mean`
    and `median` hold these by name, and `*_moved`, of rows that were moved at all; nan where there are none.
    """

    pos_center: Column
    time_center: Column
    pos_row: Column
    time_row: Column
    mean: dict[str, float]
    median: dict[str, float]
    original_samples: int
    original_fingerprints: int
    published_samples: int
    created_samples: int  # by which published trajectories are longer than the original ones
    deleted_samples: int  # by which they are shorter, with all those of people who are not published
    deleted_with_users: int  # the latter alone
    repeated_samples: int  # published rows that show an original again
    dropped_samples: int  # originals of published people that no row shows
    discarded_fingerprints: int

    @property
    def created_share(self) -> float:
        """Created samples per original one; may exceed 1."""
        return self.created_samples / self.original_samples

    def __repr__(self) -> str:
        far, late = self.mean["pos_center"], self.mean["time_center"]
        shares = (f"{name}={getattr(self, f'{name}_share'):.1%}" for name in ("created", "deleted", "discarded"))
        return f"Displacement(mean pos_center={far:,.0f}, time_center={late:,.0f}, {', '.join(shares)})"

    def section(self) -> Section:
        """How true the published points are."""
        far, late = self.mean["pos_center"], self.mean["time_center"]
        gone = of_people(self.discarded_fingerprints, self.original_fingerprints)
        return Section(
            question="How true are the published points?",
            answer=f"{percent(self.created_share)} of {self.original_samples:,} points were made up and "
            f"{percent(self.deleted_share)} are gone, together with {gone}; a surviving point is on average "
            f"{far:,.0f} m and {late:,.0f} min from where it was.",
            number=f"{far:,.0f} m",
            number_of="mean displacement",
            tables=[
                Table(("", "points"), [(words, f"{getattr(self, name):,}") for name, words in COUNTS.items()]),
                Table(
                    ("per", "mean m", "median m", "mean min", "median min"), [self._row(*row) for row in MOVED.items()]
                ),
            ],
            method=[
                "Trajectories are bent to the times and into the cylinder of another one, so a row need not be true.",
                "A point that survives is compared with the first row that shows it.",
            ],
            options=f"{self.original_fingerprints:,} people, {self.published_samples:,} published rows",
            data={"mean": self.mean, "median": self.median, **{name: getattr(self, name) for name in COUNTS}},
            references=("abul2010", "gramaglia2015"),
        )

    def _row(self, kind: str, words: str) -> tuple[str, ...]:
        values = (each[f"{axis}_{kind}"] for axis in ("pos", "time") for each in (self.mean, self.median))
        return (words, *("-" if value != value else f"{value:,.1f}" for value in values))

    def columns(self) -> Mapping[str, Any]:
        """A row for each published row: metres and minutes from the original point it shows."""
        return {"pos_row": self.pos_row, "time_row": self.time_row}


@public
def displacement(release: Release, original: Traces) -> Displacement:
    """How far a W4M release moved its points, how many it made up, and what is missing.

    Each published row is compared with the original point it shows [gramaglia2015, Sec. 7.2 and Table 2].

    Args:
        release: What `incrowd.anonymize.W4M` made.
        original: The trajectories it was made from.

    >>> from incrowd.anonymize.w4m import W4M
    >>> traces = Traces.from_arrays([1, 2, 2], [0, 0, 60], x=[0, 900, 900], y=[0, 0, 0])
    >>> displacement(W4M(k=2, delta_m=1000, trash=0)(traces, seed=1), traces)
    Displacement(mean pos_center=133, time_center=0, created=33.3%, deleted=0.0%, discarded=0.0%)
    """
    data, source = _source(release, original)
    far, late = _apart(data, original, source), np.abs(data.t - original.t[source]) / 60
    published, first = np.unique(source, return_index=True)
    moved = {"pos_moved": far[far > 0], "time_moved": late[late > 0]}
    columns = {"pos_center": far[first], "time_center": late[first], "pos_row": far, "time_row": late}
    before, after = np.diff(original.offsets), np.diff(data.offsets)
    grown = after - before[release.members.positions]
    gone = original.records - int(before[release.members.positions].sum())
    return Displacement(
        **columns,
        mean={name: statistic_of(np.mean, values) for name, values in (columns | moved).items()},
        median={name: statistic_of(np.median, values) for name, values in (columns | moved).items()},
        original_samples=original.records,
        original_fingerprints=len(original),
        published_samples=data.records,
        created_samples=int(np.maximum(grown, 0).sum()),
        deleted_samples=gone + int(np.maximum(-grown, 0).sum()),
        deleted_with_users=gone,
        repeated_samples=data.records - len(published),
        dropped_samples=original.records - gone - len(published),
        discarded_fingerprints=len(original) - len(data),
    )


def _source(release: Release, original: Traces) -> tuple[Traces, Ints]:
    """What is published, and the original row behind each row, once it is certain that both are one person's."""
    data = release.data
    if "source" not in release.provenance or not isinstance(data, Traces):
        raise DataError("the release does not say which point each row shows; displacement needs one made by W4M.")
    source: Ints = release.provenance["source"]
    member = release.members.positions
    alike = source.max() < original.records and member.max() < len(original) and original.planar == data.planar
    if not alike or (original.owner[source] != member[data.owner]).any():
        raise DataError("the release was made from other traces; give those it was made from.")
    return data, source


def _apart(data: Traces, original: Traces, source: Ints) -> Floats:
    """Metres between published and original places."""
    (first, second), (x, y) = data.coordinates, (column[source] for column in original.coordinates)
    if data.planar:
        metres: Floats = np.hypot(first - x, second - y)
        return metres
    import pyproj

    along: Floats = pyproj.Geod(ellps="WGS84").inv(first, second, x, y)[2]
    return along
