"""Visits -> how many people share someone's most visited places."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from incrowd.arrays import Ints, distinct_rows, in_order, offsets_of, row_order
from incrowd.data import Visits
from incrowd.measure.uniqueness.choices import Trajectories
from incrowd.measure.uniqueness.index import Axis, Index


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
