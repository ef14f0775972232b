"""Visits -> the fewest own points that single each person out: the worst-off must be protected too."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, frozen
from incrowd.data import Visits
from incrowd.errors import ParameterError, check_whole
from incrowd.measure.uniqueness.index import index_of, kernels
from incrowd.plain import Shown
from incrowd.progress import track
from incrowd.threads import threads

DEEPEST = 3
MAX_SETS = 100_000_000  # tried per person and size, at most; every set of three of 844 points
_PARTS = 64  # of the users, each told when done


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Exposure(Shown):
    """The smallest set of own points that nobody else contains, and its size per user; lower is riskier.

    `points` is 0 for users no number of own points singles out: somebody else has all of them. Where `exact` is
    False, `points` is the best found and the truth may be smaller: not every set of up to `points - 1` was tried,
    because that is more than `max_points`, or because there are more than `max_sets` of one size.
    """

    max_points: int
    max_sets: int
    device: str
    points: Ints
    exact: NDArray[np.bool_]
    rows: Ints  # rows of the visits in the sets, one set after the other
    row_offsets: Ints  # where the set of each user begins

    def __post_init__(self) -> None:
        for name in ("points", "exact", "rows", "row_offsets"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def set_of(self, position: int) -> Ints:
        """The rows of the visits that single this user out, in order; none where nothing does."""
        if position not in range(len(self.points)):
            raise ParameterError(f"position must lie in 0 to {len(self.points) - 1}, got {position!r}.")
        return self.rows[self.row_offsets[position] : self.row_offsets[position + 1]]

    @property
    def distribution(self) -> Mapping[int, float]:
        """Share of users by points."""
        counts = np.bincount(self.points)
        return {int(n): int(counts[n]) / len(self.points) for n in np.flatnonzero(counts)}

    def __repr__(self) -> str:
        hidden, open_ends = int((self.points == 0).sum()), int((~self.exact).sum())
        return f"Exposure(users={len(self.points):,}, never={hidden:,}, not_exact={open_ends:,})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values without what belongs to one person, for JSON."""
        return {
            "max_points": self.max_points,
            "max_sets": self.max_sets,
            "device": self.device,
            "users": len(self.points),
            "not_exact": int((~self.exact).sum()),
            "distribution": {str(n): share for n, share in self.distribution.items()},
        }


def exposure(visits: Visits, *, max_points: int = DEEPEST, max_sets: int = MAX_SETS, device: str = "cpu") -> Exposure:
    """The fewest points that single each user out, by trying every set of up to max_points of their points.

    Points that few people have come first, and no more than `max_sets` sets of one size are tried per person. Beyond,
    chains of points that leave the fewest others give an upper bound.

    >>> visits = Visits.from_arrays([1, 1, 2, 2, 3], cell=[1, 2, 1, 3, 1], slot=[0, 1, 0, 1, 0])
    >>> result = exposure(visits)
    >>> result.points.tolist(), result.set_of(0).tolist()
    ([1, 1, 0], [1])
    """
    if max_points not in range(1, DEEPEST + 1):
        raise ParameterError(f"max_points must be 1, 2 or {DEEPEST}, got {max_points!r}.")
    check_whole(max_sets=max_sets)
    index = index_of(visits, device)
    fewest_points = kernels("exposure", device).fewest_points
    limits = int(max_points), min(int(max_sets), 2**62)

    def work(part: slice) -> tuple[Ints, NDArray[np.bool_], Ints]:
        offsets, lists = visits.offsets[part.start : part.stop + 1], (index.ids, index.starts, index.postings)
        smallest: tuple[Ints, NDArray[np.bool_], Ints] = fewest_points(
            offsets, *lists, len(visits), part.start, *limits
        )
        return smallest

    step = max(len(visits) // _PARTS, 8)
    parts = [slice(a, min(a + step, len(visits))) for a in range(0, len(visits), step)]
    with ThreadPoolExecutor(threads()) as pool:
        by_part = list(track(pool.map(work, parts), "exposure", len(parts)))
    none = np.zeros(0, np.int64), np.zeros(0, np.bool_), np.zeros(0, np.int64)
    points, exact, rows = map(np.concatenate, zip(none, *by_part, strict=True))
    return Exposure(
        max_points=limits[0],
        max_sets=int(max_sets),
        device=device,
        points=points,
        exact=exact,
        rows=rows,
        row_offsets=np.append(0, np.cumsum(points)),
    )
