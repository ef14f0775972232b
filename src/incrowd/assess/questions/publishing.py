"""The release itself: does it meet its guarantees, and what do its other columns give away?"""

from fractions import Fraction
from typing import Any

import numpy as np

from incrowd.arrays import Ints
from incrowd.assess.dataset import Dataset
from incrowd.assess.question import Finding, Number, Question
from incrowd.assess.questions.guess import guesses
from incrowd.assess.questions.inferring import named_columns
from incrowd.data import UserTable
from incrowd.errors import DataError, IncrowdError
from incrowd.plain import percent, several


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
    asked: set[tuple[str, ...]] = {(name,) for name in texts} | ({known} if known else set())
    crowds = {names: _sharing(data, [texts[name] for name in names]) for names in sorted(asked)}
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
    code: Ints = np.unique([str(row) for row in zip(*columns, strict=True)], return_inverse=True)[1]
    return code


def _texts(values: Any) -> list[str]:
    """Values as they are told apart; people without a value share that."""
    return [str(sorted(map(str, value))) if isinstance(value, (set, frozenset)) else str(value) for value in values]


def _sharing(data: Dataset, columns: list[list[str]]) -> Ints:
    """For each person how many people have the same values in all of some columns; several rows of one count once."""
    code = np.unique([str(row) for row in zip(*columns, strict=True)], return_inverse=True)[1]
    try:
        subject = data.subject
    except IncrowdError:  # whose rows they are is not known, and the other tests say so
        return np.bincount(code)[code]
    members = subject.release.members
    row = np.repeat(np.arange(len(members)), np.diff(members.offsets))
    pairs = np.unique(np.stack([code[row], members.positions]), axis=1)
    return subject.per_person(np.bincount(pairs[0], minlength=len(code))[code])[subject.present]


def _no_columns(data: Dataset) -> str:
    """The auditor lists the columns of counts."""
    if data.publishes_counts or not isinstance(data.table, UserTable):
        return "nothing is published of single people"
    return "" if any(named_columns(data)) else "no column is published beyond those of the kind"


def _no_guarantees(data: Dataset) -> str:
    if isinstance(data.options.release, UserTable):
        return "a table in memory states no guarantees; give the folder of the release, or the Release itself"
    return "" if data.is_release else "no release was given (--release)"


GUARANTEES = Question(
    name="guarantees",
    about="release",
    asks="Does the release meet the guarantees it states?",
    attacker=lambda _: (
        "No attacker but an auditor, who sees release and original and trusts neither the tool nor its maker"
    ),
    seconds=lambda data: 1.0 + 1e-5 * data.visits.records,
    run=_guarantees,
    lacks=_no_guarantees,
)
COLUMNS = Question(
    name="columns",
    about="inference",
    asks="What do the other published columns give away?",
    attacker=lambda _: "The attacker reads every published column and knows the values of somebody",
    seconds=lambda data: 0.1 + 1e-6 * len(data.visits),
    run=_columns,
    lacks=_no_columns,
    who=False,
)
