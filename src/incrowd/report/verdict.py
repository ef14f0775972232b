"""An assessment -> its page above the details: verdict, numbers that decide, next steps, map, records."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from incrowd.plain import several
from incrowd.report.cards import Card, Tone, card_of, excess_of
from incrowd.report.signing import Rows, Signing, signing_of
from incrowd.show import Panel

if TYPE_CHECKING:
    from incrowd.assess import Assessment
    from incrowd.ledger import Ledger

DECIDE = 5  # numbers on the first screen
GAP = "\N{NO-BREAK SPACE}"
GROUPS = {
    "singling out": "Can one person be isolated in what is published?",
    "linkability": "Can records of one person be connected, here or with another file?",
    "inference": "Can something be learned about a person that was not known?",
    "membership": "Can somebody be known to be in the data?",
    "release": "Is the release what it says it is?",
}


@dataclass(frozen=True)
class CardGroup:
    """Tests about the same thing."""

    name: str
    asks: str
    cards: tuple[Card, ...]


@dataclass(frozen=True)
class NextStep:
    """What to do, why, and commands to copy, one in each line."""

    what: str
    why: str
    command: str = ""


@dataclass(frozen=True)
class RiskPicture:
    """The map of risk with its heading and its answer."""

    question: str
    answer: str
    panel: Panel


@dataclass(frozen=True)
class Stage:
    """A step of the records.

    Args:
        name: Of the step.
        kept: Records left.
        share: Of all that were read, in percent of the width.
        people: People left.
        changes: Why records left or came, with their number.
    """

    name: str
    kept: str
    share: float
    people: str
    changes: Rows


@dataclass(frozen=True)
class FirstScreen:
    """The page of an assessment above its details."""

    tone: Tone
    headline: str
    lead: str
    about: str
    judges: str
    decide: tuple[Card, ...]
    more: str
    steps: tuple[NextStep, ...]
    head: Signing | None
    groups: tuple[CardGroup, ...]
    idle: Rows
    map: RiskPicture | None
    stages: tuple[Stage, ...]


def verdict_of(assessment: "Assessment") -> FirstScreen:
    """All that the page shows above its details.

    Args:
        assessment: What was found.
    """
    headline, _, lead = assessment.section().answer.partition(". ")
    cards = [card_of(answer) for answer in assessment.answers if answer.verdict != "does not apply"]
    shut = [card for card in cards if card.tone in ("bad", "gap") and (card.answer.due or card.tone == "bad")]
    shut.sort(key=lambda card: -excess_of(card.answer))
    decide = tuple(shut[:DECIDE]) or tuple(card for card in cards if card.tone == "ok")[:DECIDE]
    within = sum(card.tone == "ok" for card in cards) - sum(card.tone == "ok" for card in decide)
    more = (
        f"{several(within, 'more test is', 'more tests are')} within {'its limit' if within == 1 else 'their limits'}."
    )
    return FirstScreen(
        tone=tone_of(assessment),
        headline=f"{headline.rstrip('.')}.",
        lead=lead.replace(" %", f"{GAP}%").replace("(1 in 11)", f"(1{GAP}in{GAP}11)"),
        about=_about(assessment),
        judges=assessment.judges,
        decide=decide,
        more=more if within else "",
        steps=tuple(_steps(assessment)),
        head=signing_of(assessment),
        groups=tuple(_groups(cards)),
        idle=tuple(_idle(assessment)),
        map=_map(assessment),
        stages=tuple(_stages(assessment.ledger)),
    )


def tone_of(assessment: "Assessment") -> Tone:
    """The colour of a verdict.

    Args:
        assessment: What was found.
    """
    return "ok" if assessment.passed else "bad" if assessment.above or assessment.refused else "gap"


def _groups(cards: list[Card]) -> Iterator[CardGroup]:
    for about, asks in GROUPS.items():
        alike = tuple(card for card in cards if card.answer.about == about)
        if alike:
            yield CardGroup(about.capitalize(), asks, alike)


def _idle(assessment: "Assessment") -> Iterator[tuple[str, str]]:
    """Tests that do not apply; of data as they are, those of releases go without saying."""
    for one in assessment.answers:
        if one.verdict == "does not apply" and not (assessment.judges == "data" and "release" in one.note):
            yield one.asks, f"{one.note[:1].upper()}{one.note[1:]}."


def _about(assessment: "Assessment") -> str:
    head = assessment.head
    files = {} if head is None else {one.role: one.name for one in reversed(head.files)}
    data = files.get("data", "data in memory")
    what = f"Release {files.get('release', 'in memory').partition('/')[0]} of {data}"
    period = "" if head is None or head.period is None else " to ".join(head.period)
    made = "" if head is None else f"assessed {head.made[:10]}"
    return " · ".join(filter(None, (what if assessment.judges == "release" else data, period, made)))


def _steps(assessment: "Assessment") -> Iterator[NextStep]:
    """What to do next, in order."""
    for setting in assessment.refused:
        yield NextStep(
            "Give the reason for a setting, or leave it out.", f"{setting[:1].upper()}{setting[1:]} (--override)."
        )
    for one in assessment.open:
        yield NextStep(f"Answer: {one.asks}", f"{one.note[:1].upper()}{one.note[1:]}.")
    advice = assessment.advice
    if advice is not None and advice.best is not None:
        why = f"It passes every test on both halves of the people. {advice.best.left}"
        yield NextStep(f"Publish {advice.best} instead.", why, advice.command)
    elif advice is not None:
        yield NextStep("Publish something else.", advice.section().answer)
    elif assessment.above:
        why = "The command tries every method on the same people and attacks each result alike."
        yield NextStep("Look for a release that passes.", why, f"incrowd compare {_data(assessment)} -o compare.html")
    if assessment.passed:
        why = "Keep the link file apart from the release, and assess again when data or limits change."
        yield NextStep("Decide and sign below.", why)
        yield NextStep(
            "Let somebody else check it.", "The auditor trusts neither the tool nor its maker.", _audit(assessment)
        )


def _data(assessment: "Assessment") -> str:
    head = assessment.head
    return next((one.name for one in head.files if one.role == "data"), "DATA") if head else "DATA"


def _audit(assessment: "Assessment") -> str:
    head = assessment.head
    files = {} if head is None else {one.role: one.name for one in reversed(head.files)}
    if "release" not in files:
        return ""
    link = f" --link {files['link']}" if "link" in files else ""
    return f"incrowd audit {files['release'].partition('/')[0]} --original {_data(assessment)}{link}"


def _map(assessment: "Assessment") -> RiskPicture | None:
    if assessment.risk_map is None or not len(assessment.risk_map.cell):
        return None
    part = assessment.risk_map.section()
    before = assessment.judges == "release"
    question = "Where one visit identified people before the release" if before else "Where one visit identifies people"
    return RiskPicture(question, part.answer, part.panels[0])


def _stages(ledger: "Ledger") -> Iterator[Stage]:
    most = max((max(step.read, step.kept) for step in ledger.steps), default=0) or 1
    for step in ledger.steps:
        changes = [(why, f"-{n:,}") for why, n in step.dropped.items() if n]
        changes += [(why, f"+{n:,}") for why, n in step.created.items() if n]
        people = "" if step.users is None else several(step.users[1], "person", "people")
        yield Stage(step.name.capitalize(), f"{step.kept:,}", round(100 * step.kept / most, 1), people, tuple(changes))
