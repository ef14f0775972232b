"""Pieces by window -> which piece follows which, and against the truth: neighbours found and people restored."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import Flags, Floats, Ints, offsets_of, row_order, rows_by_code, rows_of
from incrowd.attack.gain import Match, Orders, match_by_gain
from incrowd.attack.link import DEFAULT_VIEWS, pair_scores
from incrowd.attack.link.matching import one_to_one
from incrowd.attack.link.meeting import Meeting
from incrowd.attack.link.views import View, has_clock
from incrowd.clock import DAY_MIN
from incrowd.data import Visits
from incrowd.errors import DataError
from incrowd.measure.uniqueness import ask
from incrowd.measure.uniqueness.choices import Trajectories
from incrowd.measure.uniqueness.index import Index, PartIndex
from incrowd.measure.uniqueness.question import Uniqueness, UniquenessQuestion
from incrowd.progress import track
from incrowd.threads import Pool, threads

NONE = -1
Bags = tuple[Ints, Ints]  # offsets, cells: one for every slot spent there


def grouped(data: Visits, whose: Ints, pieces: Ints, ends: Ints) -> Visits:
    """The visits of some pieces, one person for each of the ends; pieces with the same number belong together."""
    number = np.full(len(data), -1, np.int64)
    number[whose[ends]] = np.arange(len(ends))
    mine = pieces[number[whose[pieces]] >= 0]
    starts, rows = rows_of(data.offsets, mine)
    owner = np.repeat(number[whose[mine]], np.diff(starts))
    order = np.lexsort((data.cell[rows], data.slot[rows], owner))
    rows, owner = rows[order], owner[order]
    offsets = offsets_of(owner, len(ends))
    users = np.arange(len(ends))
    return replace(data, users=users, offsets=offsets, cell=data.cell[rows], slot=data.slot[rows], attributes={})


def match_by_evidence(ends: Visits, later: Visits) -> Match:
    """Pairs of greatest total evidence; the time of day counts if both sides span whole days.

    Total and bound are negative evidence in nats, hence the total is no less than the bound, as it is for gains.
    """
    views: tuple[View, ...] = ("places",)
    if has_clock(ends) and all(_spans_a_day(side) for side in (ends, later)):
        views = DEFAULT_VIEWS
    matching = one_to_one(pair_scores(ends, later, "evidence", views, Meeting(), 0))
    return Match(matching.partner, -matching.total, -matching.bound, np.zeros(0))


def _spans_a_day(visits: Visits) -> bool:
    width = visits.slot_min or DAY_MIN
    return bool(visits.records) and int(visits.slot.max() - visits.slot.min() + 1) * width > DAY_MIN // 2


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


def join(data: Visits, window: Ints, *, memory: str, reach: int, seed: int | None, score: str = "gain") -> Joins:
    """Match the ends of chains with the pieces of each window in turn; what shares no cell is not joined.

    The assignment pairs as many as it can; where a pair has no common cell nothing speaks for it, and it is left out.
    """
    steps = _PiecesByWindow.over(data, window, memory, reach, seed, score)
    numbers = steps.numbers
    following, first = np.full(len(data), NONE, np.int64), np.arange(len(data))
    tallies = np.zeros((len(numbers), 2), np.int64), np.zeros((len(numbers), 2))
    # If only the last piece counts, no window depends on the one before, and all cores work at once.
    alone = memory == "piece" and reach == 1
    with Pool(threads() if alone else 1) as pool:
        work = range(1, len(numbers))
        ahead = pool.map(lambda now: steps.matched(now, following, first), work) if alone else None
        for now in track(work, "joining windows"):
            ends, later, matching, left = next(ahead) if ahead else steps.matched(now, following, first)
            tallies[0][now] = len(ends), len(left)
            if matching is None:
                continue
            tallies[1][now] = matching.total, matching.bound
            after = later[matching.match[left]]
            following[ends[left]], first[after] = after, first[ends[left]]
    chain = np.unique(first, return_inverse=True)[1]
    return Joins(following, chain, numbers, *tallies[0].T, *tallies[1][1:].T)


@dataclass(frozen=True, eq=False)
class _PiecesByWindow:
    """The pieces by window, and what decides between equals in each."""

    data: Visits
    cells: Ints
    numbers: Ints  # windows that hold a piece
    starts: Ints
    pieces: Ints  # by window
    memory: str
    reach: int
    score: str
    orders: list[Orders | None]

    @classmethod
    def over(
        cls, data: Visits, window: Ints, memory: str, reach: int, seed: int | None, score: str
    ) -> "_PiecesByWindow":
        numbers, code = np.unique(window, return_inverse=True)
        order, starts = rows_by_code(code, len(numbers))
        pieces = np.arange(len(data)) if order is None else order
        cells = np.unique(data.cell, return_inverse=True)[1]
        rng = None if seed is None else np.random.default_rng(seed)
        orders = [None if rng is None else Orders(rng) for _ in numbers]
        if rng is not None and memory == "piece" and reach == 1:
            sizes = np.diff(starts)
            for now in range(1, len(numbers)):
                near = sizes[now - 1] if numbers[now] - numbers[now - 1] <= 1 else 0
                orders[now] = Orders.drawn(rng, near, sizes[now])
        return cls(data, cells, numbers, starts, pieces, memory, reach, score, orders)

    def matched(self, now: int, following: Ints, first: Ints) -> tuple[Ints, Ints, Match | None, Ints]:
        """Ends of chains and pieces of a window, how they are paired, and which pairs share a cell."""
        near = np.searchsorted(self.numbers, self.numbers[now] - self.reach)
        ends = self.pieces[self.starts[near] : self.starts[now]]
        if not (self.memory == "piece" and self.reach == 1):
            ends = ends[following[ends] == NONE]
        later = self.pieces[self.starts[now] : self.starts[now + 1]]
        if not len(ends):
            return ends, later, None, ends
        before = self.pieces[: self.starts[now]]
        a, b = bags(self.data, self.cells, ends), bags(self.data, self.cells, later)
        if self.memory == "chain":
            a = _whole_chains(self.data, self.cells, ends, first, before)
        if self.score == "evidence":
            whose = first if self.memory == "chain" else np.arange(len(first))
            matching = match_by_evidence(
                *(grouped(self.data, *side) for side in ((whose, before, ends), (whose, later, later)))
            )
        else:
            matching = match_by_gain(*a, *b, self.orders[now])
        return ends, later, matching, np.flatnonzero(meet(a, b, matching.match))


def bags(data: Visits, cells: Ints, which: Ints) -> Bags:
    """The cells of some pieces, one after the other."""
    starts, rows = rows_of(data.offsets, which)
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


def meet(a: Bags, b: Bags, match: Ints) -> Flags:
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


@dataclass(frozen=True, eq=False)
class RelinkScore:
    """How far joins are right; a neighbour is a pair of consecutive pieces of one person within reach.

    `known_before` asks whom m random points of a person's whole trajectory, known before the cut, single out: it
    succeeds if those of them in one of the person's pieces, chains, or in the whole, are in no other.
    """

    people: int
    neighbours: int
    right: int  # joins of neighbours
    share: float | None  # of the neighbours that were joined
    precision: float | None  # share of the joins that are right
    chance: float | None  # share expected of as many joins between the same windows at random
    chance_precision: float | None
    absences: int  # times somebody was out of reach for a window or more, which ends a chain
    several: int  # people with two pieces or more
    restored: int  # of these, people whose pieces all are in one chain with nobody else's
    known_before: Mapping[str, Uniqueness]  # pieces, rejoined, originals

    def summary(self) -> str:
        """The main result in words."""
        chance = "undefined" if self.chance is None else f"{self.chance:.4f}"
        return f"{self.right:,} of {self.neighbours:,} neighbours joined, chance {chance}"


def scored(
    data: Visits,
    window: Ints,
    joins: Joins,
    owner: Ints,
    *,
    reach: int,
    question: UniquenessQuestion,
    wholes: Mapping[str, Ints],
) -> RelinkScore:
    """Compare with the one person behind each piece; wholes are the groups of pieces to know points of."""
    a, b, absences = _neighbours(window, owner, reach)
    right = int((joins.following[a] == b).sum())
    made = int((joins.following != NONE).sum())
    expected = _expected(window, joins, a, b)
    pieces = np.bincount(np.unique(owner, return_inverse=True)[1])
    return RelinkScore(
        people=len(pieces),
        neighbours=len(a),
        right=right,
        share=right / len(a) if len(a) else None,
        precision=right / made if made else None,
        chance=expected / len(a) if len(a) else None,
        chance_precision=expected / made if made else None,
        absences=absences,
        several=int((pieces > 1).sum()),
        restored=_restored(joins.chain, owner),
        known_before={name: known_before(data, owner, group, question) for name, group in wholes.items()},
    )


def _neighbours(window: Ints, owner: Ints, reach: int) -> tuple[Ints, Ints, int]:
    """Consecutive pieces of one person, first and second, and how many more are too far apart."""
    order = np.lexsort((window, owner))
    a, b = order[:-1], order[1:]
    a, b = a[owner[a] == owner[b]], b[owner[a] == owner[b]]
    if (window[a] == window[b]).any():
        raise DataError("one person has two pieces of one window; give the members or the link of this release.")
    near = window[b] - window[a] <= reach
    return a[near], b[near], int((~near).sum())


def _expected(window: Ints, joins: Joins, a: Ints, b: Ints) -> float:
    """Neighbours that as many random joins of what was on offer would meet."""
    now = np.searchsorted(joins.windows, window[b])
    after = joins.following[a]
    open_then = (after == NONE) | (window[after] >= window[b])
    pairs = joins.offered[now] * np.bincount(np.searchsorted(joins.windows, window))[now]
    return float((joins.made[now][open_then] / pairs[open_then]).sum())


def _restored(chain: Ints, owner: Ints) -> int:
    """People with several pieces, whose chain holds these and no other."""
    number = np.unique(owner, return_inverse=True)[1]
    people = int(number.max()) + 1
    pairs, counts = np.unique(chain * people + number, return_counts=True)
    of_chain, of_person = np.divmod(pairs, people)
    alone = np.bincount(of_chain)[of_chain] == 1
    once = np.bincount(of_person)[of_person] == 1
    return int((alone & once & (counts > 1)).sum())


def rejoined(data: Visits, group: Ints, label: str = "rejoined") -> Visits:
    """One user per group of pieces."""
    number = np.unique(group, return_inverse=True)[1]
    users = int(number.max()) + 1
    cell, slot, offsets = Visits.grouped(number[data.owner], data.cell, data.slot, users)
    dropped = {"repeated visit": data.records - len(cell)}
    ledger = data.ledger.add(label, read=data.records, kept=len(cell), dropped=dropped, users=(len(data), users))
    people = np.arange(users)
    return replace(data, users=people, offsets=offsets, cell=cell, slot=slot, attributes={}, ledger=ledger)


def known_before(data: Visits, owner: Ints, group: Ints, question: UniquenessQuestion) -> Uniqueness:
    """Who is singled out among groups of pieces by points of whole trajectories."""
    originals, groups = rejoined(data, owner, "originals"), rejoined(data, group)
    order = row_order(owner[data.owner], data.slot, data.cell)
    place = np.unique(group, return_inverse=True)[1][data.owner]
    place = place if order is None else place[order]
    index = Index.build(groups)
    known = replace(index, ids=index.find(originals.cell, originals.slot))
    return ask(PartIndex(known, place, counts_parts=True), Trajectories.over(originals.offsets), originals, question)
