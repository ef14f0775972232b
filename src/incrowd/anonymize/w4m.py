"""W4M: alike trajectories are bent into one narrow cylinder, which moves and fabricates points."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.anonymize.base import Strength, Wanted, guarantee, parameters
from incrowd.anonymize.w4m_clusters import Tracks, cluster
from incrowd.anonymize.w4m_writing import release_of
from incrowd.arrays import Floats, owners
from incrowd.data import Release, Traces
from incrowd.discretize.plane import plane_of
from incrowd.errors import DataError, ParameterError, check_positive, check_seed, check_share, check_whole
from incrowd.measure.kgap import check_k
from incrowd.plain import several
from incrowd.read.parts import of_traces

RADIUS = 0.005  # of the semi-diagonal of the box around all points
MOST = 1_000_000  # units of delta_m, so that sums over any trajectory stay exact
DELTA_M = 2_000  # of [gramaglia2015, Table 2]
NOTE = "(k, delta) only; pivots are published as they were"


@dataclass(frozen=True)
class W4M:
    """Bend each trajectory to the times of a pivot and into its cylinder, W4M-LC of [abul2010].

    Clusters form in chunks of `chunk`·k trajectories around random pivots, at first within `radius_m` (0.5 % of the
    semi-diagonal of all points when None); at most a share `trash` of the trajectories is left out. `most` caps the
    distance of two points, in units of delta_m. Time weighs as much as the mean speed covers in it.

    Guarantee: (k, delta)-anonymity: every published trajectory shares its times with at least k - 1 others, and all of
    them stay within delta_m / 2 of one of these at each of its times. This is weaker than k-anonymity: it hides
    people only from somebody who cannot tell places within delta_m apart (Trujillo-Rasua and Domingo-Ferrer 2013), and
    the trajectory in the middle is published as it was. Points are moved in space and time, left out and fabricated:
    no published row is promised to be true.

    >>> traces = Traces.from_arrays([1, 1, 2, 2], [0, 60, 5, 70], x=[0, 900, 0, 3000], y=[0, 0, 0, 0])
    >>> W4M(k=2, delta_m=1000, trash=0)(traces)
    Release(Traces, rows=4, pseudonyms=2, people=2)
    """

    k: int = 2
    delta_m: float = 2000
    trash: float = 0.1
    radius_m: float | None = None
    chunk: int = 20
    most: int = 10

    def __post_init__(self) -> None:
        check_k(self.k)
        check_positive(delta_m=self.delta_m, **({} if self.radius_m is None else {"radius_m": self.radius_m}))
        check_whole(chunk=self.chunk, most=self.most)
        check_share(trash=self.trash)
        if self.most > MOST:
            raise ParameterError(f"most must lie in 1 to {MOST:,}, got {self.most:,}.")

    @staticmethod
    def strengths(wanted: Wanted) -> Iterator[Strength]:
        """At k and 2 k."""
        for k in (wanted.k, 2 * wanted.k):
            yield Strength(f"k={k}, 2 km", W4M(k=k, delta_m=DELTA_M), "points", reach_m=DELTA_M, note=NOTE)

    def __call__(self, data: Traces, *, seed: int = 0, pseudonym_seed: int | None = None) -> Release:
        """Publish clusters of traces; `seed` decides chunks and pivots."""
        check_seed(seed=seed)
        tracks, speed = self._tracks(data)
        found = cluster(
            tracks,
            k=self.k,
            chunk=self.chunk,
            trash=self.trash,
            radius_m=_radius(tracks.points) if self.radius_m is None else self.radius_m,
            rng=np.random.default_rng(seed),
        )
        if found.pivot.max() < 0:
            raise DataError(
                "every trajectory was trashed, so nothing is left to publish; raise radius_m or lower trash."
            )
        said: dict[str, Any] = {
            "params": parameters(self),
            "guarantee": guarantee(self),
            "claims": {"k": int(self.k), "delta_m": float(self.delta_m)},
        }
        spent = {"speed_mps": speed, "radius_m": found.radius_m, "chunks": found.chunks}
        return release_of(data, tracks, found.pivot, pseudonym_seed, spent, **said)

    def _tracks(self, data: Traces) -> tuple[Tracks, float]:
        """Trajectories as points in space and time, and the speed that makes metres of seconds."""
        if not isinstance(data, Traces):
            raise DataError(
                f"W4M bends traces, and these are {type(data).__name__}; give Traces, "
                "or fingerprints as incrowd.anonymize.w4m_points.points_of makes them."
            )
        parts = of_traces(data)
        if len(data) < self.k:
            raise DataError(f"{several(len(data), 'user')} cannot hide among k = {self.k}; lower k or give more users.")
        x, y = plane_of(parts, None)(*data.coordinates)
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


def _radius(points: Floats) -> float:
    width, height, _ = points.max(axis=0) - points.min(axis=0)
    return float(RADIUS * np.hypot(width, height) / 2)
