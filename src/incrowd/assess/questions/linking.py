"""Linkability: people who are recognised in a later period."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.assess.dataset import Dataset
from incrowd.assess.question import Finding, Inapplicable, Number, Question, drawn_note
from incrowd.assess.questions.lookup import mean_of, no_rows, printed, rights
from incrowd.assess.subject import Subject
from incrowd.attack import Linkage, link
from incrowd.clock import DAY_MIN
from incrowd.data import Release, Visits
from incrowd.measure.uniqueness.question import wilson
from incrowd.plain import percent, several

SURE = 0.9  # confidence at which a pair is named
SCORES: tuple[Literal["evidence", "histogram"], ...] = ("evidence", "histogram")
# Seconds on one core, measured on synthetic cities and taxis, rounded up: to load the kernels, and per pair of
# people who share a cell.
LOAD_S, MEET_S = 1.0, 4e-7


@dataclass(frozen=True)
class _Attempt:
    """One attacker's linkage, and what is judged of it."""

    linkage: Linkage
    right: Number
    named: Number

    @property
    def words(self) -> str:
        how = ", one-to-one" if self.linkage.one_to_one else ""
        return f"{self.linkage.score} of {' and '.join(self.linkage.views)}{how}"


def _later(data: Dataset) -> Finding:
    subject = data.subject
    known, target = _halves(subject)
    drawn = drawn_people(known, data.options.people, data.seed)
    attempts = list(_attempts(only(known, drawn), Release(target, subject.release.members), data, subject))
    if not attempts or not attempts[0].linkage.scored:
        raise Inapplicable("nobody is in both halves of the period, so nobody can be recognised")
    best = max(attempts, key=lambda one: float(one.right.judged))
    surest = max(attempts, key=lambda one: float(one.named.judged))  # may be another attacker
    linkage = best.linkage
    others = ", ".join(f"{one.words} {percent(one.linkage.hit[1])}" for one in attempts)
    sample = drawn_note(
        len(drawn), int((np.diff(known.offsets) > 0).sum()), f" and looked for among {linkage.target:,}"
    )
    notes = (
        f"best of {several(len(attempts), 'attack')}: {others}{_overstated(linkage, len(attempts))}",
        f"{percent(float(surest.named.value))} are named rightly at a confidence of {percent(SURE, 0)}",
        _strangers(surest.linkage),
        sample,
    )
    numbers = {one.words: one.linkage.to_dict() for one in attempts}
    return Finding(
        judged=(best.right, surest.named),
        number=printed(linkage.hit[1] or 0.0, linkage.scored, of=len(subject.present)),
        numbers={"judged": best.words, "attacks": numbers, "chance": dict(linkage.chance)},
        results=(linkage,),
        note="; ".join(filter(None, notes)),
        chance=linkage.chance[1],
        concerned=linkage.scored if linkage.without else None,
        stands_out="where they are seen in both halves of the period",
    )


def _overstated(linkage: Linkage, attempts: int) -> str:
    """By how much the best of several attacks looks better than it is; nothing is corrected downwards."""
    share = linkage.hit[1] or 0.0
    points = 100 * sqrt(2 * log(attempts) * share * (1 - share) / linkage.scored)
    if attempts < 2 or points < 0.1:
        return ""
    return f" (choosing the best overstates by up to {points:.1f} points at {linkage.scored:,} people)"


def _strangers(linkage: Linkage) -> str:
    """People who are in one half only, and how many of them the attacker believes to recognise."""
    if not linkage.without:
        return ""
    words = f"{several(linkage.without, 'person is', 'people are')} in one half only"
    if linkage.score != "evidence":
        return words
    wrong = int(np.isnan(linkage.right[linkage.named(SURE).known]).sum())
    return f"{words}, of whom {wrong:,} are named at {percent(SURE, 0)}, always wrongly"


def _attempts(known: Visits, target: Release, data: Dataset, subject: Subject) -> Iterator[_Attempt]:
    """Every attacker that is due: two scores, each by itself and one-to-one where that has a meaning."""
    single = subject.crowd.max(initial=1) == 1 and np.diff(subject.rows.offsets).max(initial=0) <= 1
    for score in SCORES:
        for one_to_one in (False, True) if single else (False,):
            linkage = link(known, target, score=score, one_to_one=one_to_one)
            if linkage.scored:
                yield _judged(linkage, data, subject)


def _judged(linkage: Linkage, data: Dataset, subject: Subject) -> _Attempt:
    """The share of people named rightly, and of those named rightly at a claimed 0.9; capped if that is needed."""
    scored = np.flatnonzero(~np.isnan(linkage.right))
    # Scores of histograms are within 2 ln 2 of each other, so that nobody is ever named at 0.9 by them.
    sure = _sure(linkage, subject) / len(scored) if linkage.score == "evidence" else 0.0
    right = Number(limit="later", what="people recognised", value=linkage.hit[1] or 0.0, interval=linkage.interval)
    worst = Number(limit="worst", what="people named rightly at 90 %", value=sure, interval=wilson(sure, len(scored)))
    if any(data.undecided(one) for one in (right, worst)):
        caps = subject.caps[scored]
        close = Fraction(int((rights(caps) >= 0.5).sum()), len(scored))
        right, worst = replace(right, cap=mean_of(caps)), replace(worst, cap=close)
        if right.cap is not None and right.value > right.cap:
            right = replace(right, value=right.cap)  # a float beside its exact bound
    return _Attempt(linkage, right, worst)


def _sure(linkage: Linkage, subject: Subject) -> float:
    """How many people are named rightly at a claimed 0.9; who is sure of a crowd names nobody in it."""
    named = linkage.named(SURE)
    people = named.known[named.confidence / subject.crowd[named.target] >= SURE]
    return float(np.nan_to_num(linkage.right[people]).sum())


def _halves(subject: Subject) -> tuple[Visits, Visits]:
    """What is known of the first half of the period, and what is published of the second; everybody keeps a row."""
    known, target = subject.known, subject.visits
    first, last = int(known.slot.min()), int(known.slot.max())
    if last == first:
        raise Inapplicable("everything is in one time slot, so there is no later period")
    middle = _middle(known, first, last)
    return _rows(known, known.slot < middle), _rows(target, target.slot >= middle)


def _middle(visits: Visits, first: int, last: int) -> int:
    """The border of two days nearest to the middle of the period, or else the middle slot."""
    day = DAY_MIN // visits.slot_min if visits.slot_min and DAY_MIN % visits.slot_min == 0 else 1
    begin = first // day * day
    days = -(-(last + 1 - begin) // day)
    return begin + days // 2 * day if days > 1 else (first + last + 1) // 2


def _rows(visits: Visits, mask: NDArray[np.bool_]) -> Visits:
    """Some of the visits; who has none of them stays without any."""
    counts = np.bincount(visits.owner[mask], minlength=len(visits))
    offsets = np.append(0, np.cumsum(counts)).astype(np.int64)
    return replace(visits, offsets=offsets, cell=visits.cell[mask], slot=visits.slot[mask], attributes={})


def drawn_people(visits: Visits, people: int, seed: int) -> Ints:
    """Positions of at most so many people who have a visit, drawn at random."""
    there = np.flatnonzero(np.diff(visits.offsets))
    return np.sort(np.random.default_rng(seed).permutation(there)[:people])


def only(visits: Visits, people: Ints) -> Visits:
    """The visits of some people; the others stay without any."""
    chosen = np.zeros(len(visits), np.bool_)
    chosen[people] = True
    return visits if chosen.all() else _rows(visits, chosen[visits.owner])


def later_s(data: Dataset) -> float:
    """By how many pairs of people share a cell, for two scores, alone and one-to-one."""
    visits = data.visits
    cell = np.unique(visits.cell, return_inverse=True)[1]
    there = np.unique(cell * len(visits) + visits.owner) // len(visits)
    people = np.bincount(there).astype(np.float64)
    share = min(1.0, data.options.people / len(visits))
    return LOAD_S + MEET_S * share * float((people * people).sum())


LATER = Question(
    name="later",
    about="linkability",
    asks="Can people be recognised in a later period?",
    attacker=lambda _: (
        "The attacker holds the first half of the period under names and compares places and rhythms with what is "
        "published of the second half"
    ),
    seconds=later_s,
    run=_later,
    lacks=no_rows,
    who=True,
)
