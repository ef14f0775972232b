"""Which published boxes hold a sample of every member, and which originals lie in a published box."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Ints, offsets_of, owners, rows_of
from incrowd.audit.checks.compared import Compared, Numbers, Space, packed
from incrowd.data import Groups
from incrowd.progress import tell

_CHUNK = 2_000_000


def compare_boxes(
    boxes: Space, samples: Space, members: Groups, slack: float = 0.0, runs: Ints | None = None
) -> Compared:
    """Test every box against the samples of each member that begin within its time.

    `slack` widens boxes in space where coordinates were rounded on their way, and nothing touches a face then. `runs`
    numbers the run of touching boxes that each belongs to, of which one must hold a sample of every member.
    """
    samples = in_time(samples)
    start, (base, span) = samples.low[0], _range(samples.low[0])
    key = samples.owner * span + (start - base)
    covered = np.zeros(len(key), np.bool_)
    held = np.ones(len(boxes.owner), np.bool_)
    faces = np.zeros((6, len(boxes.owner)), np.bool_)
    met: list[tuple[Ints, Ints, Flags]] = []
    pairs = 0
    for row, member in _pairs(boxes.owner, members):
        t0, t1 = boxes.low[0][row], boxes.high[0][row]
        lo = np.searchsorted(key, member * span + np.clip(np.ceil(t0).astype(np.int64) - base, 0, span))
        hi = np.searchsorted(key, member * span + np.clip(np.ceil(t1).astype(np.int64) - base, 0, span))
        hit = np.zeros(len(row), np.bool_)
        for pair, sample in _candidates(lo, np.maximum(hi, lo)):
            inside = _inside(boxes, samples, row[pair], sample, slack)
            # The next piece of a run may hold the rest of a sample.
            begun = inside if runs is None else _beside(boxes, samples, row[pair], sample, slack)
            hit[pair[begun]] = True
            covered[sample[inside]] = True
            _touch(faces, boxes, samples, row[pair[inside]], sample[inside])
        kept = ~hit if runs is None else np.ones(len(hit), np.bool_)
        met.append((row[kept], member[kept], hit[kept]))
        pairs += len(row)
    unheld = _unheld(met, runs)
    missing = len(unheld)
    held[unheld] = False
    covered |= _pieced(boxes, samples, members, covered)
    touched = None if slack else np.logical_and.reduce(list(faces))
    orphans = _orphans(boxes.owner, members)
    lost = np.ones((~covered).sum(), np.int64)
    return Compared(pairs, missing, _first(held), orphans, held, covered, samples.owner, lost, touched)


def _unheld(met: list[tuple[Ints, Ints, Flags]], runs: Ints | None) -> Ints:
    """The rows of pairs whose member has no sample in the row, or in the whole run that it belongs to."""
    if not met:
        return np.zeros(0, np.int64)
    row, member, hit = (np.concatenate(part) for part in zip(*met, strict=True))
    if runs is None:
        return row
    size = int(member.max(initial=0)) + 1
    lost = ~np.isin(runs[row] * size + member, np.unique(runs[row[hit]] * size + member[hit]))
    return row[lost]


def compare_rows(
    published: list[NDArray[Any]], code: NDArray[Any], original: list[NDArray[Any]], offsets: Ints, members: Groups
) -> Compared:
    """Test every published row, as numbers, for being among the rows of each member, some people at a time."""
    records = int(offsets[-1])
    person = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
    covered, held = np.zeros(records, np.bool_), np.ones(len(code), np.bool_)
    pairs = missing = 0
    by_person = np.argsort(members.positions, kind="stable")
    owner, whom = members.owner[by_person], members.positions[by_person]
    starts, order = _rows_of(code, len(members))
    for first, last in _blocks(offsets, _CHUNK):
        tell("comparing with the original", int(offsets[first]), records)
        a, b = np.searchsorted(whom, [first, last])
        rows, which = _all_rows(starts, order, owner[a:b])
        part = slice(offsets[first], offsets[last])
        theirs, wanted = [column[part] for column in original], [column[rows] for column in published]
        place = _among([whom[a:b][which], *wanted], [person[part], *theirs])
        hit = place >= 0
        covered[offsets[first] + place[hit]] = True
        pairs, missing = pairs + len(rows), missing + int((~hit).sum())
        held[rows[~hit]] = False
    tell("comparing with the original", records, records)
    orphans, lost = _orphans(code, members), np.ones((~covered).sum(), np.int64)
    return Compared(pairs, missing, _first(held), orphans, held, covered, person, lost)


def _blocks(offsets: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Runs of whole people with at most so many records, or one person with more."""
    first, people = 0, len(offsets) - 1
    while first < people:
        last = max(int(np.searchsorted(offsets, offsets[first] + most, "right")) - 1, first + 1)
        yield first, last
        first = last


def _rows_of(code: NDArray[Any], pseudonyms: int) -> tuple[Ints, Ints | None]:
    """Where the rows of each pseudonym begin, and the order that brings them together if they are not."""
    order = None if (code[1:] >= code[:-1]).all() else np.argsort(code, kind="stable")
    return offsets_of(code, pseudonyms), order


def _all_rows(starts: Ints, order: Ints | None, pseudonyms: Ints) -> tuple[Ints, Ints]:
    """The rows of some pseudonyms, and the place of its pseudonym among these for each."""
    begins, rows = rows_of(starts, pseudonyms)
    return (rows if order is None else order[rows]), owners(begins)


def _among(wanted: list[NDArray[Any]], known: list[NDArray[Any]]) -> Ints:
    """The place of each wanted row among known ones, -1 for none."""
    if not len(known[0]) or not len(wanted[0]):
        return np.full(len(wanted[0]), -1)
    mine, theirs = packed(wanted, known)
    order = None if (theirs[1:] >= theirs[:-1]).all() else np.argsort(theirs, kind="stable")
    theirs = theirs if order is None else theirs[order]
    at = np.minimum(np.searchsorted(theirs, mine), len(theirs) - 1)
    place = at if order is None else order[at]
    return np.where(theirs[at] == mine, place, -1)


def _first(held: Flags) -> int:
    return -1 if held.all() else int(np.argmin(held))


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
    total = np.cumsum(np.diff(members.offsets)[code])
    first = 0
    while first < len(code):
        tell("comparing with the original", first, len(code))
        done = total[first - 1] if first else 0
        last = max(int(np.searchsorted(total, done + _CHUNK, "right")), first + 1)
        starts, at = rows_of(members.offsets, code[first:last])
        yield first + owners(starts), members.positions[at]
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


def _inside(boxes: Space, samples: Space, row: Ints, sample: Ints, slack: float) -> Flags:
    inside: Flags = samples.high[0][sample] <= boxes.high[0][row]
    return inside & _beside(boxes, samples, row, sample, slack)


def _beside(boxes: Space, samples: Space, row: Ints, sample: Ints, slack: float) -> Flags:
    """Whether a sample lies in a box as far as space is concerned."""
    inside = np.ones(len(row), np.bool_)
    for axis in (1, 2):
        inside &= samples.low[axis][sample] >= boxes.low[axis][row] - slack
        inside &= samples.high[axis][sample] <= boxes.high[axis][row] + slack
    return inside


def _touch(faces: Flags, boxes: Space, samples: Space, row: Ints, sample: Ints) -> None:
    """Mark the faces of boxes that a sample within reaches."""
    sides = zip((*boxes.low, *boxes.high), (*samples.low, *samples.high), strict=True)
    for face, (box, own) in zip(faces, sides, strict=True):
        face[row[box[row] == own[sample]]] = True


def _pieced(boxes: Space, samples: Space, members: Groups, covered: Flags) -> Flags:
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


def _chained(length: Numbers, sample: Ints, low: Numbers, high: Numbers) -> Flags:
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
