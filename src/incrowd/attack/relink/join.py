"""Pieces by window -> which piece follows which: one optimal assignment per step from a window to the next."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints, offsets_of, rows_by_code
from incrowd.data import Visits
from incrowd.progress import track

NONE = -1
Bags = tuple[Ints, Ints]  # offsets, cells: one for every slot spent there


@dataclass(frozen=True, eq=False)
class Joins:
    """Per piece the next one and its chain; per window, from the second on, what the assignment was about."""

    following: Ints  # -1 for none
    chain: Ints
    windows: Ints  # that hold a piece
    offered: Ints  # ends of chains that each window was matched with
    made: Ints  # joins into each window
    gains: Floats  # bits of the whole assignment
    bounds: Floats


def join(data: Visits, window: Ints, *, memory: str, reach: int, seed: int | None) -> Joins:
    """Match the ends of chains with the pieces of each window in turn; what shares no cell is not joined.

    The assignment pairs as many as it can; where a pair has no common cell nothing speaks for it, and it is left out.
    """
    from incrowd.attack.gain import match_by_gain

    rng = None if seed is None else np.random.default_rng(seed)
    cells = np.unique(data.cell, return_inverse=True)[1]
    numbers, code = np.unique(window, return_inverse=True)
    order, starts = rows_by_code(code, len(numbers))
    pieces = np.arange(len(data)) if order is None else order
    following, first = np.full(len(data), NONE, np.int64), np.arange(len(data))
    tallies = np.zeros((len(numbers), 2), np.int64), np.zeros((len(numbers), 2))
    for now in track(range(1, len(numbers)), "joining windows"):
        near = np.searchsorted(numbers, numbers[now] - reach)
        ends = pieces[starts[near] : starts[now]]
        ends, later = ends[following[ends] == NONE], pieces[starts[now] : starts[now + 1]]
        tallies[0][now, 0] = len(ends)
        if not len(ends):
            continue
        a = bags(data, cells, ends)
        if memory == "chain":
            a = _whole_chains(data, cells, ends, first, pieces[: starts[now]])
        b = bags(data, cells, later)
        matching = match_by_gain(*a, *b, rng)
        tallies[1][now] = matching.total, matching.bound
        left = np.flatnonzero(meet(a, b, matching.match))
        after = later[matching.match[left]]
        following[ends[left]], first[after] = after, first[ends[left]]
        tallies[0][now, 1] = len(left)
    chain = np.unique(first, return_inverse=True)[1]
    return Joins(following, chain, numbers, *tallies[0].T, *tallies[1][1:].T)


def bags(data: Visits, cells: Ints, which: Ints) -> Bags:
    """The cells of some pieces, one after the other."""
    size = np.diff(data.offsets)[which]
    starts = np.append(0, np.cumsum(size))
    rows = np.repeat(data.offsets[which] - starts[:-1], size) + np.arange(starts[-1])
    return starts, cells[rows]


def _whole_chains(data: Visits, cells: Ints, ends: Ints, first: Ints, earlier: Ints) -> Bags:
    """The cells of all pieces of the chains that end there."""
    number = np.full(len(first), NONE, np.int64)
    number[first[ends]] = np.arange(len(ends))
    mine = earlier[number[first[earlier]] != NONE]
    of = number[first[mine]]
    order = np.argsort(of, kind="stable")
    _, listed = bags(data, cells, mine[order])
    return offsets_of(np.repeat(of[order], np.diff(data.offsets)[mine[order]]), len(ends)), listed


def meet(a: Bags, b: Bags, match: Ints) -> NDArray[np.bool_]:
    """Whether each of a has a cell in common with its match in b; those without a match do not."""
    partner = np.full(len(b[0]) - 1, NONE, np.int64)
    matched = np.flatnonzero(match != NONE)
    partner[match[matched]] = matched
    wide = int(max(a[1].max(initial=0), b[1].max(initial=0))) + 1
    mine = np.repeat(np.arange(len(match)), np.diff(a[0])) * wide + a[1]
    who = np.repeat(partner, np.diff(b[0]))
    theirs = (who * wide + b[1])[who != NONE]
    shared = np.zeros(len(match), np.bool_)
    shared[np.intersect1d(mine, theirs) // wide] = True
    return shared
