"""Records along each axis -> their ends, and the ends of their middle 99 %, by passes that only count."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.data import Traces
from incrowd.errors import ParameterError
from incrowd.read._parts import Parts

BEYOND = 200  # one of so many records is below the lower end, and one above the upper end: 0.5 % each
STRETCH = 4  # times as long as the middle: a longer side is that of strays
_FAR = 2**50  # with blocks of 12 bits each way, no product can leave 63 bits
_BITS = 16  # of the number of bins that are counted at once


def whole(values: Floats, units: float) -> Ints:
    """Coordinates as whole micro-degrees or millimetres."""
    scaled = values * units
    np.rint(scaled, out=scaled)
    if not max(-scaled.min(), scaled.max()) < _FAR:
        raise ParameterError("a coordinate or the box is too far from 0 for exact blocks; check the unit (metres).")
    return scaled.astype(np.int64)


def units_of(*, planar: bool) -> float:
    """Whole units per metre or degree."""
    return 1e3 if planar else 1e6


class Rank:
    """The search for one record by its rank along an axis: it is in [low, low + 2**bits), ever smaller."""

    def __init__(self, low: int, high: int) -> None:
        self.low, self.bits = low, (high - low).bit_length()
        self._below = 0  # records below all bins

    @property
    def _shift(self) -> int:
        return max(self.bits - _BITS, 0)

    def count(self, values: Ints) -> Ints:
        """How many records are in each bin."""
        bins = (values - self.low) >> self._shift
        return np.bincount(bins[(bins >= 0) & (bins < 2**_BITS)], minlength=2**_BITS)

    def narrow(self, rank: int, counts: Ints) -> None:
        """Go on in the bin that holds the rank, counted from 0."""
        ends = np.cumsum(counts)
        bin_ = int(np.searchsorted(ends, rank - self._below, side="right"))
        self._below += int(ends[bin_] - counts[bin_])
        self.low, self.bits = self.low + (bin_ << self._shift), self._shift


@dataclass(frozen=True)
class Bins:
    """What one pass over all records counts: the two ends of the middle of each axis that is still open."""

    units: float
    ends: Mapping[int, tuple[Rank, Rank]]  # by axis


@dataclass
class Along:
    """What one pass over some records has counted; those of several add up."""

    counts: dict[int, Ints] = field(default_factory=dict)  # axis -> [ends, bins]
    records: int = 0  # but for those at (0, 0)
    low: Floats = field(default_factory=lambda: np.full(2, np.inf))
    high: Floats = field(default_factory=lambda: np.full(2, -np.inf))
    zero_low: Floats = field(default_factory=lambda: np.full(2, np.inf))  # of the records at (0, 0)
    zero_high: Floats = field(default_factory=lambda: np.full(2, -np.inf))

    def add(self, other: "Along") -> None:
        """Count those of another pass too."""
        self.records += other.records
        self.low, self.high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        self.zero_low = np.minimum(self.zero_low, other.zero_low)
        self.zero_high = np.maximum(self.zero_high, other.zero_high)
        for axis, counts in other.counts.items():
            self.counts[axis] = self.counts[axis] + counts if axis in self.counts else counts


def counted(pieces: Iterable[Traces], bins: Bins) -> Along:
    """One pass over some pieces."""
    along = Along()
    for traces in pieces:
        places, zero = np.stack(traces.coordinates), traces.at_zero
        if zero.any():
            along.zero_low, along.zero_high = _wider(along.zero_low, along.zero_high, places[:, zero])
            places = places[:, ~zero]
        if not places.size:
            continue
        low, high = _wider(along.low, along.high, places)
        counts = {
            axis: np.stack([end.count(values) for end in ends])
            for axis, ends in bins.ends.items()
            for values in [whole(places[axis], bins.units)]
        }
        along.add(Along(counts, places.shape[1], low, high))
    return along


class Middle:
    """Records along each axis, those at (0, 0) apart: their ends, and the ends of their middle 99 %."""

    def __init__(self, data: Parts, count: Callable[[Bins], Along]) -> None:
        """Pass over all records until it is known which axes are stretched, and where their middle ends."""
        self.units = units_of(planar=data.planar)
        west, south, east, north = whole(np.array(data.box), self.units).tolist()
        self._ends = [(Rank(*ends), Rank(*ends)) for ends in ((west, east), (south, north))]
        axes = [0, 1]
        while axes:
            self._along = count(Bins(self.units, {axis: self._ends[axis] for axis in axes}))
            self._narrow(axes)
            axes = [axis for axis in axes if self.records and self._is_open(axis)]

    def _narrow(self, axes: list[int]) -> None:
        """Go on where the ends of the middle are."""
        beyond = (self.records - 1) // BEYOND
        for axis in axes if self.records else ():
            first, last = self._ends[axis]
            below, above = self._along.counts[axis]
            first.narrow(beyond, below)
            last.narrow(self.records - 1 - beyond, above)

    @property
    def records(self) -> int:
        """How many there are, but for those at (0, 0)."""
        return self._along.records

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """The lowest and the highest record of each axis."""
        return self._along.low, self._along.high

    @property
    def zero_ends(self) -> tuple[Floats, Floats]:
        """The same of the records at (0, 0)."""
        return self._along.zero_low, self._along.zero_high

    def _is_open(self, axis: int) -> bool:
        return self.is_stretched(axis) and any(end.bits for end in self._ends[axis])

    def is_stretched(self, axis: int) -> bool:
        """Whether all records reach over more than 4 times their middle, unless a further pass shows otherwise."""
        low, high = whole(np.array([end[axis] for end in self.ends]), self.units).tolist()
        first, last = self._ends[axis]
        return bool(high - low > STRETCH * (last.low - (first.low + 2**first.bits - 1)))

    def middle(self, axis: int) -> tuple[int, int]:
        """The ends of the middle of an axis that is stretched, in whole units."""
        first, last = self._ends[axis]
        return first.low, last.low


def _wider(low: Floats, high: Floats, places: Floats) -> tuple[Floats, Floats]:
    return np.minimum(low, places.min(axis=1)), np.maximum(high, places.max(axis=1))
