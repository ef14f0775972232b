"""The release itself: its guarantees, its other columns, its pieces joined again, its pseudonyms matched again."""

from fractions import Fraction
from typing import Any

import numpy as np

from incrowd.arrays import Ints
from incrowd.assess.dataset import Dataset
from incrowd.assess.question import Finding, Inapplicable, Number, Question, drawn_note
from incrowd.assess.questions.inferring import named_columns
from incrowd.assess.questions.linking import LOAD_S, drawn_people, later_s, only
from incrowd.assess.questions.lookup import STRANGERS, audit_memory, guesses, no_release, no_rows
from incrowd.attack import link, relink
from incrowd.attack.people import read_link
from incrowd.data import Fingerprints, Release, UserTable
from incrowd.errors import DataError, IncrowdError
from incrowd.measure.uniqueness.question import wilson
from incrowd.plain import percent, printed, several

HOLDS = (
    "The attacker already holds the whole original under names and looks for the pseudonym of everybody; it learns the "
    "pseudonym, nothing new about places"
)
SPREAD = "boxes are so large that their middles are where nobody was, so this attack has nothing to go by"
ELSEWHERE = "no visit of the original data is in the release; check that both are of the same places and times"
TEXT_BYTES = 250  # a value as a text, and what it is compared by
PIECES_BYTES, MATCHED_BYTES = 260, 135  # of a visit whose pieces are joined, or that is matched with a pseudonym's
JOIN_S, LONG = 6e-9, 700  # seconds per pair of people and visit of each, twice that for so many visits


def _guarantees(data: Dataset) -> Finding:
    verdict = data.verdict
    failed = [check.name for check in verdict.failed]
    done = sum(check.status in ("pass", "fail") for check in verdict.checks)
    notes = (f"failed: {', '.join(failed)}" if failed else "", verdict.summary)
    return Finding(
        judged=(Number(limit="guarantees", what="checks that fail", value=Fraction(len(failed))),),
        number=f"{len(failed)} (of {several(done, 'check')} fail)",
        numbers={"failed": failed, "applied": done, "checks": len(verdict)},
        results=(verdict,),
        note="; ".join(filter(None, notes)),
    )


def _columns(data: Dataset) -> Finding:
    texts = {name: _texts(data.table.attributes[name]) for name in named_columns(data)}
    stated, harmless = data.params.get("sensitive"), set(data.options.harmless)
    known = _known(data)
    combinations: set[tuple[str, ...]] = {(name,) for name in texts} | ({known} if known else set())
    crowds = {names: _sharing(data, [texts[name] for name in names]) for names in sorted(combinations)}
    judged = {names: guesses("columns", crowd, drawn=False) for names, crowd in crowds.items()}
    above = {
        names
        for names, pair in judged.items()
        if any(data.options.limit(one.limit).exceeded(one.value) for one in pair)
    }
    worst = max(judged, key=lambda names: (names in above, judged[names][0].value, -len(names)))
    unknown = [name for name in texts if name != data.sensitive and (name not in harmless or name == stated)]
    if unknown and not above:
        raise DataError(
            f"of {', '.join(unknown)} it was not said whether {'they are' if len(unknown) > 1 else 'it is'} sensitive "
            "or harmless; say it (--sensitive NAME, --harmless NAME)"
        )
    alone = {name: float((crowds[name,] == 1).mean()) for name in texts}
    described = ", ".join(f"{name} {percent(share)}" for name, share in alone.items())
    return Finding(
        judged=judged[worst],
        number=f"{percent(float(judged[worst][0].value))} (right guesses of a person by {' and '.join(worst)})",
        numbers={"alone": alone, "worst": list(worst), "harmless": sorted(harmless)},
        note=f"people whose value nobody shares, by column: {described}",
    )


def _known(data: Dataset) -> tuple[str, ...]:
    """What somebody calls sensitive is to be inferred; the other columns may be known of a person, all together."""
    return tuple(name for name in named_columns(data) if name not in (data.sensitive, data.params.get("sensitive")))


def known_values(data: Dataset) -> Ints | None:
    """A number for each published row, equal where all columns are that may be known of a person; None without any."""
    columns = [_texts(data.table.attributes[name]) for name in _known(data)]
    if not columns:
        return None
    return _numbered(columns)


def _numbered(columns: list[list[str]]) -> Ints:
    """A number for each row, equal where all columns are."""
    code: Ints = np.unique([str(row) for row in zip(*columns, strict=True)], return_inverse=True)[1]
    return code


def _texts(values: Any) -> list[str]:
    """Values as they are told apart; people without a value share that."""
    return [str(sorted(map(str, value))) if isinstance(value, (set, frozenset)) else str(value) for value in values]


def _sharing(data: Dataset, columns: list[list[str]]) -> Ints:
    """For each person how many people have the same values in all of some columns; several rows of one count once."""
    code = _numbered(columns)
    try:
        subject = data.subject
    except IncrowdError:  # whose rows they are is not known, and the other tests say so
        return np.bincount(code)[code]
    members = subject.release.members
    pairs = np.unique(np.stack([code[members.owner], members.positions]), axis=1)
    return subject.per_person(np.bincount(pairs[0], minlength=len(code))[code])[subject.present]


def _no_columns(data: Dataset) -> str:
    """The auditor lists the columns of counts."""
    if data.publishes_counts or not isinstance(data.table, UserTable):
        return "nothing is published of single people"
    return "" if any(named_columns(data)) else "no column is published beyond those of the kind"


def _no_guarantees(data: Dataset) -> str:
    if isinstance(data.options.release, UserTable):
        return "a table in memory states no guarantees; give the folder of the release, or the Release itself"
    return no_release(data)


GUARANTEES = Question(
    name="guarantees",
    about="release",
    asks="Does the release meet the guarantees it states?",
    attacker=lambda _: (
        "No attacker but an auditor, who sees release and original and trusts neither the tool nor its maker"
    ),
    seconds=lambda data: 0.3 + 1e-6 * data.visits.records,
    memory=audit_memory,
    run=_guarantees,
    lacks=_no_guarantees,
)
COLUMNS = Question(
    name="columns",
    about="inference",
    asks="What do the other published columns give away?",
    attacker=lambda _: "The attacker reads every published column and knows the values of somebody",
    seconds=lambda data: 0.1 + 1e-6 * len(data.visits),
    memory=lambda data: TEXT_BYTES * len(data.visits) * len(list(named_columns(data))),
    run=_columns,
    lacks=_no_columns,
    who=False,
)


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
    drawn = drawn_people(subject.known, data.options.people, data.seed)
    linkage = link(
        only(subject.known, drawn),
        Release(subject.visits, subject.release.members),
        score="overlap",
        views=("moments",),
    )
    if not linkage.scored:
        raise DataError(STRANGERS)
    if linkage.silent == linkage.scored:
        raise DataError(SPREAD if isinstance(subject.release.data, Fingerprints) else ELSEWHERE)
    right = Number(
        limit="release_full", what="pseudonyms matched", value=linkage.hit[1] or 0.0, interval=linkage.interval
    )
    free = data.options.limit("release_full").value is None
    return Finding(
        judged=(right,),
        number=printed(linkage.hit[1] or 0.0, linkage.scored, of=len(subject.present)),
        numbers={"hit": dict(linkage.hit), "chance": dict(linkage.chance), "interval": linkage.interval},
        results=(linkage,),
        note="; ".join(
            filter(None, (drawn_note(len(drawn), len(subject.present)), "not judged unless you set a limit" * free))
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
    return no_release(data) or no_rows(data)


PIECES = Question(
    name="pieces",
    about="linkability",
    asks="Can the pieces of a cut trajectory be joined again?",
    attacker=lambda _: "The attacker sees the pieces under their pseudonyms, and nothing else",
    seconds=_pieces_s,
    memory=lambda data: PIECES_BYTES * data.visits.records,
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
    memory=lambda data: MATCHED_BYTES * data.visits.records,
    run=_release_full,
    lacks=_no_full,
)
