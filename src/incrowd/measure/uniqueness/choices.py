"""Which points of a trajectory an adversary may know: every choice has a number, to be drawn or enumerated."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.measure.uniqueness.index import kernels

_BLOCK = 1 << 20  # choices looked at at once, while they have few points


@dataclass(frozen=True, eq=False)
class Trajectories:
    """Runs of rows: whole users, or the pieces of cut ones; owner is the user behind each."""

    starts: Ints
    sizes: Ints
    owner: Ints

    @classmethod
    def over(cls, offsets: Ints, owner: Ints | None = None) -> "Trajectories":
        """The runs between offsets."""
        return cls(offsets[:-1], np.diff(offsets), np.arange(len(offsets) - 1) if owner is None else owner)

    def whole(self, which: Ints) -> Iterator[tuple[Ints, Ints]]:
        """All rows of the trajectories named, some of these at a time after their places among those named.

        The shorter ones repeat their last row, which changes no set; those without rows are left out.
        """
        some = np.flatnonzero(self.sizes[which])
        for part in blocks(len(some), int(self.sizes[which].max(initial=1))):
            at = which[some[part]]
            last = self.sizes[at][:, None] - 1
            yield some[part], self.starts[at][:, None] + np.minimum(np.arange(int(last.max()) + 1), last)


class Choices(Protocol):
    """The equally likely choices of some trajectories."""

    feasible: NDArray[np.bool_]  # trajectories with at least one choice

    def total(self, which: Ints) -> NDArray[Any]:
        """How many choices each trajectory has, as Python integers."""

    def draw(self, which: Ints, rng: np.random.Generator) -> Ints:
        """One choice for each trajectory named, uniformly: rows [which, points]."""

    def rows(self, which: Ints, number: Ints) -> Ints:
        """The choice with this number, from 0, of each trajectory named: rows [which, points]."""


class Subsets:
    """Every set of distinct points [song2014, Sec. 5]."""

    def __init__(self, crowd: Trajectories, points: int, device: str) -> None:
        self.crowd, self.points, self.device = crowd, points, device
        self.feasible = crowd.sizes >= points

    def total(self, which: Ints) -> NDArray[Any]:
        """C(n, m) for each."""
        ways = {n: comb(n, self.points) for n in np.unique(self.crowd.sizes[which]).tolist()}
        return np.array([ways[n] for n in self.crowd.sizes[which].tolist()], object)

    def draw(self, which: Ints, rng: np.random.Generator) -> Ints:
        """Point after point without replacement, so that no number can overflow."""
        places = rng.integers(0, self.crowd.sizes[which][:, None] - np.arange(self.points))
        drawn: Ints = kernels("choices", self.device).without_replacement(places)
        drawn += self.crowd.starts[which][:, None]
        return drawn

    def rows(self, which: Ints, number: Ints) -> Ints:
        """In colexicographic order."""
        table = binomials(int(self.crowd.sizes[which].max(initial=0)), self.points)
        subsets: Ints = kernels("choices", self.device).subsets(number, self.points, table)
        return subsets + self.crowd.starts[which][:, None]


class Runs:
    """Every run of points that follow each other in the trajectory, whatever the time between [xu2017, Sec. 3.2]."""

    def __init__(self, crowd: Trajectories, points: int) -> None:
        self.crowd, self.points = crowd, points
        self.feasible = crowd.sizes >= points

    def total(self, which: Ints) -> NDArray[Any]:
        """One per first point."""
        return (self.crowd.sizes[which] - self.points + 1).astype(object)

    def draw(self, which: Ints, rng: np.random.Generator) -> Ints:
        """By a uniform first point."""
        return self.rows(which, rng.integers(0, self.crowd.sizes[which] - self.points + 1))

    def rows(self, which: Ints, number: Ints) -> Ints:
        """In time order."""
        return (self.crowd.starts[which] + number)[:, None] + np.arange(self.points)


def blocks(size: int, width: int) -> Iterator[slice]:
    """Slices of that many choices of this many points, each small enough to be looked at at once."""
    step = max(min(_BLOCK, 8 * _BLOCK // width), 1)
    for a in range(0, size, step):
        yield slice(a, min(a + step, size))


def binomials(largest: int, points: int) -> NDArray[Any]:
    """C(c, i) for c up to the largest and i up to points, in 64 bits; what overflows becomes the largest integer."""
    ceiling = np.iinfo(np.int64).max
    rows = [[min(comb(c, i), ceiling) for i in range(points + 1)] for c in range(largest + 1)]
    return np.array(rows, np.int64).reshape(largest + 1, points + 1)
