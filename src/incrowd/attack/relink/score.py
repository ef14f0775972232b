"""Joined pieces against the truth: neighbours found, people restored, and who is singled out again."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import Ints, row_order
from incrowd.attack.relink.join import NONE, Joins
from incrowd.data import Visits
from incrowd.errors import DataError
from incrowd.measure.uniqueness import ask
from incrowd.measure.uniqueness.choices import Trajectories
from incrowd.measure.uniqueness.index import Index, PartIndex
from incrowd.measure.uniqueness.question import Uniqueness, UniquenessQuestion


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
