"""The release itself: does it meet its guarantees, and what do its other columns give away?"""

from collections import Counter
from fractions import Fraction
from typing import Any

from incrowd.assess.dataset import Dataset
from incrowd.assess.question import Finding, Number, Question
from incrowd.assess.questions.inferring import named_columns
from incrowd.data import UserTable
from incrowd.errors import DataError
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
    table = data.table
    names = list(named_columns(data))
    sensitive, harmless = data.sensitive, set(data.options.harmless)
    shares = {name: _alone(table.attributes[name]) for name in names}
    worst = max(shares, key=lambda name: shares[name])
    unknown = [name for name in names if name != sensitive and name not in harmless]
    limit = data.options.limit("columns")
    if unknown and not limit.exceeded(shares[worst]):
        listed = ", ".join(unknown)
        raise DataError(
            f"of {listed} it was not said whether {'they are' if len(unknown) > 1 else 'it is'} sensitive or harmless; "
            "say it (--sensitive NAME, --harmless NAME)"
        )
    described = ", ".join(f"{name} {percent(float(share))}" for name, share in shares.items())
    return Finding(
        judged=(Number(limit="columns", what="people with a value of their own", value=shares[worst]),),
        number=f"{percent(float(shares[worst]))} (of people have a value of {worst} that nobody shares)",
        numbers={"alone": {name: float(share) for name, share in shares.items()}, "harmless": sorted(harmless)},
        note=f"people whose value nobody shares, by column: {described}",
    )


def _alone(values: Any) -> Fraction:
    """The share of people whose value nobody shares; people without a value share that."""
    texts = [str(sorted(map(str, value))) if isinstance(value, (set, frozenset)) else str(value) for value in values]
    many = Counter(texts)
    return Fraction(sum(many[text] == 1 for text in texts), max(len(texts), 1))


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
    attacker=lambda _: "The attacker reads every published column and knows the value of somebody",
    seconds=lambda data: 0.1 + 1e-6 * len(data.visits),
    run=_columns,
    lacks=_no_columns,
    who=False,
)
