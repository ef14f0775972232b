"""An assessment -> its page above the details: verdict, numbers that decide, next steps, map, records."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from incrowd.plain import sentence, several
from incrowd.report.cards import Card, Tone, card_of
from incrowd.report.next_steps import NextStep, next_steps
from incrowd.report.signing import Rows, Signing, signing_of
from incrowd.show import Panel

if TYPE_CHECKING:
    from incrowd.assess import Assessment

DECIDE = 5  # numbers on the first screen
STEPS = {"dp_counts": "Counts with noise", "glove": "GLOVE", "lkc": "LKC", "w4m": "W4M"}
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
        people: People left, or pseudonyms; empty if that is not plain.
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
    override: str
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
    headline, _, lead = assessment.verdict.partition(". ")
    cards = [card_of(answer) for answer in assessment.answers if answer.verdict != "does not apply"]
    shut = [card for card in cards if card.tone in ("bad", "gap") and (card.answer.due or card.tone == "bad")]
    shut.sort(key=lambda card: -card.excess)
    good = sorted((card for card in cards if card.tone == "ok"), key=_near)
    decide = tuple(shut[:DECIDE] or good[:DECIDE])
    overrides = assessment.override and assessment.shopping
    return FirstScreen(
        tone=tone_of(assessment),
        override=f"Override: {assessment.override} ({'; '.join(assessment.shopping)})." if overrides else "",
        headline=f"{headline.rstrip('.')}.",
        lead=lead,
        about=_about(assessment),
        judges=assessment.judges,
        decide=decide,
        more=_more(card for card in cards if card not in decide),
        steps=tuple(next_steps(assessment)),
        head=signing_of(assessment),
        groups=tuple(_groups(cards)),
        idle=tuple(_idle(assessment)),
        map=_map(assessment),
        stages=tuple(_stages(assessment)),
    )


def _near(card: Card) -> tuple[bool, float]:
    """Place of a test that is within its limit: the nearest to it first, those that count faults last."""
    return card.deciding is None or card.deciding.bar is None, -card.excess


def tone_of(assessment: "Assessment") -> Tone:
    """The colour of a verdict; what passes only because somebody overrode a rule is not shown as passing.

    Args:
        assessment: What was found.
    """
    if assessment.passed:
        return "gap" if assessment.overridden else "ok"
    return "bad" if assessment.above or assessment.refused else "gap"


def _more(rest: Iterable[Card]) -> str:
    """How many tests stand below only."""
    counts = Counter(card.tone for card in rest)
    words: dict[Tone, str] = {"bad": "above", "gap": "without an answer", "ok": "within the limit"}
    parts = [f"{counts[tone]:,} {what}" for tone, what in words.items() if counts[tone]]
    return f"More tests: {', '.join(parts)}." if parts else ""


def _groups(cards: list[Card]) -> Iterator[CardGroup]:
    for about, asks in GROUPS.items():
        alike = tuple(card for card in cards if card.answer.about == about)
        if alike:
            yield CardGroup(about.capitalize(), asks, alike)


def _idle(assessment: "Assessment") -> Iterator[tuple[str, str]]:
    """Tests that do not apply; of data as they are, those of releases go without saying."""
    for one in assessment.answers:
        if one.verdict == "does not apply" and not (assessment.judges == "data" and "release" in one.note):
            yield one.asks, sentence(one.note)


def _about(assessment: "Assessment") -> str:
    head = assessment.head
    files = {} if head is None else {one.role: one.name for one in reversed(head.files)}
    data = files.get("data", "data in memory")
    what = f"Release {files['release'].partition('/')[0]} of {data}" if "release" in files else f"A release of {data}"
    period = "" if head is None or head.period is None else " to ".join(head.period)
    made = "" if head is None else f"assessed {head.made[:10]}"
    return " · ".join(filter(None, (what if assessment.judges == "release" else data, period, made)))


def _map(assessment: "Assessment") -> RiskPicture | None:
    if assessment.risk_map is None or not len(assessment.risk_map.cell):
        return None
    part = assessment.risk_map.section()
    before = assessment.judges == "release"
    question = "Where one visit identified people before the release" if before else "Where one visit identifies people"
    return RiskPicture(question, f"On {assessment.grain}: {part.answer[0].lower()}{part.answer[1:]}", part.panels[0])


def _stages(assessment: "Assessment") -> Iterator[Stage]:
    """The steps of the records; those of a release end with pseudonyms, which are no people."""
    steps = assessment.ledger.steps
    counts = assessment.head is not None and assessment.head.published.get("noun") == "Counts"
    nouns: tuple[tuple[str, ...], ...] = (("person", "people"), () if counts else ("pseudonym",))
    most = max((max(step.read, step.kept) for step in steps), default=0) or 1
    for step in steps:
        changes = [(why, f"-{n:,}") for why, n in step.dropped.items() if n]
        changes += [(why, f"+{n:,}") for why, n in step.created.items() if n]
        name = STEPS.get(step.name, step.name.replace("_", " ").capitalize())
        noun = nouns[0] if step is steps[0] or assessment.judges == "data" else nouns[1] if step is steps[-1] else ()
        people = several(step.users[1], *noun) if step.users and noun else ""
        yield Stage(name, f"{step.kept:,}", round(100 * step.kept / most, 1), people, tuple(changes))
