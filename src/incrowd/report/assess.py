"""The first section of an assessment: every question with its verdict, number, threshold and attacker."""

from dataclasses import replace
from typing import Any

from incrowd.assess import Assessment
from incrowd.assess.assessment import sizes
from incrowd.assess.question import ABOVE, BEFORE, DATA, NO_ANSWER, NOT_RUN, RELEASE, Answer
from incrowd.assess.questions.boxes import BoxCrowds
from incrowd.assess.questions.sensitive import SensitiveInference
from incrowd.assess.thresholds import HONESTY
from incrowd.attack import Linkage, RecoveryScore
from incrowd.plain import in_words, percent, several
from incrowd.report.section import Grid, Section, section
from incrowd.report.uniqueness import headed

HEAD = ("question", "verdict", "number", "limit")
CONFIDENCE = (
    "A value is inferred where, for some set of known visits, at least this share of the people who made all of them "
    "carry the person's own value [mohammed2009, Def. 3.1]; whoever is alone with them is inferred."
)
LOOKED_UP = (
    "Of the sets of known samples that the boxes of a published trajectory hold and that cannot be enlarged, the worst "
    "one for the person counts; the crowd is everybody behind the trajectories that hold it."
)
ALONE = (
    "Judged is the share of people who are alone in their crowd. A guess within it is right 1 / crowd of the time: "
    "where everybody hides among k or more, that is at most 1/k, which is just what k-anonymity promises."
)
OPEN_GATE = "Nothing above its threshold is no proof of safety: only what was asked was answered."


def parts(assessment: Assessment) -> list[Any]:
    """Everything a report shows of an assessment, the one page first."""
    behind = [
        _named(record, answer) for answer in assessment.answers for record in assessment.results.get(answer.name, ())
    ]
    return [assessment, *([] if assessment.summary is None else [assessment.summary]), *behind, assessment.ledger]


def _named(record: Any, answer: Answer) -> Any:
    """A section under its own question where another one asks the same, with what is judged as its headline."""
    released = answer.group == RELEASE and isinstance(record, (list, SensitiveInference))
    of = "published trajectories" if released else "people"
    if isinstance(record, list):
        part = headed(record, record[answer.numbers["judged"]], of=of)
    else:
        part = _inferred(record, of) if isinstance(record, SensitiveInference) else section(record)
    if isinstance(record, Linkage) or released:
        part = replace(part, question=answer.asks)
    if isinstance(record, RecoveryScore):
        part = _beside_chance(part, answer)
    return replace(part, question=f"Before: {part.question}") if answer.group == BEFORE else part


def _beside_chance(part: Section, answer: Answer) -> Section:
    chance = answer.numbers["chance"]
    guess = max(chance, key=lambda name: chance[name])
    judged = "is judged" if answer.numbers["judged"] == guess else "is worse than the attack"
    beside = f"The best guess from the same counts, '{guess}', has {chance[guess]:.1%} right and {judged}."
    return replace(part, answer=f"{part.answer} {beside}", data={**part.data, "chance": chance})


@section.register
def _assessment(result: Assessment) -> Section:
    grain = "" if result.slot_min is None else f" in slots of {result.slot_min} min"
    return Section(
        question="Is it safe to publish?",
        answer=f"{result.gate[0].upper()}{result.gate[1:]}. {result.verdict}",
        number=str(len(result.above) + len(result.open)) if result.held or result.open else "-",
        number_of="above their thresholds or missing",
        tables=[*_verdicts(result), *_attackers(result), *_notes(result), *_unasked(result)],
        method=[
            HONESTY,
            OPEN_GATE,
            f"{sizes(result)}; {result.places}{grain}.",
            f"Questions were asked in the order of what they tell, within {in_words(result.budget_s)}.",
            "Each has its own section below, with its method and its paper.",
        ],
        data=result,
    )


def _verdicts(result: Assessment) -> list[Grid]:
    """One table, or with a release one of it and one of what was before."""
    who = f"Shares of {several(result.people, 'person', 'people')} unless said otherwise"
    caption = f"{who}; higher is riskier; seed {result.seed}."
    if not result.before:
        return [_judged(result, (DATA, RELEASE), caption)]
    context = "Before: the data as they are. Verdicts in brackets are context and do not count."
    return [
        _judged(result, (RELEASE,), f"The release. {caption}"),
        _judged(result, (BEFORE,), context),
    ]


def _judged(result: Assessment, groups: tuple[str, ...], caption: str) -> Grid:
    """Numbers lead to the value that was judged, limits to the threshold; what stands in brackets is told below.

    What is missing though it was due stands here too: it shuts the gate.
    """
    places = [(place, one) for place, one in enumerate(result.answers) if one.group in groups]
    answered = [(place, one) for place, one in places if one.value is not None or one in result.open]
    at = {
        (row, HEAD.index(column)): ("answers", place, name)
        for row, (place, one) in enumerate(answered)
        for column, name in (("number", "value"), ("limit", "threshold"))
        if getattr(one, name) is not None
    }
    return Grid(HEAD, [_cells(one) for _, one in answered], caption, at)


def _cells(one: Answer) -> tuple[str, ...]:
    asks, number, limit, verdict = one.row
    return (
        asks,
        verdict.upper() if verdict in (ABOVE, NOT_RUN, NO_ANSWER) else verdict,
        number.partition(" (")[0].removesuffix(" fail"),
        limit,
    )


def _attackers(result: Assessment) -> list[Grid]:
    rows = [(one.asks, f"{one.attacker}.") for one in result.answers if one.value is not None]
    return [Grid(("question", "attacker"), rows, "Who asks, and what they know.")] if rows else []


def _notes(result: Assessment) -> list[Grid]:
    rows = [
        (one.asks, f"{'; '.join(filter(None, (one.number, one.note)))}.")
        for one in result.answers
        if one.value is not None
    ]
    return [Grid(("question", "in full"), rows, "What to know about the numbers.")] if rows else []


def _unasked(result: Assessment) -> list[Grid]:
    rows = [(one.asks, f"{one.verdict}: {one.note}.") for one in result.answers if one.value is None]
    return [Grid(("question", "why"), rows, "Questions without an answer.")] if rows else []


@section.register
def _sensitive(result: SensitiveInference) -> Section:
    return _inferred(result, "people")


def _inferred(result: SensitiveInference, of: str) -> Section:
    most = max(result.inferred)
    share = result.inferred[most]
    people = several(result.carriers, "person" if of == "people" else "published trajectory", of)
    more = (
        f" Of {result.undecided:,} more, not every pair of visits was tried; they are counted as inferred."
        if result.undecided
        else ""
    )
    counted = "" if result.values is None else f" Values that count: {', '.join(result.values)}."
    rows = [(str(visits), f"{part:.1%}") for visits, part in sorted(result.inferred.items())]
    return Section(
        question=f"Whose {result.sensitive} is inferred?",
        answer=(
            f"Up to {several(most, 'known visit')} tell the value of {share:.1%} of {people} with a "
            f"confidence of {result.confidence:.0%} or more; without knowing any visit it is "
            f"{result.inferred[0]:.1%}.{more}{counted}"
        ),
        number=f"{result.at_most:.1%}",
        number_of=f"inferred from {several(most, 'visit')} or fewer{', at most' if result.undecided else ''}",
        tables=[Grid(("known visits, at most", f"share of {of}"), rows)],
        method=[
            CONFIDENCE,
            "The attacker may know just the telling visits; an average one knows less.",
        ],
        data={**vars(result), "at_most": result.at_most},
        number_at=("at_most",),
    )


@section.register
def _crowds(result: BoxCrowds) -> Section:
    rows = [
        ("alone in their crowd (judged)", percent(result.singled_out)),
        ("found by a guess within the crowd", percent(result.expected_hit)),
        ("in some crowd", percent(result.found)),
        ("smallest crowd", "-" if result.crowd_least is None else f"{result.crowd_least:,.0f}"),
        ("median crowd", "-" if result.crowd_median is None else f"{result.crowd_median:,.0f}"),
    ]
    at = ("singled_out", "expected_hit", "found", "crowd_least", "crowd_median")
    drawn = f" of {result.of_people:,}, drawn at random" if result.people < result.of_people else ""
    return Section(
        question="Is the release linked back?",
        answer=(
            f"{result.points} random samples lead to a crowd of nobody else for {percent(result.singled_out)} of "
            f"{several(result.people, 'person', 'people')}{drawn}; a guess within the crowd is right "
            f"{percent(result.expected_hit)} of the time."
        ),
        number=percent(result.singled_out),
        number_of="alone behind the boxes",
        tables=[
            Grid(
                ("", "share, or people"),
                rows,
                at={(row, 1): (name,) for row, name in enumerate(at) if "-" not in rows[row]},
            )
        ],
        method=[LOOKED_UP, ALONE, f"Known are {result.points} samples of each person, to 100 m and a minute."],
        data=result,
        number_at=("singled_out",),
    )
