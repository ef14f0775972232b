"""Pieces of a cut trajectory joined again, and pseudonyms matched by whoever holds the whole original."""

from fractions import Fraction
from typing import Any

import numpy as np

from incrowd.assess.dataset import Dataset
from incrowd.assess.question import Finding, Inapplicable, Number, Question, drawn_note
from incrowd.assess.questions.linking import LOAD_S, later_s, only, some
from incrowd.assess.questions.lookup import no_rows
from incrowd.attack import link, relink
from incrowd.attack.people import read_link
from incrowd.data import Fingerprints, Release
from incrowd.errors import DataError
from incrowd.measure.uniqueness.question import wilson
from incrowd.plain import percent, several

HOLDS = (
    "The attacker already holds the whole original under names and looks for the pseudonym of everybody; it learns the "
    "pseudonym, nothing new about places"
)
SPREAD = "boxes are so large that their middles are where nobody was, so this attack has nothing to go by"
ELSEWHERE = "no visit of the original data is in the release; check that both are of the same places and times"
JOIN_S, LONG = 6e-9, 700  # seconds per pair of people and visit of each, twice that for so many visits


def _pieces(data: Dataset) -> Finding:
    release = data.subject.release
    if data.method != "Cut":
        raise DataError("somebody is behind several rows, and the release does not say into which windows it was cut")
    by: tuple[Any, ...] = ("gain", "evidence")
    tries = [relink(release, score=score, seed=data.seed) for score in by]
    scores = [one.score for one in tries if one.score is not None and one.score.share is not None]
    if not scores:
        raise Inapplicable("nobody has two pieces in consecutive windows, so there is nothing to join")
    best = max(scores, key=lambda one: one.share or 0.0)
    relinked = tries[scores.index(best)]
    people, share = max(best.several, 1), best.share or 0.0
    restored = Fraction(best.restored, people)
    others = ", ".join(f"{name} {percent(one.share)}" for name, one in zip(by, scores, strict=False))
    return Finding(
        judged=(
            Number(limit="pieces", what="pairs of pieces joined rightly", value=share, interval=wilson(share, people)),
            Number(
                limit="worst",
                what="people fully reconstructed",
                value=restored,
                interval=wilson(float(restored), people),
            ),
        ),
        number=f"{percent(share)} ({best.right:,} of {several(best.neighbours, 'pair')} of pieces)",
        numbers={
            "pieces": relinked.pieces,
            "neighbours": best.neighbours,
            "joined": best.right,
            "chance": best.chance,
            "restored": best.restored,
            "several": best.several,
        },
        results=(relinked,),
        note=f"best of {others}; {several(best.restored, 'person was', 'people were')} fully reconstructed, of "
        f"{best.several:,}",
        chance=best.chance,
    )


def _release_full(data: Dataset) -> Finding:
    subject = data.subject
    asked = some(subject.known, data.options.people, data.seed)
    linkage = link(
        only(subject.known, asked),
        Release(subject.visits, subject.release.members),
        score="overlap",
        views=("moments",),
    )
    if not linkage.scored:
        raise DataError("nobody of the data is in the release; check that both belong together")
    if linkage.silent == linkage.scored:
        raise DataError(SPREAD if isinstance(subject.release.data, Fingerprints) else ELSEWHERE)
    right = f"{(linkage.hit[1] or 0.0) * linkage.scored:,.1f}".removesuffix(".0")
    free = data.options.limit("release_full").value is None
    return Finding(
        judged=(
            Number(
                limit="release_full", what="pseudonyms matched", value=linkage.hit[1] or 0.0, interval=linkage.interval
            ),
        ),
        number=f"{percent(linkage.hit[1])} ({right} of {several(linkage.scored, 'person', 'people')})",
        numbers={"hit": dict(linkage.hit), "chance": dict(linkage.chance), "interval": linkage.interval},
        results=(linkage,),
        note="; ".join(
            filter(None, (drawn_note(len(asked), len(subject.present)), "not judged unless you set a limit" * free))
        ),
        chance=linkage.chance[1],
    )


def _pieces_s(data: Dataset) -> float:
    people, visits = len(data.visits), data.visits.records / len(data.visits)
    return LOAD_S + 2 * JOIN_S * people * people * visits * (1 + visits / LONG)


def _no_pieces(data: Dataset) -> str:
    cut = data.is_release and not data.publishes_counts and (data.method == "Cut" or _has_pieces(data))
    return "" if cut else "nothing was cut into pieces"


def _has_pieces(data: Dataset) -> bool:
    """Whether somebody is behind several rows, whatever method is stated."""
    given, listed = data.options.release, data.options.link
    if listed is not None:
        people: Any = read_link(listed, given).people
    else:
        people = given.members.positions if isinstance(given, Release) else ()
    return len(np.unique(people)) < len(people)


def _no_full(data: Dataset) -> str:
    if not data.is_release:
        return "no release was given (--release)"
    return no_rows(data)


PIECES = Question(
    name="pieces",
    about="linkability",
    asks="Can the pieces of a cut trajectory be joined again?",
    attacker=lambda _: "The attacker sees the pieces under their pseudonyms, and nothing else",
    seconds=_pieces_s,
    run=_pieces,
    lacks=_no_pieces,
    who=True,
)
RELEASE_FULL = Question(
    name="release_full",
    about="linkability",
    asks="Can published records be matched to known people?",
    attacker=lambda _: HOLDS,
    seconds=lambda data: LOAD_S + (later_s(data) - LOAD_S) / 4,
    run=_release_full,
    lacks=_no_full,
)
