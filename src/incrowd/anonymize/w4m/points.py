"""What W4M is given: centres of fingerprints, the records whose box decides the radius; clusters of alike tracks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import floor

import numpy as np
from numpy.random import Generator

from incrowd.arrays import Floats, Ints, rows_of, tally
from incrowd.clean import OUTSIDE
from incrowd.data import Fingerprints, Traces
from incrowd.data.traces import AT_ZERO
from incrowd.discretize._blocks import lattice_of
from incrowd.discretize.bounds import Bounds, bounds_of
from incrowd.discretize.collect import NOWHERE
from incrowd.errors import DataError
from incrowd.progress import tell
from incrowd.read._parts import of_traces
from incrowd.read.plane import Box

GROWTH = 1.5  # of the radius, whenever too many would be trashed
TRASHED = -1


@dataclass(frozen=True)
class Placed:
    """Records that stay, and where they and their users stand in the original."""

    data: Traces
    rows: Ints
    people: Ints
    lost: Mapping[str, int]  # records by reason
    bounds: Bounds | None = None  # None if the radius does not follow from a box


def everywhere(traces: Traces) -> Placed:
    """All records, wherever they are."""
    return Placed(traces, np.arange(traces.records), np.arange(len(traces)), {})


def inside(traces: Traces, box: Box | None, *, keep_zero: bool) -> Placed:
    """The records in the box, but for those at (0, 0); with a warning if strays made the box another."""
    bounds = bounds_of(of_traces(traces), box, keep_zero=keep_zero)
    zero = np.zeros(traces.records, np.bool_) if keep_zero else traces.at_zero
    beyond = ~zero & (lattice_of(bounds.box, 1, planar=traces.planar).locate(traces).cell == NOWHERE)
    lost = {AT_ZERO: int(zero.sum()), OUTSIDE: int(beyond.sum())}
    bounds.warn(at_zero=lost[AT_ZERO], outside=lost[OUTSIDE])
    stay = ~zero & ~beyond
    if not stay.any():
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in lost.items() if n)
        raise DataError(f"no record is left ({reasons}); check the box.")
    people = np.flatnonzero(tally(stay, traces.offsets))
    kept = {reason: n for reason, n in lost.items() if n}
    return Placed(traces.where(stay, traces.ledger), np.flatnonzero(stay), people, kept, bounds)


def points_of(prints: Fingerprints) -> Traces:
    """One point per sample: the centre of its box in metres, and the middle of its time in seconds after `start`.

    Points are in the order of these middles, which `sample_of` relates to that of the samples.

    >>> points = points_of(Fingerprints.from_arrays([7, 7], x=[0, 300], y=[0, 0], t=[0, 2]))
    >>> points.x.tolist(), points.t.tolist()
    ([50.0, 350.0], [30, 150])
    """
    if prints.crowd.max(initial=1) > 1:
        raise DataError("a fingerprint stands for several people; give fingerprints of one person each.")
    middle = _middle(prints)
    place = (prints.x + prints.dx / 2, prints.y + prints.dy / 2)
    points = Traces.from_codes(prints.users, prints.owner, middle, *place, planar=True, order="time")
    return replace(points, attributes=prints.attributes, ledger=prints.ledger)


def sample_of(prints: Fingerprints) -> Ints:
    """The sample behind each point; a long sample that begins first may have the later middle.

    >>> sample_of(Fingerprints.from_arrays([7, 7], x=[0, 300], y=[0, 0], t=[0, 2], dt=[60, 1])).tolist()
    [1, 0]
    """
    return np.lexsort((_middle(prints), prints.owner))


def _middle(prints: Fingerprints) -> Ints:
    middle: Ints = (prints.start or 0) + 60 * prints.t + 30 * prints.dt
    return middle


@dataclass(frozen=True)
class Tracks:
    """Trajectories as rows (x, y, time as metres) of a plane, and how their points are compared."""

    points: Floats
    offsets: Ints
    unit_m: float
    most: int  # units of length that two points are apart at most


@dataclass(frozen=True)
class Clusters:
    """The pivot of each trajectory (itself for a pivot), TRASHED for none; and what it took."""

    pivot: Ints
    chunks: int
    radius_m: float  # the largest that any chunk needed


def cluster(tracks: Tracks, *, k: int, chunk: int, trash: float, radius_m: float, rng: Generator) -> Clusters:
    """Cluster chunk by chunk; the share of trajectories that may be trashed is divided over the chunks.

    [abul2010] as described for Table 2 of [gramaglia2015]; the allotments of the chunks add up to all that may go.
    """
    from incrowd.kernels.cpu.w4m import compare

    pivot = np.full(len(tracks.offsets) - 1, TRASHED)
    done, chunks, widest = 0, 0, radius_m
    tell("clustering", 0, len(pivot))
    for users in chunks_of(tracks, chunk * k, rng):
        offsets, rows = rows_of(tracks.offsets, users)
        total, far = compare(tracks.points[rows], offsets, np.arange(len(users)), tracks.unit_m, tracks.most)
        allowed = _share(trash, done + len(users)) - _share(trash, done)
        own_pivot, radius = grown(total, far, k=k, allowed=allowed, radius_m=radius_m, rng=rng)
        pivot[users] = np.where(own_pivot == TRASHED, TRASHED, users[own_pivot])
        done, chunks, widest = done + len(users), chunks + 1, max(widest, radius)
        tell("clustering", done, len(pivot))
    return Clusters(pivot, chunks, widest)


def chunks_of(tracks: Tracks, size: int, rng: Generator) -> Iterator[Ints]:
    """A random trajectory and its nearest by the corners of their boxes in space and time, until few are left.

    Equally near ones are taken in their random order.
    The last chunk holds `size` to 2 `size` - 1 trajectories, or all if there are fewer.
    """
    starts = tracks.offsets[:-1]
    low, high = np.minimum.reduceat(tracks.points, starts), np.maximum.reduceat(tracks.points, starts)
    corners = np.hstack([low, high])
    left = rng.permutation(len(starts))
    while len(left) >= 2 * size:
        apart = ((corners[left] - corners[left[0]]) ** 2).sum(axis=1)
        apart[0] = -1.0  # the seed itself, whoever else is as near
        near = _least(apart, size)
        yield np.sort(left[near])
        left = np.delete(left, near)
    yield np.sort(left)


def grown(total: Ints, far: Floats, *, k: int, allowed: int, radius_m: float, rng: Generator) -> tuple[Ints, float]:
    """Cluster with a radius that grows until no more than `allowed` are trashed; the pivot of each, and the radius."""
    total = total.copy()
    np.fill_diagonal(total, -1)  # a trajectory comes before those that equal it
    order = np.argsort(total, axis=1, kind="stable")
    while True:
        pivot = around_pivots(total, order, far, k=k, radius_m=radius_m, rng=rng)
        if (pivot == TRASHED).sum() <= allowed:
            return pivot, radius_m
        radius_m *= GROWTH


def around_pivots(total: Ints, order: Ints, far: Floats, *, k: int, radius_m: float, rng: Generator) -> Ints:
    """Random pivots with their k - 1 nearest, all within the radius; the rest joins the nearest pivot within it.

    A pivot whose nearest are too far is rejected, and may still become a member of another.
    """
    pivot, active = np.full(len(total), TRASHED), np.ones(len(total), np.bool_)
    pivots: list[int] = []
    for p in rng.permutation(len(total)).tolist():
        if not active[p]:
            continue
        near = order[p][active[order[p]]][:k]
        if len(near) < k:
            break
        if far[p, near].max() <= radius_m:
            pivot[near], active[near] = p, False
            pivots.append(p)
    left = np.flatnonzero(active)
    if pivots and len(left):
        nearest = np.array(pivots)[total[pivots][:, left].argmin(axis=0)]
        within = far[nearest, left] <= radius_m
        pivot[left[within]] = nearest[within]
    return pivot


def _least(values: Floats, size: int) -> Ints:
    """Positions of the `size` least, ties to the first; a partition alone breaks ties as the processor has it."""
    near = np.flatnonzero(values <= np.partition(values, size - 1)[size - 1])
    return near[np.argsort(values[near], kind="stable")[:size]]


def _share(trash: float, trajectories: int) -> int:
    """Whole trajectories of a share; 0.29 of 100 is 29 although its product with 100 is less as a float."""
    return floor(trash * trajectories + 1e-9)
