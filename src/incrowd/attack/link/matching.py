"""Scores of pairs -> at most one partner for everybody, of greatest total, with a bound that certifies it."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from incrowd.arrays import Floats, Ints, frozen, offsets_of, owners, rows_of
from incrowd.attack.link.evidence import UNIT, Layer
from incrowd.attack.link.pairs import PairScores
from incrowd.attack.link.views import FeatureRows
from incrowd.data import Groups

KEPT = 50  # candidates of each person on either side, at least
ALL_PAIRS = 4_000_000  # no more pairs than these are all kept
AT_ONCE = 64  # rows of all scores at a time
PROOFS = 4  # auctions, each with the pairs that the one before did not rule out


@dataclass(frozen=True, eq=False)
class Matching:
    """One partner at most for everybody; no other such matching has a total above `bound`.

    Args:
        total: Of the scores of all pairs, in nats (bits for overlap alone).
        bound: No matching of as many pairs has more.
        gap: How much more that is; 0 if the matching is proved to be the best.
        known_alone: Known people who were left without a partner.
        target_alone: Candidates who were left without a partner.
        candidates: Pairs that were offered to the auction; all others are covered by the bound.
        partner: For each known person the position of the candidate, -1 for none; of people with equal visits, who
            cannot be told apart, in order of position.
        share: For each known person the chance to get each candidate of its class, which is even within a class.
    """

    total: float
    bound: float
    gap: float
    known_alone: int
    target_alone: int
    candidates: int
    partner: Ints = field(repr=False)
    share: "Classes" = field(repr=False)

    def right(self, true: Groups) -> Floats:
        """The chance of everybody known to be given a true counterpart, even within classes of equal people."""
        return self.share.right(true)


@dataclass(frozen=True, eq=False)
class Classes:
    """People with equal visits on each side, and how many pairs of two classes were made."""

    known: Ints  # class of each known person
    target: Ints
    pairs: dict[tuple[int, int], int]

    def right(self, true: Groups) -> Floats:
        """The chance of each known person to be given a true counterpart."""
        ours, theirs = np.bincount(self.known), np.bincount(self.target)
        chance = np.zeros(len(self.known))
        for i, rows in enumerate(true):
            mine = int(self.known[i])
            for j in rows.tolist():
                other = int(self.target[j])
                chance[i] += self.pairs.get((mine, other), 0) / int(ours[mine] * theirs[other])
        return chance


def one_to_one(pairs: PairScores) -> Matching:
    """Match people of both sides so that the sum of scores is greatest; all of the smaller side if that is possible."""
    pairs = replace(pairs, everybody=True)
    known, target = _classes(pairs), _classes(pairs.turned())
    if len(known) < len(target):
        return _turned(one_to_one(pairs.turned()))
    distinct = _representatives(pairs, known, target)
    units = np.argsort(known, kind="stable")  # people by class
    rows = known[units]
    chosen, total, bound, listed = _best(distinct, rows, np.bincount(target), len(known) - len(target))
    joined = chosen >= 0
    made, times = np.unique(rows[joined] * (int(target.max()) + 1) + chosen[joined], return_counts=True)
    classes = zip(*(side.tolist() for side in np.divmod(made, int(target.max()) + 1)), strict=True)
    alone = int(joined.sum())
    return Matching(
        total=total / UNIT,
        bound=bound / UNIT,
        gap=(bound - total) / UNIT,
        known_alone=len(known) - alone,
        target_alone=len(target) - alone,
        candidates=listed,
        partner=frozen(_partners(units, chosen, target, len(known))),
        share=Classes(known, target, dict(zip(classes, times.tolist(), strict=True))),
    )


def _exact(values: Ints) -> int:
    """Their sum; sums of many scores may not fit into 64 bits."""
    return int(values.astype(object).sum()) if len(values) else 0


class _Listed(NamedTuple):
    """Candidates of each known class, by class, and their scores."""

    starts: Ints
    column: Ints
    value: Ints

    def best(self, prices: Ints) -> Ints:
        """The most that a listed candidate is worth to each class after its price."""
        best: Ints = np.maximum.reduceat(self.value - prices[self.column], self.starts[:-1])
        return best

    def joined(self, row: Ints, column: Ints, value: Ints, columns: int) -> "_Listed":
        """With some more pairs."""
        rows = np.concatenate([owners(self.starts), row])
        packed, first = np.unique(rows * columns + np.concatenate([self.column, column]), return_index=True)
        row, column = np.divmod(packed, columns)
        return _Listed(offsets_of(row, len(self.starts) - 1), column, np.concatenate([self.value, value])[first])


def _best(pairs: PairScores, rows: Ints, places: Ints, spare: int) -> tuple[Ints, int, int, int]:
    """The class chosen by each person, the total, a bound on it, and how many pairs were looked at.

    Pairs that were left out and are worth more to somebody at the prices are added, until none is, or some times.
    """
    listed = _candidates(pairs, np.bincount(rows), places)
    for left in reversed(range(PROOFS)):
        chosen, prices, total = _auction(rows, listed, places, spare)
        own, offers = listed.best(prices), pairs.best_offers(prices[:-1])
        if spare:
            own, offers = (np.maximum(side, -prices[-1]) for side in (own, offers))
        bound = _exact(offers[rows]) + _exact(places * prices[:-1]) + spare * int(prices[-1])
        if bound == total or not left:
            break
        parts = np.array_split(np.flatnonzero(offers > own), max(int((offers > own).sum()) // AT_ONCE, 1))
        listed = listed.joined(*_worth_more(pairs, parts, own, prices[:-1]), len(places))
    return chosen, total, bound, len(listed.column)


def _worth_more(pairs: PairScores, parts: list[Ints], own: Ints, prices: Ints) -> tuple[Ints, Ints, Ints]:
    """The pairs of some classes that are worth more than what they have, at the prices."""
    blocks = []
    for part in parts:
        scores = pairs.of(part)
        row, column = np.nonzero(scores - prices > own[part, None])
        blocks.append((part[row], column, scores[row, column]))
    row, column, value = (np.concatenate(side) for side in zip(*blocks, strict=True))
    return row, column, value


def _auction(rows: Ints, listed: _Listed, places: Ints, spare: int) -> tuple[Ints, Ints, int]:
    """Everybody of a class bids for the same candidates: the class chosen by each, prices, and the total."""
    from incrowd.kernels.cpu.matching import assign, lowest_prices

    starts, column, value = listed
    ends, at = rows_of(starts, rows)
    column, value = column[at], value[at]
    chosen = assign(ends, column, value, places, spare)
    prices = lowest_prices(ends, column, value, chosen, len(places))
    return chosen, prices, _exact(value[column == np.repeat(chosen, np.diff(ends))])


def _candidates(pairs: PairScores, supply: Ints, places: Ints) -> _Listed:
    """For each known class its candidates with their scores: all of them, or the best of either side.

    Pairs are added for whoever a greedy matching of the best leaves over, so that all of the smaller side have a
    partner in some matching of the candidates.
    """
    known, target = (len(side) for side in pairs.visits)
    if known * target <= ALL_PAIRS:
        scores = pairs.of(np.arange(known))
        return _Listed(np.arange(known + 1) * target, np.tile(np.arange(target), known), scores.ravel())
    ours = pairs.rank(Groups.nobody(known), KEPT)
    theirs = pairs.turned().rank(Groups.nobody(target), KEPT, "ranking from the other side")
    row = np.concatenate([np.repeat(np.arange(known), KEPT), theirs.best.ravel()])
    column = np.concatenate([ours.best.ravel(), np.repeat(np.arange(target), KEPT)])
    value = np.concatenate([ours.values.ravel(), theirs.values.ravel()])
    real = (row >= 0) & (column >= 0)
    row, column, value = row[real], column[real], value[real]
    more = _left_over(row, column, value, supply, places)
    added = [pairs.of(part)[np.arange(len(part)), to] for part, to in zip(*_in_parts(more), strict=True)]
    nothing = _Listed(np.zeros(known + 1, np.int64), row[:0], value[:0])
    row, column = (np.concatenate(both) for both in ((row, more[0]), (column, more[1])))
    return nothing.joined(row, column, np.concatenate([value, *added]), target)


def _left_over(row: Ints, column: Ints, value: Ints, supply: Ints, places: Ints) -> tuple[Ints, Ints]:
    """Pairs of those whom a greedy matching leaves without a partner, in order."""
    from incrowd.kernels.cpu.matching import fill

    supply, places = supply.copy(), places.copy()
    order = np.argsort(-value, kind="stable")
    fill(row[order], column[order], supply, places)
    rows, columns = (np.repeat(np.arange(len(side)), side) for side in (supply, places))
    pairs = np.unique(np.stack([rows[: len(columns)], columns]), axis=1)
    return pairs[0], pairs[1]


def _in_parts(pairs: tuple[Ints, Ints]) -> tuple[list[Ints], list[Ints]]:
    """A few rows at a time, whose scores with everybody fit into memory."""
    cuts = np.arange(AT_ONCE, len(pairs[0]), AT_ONCE)
    return np.split(pairs[0], cuts), np.split(pairs[1], cuts)


def _classes(pairs: PairScores) -> Ints:
    """A number for each known person; equal for people with equal features and as many visits."""
    seen: dict[bytes, int] = {}
    rows = np.stack([pairs.rows.feature, pairs.rows.value.view(np.int64)], axis=1)
    texts = (
        rows[pairs.offsets[i] : pairs.offsets[i + 1]].tobytes() + int(n).to_bytes(8, "little")
        for i, n in enumerate(pairs.visits[0])
    )
    return np.fromiter((seen.setdefault(text, len(seen)) for text in texts), np.int64, len(pairs.visits[0]))


def _representatives(pairs: PairScores, known: Ints, target: Ints) -> PairScores:
    """The same scores for one person of each class; classes are numbered by their first person."""
    if len(np.unique(known)) == len(known) and len(np.unique(target)) == len(target):
        return pairs
    first = [np.unique(side, return_index=True)[1] for side in (known, target)]
    layers: list[Layer] = [
        replace(
            layer, known=_only(layer.known, first[0], len(known)), target=_only(layer.target, first[1], len(target))
        )
        for layer in pairs.layers
    ]
    visits = pairs.visits[0][first[0]], pairs.visits[1][first[1]]
    return PairScores.over(layers, visits, everybody=True)


def _only(rows: FeatureRows, people: Ints, size: int) -> FeatureRows:
    number = np.full(size, -1, np.int64)
    number[people] = np.arange(len(people))
    kept = number[rows.owner] >= 0
    return FeatureRows(number[rows.owner[kept]], rows.feature[kept], rows.value[kept])


def _partners(units: Ints, chosen: Ints, target: Ints, known: int) -> Ints:
    """A candidate of the chosen class for each known person, in order of position."""
    members = np.argsort(target, kind="stable")
    joined = np.flatnonzero(chosen >= 0)
    order = joined[np.argsort(chosen[joined], kind="stable")]
    begin = offsets_of(np.sort(chosen[joined]), int(target.max()) + 1)
    starts = offsets_of(np.sort(target), int(target.max()) + 1)
    inside = np.arange(len(order)) - begin[chosen[order]]
    partner = np.full(known, -1, np.int64)
    partner[units[order]] = members[starts[chosen[order]] + inside]
    return partner


def _turned(matching: Matching) -> Matching:
    """The same as seen from the other side."""
    classes = matching.share
    partner = np.full(len(classes.target), -1, np.int64)
    joined = np.flatnonzero(matching.partner >= 0)
    partner[matching.partner[joined]] = joined
    pairs = {(b, a): n for (a, b), n in classes.pairs.items()}
    return replace(
        matching,
        known_alone=matching.target_alone,
        target_alone=matching.known_alone,
        partner=frozen(partner),
        share=Classes(classes.target, classes.known, pairs),
    )
