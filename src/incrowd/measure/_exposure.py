"""Visits -> the fewest own visits that identify each person: the worst-off must be protected too."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.arrays import Flags, Ints, frozen
from incrowd.data import Visits
from incrowd.errors import ParameterError, check_whole, public
from incrowd.kernels import kernel
from incrowd.measure._risk_map import RiskMap, risk_map
from incrowd.measure.uniqueness.index import index_of
from incrowd.plain import of_people, percent, several
from incrowd.progress import track
from incrowd.show import Result, Section, Table
from incrowd.threads import Pool, threads

DEEPEST = 3
MAX_SETS = 100_000_000  # tried per person and size, at most; every set of three of 844 points
_PARTS = 64  # of the users, between two steps of progress


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Exposure(Result):
    """The smallest set of own points that nobody else contains, and its size per user; lower is riskier.

    `points` is 0 for users whom no number of own points identifies: somebody else has all of them. If `exact` is
    False, `points` is a bound and the truth may be smaller: not every set of up to `points - 1` was tried, because
    that is more than `max_points`, or because there are more than `max_sets` of one size.
    """

    max_points: int
    max_sets: int
    points: Ints
    exact: Flags
    rows: Ints  # rows of the visits in the sets, one set after the other
    row_offsets: Ints  # where the set of each user begins
    risk_map: RiskMap | None = None  # None if it is not known where cells are

    def __post_init__(self) -> None:
        for name in ("points", "exact", "rows", "row_offsets"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def set_of(self, position: int) -> Ints:
        """The rows of the visits that identify this user, in order; none if nothing does.

        Args:
            position: Position of the user among `visits.users`.
        """
        if position not in range(len(self.points)):
            raise ParameterError(f"position must be from 0 to {len(self.points) - 1}, got {position!r}.")
        return self.rows[self.row_offsets[position] : self.row_offsets[position + 1]]

    @property
    def distribution(self) -> Mapping[int, float]:
        """Share of users by points."""
        counts = np.bincount(self.points)
        return {int(n): int(counts[n]) / len(self.points) for n in np.flatnonzero(counts)}

    def __repr__(self) -> str:
        hidden, open_ends = int((self.points == 0).sum()), int((~self.exact).sum())
        return f"Exposure(users={len(self.points):,}, never={hidden:,}, not_exact={open_ends:,})"

    def section(self) -> Section:
        """How many people a single visit identifies, and how many a few well-chosen ones."""
        alone, few = (int(((self.points > 0) & (self.points <= n)).sum()) for n in (1, self.max_points))
        users, bounds = len(self.points), int((~self.exact).sum())
        rows = [
            (self._fewest(n), f"{share * users:,.0f}", percent(share, 2))
            for n, share in sorted(self.distribution.items())
        ]
        bounded = f"; for {bounds:,} of them only a bound is known" if bounds else ""
        return Section(
            question="How many people are identified by a single visit?",
            answer=f"{of_people(alone, users)} made a visit that nobody else made; {of_people(few, users)} are "
            f"identified by {several(self.max_points, 'well-chosen visit')} of their own or fewer.",
            number=percent(alone / users if users else None),
            number_of="identified by one visit",
            panels=[] if self.risk_map is None else self.risk_map.section().panels,
            tables=[Table(("fewest own visits", "people", "share"), rows)],
            method=[
                f"Every set of up to {self.max_points} own visits was tried; beyond that, the best set is a bound.",
                "Averages over random visits hide these people: an attacker may know exactly the rare ones.",
            ],
            options=f"{several(users, 'person', 'people')}{bounded}",
            data=self,
            references=("song2014",),
        )

    def _fewest(self, n: int) -> str:
        bound = "" if self.exact[self.points == n].all() else " or fewer"
        return "never identified" if n == 0 else f"{n}{bound}"

    def columns(self) -> Mapping[str, Any]:
        """A row for each person, by position: fewest own visits that identify them, and whether that is exact."""
        return {"position": np.arange(len(self.points)), "points": self.points, "exact": self.exact}

    def to_dict(self) -> dict[str, Any]:
        """Plain values without what belongs to one person, for JSON."""
        return {
            "max_points": self.max_points,
            "max_sets": self.max_sets,
            "users": len(self.points),
            "not_exact": int((~self.exact).sum()),
            "distribution": {str(n): share for n, share in self.distribution.items()},
        }


@public
def exposure(visits: Visits, *, max_points: int = DEEPEST, max_sets: int = MAX_SETS) -> Exposure:
    """The fewest own visits that identify each person, by trying every small set of them.

    Visits that few people made come first. Beyond the limits, chains of visits that leave the fewest others give an
    upper bound.

    Args:
        visits: The visits of everybody.
        max_points: Largest set of visits that is tried: 1, 2 or 3.
        max_sets: Most sets of one size that are tried for each person.

    >>> visits = Visits.from_arrays([1, 1, 2, 2, 3], cell=[1, 2, 1, 3, 1], slot=[0, 1, 0, 1, 0])
    >>> result = exposure(visits)
    >>> result.points.tolist(), result.set_of(0).tolist()
    ([1, 1, 0], [1])
    """
    if max_points not in range(1, DEEPEST + 1):
        raise ParameterError(f"max_points must be 1, 2 or {DEEPEST}, got {max_points!r}.")
    check_whole(max_sets=max_sets)
    index = index_of(visits)
    fewest_points = kernel("exposure").fewest_points
    limits = int(max_points), min(int(max_sets), 2**62)

    def work(part: slice) -> tuple[Ints, Flags, Ints]:
        offsets, lists = visits.offsets[part.start : part.stop + 1], (index.ids, index.starts, index.postings)
        smallest: tuple[Ints, Flags, Ints] = fewest_points(offsets, *lists, len(visits), part.start, *limits)
        return smallest

    step = max(len(visits) // _PARTS, 8)
    parts = [slice(a, min(a + step, len(visits))) for a in range(0, len(visits), step)]
    with Pool(threads()) as pool:
        by_part = list(track(pool.map(work, parts), "exposure", len(parts)))
    none = np.zeros(0, np.int64), np.zeros(0, np.bool_), np.zeros(0, np.int64)
    points, exact, rows = map(np.concatenate, zip(none, *by_part, strict=True))
    return Exposure(
        max_points=limits[0],
        max_sets=int(max_sets),
        points=points,
        exact=exact,
        rows=rows,
        row_offsets=np.append(0, np.cumsum(points)),
        risk_map=None if visits.xy is None else risk_map(visits),
    )
