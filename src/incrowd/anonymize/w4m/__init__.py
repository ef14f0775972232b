"""W4M: alike trajectories are bent into one narrow cylinder, which moves and fabricates points."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from incrowd.anonymize.base import Anonymizer, Strength, Wanted, generator, guarantee, parameters, random_order
from incrowd.anonymize.w4m.points import TRASHED, Placed, Tracks, cluster, everywhere, inside
from incrowd.arrays import Floats, Ints, owners, rows_of
from incrowd.clean import check_box
from incrowd.data import Groups, Release, Traces
from incrowd.errors import DataError, ParameterError, check_positive, check_share, check_whole, public
from incrowd.ledger import Ledger
from incrowd.measure._displacement import displacement
from incrowd.measure.glove.stretch import check_k
from incrowd.plain import several
from incrowd.read._parts import of_traces
from incrowd.read.checks import warn_of_zero
from incrowd.read.plane import Box, plane_of

RADIUS = 0.005  # of the semi-diagonal of the box around all points
MOST = 1_000_000  # units of delta_m, so that sums over any trajectory stay exact
DELTA_M = 2_000  # of [gramaglia2015, Table 2]
NOTE = "(k, delta) only; pivots are published as they were"
UNMATCHED = "point that shares its pivot's time with an earlier one"
OF_TRASHED = "point of a trashed trajectory"
REPEATED = "point repeated at another time"


@public
@dataclass(frozen=True)
class W4M(Anonymizer):
    """Bend alike trajectories into shared cylinders; this moves and fabricates points, and is weaker than k-anonymity.

    This is W4M-LC of [abul2010]: clusters form in chunks of trajectories around random pivots, and every trajectory is
    bent to the times of its pivot and into its cylinder. Time weighs as much as the mean speed covers in it.

    Args:
        k: Trajectories that share a cylinder.
        delta_m: Diameter of a cylinder.
        trash: Largest share of the trajectories that may be left out.
        radius_m: Radius of clusters to begin with; a radius that is given leaves every record in. [default: 0.5 % of
            the semi-diagonal of the box]
        chunk: Trajectories that are compared with each other, times k.
        most: Units of delta_m that two points are apart at most.
        box: The box that decides the radius: west, south, east and north in degrees, or in metres for x and y; records
            outside leave. [default: that of the data, without strays]
        keep_zero: Keep records at (0, 0); they leave if not.

    Guarantee: (k, delta)-anonymity: every published trajectory shares its times with at least k - 1 others, and all of
    them stay within delta_m / 2 of one of these at each of its times. This is weaker than k-anonymity: it hides
    people only from an attacker who cannot tell places within delta_m apart (Trujillo-Rasua and Domingo-Ferrer 2013),
    and the trajectory in the middle is published as it was. Points are moved in space and time, left out and
    fabricated: no published row is promised to be true.

    Example:
        incrowd anonymize w4m trips.csv -o release --k 2 --delta-m 2000 --trash 0.1
        incrowd anonymize w4m trips.csv -o release --box -122.6,37.6,-122.3,37.9

    >>> traces = Traces.from_arrays([1, 1, 2, 2], [0, 60, 5, 70], x=[0, 900, 0, 3000], y=[0, 0, 0, 0])
    >>> W4M(k=2, delta_m=1000, trash=0)(traces)
    Release(Traces, rows=4, pseudonyms=2, people=2)
    """

    PUBLISHES = Traces
    SEEDED = True

    k: int = 2
    delta_m: float = 2000
    trash: float = 0.1
    radius_m: float | None = None
    chunk: int = 20
    most: int = 10
    box: Box | None = None
    keep_zero: bool = False

    def __post_init__(self) -> None:
        check_k(self.k)
        check_positive(delta_m=self.delta_m, **({} if self.radius_m is None else {"radius_m": self.radius_m}))
        check_whole(chunk=self.chunk, most=self.most)
        check_share(trash=self.trash)
        check_box(self.box)
        if not isinstance(self.keep_zero, bool):
            raise ParameterError(f"keep_zero must be True or False, got {self.keep_zero!r}.")
        if self.box is not None and self.radius_m is not None:
            raise ParameterError("the radius follows from the box; give radius_m or box, not both.")
        if self.most > MOST:
            raise ParameterError(f"most must be in 1 to {MOST:,}, got {self.most:,}.")

    @staticmethod
    def strengths(wanted: Wanted) -> Iterator[Strength]:
        """At k and 2 k."""
        for k in (wanted.k, 2 * wanted.k):
            yield Strength(f"k={k}, 2 km", W4M(k=k, delta_m=DELTA_M), "points", reach_m=DELTA_M, note=NOTE)

    @public
    def __call__(self, data: Traces, *, seed: int | None = 0, pseudonym_seed: int | None = None) -> Release:
        """The bent trajectories as a release; with the seed None the operating system draws chunks and pivots.

        Args:
            data: Traces of people; `w4m.points.points_of` makes them from fingerprints.
            seed: Seed of chunks and pivots.
            pseudonym_seed: Seed of the pseudonyms, for tests; an audit fails a release that was made with one.
        """
        rng = generator(seed)
        placed = self._placed(data)
        tracks, speed = self._tracks(placed.data)
        radius_m = _radius(tracks.points, placed) if self.radius_m is None else self.radius_m
        clusters = cluster(
            tracks,
            k=self.k,
            chunk=self.chunk,
            trash=self.trash,
            radius_m=radius_m,
            rng=rng,
        )
        if clusters.pivot.max() < 0:
            raise DataError(
                "every trajectory was trashed, so nothing is left to publish; raise radius_m or lower trash."
            )
        promise: dict[str, Any] = {
            "params": parameters(self),
            "guarantee": guarantee(type(self)),
            "claims": {"k": int(self.k), "delta_m": float(self.delta_m)},
        }
        spent = {
            "speed_mps": speed,
            "first_radius_m": radius_m,
            "radius_m": clusters.radius_m,
            "chunks": clusters.chunks,
        }
        return release_of(data, placed, tracks, clusters.pivot, pseudonym_seed, spent, **promise)

    def losses(self, release: Release, data: Traces) -> list[str]:
        """The radius that clusters needed, and how far points were moved."""
        moved, radius = displacement(release, data), release.provenance
        counts = (
            f"{several(moved.created_samples, 'point')} created, {moved.deleted_samples:,} left out, "
            f"of {several(moved.original_samples, 'point')}"
        )
        return [
            f"The radius of clusters is {radius['first_radius_m']:,.0f} m, {radius['radius_m']:,.0f} m at most.",
            f"Points were moved by {moved.mean['pos_center']:,.0f} m on average; {counts}.",
        ]

    def _placed(self, data: Traces) -> Placed:
        """The records to publish: all of them, or those in the box that the radius follows from."""
        if self.radius_m is None:
            return inside(data, self.box, keep_zero=self.keep_zero)
        if not self.keep_zero:
            warn_of_zero(int(data.at_zero.sum()))
        return everywhere(data)

    def _tracks(self, data: Traces) -> tuple[Tracks, float]:
        """Trajectories as points in space and time, and the speed that makes metres of seconds."""
        parts = of_traces(data)
        if len(data) < self.k:
            raise DataError(f"{several(len(data), 'user')} cannot hide among k = {self.k}; lower k or give more users.")
        x, y = plane_of(parts.middle, None)(*data.coordinates)
        speed = mean_speed(data, x, y)
        points = np.column_stack([x, y, (data.t - data.t.min()) * speed])
        return Tracks(points, data.offsets, float(self.delta_m), int(self.most)), speed


def mean_speed(traces: Traces, x: Floats, y: Floats) -> float:
    """Mean over users of path length / duration in m/s; who was seen for no time has no speed and is left out.

    0 when that is everybody, so that time costs nothing.
    """
    step = np.hypot(np.diff(x, prepend=x[:1]), np.diff(y, prepend=y[:1]))
    step[traces.offsets[:-1]] = 0
    length = np.bincount(owners(traces.offsets), step, len(traces))
    seconds = traces.t[traces.offsets[1:] - 1] - traces.t[traces.offsets[:-1]]
    moving = seconds > 0
    return float((length[moving] / seconds[moving]).mean()) if moving.any() else 0.0


def _radius(points: Floats, placed: Placed) -> float:
    """Half a percent of the semi-diagonal of all points, or of the box that was put in the place of theirs."""
    width, height, _ = points.max(axis=0) - points.min(axis=0)
    diagonal = np.hypot(width, height)
    if placed.bounds is not None and (placed.bounds.given or placed.bounds.narrowed):
        diagonal = max(diagonal, np.hypot(*placed.bounds.sides_m))
    return float(RADIUS * diagonal / 2)


def release_of(
    original: Traces,
    placed: Placed,
    tracks: Tracks,
    pivot: Ints,
    pseudonym_seed: int | None,
    spent: Mapping[str, Any],
    *,
    params: Mapping[str, Any],
    **promise: Any,
) -> Release:
    """Publish the trajectories that have a pivot, in random order; private: the original row behind each row."""
    from incrowd.kernels.cpu.w4m import matched

    data = placed.data
    kept = np.flatnonzero(pivot != TRASHED)
    member = kept[random_order(len(kept), pseudonym_seed)]
    middle = pivot[member]
    source = matched(tracks.points, tracks.offsets, middle, member, tracks.unit_m, tracks.most)
    offsets, at = rows_of(data.offsets, middle)
    place, moved = pulled(data, source, at, tracks.unit_m / 2)
    ledger = _ledger(original, placed, source, at, moved, kept)
    columns: dict[str, Any] = dict(zip(("x", "y") if data.planar else ("lon", "lat"), place, strict=True))
    columns |= {"users": np.arange(len(member)), "offsets": offsets, "t": data.t[at]}
    published = replace(data, attributes={}, ledger=ledger, **columns)
    pivots, number = np.unique(middle, return_inverse=True)
    return Release(
        published,
        Groups(np.arange(len(member) + 1), placed.people[member]),
        params={**params, "pseudonym_seed_given": pseudonym_seed is not None},
        ledger=ledger,
        provenance={
            "source": placed.rows[source],  # the original row whose place each row shows
            "cluster": number,  # of each published trajectory
            "pivot": np.argsort(member)[np.searchsorted(np.sort(member), pivots)],  # of each cluster, as a pseudonym
            "discarded_users": np.setdiff1d(np.arange(len(original)), placed.people[kept]),
            "dropped_attributes": list(data.attributes),
            **spent,
        },
        **promise,
    )


def pulled(data: Traces, source: Ints, at: Ints, radius_m: float) -> tuple[tuple[Floats, Floats], Ints]:
    """The places of source rows, those farther than the radius from row `at` moved towards it, and which these are.

    Degrees are measured and moved along the ellipsoid, so that no plane distorts the radius.
    """
    first, second = data.coordinates
    x, y = first[source], second[source]
    if data.planar:
        apart = np.hypot(x - first[at], y - second[at])
        moved = np.flatnonzero(apart > radius_m)
        share, middle = radius_m / apart[moved], at[moved]
        x[moved] = first[middle] + (x[moved] - first[middle]) * share
        y[moved] = second[middle] + (y[moved] - second[middle]) * share
    else:
        import pyproj

        earth = pyproj.Geod(ellps="WGS84")
        azimuth, _, apart = earth.inv(first[at], second[at], x, y)
        moved = np.flatnonzero(apart > radius_m)
        reach = np.full(len(moved), radius_m)
        x[moved], y[moved], _ = earth.fwd(first[at[moved]], second[at[moved]], azimuth[moved], reach)
    return (x, y), moved


def _ledger(original: Traces, placed: Placed, source: Ints, at: Ints, moved: Ints, kept: Ints) -> Ledger:
    """Points that are published twice are created, those that are not published at all are dropped."""
    data, distinct = placed.data, len(np.unique(source))
    lived = int(np.diff(data.offsets)[kept].sum())
    return original.ledger.add(
        "w4m",
        read=original.records,
        kept=len(source),
        dropped={**placed.lost, OF_TRASHED: data.records - lived, UNMATCHED: lived - distinct},
        created={REPEATED: len(source) - distinct},
        notes={
            "trashed trajectory": len(data) - len(kept),
            "moved in space": len(moved),
            "moved in time": int((data.t[at] != data.t[source]).sum()),
        },
        users=(len(original), len(kept)),
    )
