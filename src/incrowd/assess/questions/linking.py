"""Linkability: between windows of one release, between releases, and from the original to a release."""

import warnings
from pathlib import Path
from typing import Any

from incrowd import audit
from incrowd.anonymize import Cut
from incrowd.assess.dataset import Dataset, within
from incrowd.assess.question import RELEASE as OF_RELEASE
from incrowd.assess.question import Finding, Inapplicable, Question, drawn_note, no_release
from incrowd.assess.questions.boxes import KNOWS, alone_in_boxes
from incrowd.assess.questions.release import (
    MISLINKED,
    UNTOLD,
    are_pseudonyms,
    checked_link,
    original_on,
    same_ground,
)
from incrowd.attack import Linkage, link, relink
from incrowd.clock import DAY_MIN
from incrowd.data import Fingerprints, Release, Table, Visits
from incrowd.data.sample import some_people
from incrowd.errors import DataError, IncrowdError, IncrowdWarning
from incrowd.plain import percent, several

ABOUT = "linkability"
WINDOW_H = 24
SHORTER_H = 6  # for data of a single day
RELINK_PEOPLE = 3_000
KNOWN_PEOPLE = 2_000  # whose counterparts are looked for among everybody
WEEK = 7
APART = "nobody has a visit that meets one of the release; check that both are of the same places and times"
HOLDS = (
    "The attacker holds the original visits under names, looks each person up in the release and takes the best match, "
    "any one where several are; judged is how often that is right"
)
# Seconds on one core, measured on synthetic cities and taxis, rounded up: to load the kernels, per pair of people and
# visit of each to be joined, for trajectories of so many visits twice that, and to be compared.
LOAD_S, JOIN_S, LONG, MEET_S = 0.5, 6e-9, 700, 3e-10


def _window_h(data: Dataset) -> float:
    return WINDOW_H if data.days > 1 else SHORTER_H


def _windows(data: Dataset) -> Finding:
    sampled = some_people(data.from_zero, people=RELINK_PEOPLE, seed=data.options.seed)
    # Nobody sees these pseudonyms: a seed makes the assessment the same again.
    release = Cut(window_h=_window_h(data))(sampled, pseudonym_seed=data.options.seed)
    relinked = relink(release, seed=data.options.seed)
    score = relinked.score
    if score is None or score.share is None:
        raise Inapplicable("nobody has two pieces in consecutive windows, so that there is nothing to join")
    numbers: dict[str, Any] = {"window_h": _window_h(data), "pieces": relinked.pieces, "neighbours": score.neighbours}
    numbers |= {"joined": score.right, "chance": score.chance, "restored": score.restored, "several": score.several}
    restored = f"{score.restored:,} of {score.several:,} people are whole again"
    sample = drawn_note(len(sampled), len(data.visits), "; among more people joins are harder")
    note = "; ".join(filter(None, (restored, sample)))
    return Finding(score.share, f"{percent(score.share)} (chance {percent(score.chance)})", numbers, (relinked,), note)


def _releases(data: Dataset) -> Finding:
    middle = _middle(data)
    known, target = within(data.from_zero, 0, middle), within(data.from_zero, middle, data.slots)
    sampled = some_people(known, people=KNOWN_PEOPLE, seed=data.options.seed)
    linkage = link(sampled, target, period_slots=_period(data))
    if not linkage.scored:
        raise Inapplicable("nobody is in both halves of the period, so that nobody can be recognized")
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
    """Routines by the hour of the week where both halves hold a week, else by the hour of the day."""
    return (WEEK if data.days >= 2 * WEEK else 1) * data.per_day


def _release(data: Dataset) -> Finding:
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
        linkage = link(sampled, target, truth=truth)
    if not linkage.scored:
        raise DataError(UNTOLD if truth is None else MISLINKED)
    if linkage.silent == linkage.scored:
        raise DataError(APART)
    lost = _lost(linkage)
    sample = drawn_note(len(sampled), len(known), f" and looked for among {linkage.target:,} pseudonyms")
    bare = "cells and slots of the release are taken for those of the data" if data.bare else ""
    equal = "" if scored else "equal labels are taken for one person"
    return _linked(linkage, equal, bare, lost, sample, nameless)


def _publishes_boxes(data: Dataset) -> bool:
    try:
        return isinstance(data.published, Fingerprints)
    except IncrowdError:
        return False  # the question itself says what is wrong with it


def _is_folder(data: Dataset) -> bool:
    return isinstance(data.options.release, Path) and data.options.release.is_dir()


def _lost(linkage: Linkage) -> str:
    """Whom nobody looks for: of a link that leaves pseudonyms out, nobody knows whether they are in the release."""
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
    number = f"{percent(linkage.hit[1])} (chance {percent(linkage.chance[1])})"
    return Finding(linkage.hit[1], number, numbers, (linkage,), "; ".join(filter(None, notes)))


def _audit(data: Dataset) -> Finding:
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
    return Finding(
        share, f"{failed} of {done} fail", numbers, (verdict,), f"failed: {', '.join(names)}" if names else ""
    )


def _windows_s(data: Dataset) -> float:
    people = min(len(data.visits), RELINK_PEOPLE)
    visits = data.visits.records / len(data.visits)
    return LOAD_S + JOIN_S * people * people * visits * (1 + visits / LONG)


def _releases_s(data: Dataset) -> float:
    people = len(data.visits)
    return LOAD_S + MEET_S * min(people, KNOWN_PEOPLE) * people * data.visits.records / people / 2


def _no_windows(data: Dataset) -> str:
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
    return "" if data.days > 1 else "the data cover a single day, which has no two releases"


def _no_promise(data: Dataset) -> str:
    given = data.options.release
    if isinstance(given, Table) or (isinstance(given, Path) and given.is_file()):
        return "mere tables promise nothing; give a release folder, or the Release itself"
    return no_release(data)


WINDOWS = Question(
    name="windows",
    about=ABOUT,
    asks="Are cut pieces joined again?",
    attacker=lambda data: (
        f"The attacker sees the data cut into windows of {_window_h(data):g} h under fresh pseudonyms, and nothing else"
    ),
    seconds=_windows_s,
    run=_windows,
    lacks=_no_windows,
)
RELEASES = Question(
    name="releases",
    about=ABOUT,
    asks="Are people recognized later?",
    attacker=lambda _: (
        "The attacker holds the first half of the period under names and compares routines with the second half"
    ),
    seconds=_releases_s,
    run=_releases,
    lacks=_no_halves,
)
RELEASE = Question(
    name="release",
    about=ABOUT,
    asks="Is the release linked back?",
    attacker=lambda data: KNOWS if _publishes_boxes(data) else HOLDS,
    seconds=lambda data: 2 * _releases_s(data),
    run=_release,
    lacks=no_release,
    of=OF_RELEASE,
)
AUDIT = Question(
    name="audit",
    about=ABOUT,
    asks="Does the release keep its word?",
    attacker=lambda _: (
        "No attacker but an auditor, who sees release and original and trusts neither the tool nor its maker"
    ),
    seconds=lambda data: LOAD_S + 1e-5 * data.visits.records,
    run=_audit,
    lacks=_no_promise,
    of=OF_RELEASE,
)
