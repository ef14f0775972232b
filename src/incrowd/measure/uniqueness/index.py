"""Visits -> who was at each point, made once per dataset; how many people share someone's most visited places."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, distinct_rows, in_order, offsets_of, row_order
from incrowd.data import Visits
from incrowd.kernels import chosen, kernel
from incrowd.measure.uniqueness.choices import Trajectories
from incrowd.threads import in_blocks

_CHUNK = 1 << 18  # rows numbered at once; fits the cache
_QUERIES = 1 << 15  # queries per thread at once
_MANY = 1 << 13  # so many questions are worth an order of their own
_SPARSE = 4  # more possible points than this times the records are numbered by sorting, not by place


@dataclass(frozen=True, eq=False)
class Axis:
    """Cells or slots as numbers 0..size-1: by place if their range is moderate, else by rank."""

    low: int
    size: int
    distinct: Ints | None

    @classmethod
    def over(cls, values: Ints) -> "Axis":
        """The axis that holds these values."""
        low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
        if high - low < 2**31:
            return cls(low, high - low + 1, None)
        distinct = np.unique(values)
        return cls(low, len(distinct), distinct)

    def number(self, values: Ints) -> Ints:
        """The numbers of values that lie on the axis."""
        return values - self.low if self.distinct is None else np.searchsorted(self.distinct, values)

    def find(self, values: Ints) -> Ints:
        """The numbers of any values, -1 if there is none."""
        if self.distinct is not None:
            return places(self.distinct, values)
        # Bounds, not the difference: that of a far value from a negative bound wraps around.
        inside = (values >= self.low) & (values <= self.low + self.size - 1)
        return np.where(inside, values - self.low, -1)


def places(distinct: Ints, values: Ints) -> Ints:
    """The places of values among distinct ones in order, -1 if there is none."""
    at = np.minimum(np.searchsorted(distinct, values), len(distinct) - 1)
    return np.where(distinct[at] == values, at, -1)


@dataclass(frozen=True, eq=False)
class Index:
    """Every point has a number; `ids` holds that of each row, `postings` the users of each point in order.

    The number after the last stands for a point nobody visited. Lists longer than users / 64 are kept as bitsets too.
    """

    users: int
    ids: NDArray[Any]  # int32 while the numbers fit
    starts: Ints
    postings: NDArray[np.int32]
    long: int  # lists longer than this are repeated as bitsets
    bit_row: NDArray[np.int32]  # row of `words` with the bitset of a list, or -1
    words: NDArray[np.uint64]
    cells: Axis
    slots: Axis
    keys: Ints | None  # the packed points by number, if they are numbered by sorting

    @classmethod
    def build(cls, visits: Visits) -> "Index":
        """Number the points and list their users, in time linear in the records unless points are sparse."""
        cells, slots = Axis.over(visits.cell), Axis.over(visits.slot)
        packed = np.empty(visits.records, np.int32 if cells.size * slots.size < 2**31 - 1 else np.int64)
        for part, numbers in _packed(visits, cells, slots):
            packed[part] = numbers
        return cls.listed(packed, visits.offsets, cells, slots)

    @classmethod
    def listed(cls, packed: NDArray[Any], offsets: Ints, cells: Axis, slots: Axis) -> "Index":
        """The same of rows that are one integer each: number of the slot * cells.size + number of the cell."""
        possible, keys, ids, users = cells.size * slots.size, None, packed, len(offsets) - 1
        if possible > max(_SPARSE * len(packed), 1 << 16):
            distinct, inverse = np.unique(packed, return_inverse=True)
            ids = inverse.astype(np.int32 if len(distinct) < 2**31 - 1 else np.int64)
            keys, possible = distinct.astype(np.int64), len(distinct)
        loops = kernel("uniqueness")
        starts, postings = loops.inverted(ids, offsets, possible + 1)
        long = max(users // 64, 1)
        many = np.flatnonzero(np.diff(starts) > long)
        bit_row = np.full(possible + 1, -1, np.int32)
        bit_row[many] = np.arange(len(many))
        words = loops.bitsets(starts, postings, many, users)
        return cls(users, ids, starts, postings, long, bit_row, words, cells, slots, keys)

    def find(self, cell: Ints, slot: Ints) -> NDArray[Any]:
        """The numbers of some points, nobody's number if a point was never visited."""
        across, along = self.cells.find(cell), self.slots.find(slot)
        packed = np.where((across >= 0) & (along >= 0), along * self.cells.size + across, -1)
        number = packed if self.keys is None else places(self.keys, packed)
        return np.where(number >= 0, number, len(self.starts) - 2).astype(self.ids.dtype)

    def count(self, known: NDArray[Any], own: Ints | None = None) -> Ints:
        """How many users visited all points of each row; own[q] is one who did, if that is known."""
        if known.shape[1] == 1:
            sizes: Ints = self.starts[known[:, 0] + 1] - self.starts[known[:, 0]]
            return sizes
        mine = np.full(len(known), -1, np.int32) if own is None else own.astype(np.int32)
        if len(known) >= _MANY:
            return self._count_in_turn(known, mine)
        count_matches = kernel("uniqueness").count_matches
        counts = np.empty(len(known), np.int64)

        def work(part: slice) -> None:
            lists = self.starts, self.postings, self.long, self.bit_row, self.words
            counts[part] = count_matches(*lists, known[part], mine[part])

        in_blocks(work, len(known), block=_QUERIES)
        return counts

    def _count_in_turn(self, known: NDArray[Any], own: NDArray[np.int32]) -> Ints:
        """The same of many questions: those about lists near each other together, then by a list they share."""
        loops = kernel("crowds")
        index = self.starts, self.postings, self.long, self.bit_row, self.words
        region = known[:, 0] >> max(len(self.starts).bit_length() - 16, 0)
        near = np.argsort(region.astype(np.uint16), kind="stable")
        counts = np.empty(len(known), np.int64)

        def work(part: slice) -> None:
            place, lists = loops.in_turn(self.starts, known.take(near[part], axis=0))
            which = near[part][place]
            counts[which] = loops.count_in_turn(*index, lists, own[which], self.users)

        in_blocks(work, len(known), block=_QUERIES)
        return counts

    def crowd(self, rows: Ints, own: Ints) -> Ints:
        """How many users share the points at some rows of each owner."""
        return self.count(self.ids[rows], own)


@dataclass(frozen=True, eq=False)
class PartIndex:
    """Counts if rows fall into parts (windows, groups of pieces): the smallest crowd over the parts of points."""

    index: Index
    part: NDArray[Any]  # of each row
    counts_parts: bool  # whether the users of the index are the parts; else they are the owners of the rows

    @property
    def users(self) -> int:
        """How many users, or parts, could share the points."""
        return self.index.users

    def crowd(self, rows: Ints, own: Ints) -> Ints:
        """How many share those points at some rows of each owner that fall into one part, in the smallest case."""
        known, part = self.index.ids[rows.T], self.part[rows.T]
        each = self.index.starts[known + 1] - self.index.starts[known]
        smallest: Ints = each.min(axis=0)  # several points are shared by no more than share one of them
        for j in range(1, len(known)):
            here = part == part[j]
            last = np.flatnonzero(here[:j].any(axis=0) & ~here[j + 1 :].any(axis=0))  # of several points in their part
            inside = np.where(here[:, last], known[:, last], known[j, last])  # a point named twice changes no set
            sizes = self.index.count(inside.T.copy(), part[j, last] if self.counts_parts else own[last])
            smallest[last] = np.minimum(smallest[last], sizes)
        return smallest


_MADE: WeakKeyDictionary[Visits, dict[str, Index]] = WeakKeyDictionary()  # by the kernels that made it


_SAME_SLOT: WeakKeyDictionary[Visits, int] = WeakKeyDictionary()


def index_of(visits: Visits) -> Index:
    """The index of these visits, kept as long as they are: several questions share it."""
    made = _MADE.setdefault(visits, {})
    if chosen() not in made:
        made[chosen()] = Index.build(visits)
    return made[chosen()]


def same_slot(visits: Visits) -> int:
    """How many visits there are beyond each user's first in a slot, kept like the index."""
    if visits not in _SAME_SLOT:
        slot, border = visits.slot, visits.offsets[1:-1][np.diff(visits.offsets)[1:] > 0]
        border = border[border > 0]
        beside = np.count_nonzero(slot[1:] == slot[:-1]) - np.count_nonzero(slot[border] == slot[border - 1])
        _SAME_SLOT[visits] = int(beside)
    return _SAME_SLOT[visits]


def _packed(visits: Visits, cells: Axis, slots: Axis) -> Iterator[tuple[slice, Ints]]:
    """One int64 per point, slot by slot, a cache full of rows at a time."""
    for a in range(0, visits.records, _CHUNK):
        part = slice(a, a + _CHUNK)
        packed = slots.number(visits.slot[part])
        packed *= cells.size
        packed += cells.number(visits.cell[part])
        yield part, packed


def top_crowds(visits: Visits, points: int, match: str) -> Ints:
    """s_i per user for its Top-K places [xu2017, Sec. 3.2]: most slots first, ties to the smaller cell.

    `set` and `ordered` count users whose own Top-K is the same, as a set or as a list; `contain` counts users who
    visited all of them. Differs from [xu2017]: it names no match rule and no order of ties.
    """
    return Tops.over(visits).crowds(points, match)


@dataclass(frozen=True, eq=False)
class Tops:
    """The places of each user, ranked once for any number of questions."""

    visits: Visits  # one visit per user and place
    ranked: Ints  # its rows by user, the most visited place first

    @classmethod
    def over(cls, visits: Visits) -> "Tops":
        """Count the slots of each user at each place."""
        user, place, slots = _places(visits)
        order = row_order(user, -slots, place)
        ranked = np.arange(len(user)) if order is None else order
        offsets = offsets_of(user, len(visits))
        return cls(replace(visits, offsets=offsets, cell=place, slot=np.zeros_like(place)), ranked)

    def crowds(self, points: int, match: str) -> Ints:
        """s_i per user, as `top_crowds` says."""
        user, offsets, place = self.visits.owner, self.visits.offsets, self.visits.cell
        top_rows = np.arange(len(user)) - offsets[user] < points
        rows = self.ranked[top_rows]
        top = Trajectories.over(offsets_of(user[top_rows], len(offsets) - 1))
        if match != "ordered":
            rows = np.sort(rows)  # a user's rows are in the order of places
        alike = _alike(place[rows], top)
        if match != "contain":
            return np.bincount(alike)[alike]
        _, first = np.unique(alike, return_index=True)
        return _containing(self._index, rows, top, first)[alike]

    @cached_property
    def _index(self) -> Index:
        return Index.build(self.visits)


def _places(visits: Visits) -> tuple[Ints, Ints, Ints]:
    """Each user's places in order, as numbers from 0, and the slots spent there."""
    cells = Axis.over(visits.cell)
    packed = in_order(visits.owner * cells.size + cells.number(visits.cell))
    first = np.flatnonzero(distinct_rows(packed))
    user, place = np.divmod(packed[first], cells.size)
    return user, place, np.diff(first, append=len(packed))


def _alike(place: Ints, top: Trajectories) -> Ints:
    """The same number for users with equal lists of places: users are parted by the first, then the second, …"""
    group, groups = np.zeros(len(top.sizes), np.int64), 1
    places = int(place.max(initial=0)) + 1
    for rank in range(int(top.sizes.max(initial=0))):
        longer = np.flatnonzero(top.sizes > rank)
        pairs = group[longer] * places + place[top.starts[longer] + rank]
        distinct, number = np.unique(pairs, return_inverse=True)
        group[longer] = groups + number
        groups += len(distinct)
    return np.unique(group, return_inverse=True)[1]


def _containing(index: Index, rows: Ints, top: Trajectories, which: Ints) -> Ints:
    """How many users visited all the places of those named, at whatever time."""
    counts = np.full(len(which), index.users, np.int64)  # everybody visited no places
    for places, at in top.whole(which):
        counts[places] = index.count(index.ids[rows[at]])
    return counts
