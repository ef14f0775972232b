"""What a release is still good for, in the terms of those who use it: visits, trips, distances, before and after."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.arrays import Floats, Ints, owners, pack
from incrowd.data import Release, Visits
from incrowd.data.visits import SAME_M
from incrowd.discretize.slots import wall_later_s
from incrowd.errors import DataError, check_positive, public
from incrowd.plain import percent, several
from incrowd.show import Result, Section, Table

QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True, eq=False)
class Utility(Result):
    """Agreement of a release with its original, at common cells and slots; shares in [0, 1], higher is better."""

    cell_m: float  # of the common cells: as asked, or the coarser cells of the two
    slot_min: int  # of the common slots: an hour, or the coarser slots of the two
    users: tuple[int, int]  # before, after; a cut release counts its pieces
    people: tuple[int, int | None]  # who is in the data; None where only the custodian could tell
    visits: tuple[int, int]
    trips: tuple[int, int]  # moves between consecutive visits that end in another cell
    visits_shared: float | None  # common part of the visits per cell and slot
    trips_shared: float | None  # common part of the origin-destination matrix
    gyration_km: tuple[dict[str, float], dict[str, float]]  # quartiles of the radius of gyration per user
    trip_km: tuple[dict[str, float], dict[str, float]]  # quartiles of the length of a trip

    def section(self) -> Section:
        """What the release is still good for."""
        agree = [
            f"{what} agree to {percent(share)}"
            for what, share in (("visits per cell and slot", self.visits_shared), ("trips", self.trips_shared))
            if share is not None
        ]
        how = f"cells of {self.cell_m:,g} m and slots of {self.slot_min:,} min"
        return Section(
            question="What is the release still good for?",
            answer=f"{several(self.visits[1], 'visit')} of {self.visits[0]:,} published"
            + (f"; {', '.join(agree)}." if agree else "."),
            number=percent(self.visits_shared),
            number_of="of visits per cell and slot kept",
            tables=[Table(("", "before", "after", "agreement"), self.rows())],
            method=[
                "Visits are counted as each side has them; trips and agreement on cells and slots that both can have.",
                "Agreement is the common part of two tables of counts, 2 Σ min(a, b) / (Σ a + Σ b).",
                "Distances are medians with quartiles: the radius of gyration over users or pieces, length over trips.",
            ],
            options=f"compared in {how}",
            data=self,
        )

    def columns(self) -> Mapping[str, Any]:
        """A row for each quantity: before, after, agreement; distances are medians in km."""
        median = [tuple(side.get("50%") for side in pair) for pair in (self.gyration_km, self.trip_km)]
        pairs = {
            "people": self.people,
            "pseudonyms": self.users,
            "visits": self.visits,
            "trips": self.trips,
            "gyration_km": median[0],
            "trip_km": median[1],
        }
        before, after = ([None if x is None else float(x) for x in side] for side in zip(*pairs.values(), strict=True))
        shared = {"visits": self.visits_shared, "trips": self.trips_shared}
        agreement = [shared.get(name) for name in pairs]
        return {"quantity": list(pairs), "before": before, "after": after, "agreement": agreement}

    def rows(self) -> list[tuple[str, str, str, str]]:
        """What, before, after, agreement; ready for a table."""
        counted = [
            ("pseudonyms", self.users, None),
            ("visits", self.visits, self.visits_shared),
            ("trips between cells", self.trips, self.trips_shared),
        ]
        published = "unknown" if self.people[1] is None else f"{self.people[1]:,}"
        rows = [("people", f"{self.people[0]:,}", published, "-")]
        rows += [(what, f"{a:,}", f"{b:,}", percent(share)) for what, (a, b), share in counted]
        measured = (("radius of gyration, km", self.gyration_km), ("trip length, km", self.trip_km))
        return rows + [(what, _spread(a), _spread(b), "-") for what, (a, b) in measured]


@public
def utility(before: Visits, after: Visits | Release, *, cell_m: float = 1000) -> Utility:
    """What a release is still good for: how far visits, trips and distances agree with those of the original.

    Both need cell centres on the same plane and a clock. Nothing is compared finer than either side: both are put on
    the coarser cells and slots of the two first. A release whose cells are no squares must show places of the original.
    The common part of two tables of counts is 2 Σ min(a, b) / (Σ a + Σ b), in [0, 1].

    Args:
        before: The original visits.
        after: The release, or its visits.
        cell_m: Side of the cells in which both are compared, if those of the data are not larger.

    >>> before = Visits.from_arrays([1, 1], [0, 1], [0, 1], xy=[[0, 0], [3000, 0]], slot_min=60)
    >>> after = Visits.from_arrays([7, 8], [0, 1], [0, 1], xy=[[0, 0], [3000, 0]], slot_min=60)
    >>> shares = utility(before, after)
    >>> shares.visits_shared, shares.trips_shared
    (1.0, 0.0)
    """
    check_positive(cell_m=cell_m)
    published = after.data if isinstance(after, Release) else after
    if not isinstance(published, Visits):
        raise DataError("utility compares visits; discretize the release first.")
    if before.crs != published.crs:
        raise DataError("the two lie on different planes; discretize both with the same origin.")
    grain = _grain(before, published)
    cell_m, slot_min = max(cell_m, grain.cell_m or 0), max(60, grain.slot_s // 60)
    a, b = _OnGrain(before, grain, cell_m, slot_min, 0), _OnGrain(published, grain, cell_m, slot_min, grain.later_s)
    people = len(np.unique(after.members.positions)) if isinstance(after, Release) else None
    return Utility(
        cell_m=cell_m,
        slot_min=slot_min,
        people=(len(before), people),
        users=(len(before), len(published)),
        visits=(before.records, published.records),
        trips=(len(a.trip_m), len(b.trip_m)),
        visits_shared=_common(a.visits, b.visits),
        trips_shared=_common(a.trips, b.trips),
        gyration_km=(_quartiles(a.gyration_m()), _quartiles(b.gyration_m())),
        trip_km=(_quartiles(a.trip_m), _quartiles(b.trip_m)),
    )


@dataclass(frozen=True)
class _SharedGrain:
    """The coarser cells and slots of the two."""

    cell_m: float | None  # None if no side has squares
    slot_s: int
    slot_0_s: int  # when such a slot begins, in seconds since the start of the original
    later_s: int  # by which the slots of the release begin later than those of the original


def _grain(before: Visits, after: Visits) -> _SharedGrain:
    slot_min = [_placed(visits)[1] for visits in (before, after)]
    later_s = 0
    if before.start is not None and after.start is not None:
        later_s = wall_later_s(before, after)
    if after.cell_m is None and not _is_known(before, after):
        raise DataError(
            "the release shows places that are not those of the original and no squares that the original could be put "
            "in; discretize the original to the same places."
        )
    cell_m = max((visits.cell_m for visits in (before, after) if visits.cell_m), default=None)
    return _SharedGrain(cell_m, 60 * max(slot_min), later_s if slot_min[1] >= slot_min[0] else 0, later_s)


def _placed(visits: Visits) -> tuple[Floats, int]:
    """The centres of cells and the width of a slot."""
    if visits.xy is None or visits.slot_min is None:
        raise DataError(
            "visits have no cell centres or no slot_min; discretize with grid, blocks, towers or zones, or say "
            "where cells are and how long slots last (xy, slot_min; --antennas FILE, --slot-min)."
        )
    return visits.xy, visits.slot_min


def _is_known(before: Visits, after: Visits) -> bool:
    """Whether every place of the release is one of the original."""
    from scipy.spatial import cKDTree

    known, places = _placed(before)[0], _placed(after)[0][np.unique(after.cell)]
    known = known[~np.isnan(known).any(axis=1)]
    return not len(places) or bool((cKDTree(known).query(places)[0] <= SAME_M).all())


class _OnGrain:
    """One of the two datasets, put on the grain, then counted in the common cells and slots."""

    def __init__(self, visits: Visits, grain: _SharedGrain, cell_m: float, slot_min: int, later_s: int) -> None:
        xy, own_min = _placed(visits)
        self.offsets, self.points = visits.offsets, xy[visits.cell]
        if grain.cell_m is not None and visits.cell_m != grain.cell_m:
            xy = (np.floor(xy / grain.cell_m) + 0.5) * grain.cell_m
        second = visits.slot * (60 * own_min) + later_s
        second -= (second - grain.slot_0_s) % grain.slot_s if 60 * own_min < grain.slot_s else 0
        places, number = np.unique(xy, axis=0, return_inverse=True)
        cell, second, offsets = Visits.grouped(visits.owner, number.ravel()[visits.cell], second, len(visits))
        points, owner = places[cell], owners(offsets)
        square: Ints = np.floor(points / cell_m).astype(np.int64)
        # Counted from the start of the data, since days of some zones do not begin on a UTC hour.
        self.visits = np.column_stack([square, second // (60 * slot_min)])
        moves = (square[1:] != square[:-1]).any(axis=1) & (np.diff(owner) == 0)
        self.trips = np.column_stack([square[:-1][moves], square[1:][moves]])
        step = points[1:][moves] - points[:-1][moves]
        self.trip_m: Floats = np.hypot(step[:, 0], step[:, 1])

    def gyration_m(self) -> Floats:
        """Root mean square distance of a user's visits from their mean place."""
        count = np.diff(self.offsets)
        owner, seen = np.repeat(np.arange(len(count)), count), np.maximum(count, 1)
        mean = np.column_stack([np.bincount(owner, axis, len(count)) / seen for axis in self.points.T])
        away = ((self.points - mean[owner]) ** 2).sum(axis=1)
        result: Floats = np.sqrt(np.bincount(owner, away, len(count)) / seen)
        return result[count > 0]


def _common(a: Ints, b: Ints) -> float | None:
    if not len(a) and not len(b):
        return None
    key = pack(tuple(np.concatenate([a, b]).T))
    if key is None:
        raise DataError("cells and slots are too far apart to be compared; use larger cells.")
    _, inverse = np.unique(key, return_inverse=True)
    sides = (inverse[: len(a)], inverse[len(a) :])
    counts = [np.bincount(side, minlength=int(inverse.max()) + 1) for side in sides]
    return float(2 * np.minimum(*counts).sum() / (len(a) + len(b)))


def _quartiles(metres: Floats) -> dict[str, float]:
    if not metres.size:
        return {}
    return {f"{q:.0%}": float(v) / 1000 for q, v in zip(QUARTILES, np.quantile(metres, QUARTILES), strict=True)}


def _spread(quartiles: dict[str, float]) -> str:
    return f"{quartiles['50%']:.2f} ({quartiles['25%']:.2f} to {quartiles['75%']:.2f})" if quartiles else "none"
