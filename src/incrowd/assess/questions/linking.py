"""Linkability: between windows of one release, between releases, and from the original to a release."""

import warnings
from pathlib import Path
from typing import Any

from incrowd.anonymize import Cut
from incrowd.assess.dataset import Dataset, within
from incrowd.assess.question import RELEASE, Finding, Inapplicable, Question, drawn_note, no_release
from incrowd.assess.questions.boxes import KNOWS, alone_in_boxes
from incrowd.assess.questions.release import (
    MISLINKED,
    UNTOLD,
    are_pseudonyms,
    checked_link,
    grain_note,
    original_on,
    same_ground,
)
from incrowd.attack import Linkage, link, relink
from incrowd.clock import DAY_MIN
from incrowd.data import Fingerprints, Release, UserTable, Visits
from incrowd.data.table import some_people
from incrowd.errors import DataError, IncrowdError, IncrowdWarning
from incrowd.plain import percent, several

ABOUT = "linkability"
WINDOW_H = 24
SHORTER_H = 6  # for data of a single day
RELINK_PEOPLE = 3_000
KNOWN_PEOPLE = 2_000  # whose counterparts are looked for among everybody
WEEK = 7
APART = "no visit of the original data is in the release; check that both are of the same places and times"
HOLDS = (
    "The attacker holds the original visits under names, looks each person up in the release and takes the best match, "
    "any one of several equal ones; the share of right matches is compared with the limit"
)
MOMENTS: dict[str, Any] = {"score": "overlap", "views": ("moments",)}  # by visits in common
# Seconds on one core, measured on synthetic cities and taxis, rounded up: to load the kernels, per pair of people and
# visit of each to be joined, for trajectories of so many visits twice that, and to be compared.
LOAD_S, JOIN_S, LONG, MEET_S = 0.5, 6e-9, 700, 3e-10


def _window_h(data: Dataset) -> float:
    return WINDOW_H if data.days > 1 else SHORTER_H


def _pieces(data: Dataset) -> Finding:
    sampled = some_people(data.from_zero, people=RELINK_PEOPLE, seed=data.options.seed)
    # Nobody sees these pseudonyms: a seed makes the assessment the same again.
    release = Cut(window_h=_window_h(data))(sampled, pseudonym_seed=data.options.seed)
    relinked = relink(release, seed=data.options.seed)
    score = relinked.score
    if score is None or score.share is None:
        raise Inapplicable("nobody has two pieces in consecutive windows, so there is nothing to join")
    numbers: dict[str, Any] = {"window_h": _window_h(data), "pieces": relinked.pieces, "neighbours": score.neighbours}
    numbers |= {"joined": score.right, "chance": score.chance, "restored": score.restored, "several": score.several}
    restored = several(score.restored, "person was", "people were")
    sample = drawn_note(len(sampled), len(data.visits), "; among more people joins are harder")
    notes = (f"chance {percent(score.chance)}", f"{restored} fully reconstructed, of {score.several:,}", sample)
    number = f"{percent(score.share)} ({score.right:,} of {several(score.neighbours, 'pair')} of pieces)"
    return Finding(score.share, number, numbers, (relinked,), "; ".join(filter(None, notes)))


def _later(data: Dataset) -> Finding:
    middle = _middle(data)
    known, target = within(data.from_zero, 0, middle), within(data.from_zero, middle, data.slots)
    sampled = some_people(known, people=KNOWN_PEOPLE, seed=data.options.seed)
    linkage = link(sampled, target, **MOMENTS, period_slots=_period(data))
    if not linkage.scored:
        raise Inapplicable("nobody is in both halves of the period, so nobody can be recognised")
    sample = drawn_note(len(sampled), len(known), f" and looked for among {len(target):,}")
    return _linked(
        linkage,
        f"{several(linkage.without, 'person is', 'people are')} in one half only" if linkage.without else "",
        sample,
    )


def _middle(data: Dataset) -> int:
    """The border of two days nearest to the middle of the period."""
    return max(data.days // 2, 1) * data.per_day


def _period(data: Dataset) -> int:
    """Routines by the hour of the week if both halves hold a week, else by the hour of the day."""
    return (WEEK if data.days >= 2 * WEEK else 1) * data.per_day


def _matched(data: Dataset) -> Finding:
    if isinstance(data.published, Fingerprints):
        return alone_in_boxes(data, people=KNOWN_PEOPLE)
    (known, target), truth = same_ground(data), data.options.link
    scored = isinstance(target, Release) or truth is not None
    if isinstance(target, Visits) and not scored and (_is_folder(data) or are_pseudonyms(target.users)):
        raise DataError(UNTOLD)  # pseudonyms may be numbers, and so may be people: equal ones mean nothing
    nameless = checked_link(data, known, target.data if isinstance(target, Release) else target)
    sampled = known if isinstance(target, Release) else some_people(known, people=KNOWN_PEOPLE, seed=data.options.seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the two have no time slot in common", IncrowdWarning)  # APART says it
        linkage = link(sampled, target, truth=truth, **MOMENTS)
    if not linkage.scored:
        raise DataError(UNTOLD if truth is None else MISLINKED)
    if linkage.silent == linkage.scored:
        raise DataError(APART)
    lost = _lost(linkage)
    sample = drawn_note(len(sampled), len(known), f" and looked for among {linkage.target:,} pseudonyms")
    bare = "the cells and slots of the release were assumed to be those of the data" if data.bare else ""
    equal = "" if scored else "equal labels were assumed to be the same person"
    grain = grain_note(data.published) if isinstance(data.published, Visits) else ""
    return _linked(linkage, grain, equal, bare, lost, sample, nameless)


def _publishes_boxes(data: Dataset) -> bool:
    try:
        return isinstance(data.published, Fingerprints)
    except IncrowdError:
        return False  # the question itself says what is wrong with it


def _is_folder(data: Dataset) -> bool:
    return isinstance(data.options.release, Path) and data.options.release.is_dir()


def _lost(linkage: Linkage) -> str:
    """Who cannot be looked for: a link that leaves pseudonyms out does not say whether they are in the release."""
    if not linkage.without:
        return ""
    people = several(linkage.without, "person is", "people are")
    return f"{people} not {'named by the link file' if linkage.untold else 'in the release'}"


def _linked(linkage: Linkage, *notes: str) -> Finding:
    names = (
        "known",
        "target",
        "scored",
        "without",
        "silent",
        "period_slots",
        "median_rank",
        "claimed",
        "claimed_right",
    )
    numbers: dict[str, Any] = {name: getattr(linkage, name) for name in names}
    numbers |= {"hit": dict(linkage.hit), "chance": dict(linkage.chance), "interval": linkage.interval}
    right = f"{(linkage.hit[1] or 0.0) * linkage.scored:,.1f}".removesuffix(".0")  # ties in expectation
    number = f"{percent(linkage.hit[1])} ({right} of {several(linkage.scored, 'person', 'people')})"
    notes = (f"chance {percent(linkage.chance[1])}", *notes)
    return Finding(linkage.hit[1], number, numbers, (linkage,), "; ".join(filter(None, notes)))


def _guarantees(data: Dataset) -> Finding:
    from incrowd import audit

    release: Any = data.options.release
    original: Any = data.visits if data.traces is None else data.traces
    if isinstance(release, Release) and isinstance(release.data, Visits):
        original = original_on(release.data, data)
    verdict = audit.check(release, original=original, link=data.options.link)
    done = sum(check.status != "not applicable" for check in verdict.checks)
    failed = len(verdict.failed)
    share = failed / done if done else None
    names = [check.name for check in verdict.failed]
    numbers = {"failed": names, "applied": done, "checks": len(verdict)}
    note = f"failed: {', '.join(names)}" if names else ""
    return Finding(share, f"{percent(share)} ({failed} of {several(done, 'check')})", numbers, (verdict,), note)


def _pieces_s(data: Dataset) -> float:
    people = min(len(data.visits), RELINK_PEOPLE)
    visits = data.visits.records / len(data.visits)
    return LOAD_S + JOIN_S * people * people * visits * (1 + visits / LONG)


def _later_s(data: Dataset) -> float:
    people = len(data.visits)
    return LOAD_S + MEET_S * min(people, KNOWN_PEOPLE) * people * data.visits.records / people / 2


def _no_pieces(data: Dataset) -> str:
    slot_min = data.visits.slot_min
    if slot_min is None:
        return "windows in hours need visits with slot_min"
    window_h = _window_h(data)
    if 60 * window_h % slot_min:
        return f"slots of {slot_min:,} min do not divide a window of {window_h:g} h"
    return "" if data.slots * slot_min > 60 * window_h else f"the data cover no more than one window of {window_h:g} h"


def _no_halves(data: Dataset) -> str:
    slot_min = data.visits.slot_min
    if slot_min is None:
        return "halves in days need visits with slot_min"
    if DAY_MIN % slot_min:
        return f"slots of {slot_min:,} min do not divide a day"
    return "" if data.days > 1 else "the data cover a single day, which has no later period"


def _no_guarantees(data: Dataset) -> str:
    given = data.options.release
    if isinstance(given, UserTable) or (isinstance(given, Path) and given.is_file()):
        return "a table alone states no guarantees; give the folder of the release, or the Release itself"
    return no_release(data)


PIECES = Question(
    name="pieces",
    about=ABOUT,
    asks="Can the pieces of a cut trajectory be joined again?",
    attacker=lambda data: (
        f"The attacker sees the data cut into windows of {_window_h(data):g} h under fresh pseudonyms, and nothing else"
    ),
    seconds=_pieces_s,
    run=_pieces,
    lacks=_no_pieces,
)
LATER = Question(
    name="later",
    about=ABOUT,
    asks="Can people be recognised in a later period?",
    attacker=lambda _: (
        "The attacker holds the first half of the period under names and compares routines with the second half"
    ),
    seconds=_later_s,
    run=_later,
    lacks=_no_halves,
)
MATCHED = Question(
    name="matched",
    about=ABOUT,
    asks="Can published records be matched to known people?",
    attacker=lambda data: KNOWS if _publishes_boxes(data) else HOLDS,
    seconds=lambda data: 2 * _later_s(data),
    run=_matched,
    lacks=no_release,
    of=RELEASE,
)
GUARANTEES = Question(
    name="guarantees",
    about=ABOUT,
    asks="Does the release meet the guarantees it states?",
    attacker=lambda _: (
        "No attacker but an auditor, who sees release and original and trusts neither the tool nor its maker"
    ),
    seconds=lambda data: LOAD_S + 1e-5 * data.visits.records,
    run=_guarantees,
    lacks=_no_guarantees,
    of=RELEASE,
)
