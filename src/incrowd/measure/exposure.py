"""Visits -> the fewest own points that single each person out: the worst-off must be protected too."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.data import Visits
from incrowd.errors import ParameterError
from incrowd.kernels.threads import in_blocks
from incrowd.measure.index import index_of, kernels

DEEPEST = 3
_USERS = 4096  # per thread at once


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Exposure:
    """The size of the smallest set of own points that nobody else contains, per user; lower is riskier.

    `points` is 0 for users no number of own points singles out: somebody else has all of them. Where `exact` is
    False, sets up to `max_points` were ruled out and `points` is the best found, so the truth may be smaller.
    """

    max_points: int
    points: Ints
    exact: NDArray[np.bool_]

    @property
    def distribution(self) -> Mapping[int, float]:
        """Share of users by points."""
        counts = np.bincount(self.points)
        return {int(n): int(counts[n]) / len(self.points) for n in np.flatnonzero(counts)}

    def __repr__(self) -> str:
        hidden, open_ends = int((self.points == 0).sum()), int((~self.exact).sum())
        return f"Exposure(users={len(self.points):,}, never={hidden:,}, not_exact={open_ends:,})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "max_points": self.max_points,
            "users": len(self.points),
            "not_exact": int((~self.exact).sum()),
            "distribution": {str(n): share for n, share in self.distribution.items()},
        }


def exposure(visits: Visits, *, max_points: int = DEEPEST, device: str = "cpu") -> Exposure:
    """The fewest points that single each user out, by trying every set of up to max_points of their points.

    Beyond, chains of points that leave the fewest others give an upper bound.

    >>> visits = Visits.from_arrays([1, 1, 2, 2, 3], cell=[1, 2, 1, 3, 1], slot=[0, 1, 0, 1, 0])
    >>> exposure(visits).points.tolist()
    [1, 1, 0]
    """
    if max_points not in range(1, DEEPEST + 1):
        raise ParameterError(f"max_points must be 1, 2 or {DEEPEST}, got {max_points}.")
    index = index_of(visits, device)
    fewest_points = kernels("singling", device).fewest_points
    points = np.empty(len(visits), np.int64)

    def work(part: slice) -> None:
        offsets, lists = visits.offsets[part.start : part.stop + 1], (index.ids, index.starts, index.postings)
        points[part] = fewest_points(offsets, *lists, len(visits), part.start, int(max_points))

    in_blocks(work, len(visits), block=_USERS)
    return Exposure(max_points=int(max_points), points=points, exact=points <= max_points + 1)
