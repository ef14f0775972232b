"""Fingerprints -> how far two of them must be stretched to look alike; the layout all of GLOVE computes on."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, rows_of
from incrowd.data import Fingerprints
from incrowd.errors import (
    DataError,
    IncrowdWarning,
    MissingExtra,
    ParameterError,
    check_choice,
    check_kind,
    public,
)
from incrowd.kernels.types import CELLS, METRES, Scale, full

CELL_M = 100
LARGEST = 1 << 30  # of a coordinate after its origin is taken off
ROOM = 1 << 62
WORTH_GPU = 2000  # users; below, starting a GPU takes longer than the work
NO_COMPILER = "the GPU needs CUDA's compiler, and CuPy cannot load it; run: pip install 'incrowd[gpu]'."
T = TypeVar("T")


@dataclass(frozen=True)
class CornerTable:
    """Corners (t, t end, x, x end, y, y end) in minutes and `unit_m` after an origin, one row per sample."""

    corners: NDArray[np.int32]
    offsets: Ints
    people: Ints
    scale: Scale
    unit_m: int
    origin: Ints  # minutes, metres, metres

    @property
    def full(self) -> int:
        """The numerator of a stretch of 1, per person and sample."""
        return full(self.scale)


@dataclass(frozen=True)
class Extent:
    """What decides the layout of some fingerprints; those of parts add up."""

    low: Ints  # first minute, westernmost and southernmost metre
    high: Ints  # the ends of the last boxes
    on_grid: bool  # whether every side is whole cells of 100 m from the first
    longest: int  # samples of one user
    people: int

    @classmethod
    def of(cls, f: Fingerprints) -> "Extent":
        """That of these fingerprints."""
        low = np.array([f.t.min(), f.x.min(), f.y.min()])
        high = np.array([(start + length).max() for start, length in ((f.t, f.dt), (f.x, f.dx), (f.y, f.dy))])
        on_grid = all((side % CELL_M == 0).all() for side in (f.x - low[1], f.dx, f.y - low[2], f.dy))
        # Added up as Python numbers, which do not wrap.
        return cls(low, high, on_grid, int(np.diff(f.offsets).max(initial=1)), sum(f.crowd.tolist()))

    def __add__(self, other: "Extent") -> "Extent":
        apart = bool(((self.low - other.low)[1:] % CELL_M).any())
        return Extent(
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.on_grid and other.on_grid and not apart,
            max(self.longest, other.longest),
            self.people + other.people,
        )

    @property
    def scale(self) -> Scale:
        """Cells of 100 m where every box is made of them, else metres: numbers as small as the data allow."""
        return CELLS if self.on_grid else METRES

    @property
    def unit_m(self) -> int:
        """Metres of one unit of space."""
        return CELL_M if self.on_grid else 1

    def check(self) -> None:
        """Refuse numbers that exact sums cannot hold."""
        units = np.array([1, self.unit_m, self.unit_m])
        span = int(((self.high - self.low) // units).max())
        if span > LARGEST:
            raise DataError("the boxes span more than 10**9 metres or minutes; check the unit of x, y and t.")
        if self.people * max(8 * METRES.time * span, full(self.scale) * self.longest) > ROOM:
            raise DataError("crowd adds up to more people than exact sums can hold; check its unit.")

    def table(self, f: Fingerprints, users: Ints | None = None) -> CornerTable:
        """The layout of these fingerprints, or of some of their users, one after the other."""
        offsets, people, rows = f.offsets, f.crowd, None
        if users is not None and len(users) < len(f):
            people = f.crowd[users]
            offsets, rows = rows_of(f.offsets, users)
        corners = np.empty((int(offsets[-1]), 6), np.int32)
        columns = ((f.t, f.dt, 1), (f.x, f.dx, self.unit_m), (f.y, f.dy, self.unit_m))
        for k, (starts, lengths, unit) in enumerate(columns):
            low, length = (starts, lengths) if rows is None else (starts[rows], lengths[rows])
            for side, edge in enumerate((low - self.low[k], low - self.low[k] + length)):
                corners[:, 2 * k + side] = edge // unit
        return CornerTable(corners, offsets, people, self.scale, self.unit_m, self.low)


def extent_of(fingerprints: Fingerprints) -> Extent:
    """What decides the layout, once exact sums can hold it."""
    check_fingerprints(fingerprints)
    extent = Extent.of(fingerprints)
    extent.check()
    return extent


def layout(fingerprints: Fingerprints) -> CornerTable:
    """The corners of all boxes, after an origin."""
    return extent_of(fingerprints).table(fingerprints)


@public
def stretch(fingerprints: Fingerprints, a: int, b: int) -> float:
    """How much two people must be blurred to look alike: 0 is not at all, 1 completely [gramaglia2015, Eq. 10].

    Differs from [gramaglia2015]: of two equally long fingerprints the cheaper direction counts.

    Args:
        fingerprints: Whose samples are compared.
        a: Position of one person among `fingerprints.users`.
        b: Position of the other.

    >>> two = Fingerprints.from_arrays(["a", "b"], x=[0, 300], y=[0, 400], t=[0, 10])
    >>> round(stretch(two, 0, 1), 7)
    0.0279167
    """
    from incrowd.kernels.cpu.glove import stretch as stretching

    check_fingerprints(fingerprints)
    for position in (a, b):
        if isinstance(position, bool) or not isinstance(position, (int, np.integer)):
            raise ParameterError(f"the position of a user must be a whole number, got {position!r}.")
        if not 0 <= position < len(fingerprints):
            raise ParameterError(f"there is no user at position {position}; there are {len(fingerprints)} users.")
    laid = layout(fingerprints)
    ends = [laid.corners[laid.offsets[u] : laid.offsets[u + 1]] for u in (a, b)]
    people = [int(laid.people[u]) for u in (a, b)]
    total, _ = stretching.stretch(*ends, *people, np.array(laid.scale))
    return float(total) / (sum(people) * max(map(len, ends)) * laid.full)


def on_device(device: str, users: int | None = None) -> str:
    """Where the work runs; a device that is named is used or refused, and `auto` takes a GPU for many users."""
    from incrowd.kernels.gpu.device import check_gpu, missing

    check_choice("device", device, ("auto", "cpu", "gpu"))
    if device == "gpu":
        check_gpu()
    if device != "auto":
        return device
    return "gpu" if users is not None and users >= WORTH_GPU and not missing() else "cpu"


def where_it_fits(run: Callable[[str], T], wanted: str, chosen: str) -> tuple[T, str]:
    """A calculation and a device -> its result, and the device it ran on.

    That is the CPU, with a warning, where `auto` chose a GPU that lacks the room or a compiler.
    """
    from incrowd.kernels.gpu.device import NoRoom

    try:
        with _compiling():
            return run(chosen), chosen
    except (NoRoom, MissingExtra) as error:
        if wanted != "auto":
            raise
        why = str(error).partition(";")[0]
    warnings.warn(f"{why}; it runs on the CPU.", IncrowdWarning, stacklevel=3)
    return run("cpu"), "cpu"


@contextmanager
def _compiling() -> Iterator[None]:
    """Say in one sentence that there is no compiler; CuPy looks for it when the first kernel is needed."""
    try:
        yield
    except RuntimeError as error:
        # What CUDA itself reports is a RuntimeError too; the compiler's library is nvrtc on every system.
        if "nvrtc" not in str(error).lower():
            raise
        raise MissingExtra(NO_COMPILER) from error


def check_fingerprints(data: object) -> None:
    """Refuse what holds no fingerprint."""
    check_kind("a stretch", data, Fingerprints)
    if not data.records:  # type: ignore[attr-defined]
        raise DataError("there are no fingerprints; give those of at least one user.")


def check_k(k: int) -> None:
    """Refuse a k that hides nobody."""
    if not isinstance(k, (int, np.integer)) or k < 2:
        raise ParameterError(f"k must be a whole number of at least 2, got {k}.")
