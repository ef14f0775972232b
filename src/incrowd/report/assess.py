"""The first section of an assessment: every question with its number, threshold, verdict and attacker."""

from dataclasses import replace
from typing import Any

from incrowd.assess import Assessment
from incrowd.assess.budget import in_words
from incrowd.assess.question import ABOVE, Answer
from incrowd.assess.question_sensitive import SensitiveInference
from incrowd.assess.thresholds import HONESTY
from incrowd.attack import Linkage
from incrowd.report.section import Grid, Section, section

HEAD = ("question", "number", "threshold", "verdict", "attacker")
CONFIDENCE = (
    "A value is inferred where, for some set of known visits, at least this share of the people who made all of them "
    "carry the person's own value [mohammed2009, Def. 3.1]; whoever is alone with them is inferred."
)
OPEN_GATE = "Nothing above its threshold is no proof of safety: only what was asked was answered."


def parts(found: Assessment) -> list[Any]:
    """Everything a report shows of an assessment, the one page first."""
    behind = [_named(record, answer) for answer in found.answers for record in found.results.get(answer.name, ())]
    return [found, *([] if found.summary is None else [found.summary]), *behind, found.ledger]


def _named(record: Any, answer: Answer) -> Any:
    """Two linkages ask the same of different data: each under its own question."""
    return replace(section(record), question=answer.asks) if isinstance(record, Linkage) else record


@section.register
def _assessment(result: Assessment) -> Section:
    asked = [one for one in result.answers if one.value is not None]
    grain = "" if result.slot_min is None else f" in slots of {result.slot_min} min"
    return Section(
        question="Is it safe to publish?",
        answer=result.verdict,
        number=str(len(result.above)),
        number_of="answers above their thresholds",
        tables=[Grid(HEAD, [_cells(one) for one in asked], _caption(result)), *_notes(result), *_unasked(result)],
        method=[
            HONESTY,
            OPEN_GATE,
            f"{result.people:,} people, {result.visits:,} visits to {result.places}{grain}, {result.days:,} days.",
            f"Questions were asked in the order of what they tell, within {in_words(result.budget_s)}.",
            "Each has its own section below, with its method and its paper.",
        ],
        data=result,
    )


def _cells(one: Answer) -> tuple[str, ...]:
    asks, number, limit, verdict = one.row
    return (asks, number, limit, verdict.upper() if verdict == ABOVE else verdict, f"{one.attacker}.")


def _caption(result: Assessment) -> str:
    return f"Shares of {result.people:,} people unless said otherwise; higher is riskier; seed {result.seed}."


def _notes(result: Assessment) -> list[Grid]:
    rows = [(one.asks, f"{one.note}.") for one in result.answers if one.value is not None and one.note]
    return [Grid(("question", "why"), rows, "What to know about the numbers.")] if rows else []


def _unasked(result: Assessment) -> list[Grid]:
    rows = [(one.asks, f"{one.verdict}: {one.note}.") for one in result.answers if one.value is None]
    return [Grid(("question", "why"), rows, "Questions without an answer.")] if rows else []


@section.register
def _sensitive(result: SensitiveInference) -> Section:
    most = max(result.inferred)
    share = result.inferred[most]
    drawn = f", {result.asked:,} of them drawn at random" if result.asked < result.carriers else ""
    rows = [(str(visits), f"{part:.1%}") for visits, part in sorted(result.inferred.items())]
    return Section(
        question=f"Whose {result.sensitive} is inferred?",
        answer=(
            f"Up to {most} known visits tell the value of {share:.1%} of {result.carriers:,} people{drawn} with a "
            f"confidence of {result.confidence:.0%} or more; without knowing any visit it is {result.inferred[0]:.1%}."
        ),
        number=f"{share:.1%}",
        number_of=f"inferred from {most} visits or fewer",
        tables=[Grid(("known visits, at most", "share of people"), rows)],
        method=[
            CONFIDENCE,
            "The attacker may know just the telling visits; an average one knows less.",
        ],
        data=result,
    )
