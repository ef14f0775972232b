"""Choices whose points lie a given time apart on average, drawn by the weights of their end points."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, comb, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.measure.uniqueness.choices import Trajectories, binomials
from incrowd.measure.uniqueness.index import kernels
from incrowd.measure.uniqueness.question import UniquenessQuestion

_WIDE = 2**62  # trajectories with about this many close sets or more are counted in Python integers
_LARGEST = 2**63 - 1


class CloseSubsets:
    """Every set of N points with |(T_N - T_1) / (N - 1) - C| <= tolerance, all in one block [tan2017, Eq. 1].

    A set is its first point and the rest. C(j-i-1, N-2) sets begin at i and end at j; over all j they add up to a
    difference of binomials, so a number drawn below the total names one set, exactly and without rejection.
    Differs from [tan2017]: times are those of slots, and the day the points share is an option.
    """

    def __init__(self, crowd: Trajectories, slot: Ints, slot_min: int, question: UniquenessQuestion) -> None:
        self.points = question.points
        limits = _blocks(slot, slot_min, question.block_min), *_limits(question, slot_min)
        near, far = kernels("choices", question.device).reach(crowd.starts, crowd.sizes, slot, *limits)
        self.farthest = int(far.max(initial=0))
        ways = np.array([comb(d, self.points - 1) for d in range(self.farthest + 1)], object)
        self.group = _wide(crowd, near, far, ways).astype(np.int64)  # 1 for trajectories with very many sets
        used = (question.device, np.minimum(ways, _LARGEST).astype(np.int64)), ("reference", ways)
        self.sides = [_Side.of(crowd, self.group == g, near, far, *how) for g, how in enumerate(used)]
        self.place = np.zeros(len(crowd.starts), np.int64)  # of each trajectory within its side
        self.totals = np.zeros(len(crowd.starts), object)
        for g, side in enumerate(self.sides):
            self.place[self.group == g] = np.arange(len(side.starts))
            self.totals[self.group == g] = side.total
        self.feasible = self.totals > 0

    @cached_property
    def table(self) -> Ints:
        """The binomials that number the points after the first; made when there is a set to number."""
        return binomials(self.farthest, self.points - 1)

    def total(self, which: Ints) -> NDArray[Any]:
        """How many sets are close enough."""
        return self.totals[which]

    def draw(self, which: Ints, rng: np.random.Generator) -> Ints:
        """By a uniform number among all close sets."""
        numbers = np.empty(len(which), object)
        narrow = self.group[which] == 0
        numbers[narrow] = rng.integers(0, self.totals[which[narrow]].astype(np.int64))
        numbers[~narrow] = [_below(int(total), rng) for total in self.totals[which[~narrow]]]
        return self.rows(which, numbers)

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
    """Trajectories whose sets are counted alike, moved together: in 64 bits by the device, or in Python integers."""

    starts: Ints
    sizes: Ints
    shift: Ints  # how far the rows were moved
    near: Ints
    weights: NDArray[Any]
    total: NDArray[Any]
    ways: NDArray[Any]
    device: str

    @classmethod
    def of(
        cls, crowd: Trajectories, which: NDArray[np.bool_], near: Ints, far: Ints, device: str, ways: NDArray[Any]
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
        return cls(starts, sizes, crowd.starts[which] - starts, near, weights, total, ways, device)

    def rows(self, place: Ints, number: NDArray[Any], table: Ints) -> Ints:
        kernel = kernels("choices", self.device)
        ranks = number.astype(self.weights.dtype)
        first, rest = kernel.firsts(self.starts[place], self.sizes[place], self.near, self.weights, self.ways, ranks)
        later = kernel.subsets(rest, table.shape[1] - 1, table) + (first + 1)[:, None]
        return np.column_stack([first, later]) + self.shift[place][:, None]


def _wide(crowd: Trajectories, near: Ints, far: Ints, ways: NDArray[Any]) -> NDArray[np.bool_]:
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
    distinct, at = np.unique(slot, return_inverse=True)
    exact = np.array([s * ratio.numerator // ratio.denominator for s in distinct.tolist()], object)
    return np.unique(exact, return_inverse=True)[1][at]


def _typed(number: float) -> Fraction:
    """The number as it was written: 0.1 is a tenth."""
    return Fraction(str(+number))  # the sign makes a number of True


def _below(total: int, rng: np.random.Generator) -> int:
    """A uniform integer below a total of any size, from random bits; fewer than two tries on average."""
    bits = total.bit_length()
    while True:
        number = int.from_bytes(rng.bytes((bits + 7) // 8)) >> (-bits % 8)
        if number < total:
            return number
