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

_WIDE = 2**62  # trajectories with about this many close sets or more are counted in Python integers
_LARGEST = 2**63 - 1


class CloseSubsets:
    """Every set of N points with |(T_N - T_1) / (N - 1) - C| <= tolerance, all in one block [tan2017, Eq. 1].

    A set is its first point and the rest. C(j-i-1, N-2) sets begin at i and end at j; over all j they add up to a
    difference of binomials, so a number drawn below the total names one set, exactly and without rejection.
    Differs from [tan2017]: times are those of slots, and the day the points share is an option.
    """

    def __init__(self, crowd: Trajectories, slot: Ints, slot_min: int, question: Question, device: str) -> None:
        self.points = question.points
        limits = blocks_of(slot, slot_min, question.block_min), *_limits(question, slot_min)
        near, far = kernels("drawing", device).reach(crowd.starts, crowd.sizes, slot, *limits)
        self.farthest = int(far.max(initial=0))
        ways = np.array([comb(d, self.points - 1) for d in range(self.farthest + 1)], object)
        self.group = _wide(crowd, near, far, ways).astype(np.int64)  # 1 for trajectories with very many sets
        used = (device, np.minimum(ways, _LARGEST).astype(np.int64)), ("reference", ways)
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
        found = np.empty((len(which), self.points), np.int64)
        for g, side in enumerate(self.sides):
            mine = np.flatnonzero(self.group[which] == g)
            if len(mine):
                found[mine] = side.rows(self.place[which[mine]], number[mine], self.table)
        return found


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
        mine, sizes = np.repeat(which, crowd.sizes), crowd.sizes[which]
        near, far = near[mine], far[mine]
        ends = np.cumsum(sizes)
        # Sums over several trajectories may wrap around 64 bits; the differences within one do not.
        sums = np.cumsum(np.append(ways[:0], [0, *()]))
        return cls()

    def rows(self, place: Ints, number: NDArray[Any], table: Ints) -> Ints:
        kernel = kernels("drawing", self.device)
        ranks = number.astype(self.weights.dtype)
        first, rest = kernel.firsts(self.starts[place], self.sizes[place], self.near, self.weights, self.ways, ranks)
        later = kernel.subsets(rest, table.shape[1] - 1, table) + (first + 1)[:, None]
        return np.column_stack([first, later]) + self.shift[place][:, None]


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
