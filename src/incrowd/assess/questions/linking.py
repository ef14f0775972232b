"""Linkability: people who are recognised in a later period."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import log, sqrt
from typing import Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.assess.dataset import Dataset
from incrowd.assess.question import Finding, Inapplicable, Number, Question, drawn_note
from incrowd.assess.questions.lookup import half_right, mean_of, no_rows
from incrowd.assess.subject import Subject
from incrowd.attack import Linkage, link
from incrowd.attack.link.matching import ALL_PAIRS, KEPT
from incrowd.attack.link.pairs import ENTRIES
from incrowd.attack.link.views import BLOCKS, QUARTER_MIN, has_clock
from incrowd.clock import slots_per_day
from incrowd.data import Release, Visits
from incrowd.measure.uniqueness.question import wilson
from incrowd.plain import percent, printed, several
from incrowd.threads import threads

SURE = 0.9  # confidence at which a pair is named
NAMED_RIGHTLY = "people named rightly at 90 %"
SCORES: tuple[Literal["evidence", "histogram"], ...] = ("evidence", "histogram")
# Seconds on one core, from benchmarks/estimates.py: to load the kernels, per pair of people who share a cell or its
# quarter of the day, per person, and per visit. Bytes: per visit, per person and feature, and per pair to be matched.
LOAD_S, MEET_S, PERSON_S, VISIT_S = 0.5, 3.8e-8, 1.3e-4, 3e-7
VISIT_BYTES, FEATURE_BYTES, PAIR_BYTES = 100, 450, 40


@dataclass(frozen=True)
class _Attempt:
    """One attacker's linkage, and what is judged of it."""

    linkage: Linkage
    right: Number
    named: Number


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
    others = ", ".join(f"{one.linkage.attacker} {percent(one.linkage.hit[1])}" for one in attempts)
    sample = drawn_note(
        len(drawn), int((np.diff(known.offsets) > 0).sum()), f" and looked for among {linkage.target:,}"
    )
    notes = (
        f"best of {several(len(attempts), 'attack')}: {others}{_overstated(linkage, len(attempts))}",
        f"{percent(float(surest.named.value))} are named rightly at a confidence of {percent(SURE, 0)}",
        _strangers(surest.linkage),
        sample,
    )
    numbers = {one.linkage.attacker: one.linkage.to_dict() for one in attempts}
    return Finding(
        judged=(best.right, surest.named),
        number=printed(linkage.hit[1] or 0.0, linkage.scored, of=len(subject.present)),
        numbers={"judged": linkage.attacker, "attacks": numbers, "chance": dict(linkage.chance)},
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
    sure = named_rightly(linkage, subject.crowd) / len(scored)
    right = Number(limit="later", what="people recognised", value=linkage.hit[1] or 0.0, interval=linkage.interval)
    worst = Number(limit="worst", what=NAMED_RIGHTLY, value=sure, interval=wilson(sure, len(scored)))
    if any(data.undecided(one) for one in (right, worst)):
        caps = subject.caps[scored]
        right, worst = replace(right, cap=mean_of(caps)), replace(worst, cap=half_right(caps))
        if right.cap is not None and right.value > right.cap:
            right = replace(right, value=right.cap)  # a float beside its exact bound
    return _Attempt(linkage, right, worst)


def named_surely(linkage: Linkage, crowd: Ints) -> tuple[Ints, Ints]:
    """The pairs named at a claimed 0.9; who is sure of a crowd names nobody in it."""
    if linkage.score != "evidence":  # scores of histograms are within 2 ln 2 of each other, which is never so sure
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    named = linkage.named(SURE)
    sure = named.confidence / crowd[named.target] >= SURE
    return named.known[sure], named.target[sure]


def named_rightly(linkage: Linkage, crowd: Ints) -> float:
    """How many people are named rightly at a claimed 0.9."""
    return float(np.nan_to_num(linkage.right[named_surely(linkage, crowd)[0]]).sum())


def _halves(subject: Subject) -> tuple[Visits, Visits]:
    """What is known of the first half of the period, and what is published of the second; everybody keeps a row."""
    known, target = subject.known, subject.visits
    first, last = int(known.slot.min()), int(known.slot.max())
    if last == first:
        raise Inapplicable("everything is in one time slot, so there is no later period")
    middle = _middle(known, first, last)
    return known.only(known.slot < middle), target.only(target.slot >= middle)


def _middle(visits: Visits, first: int, last: int) -> int:
    """The border of two days nearest to the middle of the period, or else the middle slot."""
    day = slots_per_day(visits.slot_min) or 1
    begin = first // day * day
    days = -(-(last + 1 - begin) // day)
    return begin + days // 2 * day if days > 1 else (first + last + 1) // 2


def drawn_people(visits: Visits, people: int, seed: int) -> Ints:
    """Positions of at most so many people who have a visit, drawn at random."""
    there = np.flatnonzero(np.diff(visits.offsets))
    return np.sort(np.random.default_rng(seed).permutation(there)[:people])


def only(visits: Visits, people: Ints) -> Visits:
    """The visits of some people; the others stay without any."""
    chosen = np.zeros(len(visits), np.bool_)
    chosen[people] = True
    return visits if chosen.all() else visits.only(chosen[visits.owner])


class _Sharing(NamedTuple):
    """How much people have in common: the people of each feature added up, and the pairs of them."""

    people: float
    pairs: float


_SHARING: WeakKeyDictionary[Visits, _Sharing] = WeakKeyDictionary()


def _sharing(visits: Visits) -> _Sharing:
    """Kept as long as the visits, because time and memory of several tests follow from it."""
    if visits not in _SHARING:
        each = list(_people_of_features(visits))
        people, pairs = (sum(float(many.sum()) for many in side) for side in (each, [many**2 for many in each]))
        _SHARING[visits] = _Sharing(people, pairs)
    return _SHARING[visits]


def later_s(data: Dataset) -> float:
    """By how many pairs of people share a cell, and a quarter of the day there: two scores, alone and one-to-one."""
    everybody, known, pairs = _met(data)
    times = 1 if known * everybody <= ALL_PAIRS else 2  # of more pairs the best are looked for from either side
    return LOAD_S + PERSON_S * everybody + VISIT_S * data.visits.records + MEET_S * times * pairs


def later_memory(data: Dataset) -> int:
    """The features of four linkages, and the most of what is held for a while: visits, weights, pairs to be matched."""
    everybody, known, pairs = _met(data)
    weights = 8 * min(pairs, ENTRIES) * threads()
    offered = known * everybody if known * everybody <= ALL_PAIRS else KEPT * (known + everybody)
    meanwhile = max(VISIT_BYTES * data.visits.records, weights, PAIR_BYTES * offered)
    return int(FEATURE_BYTES * _sharing(data.visits).people + meanwhile)


def _met(data: Dataset) -> tuple[int, int, float]:
    """All people, those who are looked for, and the pairs of both who share a feature."""
    everybody = len(data.visits)
    known = min(data.options.people, everybody)
    return everybody, known, known / everybody * _sharing(data.visits).pairs


def _people_of_features(visits: Visits) -> Iterator[Floats]:
    """How many people have each feature of the views that are compared: cells, and their quarters if there is a clock.

    Quarters are counted from the first slot, which is near enough for an estimate.
    """
    cell, quarter, blocks = np.unique(visits.cell, return_inverse=True)[1], np.zeros(1, np.int64), 1
    if has_clock(visits):
        quarter, blocks = visits.slot * (visits.slot_min or 1) // QUARTER_MIN % BLOCKS["rhythm"], BLOCKS["rhythm"]
    feature, owner = np.divmod(np.unique((cell * blocks + quarter) * len(visits) + visits.owner), len(visits))
    if blocks > 1:
        yield np.bincount(feature).astype(np.float64)
    yield np.bincount(np.unique(feature // blocks * len(visits) + owner) // len(visits)).astype(np.float64)


LATER = Question(
    name="later",
    about="linkability",
    asks="Can people be recognised in a later period?",
    attacker=lambda _: (
        "The attacker holds the first half of the period under names and compares places and rhythms with what is "
        "published of the second half"
    ),
    seconds=later_s,
    memory=later_memory,
    run=_later,
    lacks=no_rows,
    who=True,
)
