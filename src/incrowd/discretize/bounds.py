"""Records -> the box whose size decides the size of cells, which a few stray records must not stretch."""

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import cos, radians, sin, sqrt

import numpy as np

from incrowd.arrays import Flags, Floats, Ints
from incrowd.clean import check_box
from incrowd.data import Traces
from incrowd.errors import DataError, IncrowdWarning, ParameterError
from incrowd.plain import several
from incrowd.read._parts import Parts
from incrowd.read.plane import Box

_FARTHEST_M = 1e12  # farther records are as far as this one
AXES = ("west-east", "south-north")
_RADIUS_M, _ECCENTRICITY2 = 6_378_137.0, 0.0066943799901413165  # WGS 84: of the equator; squared


@dataclass(frozen=True)
class Bounds:
    """A box, and how it came about."""

    box: Box
    planar: bool
    keep_zero: bool = False  # whether records at (0, 0) stay
    given: bool = False  # by the caller
    narrowed: tuple[str, ...] = ()  # sides that strays had stretched
    flat: tuple[str, ...] = ()  # those of them that have no length at all
    stretched: bool = False  # by records at (0, 0) that stay
    blocks: int | None = None  # each way, if a step divides the box into blocks

    @property
    def sides_m(self) -> tuple[float, float]:
        """Metres west-east, along the middle latitude, and south-north, both on the ellipsoid WGS 84.

        >>> [round(side) for side in Bounds((5.0, 52.0, 5.1, 52.1), planar=False).sides_m]
        [6860, 11127]
        """
        west, south, east, north = self.box
        if self.planar:
            return east - west, north - south
        import pyproj

        middle = radians((south + north) / 2)
        radius_m = _RADIUS_M * cos(middle) / sqrt(1 - _ECCENTRICITY2 * sin(middle) ** 2)
        up_m = pyproj.Geod(ellps="WGS84").line_length([west, west], [south, north])
        return radians(east - west) * radius_m, float(up_m)

    def block_m(self, blocks: int) -> tuple[float, float]:
        """Metres of one of so many blocks each way."""
        width_m, height_m = self.sides_m
        return width_m / blocks, height_m / blocks

    def warn(self, *, at_zero: int, outside: int) -> None:
        """Say how many records a step left out for their place, as its ledger counts them."""
        if not self.keep_zero:
            warn_zero_left_out(at_zero)
        parts = []
        if self.narrowed:
            flat = f", which has no length {' and '.join(self.flat)}" if self.flat else ""
            parts.append(
                f"the box of the data is more than {STRETCH} times as long {' and '.join(self.narrowed)} as that of "
                f"the middle 99 % of its records{flat}, so this one, widened by half on each end, is used instead; "
                f"{_left_out(outside, 'outside it')}. box=(west, south, east, north) (--box W,S,E,N) sets another box."
            )
        if self.stretched:
            sides = " x ".join(f"{side / 1000:,.0f}" for side in self.sides_m)
            block = ""
            if self.blocks is not None:
                wide = " x ".join(f"{side:,.0f}" for side in self.block_m(self.blocks))
                block = f"; a block of {self.blocks} x {self.blocks} is {wide} m (west-east x south-north)"
            parts.append(f"keep_zero=True (--keep-zero) stretches the box to (0, 0), to {sides} km{block}.")
        if parts:
            warnings.warn(" ".join(parts), IncrowdWarning, stacklevel=3)


def warn_zero_left_out(count: int) -> None:
    """Warn that so many records at (0, 0) were left out."""
    if count:
        message = (
            f"{_left_out(count, 'at (0, 0)')}, because (0, 0) is often written if a device has no position; "
            "keep_zero=True (--keep-zero) keeps such records."
        )
        warnings.warn(message, IncrowdWarning, stacklevel=3)


def _left_out(count: int, where: str) -> str:
    return f"{several(count, 'record')} {where} {'was' if count == 1 else 'were'} left out"


def bounds_of(
    data: Parts,
    box: Box | None = None,
    *,
    keep_zero: bool = False,
    blocks: int | None = None,
    count: "Callable[[Bins], Along] | None" = None,
) -> Bounds:
    """The box given, or that of the data without records at (0, 0), its sides cut where strays stretch them.

    A side more than 4 times as long as that between the 0.5 % and 99.5 % quantiles is replaced by this one, widened by
    half of it on each end. Quantiles are of all records but those at (0, 0), n of them: the order statistics of rank
    floor((n - 1) / 200) from either end, in whole micro-degrees or millimetres. With `keep_zero` the box also holds
    the records at (0, 0), which stretch it. A box that is given is taken as it is. The warning names the size of one of
    `blocks` each way. `count` passes over all records, if they are not those of the pieces of `data`.
    """
    check_box(box)
    if box is not None:
        return Bounds(box, data.planar, keep_zero, given=True)
    middle = Middle(data, count or (lambda bins: counted((traces for _, traces in data), bins)))
    if not middle.records and not keep_zero:
        raise DataError(f"no record is left ({data.records:,} at (0, 0)); check that the data have positions.")
    low, high, narrowed, flat = middle.along.low.copy(), middle.along.high.copy(), [], []
    for axis in (axis for axis in range(2) if middle.records and middle.is_stretched(axis)):
        first, last = middle.middle(axis)
        low[axis], high[axis] = (end / middle.units for end in _widened(first, last))
        narrowed.append(AXES[axis])
        flat += [AXES[axis]] if first == last else []
    before = (*low, *high)
    if keep_zero:
        low, high = np.minimum(low, middle.along.zero_low), np.maximum(high, middle.along.zero_high)
    stretched = bool(middle.records) and before != (*low, *high)
    west, south, east, north = map(float, (*low, *high))
    sides = tuple(narrowed), tuple(flat)
    return Bounds((west, south, east, north), data.planar, keep_zero, False, *sides, stretched, blocks)


def _widened(first: int, last: int) -> tuple[int, int]:
    """The middle of a side, with half of it added on each end."""
    half = (last - first + 1) // 2
    return first - half, last + half


def strays(traces: Traces) -> Flags:
    """Which records are outside the box that `bounds_of` takes for these traces, those at (0, 0) apart.

    >>> x = np.append(np.linspace(0, 100, 500), [90_000.0])
    >>> strays(Traces.from_arrays(np.zeros(501), np.arange(501), x=x, y=x * 0)).nonzero()[0].tolist()
    [500]
    """
    placed = ~traces.at_zero
    outside = np.zeros(traces.records, np.bool_)
    units = units_of(planar=traces.planar)
    for axis in traces.coordinates if placed.any() else ():
        values = whole(np.clip(axis, -_FARTHEST_M, _FARTHEST_M), units)
        ranked = np.sort(values[placed])
        beyond = (len(ranked) - 1) // BEYOND
        first, last = int(ranked[beyond]), int(ranked[-1 - beyond])
        if ranked[-1] - ranked[0] > STRETCH * (last - first):
            low, high = _widened(first, last)
            outside |= (values < low) | (values > high)
    return outside & placed


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
            self.along = count(Bins(self.units, {axis: self._ends[axis] for axis in axes}))
            self._narrow(axes)
            open_ends = (axis for axis in axes if any(end.bits for end in self._ends[axis]))
            axes = [axis for axis in open_ends if self.records and self.is_stretched(axis)]

    def _narrow(self, axes: list[int]) -> None:
        """Go on where the ends of the middle are."""
        beyond = (self.records - 1) // BEYOND
        for axis in axes if self.records else ():
            first, last = self._ends[axis]
            below, above = self.along.counts[axis]
            first.narrow(beyond, below)
            last.narrow(self.records - 1 - beyond, above)

    @property
    def records(self) -> int:
        """How many there are, but for those at (0, 0)."""
        return self.along.records

    def is_stretched(self, axis: int) -> bool:
        """Whether all records reach over more than 4 times their middle, unless a further pass shows otherwise."""
        low, high = whole(np.array([self.along.low[axis], self.along.high[axis]]), self.units).tolist()
        first, last = self._ends[axis]
        return bool(high - low > STRETCH * (last.low - (first.low + 2**first.bits - 1)))

    def middle(self, axis: int) -> tuple[int, int]:
        """The ends of the middle of an axis that is stretched, in whole units."""
        first, last = self._ends[axis]
        return first.low, last.low


def _wider(low: Floats, high: Floats, places: Floats) -> tuple[Floats, Floats]:
    return np.minimum(low, places.min(axis=1)), np.maximum(high, places.max(axis=1))
