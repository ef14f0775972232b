"""Published counts and somebody's visits -> is this person among those who were counted?"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from incrowd.arrays import Flags, Floats, Ints
from incrowd.attack.link.views import same_slots
from incrowd.attack.membership.channel import Channel, log_ratio, stated
from incrowd.attack.membership.counted import (
    Counted,
    OtherSlots,
    at_published_grain,
    at_slots,
    from_counts,
    from_other_counts,
    from_reference,
    kept_shares,
    placed,
    shape_of,
)
from incrowd.attack.membership.result import Membership, answered
from incrowd.clock import minute_of_day
from incrowd.columns import as_array
from incrowd.data import Counts, Visits
from incrowd.errors import DataError, ParameterError, check_positive, check_seed, check_share, check_whole, public
from incrowd.progress import track
from incrowd.threads import machine

Mode = Literal["outside", "game", "custodian"]
Swap = tuple[int | None, int | None]  # who leaves and who joins


@public
def membership(
    visits: Visits,
    *,
    published: Counts | None = None,
    mitigation: Mapping[str, Any] | None = None,
    reference: Visits | Counts | None = None,
    truth: ArrayLike | None = None,
    size: int | None = None,
    targets: int = 250,
    groups: int = 4,
    known: float = 1.0,
    seed: int = 0,
) -> Membership:
    """How well an attacker who knows somebody's visits tells whether that person is in published counts.

    The attacker compares each published count at X's visits with what it would be with X and without: a likelihood
    ratio, in which the publisher's noise, suppression and rounding are known. Visits are taken as independent.

    There are three ways to ask. With `published`, the people of `visits` are asked about one by one (outside). With
    `size` alone, groups of that size are drawn and published with a target and without (game). With neither, the
    visits are the group, and a copy of somebody else replaces each person asked (custodian).

    Args:
        visits: Visits of the people who are asked about; in the game, of everybody groups are drawn from.
        published: Counts as somebody published them.
        mitigation: What is done to counts, by the keywords of `anonymize.counts`, such as {"suppress_below": 5}, and
            slot_min for longer slots.
        reference: Visits of other people, or counts published of another period, from which the usual share of people
            in a cell is estimated. [default: the published counts of the same time on other days, never those of the
            slot itself]
        truth: With `published`, who is really in: true or false for each person.
        size: How many people were counted, or are to be drawn.
        targets: How many people are asked about at most, drawn at random; with `published` everybody is.
        groups: How many groups, or replacements, are tried for each person.
        known: Share of a person's visits that the attacker knows.
        seed: Seed of every random choice.

    Returns:
        `auc` is the probability that somebody scores higher when in than when out: 0.5 is chance, 1 is certainty.

    >>> rng = np.random.default_rng(0)
    >>> rows = np.repeat(np.arange(40), 20), rng.integers(0, 30, 800), np.tile(np.arange(20), 40)
    >>> membership(Visits.from_arrays(*rows, slot_min=60), size=10, targets=20, groups=2).auc > 0.9
    True
    """
    began = time.perf_counter()
    check_whole(targets=targets, groups=groups)
    check_seed(seed=seed)
    check_share(known=known)
    check_positive(known=known)
    given = stated(mitigation)
    inside = None if truth is None else _who_is_in(truth, published, len(visits))
    mode: Mode = "outside" if published is not None else "custodian" if size is None else "game"
    rng = np.random.default_rng(seed)
    attacker = _AttackerKnowledge.of(visits, given, reference, published, float(known), rng)
    if published is not None:
        scores, people, positions = _outside(attacker, published, size)
    else:
        people = _group_size(visits, size)
        positions = np.sort(rng.permutation(len(visits))[:targets])
        scores = _played(attacker, positions, people, int(groups), custodian=mode == "custodian")
    return answered(
        mode=mode,
        scores=scores,
        positions=positions,
        truth=inside,
        people=people,
        mitigation={name: "given" if name == "region" else value for name, value in given.items()},
        rates=attacker.source,
        known=float(known),
        seed=int(seed),
        groups=int(groups) if mode != "outside" else 1,
        seconds=time.perf_counter() - began,
        machine=machine(),
    )


@dataclass(frozen=True, eq=False)
class _AttackerKnowledge:
    """What the attacker knows of everybody, and of how counts are published."""

    visits: Visits  # as given
    seen: Visits  # at the published grain: what the attacker knows
    keep: Floats  # probability that each of them is counted
    chosen: Flags  # visits that are known
    given: Mapping[str, Any]
    channel: Channel
    shape: tuple[int, int]
    expected: Floats | None  # [slot, cell] from a reference
    others: OtherSlots
    source: str
    rng: np.random.Generator

    @classmethod
    def of(
        cls,
        visits: Visits,
        given: Mapping[str, Any],
        reference: Visits | Counts | None,
        published: Counts | None,
        known: float,
        rng: np.random.Generator,
    ) -> "_AttackerKnowledge":
        seen = at_published_grain(visits, given)
        rest = at_published_grain(reference, given) if isinstance(reference, Visits) else None
        shape = shape_of(seen, rest) if published is None else published.shape
        xy = seen.xy if published is None else published.xy
        if published is not None:
            seen = placed(at_slots(seen, published), xy, shape)
        if rest is not None:
            rest = placed(same_slots(seen, rest), xy, shape)
        channel = Channel.of(given)
        expected = None if rest is None else from_reference(rest, kept_shares(rest, given), *shape)
        if isinstance(reference, Counts):
            first = published.start_min if published is not None else minute_of_day(seen.start or 0, seen.time_zone)
            at_slots(replace(seen, start=None), reference)
            expected = from_other_counts(reference, channel, xy, shape[0], first)
        others = OtherSlots.over(shape[0], seen)
        source = others.source if expected is None else "reference"
        chosen = rng.random(seen.records) < known if known < 1 else np.ones(seen.records, np.bool_)
        return cls(visits, seen, kept_shares(seen, given), chosen, given, channel, shape, expected, others, source, rng)

    def known(self, person: int) -> tuple[Ints, Ints, Floats]:
        """Slots and cells that are known of a person, and the probability that each visit is counted."""
        rows = slice(int(self.seen.offsets[person]), int(self.seen.offsets[person + 1]))
        mine = self.chosen[rows]
        return self.seen.slot[rows][mine], self.seen.cell[rows][mine], self.keep[rows][mine]

    def looked_at(self, slot: Ints, cell: Ints) -> tuple[Ints, Ints]:
        """Flat places of the counts that a score needs: the visits, then the slots they are compared with."""
        places = slot * self.shape[1] + cell
        if self.expected is not None:
            return places, np.zeros(0, np.int64)
        compared, of = self.others.compared(slot)
        return np.concatenate([places, compared * self.shape[1] + cell[of]]), of

    def score(self, y: Ints, slot: Ints, cell: Ints, keep: Floats, of: Ints, people: int) -> float:
        """The sum of log-likelihood ratios over the visits, given what is published at the places looked at."""
        if self.expected is not None:
            rate = self.expected[slot, cell]
        else:
            rate = from_counts(y[len(slot) :], of, len(slot), self.channel, people, self.shape[1])
        ratios = log_ratio(self.channel, y[: len(slot)], rate, keep, people)
        # One impossible count settles it; counts that prove both ways cancel.
        sure = np.isposinf(ratios).any(), np.isneginf(ratios).any()
        if any(sure):
            return 0.0 if all(sure) else np.inf if sure[0] else -np.inf
        return float(ratios.sum())


def _who_is_in(truth: ArrayLike, published: Counts | None, people: int) -> Flags:
    """The truth about published counts, checked."""
    if published is None:
        raise ParameterError("truth says who is in published counts; give published, or leave it out.")
    given = as_array(truth, "truth")
    if given.shape != (people,) or not np.isin(given, (False, True)).all():
        raise DataError(f"truth must hold true or false for each of the {people:,} people.")
    inside: Flags = given.astype(np.bool_)
    if inside.all() or not inside.any():
        raise DataError("truth must name people who are in and people who are not, or nothing can be compared.")
    return inside


def _outside(attacker: _AttackerKnowledge, published: Counts, size: int | None) -> tuple[Floats, int, Ints]:
    """One score for everybody, on the counts as they are published."""
    if size is None:
        raise ParameterError("size is missing: how many people were counted is needed to judge a published count.")
    check_whole(size=size)
    n, everybody = published.n.ravel(), np.arange(len(attacker.visits))
    scores = np.empty(len(everybody))
    for person in track(everybody.tolist(), "asking about people"):
        slot, cell, keep = attacker.known(person)
        places, of = attacker.looked_at(slot, cell)
        scores[person] = attacker.score(n[places], slot, cell, keep, of, int(size))
    return scores, int(size), everybody


def _group_size(visits: Visits, size: int | None) -> int:
    """How many people are counted at a time."""
    if size is None:
        if len(visits) < 3:
            raise DataError("membership needs three people or more.")
        return len(visits)
    check_whole(size=size)
    if size >= len(visits):
        raise ParameterError(f"size must be below the number of people ({len(visits):,}), got {size:,}.")
    return int(size)


def _played(attacker: _AttackerKnowledge, positions: Ints, people: int, groups: int, *, custodian: bool) -> Floats:
    """Scores [target, out and in, group], each on counts published with fresh noise."""
    scores = np.empty((len(positions), 2, groups))
    rng, size = attacker.rng, len(attacker.visits)
    for group in track(range(groups), "publishing counts"):
        counted = Counted.drawn(attacker.visits, attacker.given, attacker.shape, rng)
        order = np.arange(size) if custodian else rng.permutation(size)
        members = order[:people]
        total = counted.total(members)
        inside = np.zeros(size, np.bool_)
        inside[members] = True
        for number, person in enumerate(positions.tolist()):
            slot, cell, keep = attacker.known(person)
            places, of = attacker.looked_at(slot, cell)
            places, back = np.unique(places, return_inverse=True)  # a count is published once
            swaps = _swapped(person, members, order, inside, rng, custodian=custodian)
            for side, swap in enumerate(swaps):
                y = attacker.channel.publish(counted.changed(places, total, *swap), rng)[back]
                scores[number, side, group] = attacker.score(y, slot, cell, keep, of, people)
    return scores


def _swapped(
    person: int,
    members: Ints,
    order: Ints,
    inside: Flags,
    rng: np.random.Generator,
    *,
    custodian: bool,
) -> tuple[Swap, Swap]:
    """Who leaves and who joins for the counts without a person, and for those with the person.

    Without the person, one of the others takes the place: in the game somebody who was not counted, for the custodian
    a copy of somebody who was.
    """
    if not inside[person]:
        return (None, None), (int(rng.choice(members)), person)
    other = int(rng.choice(members[members != person])) if custodian else int(order[len(members)])
    return (person, other), (None, None)
