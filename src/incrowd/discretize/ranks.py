"""Where the middle 99 % of all records lie along each axis, exactly, by counting piece after piece."""

import numpy as np

from incrowd.arrays import Floats, Ints
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
        self._counts = np.zeros(2**_BITS, np.int64)

    @property
    def _shift(self) -> int:
        return max(self.bits - _BITS, 0)

    def add(self, values: Ints) -> None:
        """Count the records in the bins."""
        at = (values - self.low) >> self._shift
        self._counts += np.bincount(at[(at >= 0) & (at < 2**_BITS)], minlength=2**_BITS)

    def narrow(self, rank: int) -> None:
        """Go on in the bin that holds the rank, counted from 0."""
        ends = np.cumsum(self._counts)
        at = int(np.searchsorted(ends, rank - self._below, side="right"))
        self._below += int(ends[at] - self._counts[at])
        self.low, self.bits = self.low + (at << self._shift), self._shift
        self._counts[:] = 0


class Middle:
    """Records along each axis, those at (0, 0) apart: their ends, and the ends of their middle 99 %."""

    def __init__(self, data: Parts) -> None:
        """Pass over all pieces until it is known which axes are stretched, and where their middle ends."""
        self.units = units_of(planar=data.planar)
        self.records = 0  # but for those at (0, 0)
        self.low, self.high = np.full(2, np.inf), np.full(2, -np.inf)
        self.zero_low, self.zero_high = self.low, self.high  # of the records at (0, 0)
        west, south, east, north = whole(np.array(data.box), self.units).tolist()
        self._ends = [(Rank(*ends), Rank(*ends)) for ends in ((west, east), (south, north))]
        axes = [0, 1]
        while axes:
            self._pass(data, axes)
            axes = [axis for axis in axes if self.records and self._is_open(axis)]

    def _pass(self, data: Parts, axes: list[int]) -> None:
        """Count all records, and go on where the ends of the middle are."""
        self.records = 0
        for _, traces in data:
            places, zero = np.stack(traces.coordinates), traces.at_zero
            if zero.any():
                self.zero_low, self.zero_high = _wider(self.zero_low, self.zero_high, places[:, zero])
                places = places[:, ~zero]
            if not places.size:
                continue
            self.records += places.shape[1]
            self.low, self.high = _wider(self.low, self.high, places)
            for axis in axes:
                values = whole(places[axis], self.units)
                for end in self._ends[axis]:
                    end.add(values)
        beyond = (self.records - 1) // BEYOND
        for axis in axes if self.records else ():
            first, last = self._ends[axis]
            first.narrow(beyond)
            last.narrow(self.records - 1 - beyond)

    def _is_open(self, axis: int) -> bool:
        return self.is_stretched(axis) and any(end.bits for end in self._ends[axis])

    def is_stretched(self, axis: int) -> bool:
        """Whether all records reach over more than 4 times their middle, unless a further pass shows otherwise."""
        low, high = whole(np.array([self.low[axis], self.high[axis]]), self.units).tolist()
        first, last = self._ends[axis]
        return bool(high - low > STRETCH * (last.low - (first.low + 2**first.bits - 1)))

    def middle(self, axis: int) -> tuple[int, int]:
        """The ends of the middle of an axis that is stretched, in whole units."""
        first, last = self._ends[axis]
        return first.low, last.low


def _wider(low: Floats, high: Floats, places: Floats) -> tuple[Floats, Floats]:
    return np.minimum(low, places.min(axis=1)), np.maximum(high, places.max(axis=1))
