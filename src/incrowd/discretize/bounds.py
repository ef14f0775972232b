"""Records -> the box whose size decides the size of cells, which a few stray records must not stretch."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import cos, radians, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from incrowd.clean import check_box
from incrowd.data import Traces
from incrowd.discretize.middle import BEYOND, STRETCH, Along, Bins, Middle, counted, units_of, whole
from incrowd.errors import DataError, IncrowdWarning
from incrowd.plain import several
from incrowd.read._parts import Parts
from incrowd.read.plane import Box

_FARTHEST_M = 1e12  # farther records are as far as this one
Mask = NDArray[np.bool_]
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
            block = "" if self.blocks is None else f"; {self._block(self.blocks)}"
            parts.append(f"keep_zero=True (--keep-zero) stretches the box to (0, 0), to {sides} km{block}.")
        if parts:
            warnings.warn(" ".join(parts), IncrowdWarning, stacklevel=3)

    def _block(self, blocks: int) -> str:
        width_m, height_m = self.block_m(blocks)
        return f"a block of {blocks} x {blocks} is {width_m:,.0f} x {height_m:,.0f} m (west-east x south-north)"


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
    count: Callable[[Bins], Along] | None = None,
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
    low, high, narrowed, flat = *(end.copy() for end in middle.ends), [], []
    for axis in (axis for axis in range(2) if middle.records and middle.is_stretched(axis)):
        first, last = middle.middle(axis)
        low[axis], high[axis] = (end / middle.units for end in _widened(first, last))
        narrowed.append(AXES[axis])
        flat += [AXES[axis]] if first == last else []
    before = (*low, *high)
    if keep_zero:
        zero_low, zero_high = middle.zero_ends
        low, high = np.minimum(low, zero_low), np.maximum(high, zero_high)
    stretched = bool(middle.records) and before != (*low, *high)
    west, south, east, north = map(float, (*low, *high))
    sides = tuple(narrowed), tuple(flat)
    return Bounds((west, south, east, north), data.planar, keep_zero, False, *sides, stretched, blocks)


def _widened(first: int, last: int) -> tuple[int, int]:
    """The middle of a side, with half of it added on each end."""
    half = (last - first + 1) // 2
    return first - half, last + half


def strays(traces: Traces) -> Mask:
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
