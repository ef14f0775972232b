"""Visits -> how many people share someone's most visited places."""

from dataclasses import replace

import numpy as np

from incrowd.arrays import Ints, distinct_rows, offsets_of, row_order
from incrowd.data import Visits
from incrowd.measure.index import Axis, Index


def top_crowds(visits: Visits, points: int, match: str, device: str) -> Ints:
    """s_i per user for its Top-K places [xu2017, Sec. 3.2]: most slots first, ties to the smaller cell.

    `set` and `ordered` count users whose own Top-K is the same, as a set or as a list; `contain` counts users who
    visited all of them. Differs from [xu2017]: it names no match rule and no order of ties.
    """
    user, place, slots = _places(visits)
    top = _top(user, place, slots, len(visits), points)
    alike = _alike(top if match == "ordered" else np.sort(top, axis=1))
    if match != "contain":
        return np.bincount(alike)[alike]
    _, first = np.unique(alike, return_index=True)
    offsets = offsets_of(user, len(visits))
    places = replace(visits, offsets=offsets, cell=place, slot=np.zeros_like(place))
    return _containing(Index.build(places, device), top[first])[alike]


def _places(visits: Visits) -> tuple[Ints, Ints, Ints]:
    """Each user's places in order, as numbers from 0, and the slots spent there."""
    cells = Axis.over(visits.cell)
    packed = visits.owner * cells.size + cells.number(visits.cell)
    packed.sort()
    first = np.flatnonzero(distinct_rows(packed))
    user, place = np.divmod(packed[first], cells.size)
    return user, place, np.diff(first, append=len(packed))


def _top(user: Ints, place: Ints, slots: Ints, users: int, points: int) -> Ints:
    """The first places of each user, -1 where there are fewer."""
    order = row_order(user, -slots, place)
    ranked = place if order is None else place[order]
    rank = np.arange(len(user)) - offsets_of(user, users)[user]
    kept = rank < points
    top = np.full((users, points), -1, np.int64)
    top[user[kept], rank[kept]] = ranked[kept]
    return top


def _alike(rows: Ints) -> Ints:
    """The same number, from 0, for equal rows."""
    group = np.zeros(len(rows), np.int64)
    for column in rows.T:
        pairs = group * (int(rows.max(initial=0)) + 2) + column + 1
        group = np.unique(pairs, return_inverse=True)[1]
    return group


def _containing(index: Index, places: Ints) -> Ints:
    """How many users visited all places of each row, at whatever time; -1 is no place."""
    known = np.where(places < 0, places[:, :1], places)  # a place named twice changes no set
    counts = index.count(index.find(known, np.zeros_like(known)))
    return np.where(places[:, 0] < 0, index.users, counts)
