"""Which points of a trajectory an attacker may know: every choice has a number, to be drawn or enumerated."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, comb, floor
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Ints
from incrowd.kernels import kernel
from incrowd.kernels.reference import uniqueness as reference
from incrowd.measure.uniqueness.question import UniquenessQuestion

_BLOCK = 1 << 20  # choices looked at at once, while they have few points
_SIZES = 8  # so many sizes of trajectories are looked at one after the other
_WIDE = 2**62  # trajectories with about this many close sets or more are counted in Python integers
_LARGEST = 2**63 - 1


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

        Those of one size come together if there are few sizes; else the shorter ones repeat their last row, which
        changes no set. Those without rows are left out.
        """
        sizes = self.sizes[which]
        kinds = np.flatnonzero(np.bincount(sizes)[1:]) + 1
        alike = [sizes == size for size in kinds] if len(kinds) <= _SIZES else [sizes > 0]
        for filled in map(np.flatnonzero, alike):
            for part in blocks(len(filled), int(sizes[filled].max(initial=1))):
                named = which[filled[part]]
                last = self.sizes[named] - 1
                ahead = np.arange(int(last.max()) + 1)
                if len(alike) == 1:
                    ahead = np.minimum(ahead, last[:, None])
                yield filled[part], self.starts[named][:, None] + ahead


class Choices(Protocol):
    """The equally likely choices of some trajectories."""

    feasible: Flags  # trajectories with at least one choice

    def total(self, which: Ints) -> NDArray[Any]:
        """How many choices each trajectory has, as Python integers."""

    def draw(self, which: Ints, rng: np.random.Generator) -> Ints:
        """One choice for each trajectory named, uniformly: rows [which, points]."""

    def rows(self, which: Ints, number: Ints) -> Ints:
        """The choice with this number, from 0, of each trajectory named: rows [which, points]."""


class Subsets:
    """Every set of distinct points [song2014, Sec. 5]."""

    def __init__(self, crowd: Trajectories, points: int) -> None:
        self.crowd, self.points = crowd, points
        self.feasible = crowd.sizes >= points

    def total(self, which: Ints) -> NDArray[Any]:
        """C(n, m) for each."""
        ways = {n: comb(n, self.points) for n in np.unique(self.crowd.sizes[which]).tolist()}
        return np.array([ways[n] for n in self.crowd.sizes[which].tolist()], object)

    def draw(self, which: Ints, rng: np.random.Generator) -> Ints:
        """Point after point without replacement, which no number can overflow."""
        places = rng.integers(0, self.crowd.sizes[which][:, None] - np.arange(self.points))
        drawn: Ints = kernel("uniqueness").without_replacement(places)
        drawn += self.crowd.starts[which][:, None]
        return drawn

    def rows(self, which: Ints, number: Ints) -> Ints:
        """In colexicographic order."""
        table = binomials(int(self.crowd.sizes[which].max(initial=0)), self.points)
        subsets: Ints = kernel("uniqueness").subsets(number, self.points, table)
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


class CloseSubsets:
    """Every set of N points with |(T_N - T_1) / (N - 1) - C| <= tolerance, all in one block [tan2017, Eq. 1].

    A set is its first point and the rest. C(j-i-1, N-2) sets begin at i and end at j; over all j they add up to a
    difference of binomials, so a number drawn below the total names one set, exactly and without rejection.
    Differs from [tan2017]: times are those of slots, and the day the points share is an option.
    """

    def __init__(self, crowd: Trajectories, slot: Ints, slot_min: int, question: UniquenessQuestion) -> None:
        self.points = question.points
        limits = _blocks(slot, slot_min, question.block_min), *_limits(question, slot_min)
        near, far = kernel("uniqueness").reach(crowd.starts, crowd.sizes, slot, *limits)
        self.farthest = int(far.max(initial=0))
        ways = np.array([comb(d, self.points - 1) for d in range(self.farthest + 1)], object)
        self.group = _wide(crowd, near, far, ways).astype(np.int64)  # 1 for trajectories with very many sets
        used = (kernel("uniqueness"), np.minimum(ways, _LARGEST).astype(np.int64)), (reference, ways)
        self.sides = [_Side.of(crowd, self.group == g, near, far, *how) for g, how in enumerate(used)]
        self.place = np.zeros(len(crowd.starts), np.int64)  # of each trajectory within its side
        self.totals = np.zeros(len(crowd.starts), object)
        for g, side in enumerate(self.sides):
            self.place[self.group == g] = np.arange(len(side.starts))
            self.totals[self.group == g] = side.total
        self.feasible = self.totals > 0

    @cached_property
    def table(self) -> Ints:
        """The binomials that number the points after the first; made if there is a set to number."""
        return binomials(self.farthest, self.points - 1)

    def total(self, which: Ints) -> NDArray[Any]:
        """How many sets are close enough."""
        return self.totals[which]

    def draw(self, which: Ints, rng: np.random.Generator) -> Ints:
        """By a uniform number among all close sets."""
        return self.rows(which, uniform_numbers(self.totals[which], self.group[which] == 0, rng))

    def rows(self, which: Ints, number: NDArray[Any]) -> Ints:
        """By first point, then colexicographically."""
        chosen = np.empty((len(which), self.points), np.int64)
        for g, side in enumerate(self.sides):
            mine = np.flatnonzero(self.group[which] == g)
            if len(mine):
                chosen[mine] = side.rows(self.place[which[mine]], number[mine], self.table)
        return chosen


@dataclass(frozen=True, eq=False)
class _Side:
    """Trajectories whose sets are counted alike, moved together: in 64 bits, or in Python integers."""

    starts: Ints
    sizes: Ints
    shift: Ints  # how far the rows were moved
    near: Ints
    weights: NDArray[Any]
    total: NDArray[Any]
    ways: NDArray[Any]
    kernels: ModuleType

    @classmethod
    def of(
        cls,
        crowd: Trajectories,
        which: Flags,
        near: Ints,
        far: Ints,
        kernels: ModuleType,
        ways: NDArray[Any],
    ) -> "_Side":
        sizes = crowd.sizes[which]
        if not which.all():
            mine = np.repeat(which, crowd.sizes)
            near, far = near[mine], far[mine]
        ends = np.cumsum(sizes)
        starts = ends - sizes
        sums = np.zeros(len(near) + 1, ways.dtype)
        np.cumsum(ways[far] - ways[near - 1], out=sums[1:])
        # The sums run over all trajectories and may wrap around 64 bits; their differences within one are right.
        weights, total = sums[1:] - np.repeat(sums[starts], sizes), sums[ends] - sums[starts]
        return cls(starts, sizes, crowd.starts[which] - starts, near, weights, total, ways, kernels)

    def rows(self, place: Ints, number: NDArray[Any], table: Ints) -> Ints:
        ranks = number.astype(self.weights.dtype)
        first, rest = self.kernels.firsts(
            self.starts[place], self.sizes[place], self.near, self.weights, self.ways, ranks
        )
        later = self.kernels.subsets(rest, table.shape[1] - 1, table) + (first + 1)[:, None]
        return np.column_stack([first, later]) + self.shift[place][:, None]


def _wide(crowd: Trajectories, near: Ints, far: Ints, ways: NDArray[Any]) -> Flags:
    """Whether 63 bits may be too few for the close sets of a trajectory, or for all sets within the reach of a row."""
    if int(crowd.sizes.max(initial=0)) * ways[-1] < _WIDE:
        return np.zeros(len(crowd.sizes), np.bool_)
    within = np.minimum(ways, _LARGEST).astype(np.float64)
    sets = within[far] - within[near - 1]
    sets[(ways >= _LARGEST)[far]] = np.inf
    of = np.repeat(np.arange(len(crowd.sizes)), crowd.sizes)
    return np.bincount(of, weights=sets, minlength=len(crowd.sizes)) >= _WIDE


def _limits(question: UniquenessQuestion, slot_min: int) -> tuple[int, int]:
    """Fewest and most slots between the ends, in integers; none are farther apart than 63 bits hold."""
    gaps = Fraction(question.points - 1, int(slot_min))
    close, tolerance = _typed(question.closeness_min or 0), _typed(question.tolerance_min)
    nearest, farthest = ceil((close - tolerance) * gaps), floor((close + tolerance) * gaps)
    return min(max(nearest, 0), _LARGEST), min(farthest, _LARGEST)


def _blocks(slot: Ints, slot_min: int, block_min: float | None) -> Ints:
    """The block of each slot, floor(slot * slot_min / block_min) but for the numbering; all in one without blocks."""
    if block_min is None or not len(slot):
        return np.zeros(len(slot), np.int64)
    ratio = int(slot_min) / _typed(block_min)
    if max(1, -int(slot.min()), int(slot.max())) * ratio.numerator <= _LARGEST >= ratio.denominator:
        return slot * ratio.numerator // ratio.denominator
    distinct, rank = np.unique(slot, return_inverse=True)
    exact = np.array([s * ratio.numerator // ratio.denominator for s in distinct.tolist()], object)
    return np.unique(exact, return_inverse=True)[1][rank]


def _typed(number: float) -> Fraction:
    """The number as it was written: 0.1 is a tenth."""
    return Fraction(str(+number))  # the sign makes a number of True


def uniform_numbers(totals: NDArray[Any], narrow: Flags, rng: np.random.Generator) -> NDArray[Any]:
    """A uniform number below each total, as Python integers; those that are narrow fit into 64 bits."""
    numbers = np.empty(len(totals), object)
    numbers[narrow] = rng.integers(0, totals[narrow].astype(np.int64))
    numbers[~narrow] = [_below(int(total), rng) for total in totals[~narrow]]
    return numbers


def _below(total: int, rng: np.random.Generator) -> int:
    """A uniform integer below a total of any size, from random bits; fewer than two tries on average."""
    bits = total.bit_length()
    while True:
        number = int.from_bytes(rng.bytes((bits + 7) // 8)) >> (-bits % 8)
        if number < total:
            return number


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
