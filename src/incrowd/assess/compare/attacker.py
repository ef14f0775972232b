"""The attacker every method is judged by: some samples of a person, looked up in the release, or all of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.assess.compare.views import Visible, boxes_of
from incrowd.clock import HOUR_S
from incrowd.data import Fingerprints

MOST_POINTS = 8
BUCKET_S = 4 * HOUR_S  # boxes are looked up by the stretch of time they touch, of at least this length
ROOM = 1 << 24  # answers held at once


@dataclass(frozen=True, eq=False, repr=False)
class Crowds:
    """Of each person asked for: how many hide with them (0 if they are in none), and whether all points agree."""

    size: Ints
    complete: NDArray[np.bool_]

    def numbers(self, k: int) -> dict[str, float | None]:
        """By name, for a table; shares of the people asked for, and sizes over those found."""
        sizes = self.size[self.size > 0]
        return {
            "singled_out": _share(self.size == 1),
            "below_k": _share((self.size > 0) & (self.size < k)),
            "found": _share(self.size > 0),
            "expected_hit": float(np.where(self.size > 0, 1 / np.maximum(self.size, 1), 0).mean()),
            "agree_in_all": _share(self.complete),
            "crowd_least": float(sizes.min()) if sizes.size else None,
            "crowd_median": float(np.median(sizes)) if sizes.size else None,
        }


def known_samples(prints: Fingerprints, *, points: int, seed: int) -> Ints:
    """Rows [people, points] of distinct samples of each person; a person with fewer repeats the last.

    >>> one = Fingerprints.from_arrays([1, 1, 2], x=[0, 100, 0], y=[0, 0, 0], t=[0, 1, 2])
    >>> known_samples(one, points=2, seed=0)[1].tolist()
    [2, 2]
    """
    draw = np.random.default_rng(seed).random(prints.records)
    order = np.lexsort((draw, prints.owner))
    most = np.diff(prints.offsets)[:, None] - 1
    rows: Ints = order[prints.offsets[:-1, None] + np.minimum(np.arange(points), most)]
    return rows


def crowds(what: Visible, prints: Fingerprints, known: Ints) -> Crowds:
    """How many people hide with each, from the samples known of them; person u is position u in the release."""
    low, high = boxes_of(prints)
    at = ((low + high) / 2)[known]
    people, points = known.shape
    rows = len(what.members)
    size, complete = np.zeros(people, np.int64), np.zeros(people, np.bool_)
    own = _rows_of(what, people)
    step, boxes = max(ROOM // max(rows * points, 1), 1), by_time(what)
    for a in range(0, people, step):
        part = slice(a, min(a + step, people))
        mask = agreement(what, boxes, at[part], rows)
        for u in range(part.start, part.stop):
            size[u], complete[u] = _worst(mask[u - a], own[u], what, points)
    return Crowds(size, complete)


def agreement(what: Visible, boxes_by_time: "ByTime", at: Floats, rows: int) -> NDArray[np.uint8]:
    """For each person and published row the set of known points it agrees with, as bits: [people, rows]."""
    people, points, _ = at.shape
    hit = np.zeros((people, points, rows), np.bool_)
    flat = at.reshape(-1, 3)
    for which, boxes in _together(boxes_by_time, flat[:, 2]):
        query, box = _inside(what, flat[which], boxes)
        hit[which[query] // points, which[query] % points, what.row[boxes[box]]] = True
    bits = (1 << np.arange(points)).astype(np.uint8)
    mask: NDArray[np.uint8] = np.einsum("upr,p->ur", hit.view(np.uint8), bits)
    return mask


@dataclass(frozen=True, eq=False)
class ByTime:
    """Boxes by the stretch of time they touch, once for each."""

    box: Ints
    bucket: Ints  # number of the stretch, in order
    width_s: float


def by_time(what: Visible) -> ByTime:
    """Stretches as long as boxes are on average, so that there are at most about three entries to a box."""
    begin, end = what.low[:, 2], what.high[:, 2] - 1e-3
    width_s = max(BUCKET_S, float((end - begin).mean()) if len(begin) else 0.0)
    first, last = (np.floor(t / width_s).astype(np.int64) for t in (begin, end))
    span = last - first + 1
    box = np.repeat(np.arange(len(span)), span)
    bucket = np.repeat(first - np.append(0, np.cumsum(span)[:-1]), span) + np.arange(len(box))
    order = np.argsort(bucket, kind="stable")
    return ByTime(box[order], bucket[order], width_s)


def _together(boxes: ByTime, when: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Points and the boxes that touch their stretch of time, few enough of both to be compared at once."""
    interval = np.floor(when / boxes.width_s).astype(np.int64)
    for one in np.unique(interval):
        there = boxes.box[slice(*np.searchsorted(boxes.bucket, [one, one + 1]))]
        which = np.flatnonzero(interval == one)
        step = max(ROOM // max(len(there), 1), 1)
        for a in range(0, len(which) if len(there) else 0, step):
            yield which[a : a + step], there


def _inside(what: Visible, at: Floats, boxes: Ints) -> tuple[Ints, Ints]:
    """Pairs (point, box) of which the box holds the point."""
    low, high = what.low[boxes], what.high[boxes]
    within = np.ones((len(at), len(boxes)), np.bool_)
    for axis in (2, 0, 1):
        value = at[:, axis, None]
        within &= (low[:, axis] <= value) & (value < high[:, axis])
    query, box = np.nonzero(within)
    return query, box


def _rows_of(what: Visible, people: int) -> list[Ints]:
    """The published rows of each person."""
    row = np.repeat(np.arange(len(what.members)), np.diff(what.members.offsets))
    who = what.members.positions
    order = np.argsort(who, kind="stable")
    starts = np.searchsorted(who[order], np.arange(people + 1))
    return [row[order[a:b]] for a, b in pairwise(starts)]


def _worst(mask: NDArray[np.uint8], own: Ints, what: Visible, points: int) -> tuple[int, bool]:
    """The smallest crowd of the person, and whether it agrees with everything known."""
    if not len(own):
        return 0, False
    seen = np.flatnonzero(np.bincount(mask, minlength=1 << points)).tolist()
    largest = [one for one in seen if not any(one != other and one & other == one for other in seen)]
    mine = [one for one in np.unique(mask[own]).tolist() if one in largest]
    sizes = [_people(np.flatnonzero(mask == one), what) for one in mine]
    return min(sizes, default=0), (1 << points) - 1 in mine


def _people(rows: Ints, what: Visible) -> int:
    starts, ends = what.members.offsets[rows], what.members.offsets[rows + 1]
    size = ends - starts
    begin = np.repeat(starts - np.append(0, np.cumsum(size)[:-1]), size)
    return len(np.unique(what.members.positions[begin + np.arange(len(begin))]))


def _share(flags: NDArray[np.bool_]) -> float:
    return float(flags.mean())
