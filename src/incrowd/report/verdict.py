"""An assessment -> its page above the details: verdict, numbers that decide, next steps, map, records."""

import math
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from incrowd.plain import sentence, several
from incrowd.report.cards import Card, Tone, card_of
from incrowd.report.signing import Rows, Signing, signing_of
from incrowd.show import Panel

if TYPE_CHECKING:
    from incrowd.assess import Assessment

DECIDE = 5  # numbers on the first screen
BUDGET = re.compile(r" --budget[ =]\S+")
MISSING = {"--link": " --link link.csv", "--sensitive": " --sensitive NAME"}  # what an answer lacks, as an option
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
    decide = tuple(shut[:DECIDE]) or tuple(card for card in cards if card.tone == "ok")[:DECIDE]
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
        steps=tuple(_steps(assessment)),
        head=signing_of(assessment),
        groups=tuple(_groups(cards)),
        idle=tuple(_idle(assessment)),
        map=_map(assessment),
        stages=tuple(_stages(assessment)),
    )


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
    what = f"Release {files.get('release', 'in memory').partition('/')[0]} of {data}"
    period = "" if head is None or head.period is None else " to ".join(head.period)
    made = "" if head is None else f"assessed {head.made[:10]}"
    return " · ".join(filter(None, (what if assessment.judges == "release" else data, period, made)))


def _steps(assessment: "Assessment") -> Iterator[NextStep]:
    """What to do next, in order."""
    refused = assessment.refused
    if refused:
        what = "a setting, or leave it out" if len(refused) == 1 else f"{len(refused)} settings, or leave them out"
        yield NextStep(f"Give the reason for {what}.", sentence(f"{'; '.join(refused)} (--override)"))
    yield from _open(assessment)
    if not assessment.decisive and not assessment.open:
        why = "No test of who somebody is, or of who is in the counts, was compared with a limit, so nothing is known."
        yield NextStep("Publish nothing on the strength of this page.", why)
    advice = assessment.advice
    if advice is not None and advice.best is not None:
        why = f"It passes every test on both halves of the people. {advice.best.left}"
        yield NextStep(f"Publish {advice.best} instead.", why, advice.command)
    elif advice is not None:
        yield NextStep("Publish something else.", advice.section().answer)
    elif assessment.remark:
        yield NextStep(
            "Publish no records of so few people: add people, or publish counts.", sentence(assessment.remark)
        )
    elif assessment.above:
        why = "The command tries every method on the same people and attacks each result alike."
        yield NextStep(
            "Look for a release that passes.", why, f"incrowd compare {_file(assessment, 'data')} -o compare.html"
        )
    if assessment.passed:
        apart = "Keep the link file apart from the release. " if assessment.judges == "release" else ""
        yield NextStep("Decide and sign below.", f"{apart}Assess again when data or limits change.")
        if assessment.judges == "release":
            why = "The auditor trusts neither the tool nor its maker."
            yield NextStep("Let somebody else check it.", why, _audit(assessment))
        else:
            why = "The same facts under the headings of ISO/IEC 27559, to paste."
            yield NextStep("File the evidence.", why, f"{_command(assessment)} --evidence dpia.md")


def _open(assessment: "Assessment") -> Iterator[NextStep]:
    """What would answer the tests that are missing; those that are missing for the same reason are one step."""
    command = _command(assessment)
    reasons: dict[tuple[bool, str], list[str]] = {}
    for one in assessment.open:
        late = one.verdict == "not run"
        reasons.setdefault((late, "" if late else one.note), []).append(one.asks)
    for (late, why), asks in reasons.items():
        if late:
            longer = f" --budget {math.ceil(4 * assessment.budget_s / 60)}m"
            what = f"Allow more time for {several(len(asks), 'test that was', 'tests that were')} not run."
            yield NextStep(what, " ".join(asks), f"{BUDGET.sub('', command)}{longer}")
            continue
        what = f"Answer: {asks[0]}" if len(asks) == 1 else f"Give what {len(asks)} tests need for an answer."
        option = next((more for name, more in MISSING.items() if name in why and name not in command), "")
        yield NextStep(what, sentence(why), f"{command}{option}" if option else "")


def _command(assessment: "Assessment") -> str:
    """The command that was typed, or the one that a call of the library stands for."""
    release = " --release RELEASE" if assessment.judges == "release" else ""
    return (assessment.head and assessment.head.command) or f"incrowd assess {_file(assessment, 'data')}{release}"


def _audit(assessment: "Assessment") -> str:
    link = _file(assessment, "link")
    known = f" --link {link}" if link != "LINK" else ""
    return f"incrowd audit {_file(assessment, 'release')} --original {_file(assessment, 'data')}{known}"


def _file(assessment: "Assessment", role: str) -> str:
    """The file that was given as this, fit for a shell; a word in its place for data in memory."""
    files = () if assessment.head is None else assessment.head.files
    names = [one.name.partition("/")[0] for one in files if one.role == role]
    return shlex.quote(names[0]) if names else role.upper()


def _map(assessment: "Assessment") -> RiskPicture | None:
    if assessment.risk_map is None or not len(assessment.risk_map.cell):
        return None
    part = assessment.risk_map.section()
    before = assessment.judges == "release"
    question = "Where one visit identified people before the release" if before else "Where one visit identifies people"
    return RiskPicture(question, part.answer, part.panels[0])


def _stages(assessment: "Assessment") -> Iterator[Stage]:
    """The steps of the records; those of a release end with pseudonyms, which are no people."""
    steps = assessment.ledger.steps
    counts = assessment.head is not None and assessment.head.published.get("noun") == "Counts"
    nouns: tuple[tuple[str, ...], ...] = (("person", "people"), () if counts else ("pseudonym",))
    most = max((max(step.read, step.kept) for step in steps), default=0) or 1
    for step in steps:
        changes = [(why, f"-{n:,}") for why, n in step.dropped.items() if n]
        changes += [(why, f"+{n:,}") for why, n in step.created.items() if n]
        name = step.name.replace("_", " ").capitalize()
        noun = nouns[0] if step is steps[0] or assessment.judges == "data" else nouns[1] if step is steps[-1] else ()
        people = several(step.users[1], *noun) if step.users and noun else ""
        yield Stage(name, f"{step.kept:,}", round(100 * step.kept / most, 1), people, tuple(changes))
