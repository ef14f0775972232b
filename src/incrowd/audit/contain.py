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
    covered: NDArray[np.bool_]  # per original record
    person: Ints  # of each original record


def compare_boxes(boxes: Space, samples: Space, members: Groups, slack: float = 0.0) -> Compared:
    """Test every box against the samples of each member that begin within its time.

    `slack` widens boxes in space where coordinates were rounded on their way.
    """
    samples = _sorted(samples)
    start, (base, span) = samples.low[0], _range(samples.low[0])
    key = samples.owner * span + (start - base)
    covered = np.zeros(len(key), np.bool_)
    held = np.ones(len(boxes.owner), np.bool_)
    pairs = missing = 0
    for row, member in _pairs(boxes.owner, members):
        t0, t1 = boxes.low[0][row], boxes.high[0][row]
        lo = np.searchsorted(key, member * span + np.clip(np.ceil(t0).astype(np.int64) - base, 0, span))
        hi = np.searchsorted(key, member * span + np.clip(np.ceil(t1).astype(np.int64) - base, 0, span))
        hit = np.zeros(len(row), np.bool_)
        for some, sample in _candidates(lo, np.maximum(hi, lo)):
            inside = _inside(boxes, samples, row[some], sample, slack)
            hit[some[inside]] = True
            covered[sample[inside]] = True
        pairs, missing = pairs + len(row), missing + int((~hit).sum())
        held[row[~hit]] = False
    return Compared(pairs, missing, _first(held), _orphans(boxes.owner, members), held, covered, samples.owner)


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
    return Compared(pairs, missing, _first(held), _orphans(code, members), held, covered, owner)


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


def _sorted(samples: Space) -> Space:
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
        some = count[first:last]
        pair = np.repeat(np.arange(first, last), some)
        yield pair, lo[pair] + np.arange(len(pair)) - np.repeat(np.cumsum(some) - some, some)
        first = last


def _inside(boxes: Space, samples: Space, row: Ints, sample: Ints, slack: float) -> NDArray[np.bool_]:
    inside = samples.high[0][sample] <= boxes.high[0][row]
    for axis in (1, 2):
        inside &= samples.low[axis][sample] >= boxes.low[axis][row] - slack
        inside &= samples.high[axis][sample] <= boxes.high[axis][row] + slack
    result: NDArray[np.bool_] = inside
    return result


def _orphans(code: Ints, members: Groups) -> int:
    return int((np.diff(members.offsets)[code] == 0).sum())
