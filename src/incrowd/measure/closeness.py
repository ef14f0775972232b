"""Choices whose points lie a given time apart on average, drawn by the weights of their end points."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.measure.choices import Trajectories, binomials
from incrowd.measure.index import kernels
from incrowd.measure.question import Question

_WIDE = 2**63  # trajectories with this many subsets or more are counted in Python integers


class CloseSubsets:
    """Every set of N points with |(T_N - T_1) / (N - 1) - C| <= tolerance, all in one block [tan2017, Eq. 1].

    A set is its first point and the rest. C(j-i-1, N-2) sets begin at i and end at j; over all j they add up to a
    difference of binomials, so a number drawn below the total names one set, exactly and without rejection.
    Differs from [tan2017]: times are those of slots, and the day the points share is an option.
    """

    def __init__(self, crowd: Trajectories, slot: Ints, slot_min: int, question: Question, device: str) -> None:
        self.points = question.points
        self.group = np.zeros(len(crowd.starts), np.int64)  # 1 for trajectories with very many subsets
        large = [n for n in np.unique(crowd.sizes).tolist() if comb(n, self.points) >= _WIDE]
        self.group[np.isin(crowd.sizes, large)] = 1
        self.sides = [
            _Side.of(crowd, np.flatnonzero(self.group == g), slot, _limits(question, slot_min), self.points, used)
            for g, used in enumerate((device, "reference"))
        ]
        self.place = np.zeros(len(crowd.starts), np.int64)  # of each trajectory within its side
        totals = np.zeros(len(crowd.starts), object)
        for side in self.sides:
            self.place[side.which] = np.arange(len(side.which))
            totals[side.which] = side.total
        self.totals = totals
        self.feasible = totals > 0

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
        found = np.empty((len(which), self.points), np.int64)
        for g, side in enumerate(self.sides):
            mine = self.group[which] == g
            found[mine] = side.rows(self.place[which[mine]], number[mine])
        return found


@dataclass(frozen=True, eq=False)
class _Side:
    """Trajectories whose sets are counted alike: in 64 bits by the device, or in Python integers by the reference."""

    which: Ints
    starts: Ints
    sizes: Ints
    step: Ints
    weights: NDArray[Any]
    total: NDArray[Any]
    table: NDArray[Any]
    device: str

    @classmethod
    def of(
        cls, crowd: Trajectories, which: Ints, slot: Ints, limits: tuple[Any, ...], points: int, device: str
    ) -> "_Side":
        starts, sizes = crowd.starts[which], crowd.sizes[which]
        wide = device == "reference"
        largest = int(sizes.max(initial=0))
        table = np.array([[comb(c, i) for i in range(points)] for c in range(largest + 1)], object)
        if not wide:
            table = binomials(largest, points - 1)
        step, weights = np.zeros(0, np.int64), np.zeros(0, np.int64)
        if len(which):
            ways = np.ascontiguousarray(table[:, points - 1])
            step, weights = kernels("drawing", device).close_weights(starts, sizes, slot, *limits, ways)
        total = np.zeros(len(which), object)
        some = sizes > 0
        total[some] = weights[starts[some] + sizes[some] - 1]
        return cls(which, starts, sizes, step, weights, total, table, device)

    def rows(self, place: Ints, number: NDArray[Any]) -> Ints:
        points = self.table.shape[1]
        if not len(place):
            return np.empty((0, points), np.int64)
        kernel = kernels("drawing", self.device)
        ranks = number.astype(self.weights.dtype)
        ways = np.ascontiguousarray(self.table[:, points - 1])
        first, rest = kernel.firsts(self.starts[place], self.sizes[place], self.step, self.weights, ways, ranks)
        later = kernel.subsets(rest, points - 1, self.table) + (first + 1)[:, None]
        return np.column_stack([first, later])


def _limits(question: Question, slot_min: int) -> tuple[int, int, tuple[int, int]]:
    """Fewest and most slots between the ends, and the block of a slot as slot * a // b, all in integers."""
    gaps = Fraction(question.points - 1, int(slot_min))
    close, tolerance = _typed(question.closeness_min or 0), _typed(question.tolerance_min)
    nearest, farthest = ceil((close - tolerance) * gaps), floor((close + tolerance) * gaps)
    if question.block_min is None:
        return nearest, farthest, (0, 1)
    ratio = int(slot_min) / _typed(question.block_min)
    return nearest, farthest, (ratio.numerator, ratio.denominator)


def _typed(number: float) -> Fraction:
    """The number as it was written: 0.1 is a tenth."""
    return Fraction(str(number))


def _below(total: int, rng: np.random.Generator) -> int:
    """A uniform integer below a total of any size, from random bits; fewer than two tries on average."""
    bits = total.bit_length()
    while True:
        number = int.from_bytes(rng.bytes((bits + 7) // 8)) >> (-bits % 8)
        if number < total:
            return number
