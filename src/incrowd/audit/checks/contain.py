"""Which published boxes hold a sample of every member, and which originals lie in a published box."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.data import Groups
from incrowd.progress import tell

_CHUNK = 2_000_000
Numbers = NDArray[np.int64] | NDArray[np.float64]


class Space(NamedTuple):
    """Boxes in space and time, half-open; a point is a box of no extent and one unit of time."""

    owner: Ints  # pseudonym of a published box, person of an original sample
    low: tuple[Numbers, ...]  # t, then x and y
    high: tuple[Numbers, ...]


class Compared(NamedTuple):
    """How a release relates to its original."""

    pairs: int  # published rows times members
    missing: int  # pairs without a sample of the member
    first: int  # the first row with one, -1 for none
    orphans: int  # rows whose pseudonym has no member
    held: NDArray[np.bool_]  # per published row: whether it holds a sample of every member
    covered: NDArray[np.bool_]  # per original record: whether published rows of its person hold it, together if need be
    person: Ints  # of each original record
    lost: Ints  # records that are not covered, as sizes of sets of such that the release could not tell apart
    touched: NDArray[np.bool_] | None = None  # per published row: whether samples of members in it reach every face


def compare_boxes(boxes: Space, samples: Space, members: Groups, slack: float = 0.0) -> Compared:
    """Test every box against the samples of each member that begin within its time.

    `slack` widens boxes in space where coordinates were rounded on their way, and nothing touches a face then.
    """
    samples = in_time(samples)
    start, (base, span) = samples.low[0], _range(samples.low[0])
    key = samples.owner * span + (start - base)
    covered = np.zeros(len(key), np.bool_)
    held = np.ones(len(boxes.owner), np.bool_)
    faces = np.zeros((6, len(boxes.owner)), np.bool_)
    pairs = missing = 0
    for row, member in _pairs(boxes.owner, members):
        t0, t1 = boxes.low[0][row], boxes.high[0][row]
        lo = np.searchsorted(key, member * span + np.clip(np.ceil(t0).astype(np.int64) - base, 0, span))
        hi = np.searchsorted(key, member * span + np.clip(np.ceil(t1).astype(np.int64) - base, 0, span))
        hit = np.zeros(len(row), np.bool_)
        for pair, sample in _candidates(lo, np.maximum(hi, lo)):
            inside = _inside(boxes, samples, row[pair], sample, slack)
            hit[pair[inside]] = True
            covered[sample[inside]] = True
            _touch(faces, boxes, samples, row[pair[inside]], sample[inside])
        pairs, missing = pairs + len(row), missing + int((~hit).sum())
        held[row[~hit]] = False
    covered |= _pieced(boxes, samples, members, covered)
    touched = None if slack else np.logical_and.reduce(list(faces))
    orphans = _orphans(boxes.owner, members)
    lost = np.ones((~covered).sum(), np.int64)
    return Compared(pairs, missing, _first(held), orphans, held, covered, samples.owner, lost, touched)


def compare_rows(published: list[Ints], code: Ints, original: list[Ints], person: Ints, members: Groups) -> Compared:
    """Test every published row, as numbers, for being among the rows of each member."""
    published, original = _ranked(published, original)
    width = [int(max(p.max(), o.max())) + 1 for p, o in zip(published, original, strict=True)]
    key = _packed([person, *original], width)
    order = None if (key[1:] >= key[:-1]).all() else np.argsort(key)
    key = key if order is None else key[order]
    covered = np.zeros(len(key), np.bool_)
    held = np.ones(len(code), np.bool_)
    pairs = missing = 0
    for row, member in _pairs(code, members):
        wanted = _packed([member, *(column[row] for column in published)], width)
        at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        hit = key[at] == wanted
        covered[at[hit]] = True
        pairs, missing = pairs + len(row), missing + int((~hit).sum())
        held[row[~hit]] = False
    owner = person if order is None else person[order]
    orphans, lost = _orphans(code, members), np.ones((~covered).sum(), np.int64)
    return Compared(pairs, missing, _first(held), orphans, held, covered, owner, lost)


def _first(held: NDArray[np.bool_]) -> int:
    return -1 if held.all() else int(np.argmin(held))


def _ranked(published: list[Ints], original: list[Ints]) -> tuple[list[Ints], list[Ints]]:
    """Both tables in small numbers from 0, equal where they were equal."""
    left, right = [], []
    for p, o in zip(published, original, strict=True):
        low, high = min(int(p.min()), int(o.min())), max(int(p.max()), int(o.max()))
        if high - low < 2**20:
            left.append(p - low if low else p)
            right.append(o - low if low else o)
        else:
            rank = np.unique(np.concatenate([p, o]), return_inverse=True)[1]
            left.append(rank[: len(p)])
            right.append(rank[len(p) :])
    return left, right


def _packed(columns: list[Ints], width: list[int]) -> Ints:
    packed = columns[0]
    for column, wide in zip(columns[1:], width, strict=True):
        packed = packed * wide + column
    return packed


def in_time(samples: Space) -> Space:
    """The samples of each person in the order of time."""
    order = np.lexsort((samples.low[0], samples.owner))
    if (order[1:] > order[:-1]).all():
        return samples
    return Space(
        samples.owner[order],
        tuple(column[order] for column in samples.low),
        tuple(column[order] for column in samples.high),
    )


def _range(start: Numbers) -> tuple[int, int]:
    base = int(start.min())
    return base, int(start.max()) - base + 1


def _pairs(code: Ints, members: Groups) -> Iterator[tuple[Ints, Ints]]:
    """(row, member) of every row, some rows at a time."""
    size = np.diff(members.offsets)[code]
    total = np.cumsum(size)
    first = 0
    while first < len(code):
        tell("comparing with the original", first, len(code))
        done = total[first - 1] if first else 0
        last = max(int(np.searchsorted(total, done + _CHUNK, "right")), first + 1)
        count = size[first:last]
        row = np.repeat(np.arange(first, last), count)
        step = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
        yield row, members.positions[members.offsets[code[row]] + step]
        first = last
    tell("comparing with the original", len(code), len(code))


def _candidates(lo: Ints, hi: Ints) -> Iterator[tuple[Ints, Ints]]:
    """(pair, sample) for every sample within lo:hi, some pairs at a time."""
    count = hi - lo
    total = np.cumsum(count)
    first = 0
    while first < len(lo):
        done = total[first - 1] if first else 0
        last = max(int(np.searchsorted(total, done + 2 * _CHUNK, "right")), first + 1)
        counts = count[first:last]
        pair = np.repeat(np.arange(first, last), counts)
        yield pair, lo[pair] + np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts)
        first = last


def _inside(boxes: Space, samples: Space, row: Ints, sample: Ints, slack: float) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = samples.high[0][sample] <= boxes.high[0][row]
    return inside & _beside(boxes, samples, row, sample, slack)


def _beside(boxes: Space, samples: Space, row: Ints, sample: Ints, slack: float) -> NDArray[np.bool_]:
    """Whether a sample lies in a box as far as space is concerned."""
    inside = np.ones(len(row), np.bool_)
    for axis in (1, 2):
        inside &= samples.low[axis][sample] >= boxes.low[axis][row] - slack
        inside &= samples.high[axis][sample] <= boxes.high[axis][row] + slack
    return inside


def _touch(faces: NDArray[np.bool_], boxes: Space, samples: Space, row: Ints, sample: Ints) -> None:
    """Mark the faces of boxes that a sample within reaches."""
    sides = zip((*boxes.low, *boxes.high), (*samples.low, *samples.high), strict=True)
    for face, (box, own) in zip(faces, sides, strict=True):
        face[row[box[row] == own[sample]]] = True


def _pieced(boxes: Space, samples: Space, members: Groups, covered: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which samples that lie in no single box are held by several, one after the other in time."""
    start, length = samples.low[0], samples.high[0] - samples.low[0]
    left = np.flatnonzero(~covered & (length > 1))  # a unit of time cannot be divided
    if not len(left):
        return np.zeros(len(start), np.bool_)
    longest, (base, span) = int(length[left].max()), _range(start)
    key = samples.owner[left] * span + (start[left] - base)
    pieces = []
    for row, member in _pairs(boxes.owner, members):
        t0, t1 = (np.ceil(side[0][row]).astype(np.int64) - base for side in (boxes.low, boxes.high))
        lo = np.searchsorted(key, member * span + np.clip(t0 - longest, 0, span))
        hi = np.searchsorted(key, member * span + np.clip(t1, 0, span))
        for pair, place in _candidates(lo, np.maximum(hi, lo)):
            box, sample = row[pair], left[place]
            near = _beside(boxes, samples, box, sample, 0)
            box, sample = box[near], sample[near]
            pieces.append((sample, boxes.low[0][box] - start[sample], boxes.high[0][box] - start[sample]))
    return _chained(length, *(np.concatenate(part) for part in zip(*pieces, strict=True)))


def _chained(length: Numbers, sample: Ints, low: Numbers, high: Numbers) -> NDArray[np.bool_]:
    """Which samples have all their time, counted from their beginning, within the intervals given for them."""
    order = np.lexsort((low, sample))
    sample, low, high = sample[order], low[order], np.minimum(high[order], length[sample[order]])
    shift = sample * (int(length.max()) + 1)  # so that one running maximum serves all samples
    reach = np.maximum.accumulate(high + shift) - shift
    first = np.append(-1, sample)[:-1] != sample
    before = np.where(first, 0, np.append(0, reach)[:-1])
    gap = (low > np.maximum(before, 0)) & (before < length[sample])
    held = np.zeros(len(length), np.bool_)
    held[sample[reach >= length[sample]]] = True
    held[sample[gap]] = False
    return held


def _orphans(code: Ints, members: Groups) -> int:
    return int((np.diff(members.offsets)[code] == 0).sum())
