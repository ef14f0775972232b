"""Two sets of trajectories -> pairs of least information gain, with a bound that proves it."""

from typing import NamedTuple, Protocol

import numpy as np

from incrowd.arrays import Floats, Ints, distinct_rows, in_order, offsets_of, owners, rows_of
from incrowd.kernels.types import Histograms


class Match(NamedTuple):
    """Who goes with whom: match[i] is the trajectory of b joined with number i of a, or -1."""

    match: Ints
    total: float  # bits
    bound: float  # bits; no other match of as many pairs gains less
    gain: Floats  # bits of each pair, nan where there is none


class Shuffle(Protocol):
    """What decides between equals: a random generator, or orders drawn from one before."""

    def permutation(self, x: int, /) -> Ints:
        """So many numbers in a random order."""
        ...


class Orders:
    """Random orders in the order in which they are asked for."""

    def __init__(self, rng: np.random.Generator, drawn: list[Ints] | None = None) -> None:
        self._rng, self._drawn = rng, drawn

    @classmethod
    def drawn(cls, rng: np.random.Generator, ends: int, later: int) -> "Orders":
        """The orders of ends and later pieces, the larger side first, as a matching asks for them."""
        if not ends:
            return cls(rng, [])
        sizes = (ends, later) if ends >= later else (later, ends)
        return cls(rng, [rng.permutation(size) for size in sizes])

    def permutation(self, size: int) -> Ints:
        """The next order."""
        return self._rng.permutation(size) if self._drawn is None else self._drawn.pop(0)


def match_by_gain(a_offsets: Ints, a_cells: Ints, b_offsets: Ints, b_cells: Ints, rng: Shuffle | None = None) -> Match:
    """Join trajectories by the least total of G = H(f+g) - (H(f) + H(g)) / 2 [xu2017, Eqs. 3 and 4].

    Trajectory i of a has the cells a_cells[a_offsets[i]:a_offsets[i+1]], one per record, in any order. All of the
    smaller set are joined. Equals and ties go by position, or at random where `rng` is given.

    >>> match_by_gain(np.array([0, 4, 8]), np.array([0, 0, 1, 1, 0, 0, 0, 0]),
    ...     np.array([0, 4, 8]), np.array([0, 1, 0, 1, 1, 1, 1, 1])).match.tolist()
    [1, 0]
    """
    if len(a_offsets) < len(b_offsets):
        other = match_by_gain(b_offsets, b_cells, a_offsets, a_cells, rng)
        return _turned(other, len(a_offsets) - 1)
    from incrowd.kernels.cpu import gain as linking

    (a, a_members), (b, b_members) = _histograms(a_offsets, a_cells, rng), _histograms(b_offsets, b_cells, rng)
    costs = linking.costs_of(a, b)
    chosen, prices = linking.assign(a, b, costs)
    match = np.full(len(chosen), -1, np.int64)
    joined = chosen >= 0
    # The members of a histogram of b in turn, for those who chose it, in their order.
    match[a_members[joined][np.argsort(chosen[joined], kind="stable")]] = b_members
    gain = np.full(len(chosen), np.nan)
    kind = np.repeat(np.arange(len(a.size)), a.size)
    gain[a_members[joined]] = linking.pair_gains(a, b, kind[joined], chosen[joined], costs)
    return Match(match, float(np.nansum(gain)), linking.bound(a, b, prices, costs), gain)


def _turned(matching: Match, size: int) -> Match:
    """The same match as seen from the other side."""
    match, gain = np.full(size, -1, np.int64), np.full(size, np.nan)
    joined = np.flatnonzero(matching.match >= 0)
    match[matching.match[joined]], gain[matching.match[joined]] = joined, matching.gain[joined]
    return Match(match, matching.total, matching.bound, gain)


def _histograms(offsets: Ints, cells: Ints, rng: Shuffle | None) -> tuple[Histograms, Ints]:
    """Distinct histograms, and the trajectories of each in turn, by position or in a random order."""
    order = np.arange(len(offsets) - 1) if rng is None else rng.permutation(len(offsets) - 1)
    packed = in_order(owners(offsets) * (int(cells.max(initial=0)) + 1) + cells)
    new = np.flatnonzero(distinct_rows(packed))
    owner, cell = np.divmod(packed[new], int(cells.max(initial=0)) + 1)
    count, offsets = np.diff(new, append=len(packed)), offsets_of(owner, len(order))
    kind, one = _kinds(offsets, np.stack([cell, count], axis=1), order)
    # Histograms with the same main cell are met together in the search for pairs: neighbours share memory.
    rank = np.argsort(_main_cell(offsets, cell, count)[one], kind="stable")
    place = np.empty_like(rank)
    place[rank] = np.arange(len(rank))
    kind, one = place[kind], one[rank]
    starts, rows = rows_of(offsets, one)
    histograms = Histograms(starts, cell[rows], count[rows], np.bincount(kind, minlength=len(one)))
    return histograms, order[np.argsort(kind, kind="stable")]


def _kinds(offsets: Ints, rows: Ints, order: Ints) -> tuple[Ints, Ints]:
    """The number of the histogram of each trajectory in this order, and the first trajectory of each number."""
    seen: dict[bytes, int] = {}
    texts = (rows[offsets[i] : offsets[i + 1]].tobytes() for i in order)
    kind = np.fromiter((seen.setdefault(text, len(seen)) for text in texts), np.int64, len(order))
    return kind, order[np.unique(kind, return_index=True)[1]]


def _main_cell(offsets: Ints, cell: Ints, count: Ints) -> Ints:
    """Where each trajectory has most records; -1 for one without any."""
    owner = owners(offsets)
    last = np.lexsort((count, owner))[offsets[1:] - 1] if len(owner) else np.zeros(len(offsets) - 1, np.int64)
    return np.where(np.diff(offsets) > 0, cell[last] if len(cell) else -1, -1)
