"""An assessment -> the first screen and the cards of its page: verdict, bars against limits, what to do next."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from incrowd.plain import in_words, percent, several, span

if TYPE_CHECKING:
    from incrowd.assess import Answer, Assessment
    from incrowd.assess.question import Number

Tone = Literal["bad", "ok", "gap", "na"]
DECIDE = 5  # numbers on the first screen
SHARES = ("share", "advantage", "found")
WORDS: dict[str, tuple[Tone, str]] = {
    "above": ("bad", "Above the limit"),
    "within": ("ok", "Within the limit"),
    "no limit": ("na", "No limit"),
    "not run": ("gap", "Not run"),
    "no answer": ("gap", "No answer"),
    "does not apply": ("na", "Does not apply"),
}
GROUPS = {
    "singling out": "Can one person be isolated in what is published?",
    "linkability": "Can records of one person be connected?",
    "inference": "What can be concluded about a person?",
    "membership": "Can somebody be known to be in the data?",
    "release": "Is the release what it says it is?",
}


@dataclass(frozen=True)
class Bar:
    """A number against its limit, in percent of the full width.

    Args:
        tone: Colour, by verdict.
        value: Where the bar ends.
        limit: Where the limit stands; None for no limit.
        low: Lower end of the interval; None if nothing was drawn.
        judged: What is compared with the limit, if an interval or a bound decides.
        chance: What a guess at random gets right; None if it is not known.
        limit_words: The limit in print.
        words: What a reader who cannot see it is told.
    """

    tone: Tone
    value: float
    limit: float | None
    low: float | None
    judged: float | None
    chance: float | None
    limit_words: str
    words: str


@dataclass(frozen=True)
class Card:
    """One test."""

    answer: "Answer"
    tone: Tone
    chip: str
    bars: tuple[tuple[str, str, Bar | None], ...]  # what, value, bar
    facts: tuple[tuple[str, str], ...]

    @property
    def deciding(self) -> tuple[str, str, Bar | None] | None:
        """The number that is above its limit, or else the main one; None without an answer."""
        above = (bar for bar in self.bars if bar[2] is not None and bar[2].tone == "bad")
        return next(above, self.bars[0] if self.bars else None)


@dataclass(frozen=True)
class FirstScreen:
    """The page of an assessment above its details."""

    tone: Tone
    headline: str
    lead: str
    about: str
    decide: tuple[Card, ...]
    more: str
    steps: tuple[tuple[str, str, str], ...]  # what, why, command
    groups: tuple[tuple[str, str, tuple[Card, ...]], ...]
    idle: tuple[tuple[str, str], ...]


def verdict_of(assessment: "Assessment") -> FirstScreen:
    """All that the first screen and the cards show."""
    tone: Tone = "ok" if assessment.passed else "bad" if assessment.above or assessment.refused else "gap"
    headline, _, lead = assessment.section().answer.partition(". ")
    cards = [_card(answer) for answer in assessment.answers if answer.verdict != "does not apply"]
    shut = [card for card in cards if card.tone in ("bad", "gap") and (card.answer.due or card.tone == "bad")]
    shut.sort(key=lambda card: -_excess(card.answer))
    decide = tuple(shut[:DECIDE]) or tuple(card for card in cards if card.tone == "ok")[:DECIDE]
    within = sum(card.tone == "ok" for card in cards) - sum(card.tone == "ok" for card in decide)
    more = f"{several(within, 'more test is', 'more tests are')} within {'its' if within == 1 else 'their'} limits."
    return FirstScreen(
        tone=tone,
        headline=f"{headline.rstrip('.')}.",
        lead=lead,
        about=_about(assessment),
        decide=decide,
        more=more if within else "",
        steps=tuple(_steps(assessment)),
        groups=tuple(_groups(cards)),
        idle=tuple((one.asks, one.note) for one in assessment.answers if one.verdict == "does not apply"),
    )


def _groups(cards: list[Card]) -> Iterator[tuple[str, str, tuple[Card, ...]]]:
    for about, asks in GROUPS.items():
        some = tuple(card for card in cards if card.answer.about == about)
        if some:
            yield about.capitalize(), asks, some


def _about(assessment: "Assessment") -> str:
    what = "A release" if assessment.judges == "release" else "The data as they are"
    days = "" if assessment.days is None else f", {several(assessment.days, 'day')}"
    return f"{what}; {several(assessment.people, 'person', 'people')}{days}; {assessment.grain}"


def _excess(answer: "Answer") -> float:
    number = answer.tightest
    if number is None or number.limited is None or number.limited.value is None:
        return 0.0
    return abs(float(number.judged) - float(number.limited.value))


def _card(answer: "Answer") -> Card:
    tone, chip = WORDS[answer.verdict]
    bars = tuple((one.what, one.shown(one.value), _bar(one, answer)) for one in answer.judged)
    return Card(answer, tone, chip, bars, tuple(_facts(answer)))


def _facts(answer: "Answer") -> Iterator[tuple[str, str]]:
    main = answer.main
    if answer.people:
        yield "People", answer.people
    if main is not None and main.interval is not None:
        shares = main.limited is None or main.limited.kind in SHARES
        yield "95 % interval", span(main.interval) if shares else " to ".join(f"{end:.3f}" for end in main.interval)
    if main is not None and main.limited is not None and main.limited.value is not None:
        yield "Limit", f"{main.limited}; {main.limited.source}"
    if answer.chance is not None:
        yield "By chance", percent(answer.chance)
    if answer.control is not None:
        yield "Without the data", percent(answer.control)
    if answer.took_s:
        yield "Took", in_words(answer.took_s)


def _bar(number: "Number", answer: "Answer") -> Bar | None:
    """None for numbers that are no share of anything."""
    limited = number.limited
    kind = "share" if limited is None else limited.kind
    if kind not in (*SHARES, "auc"):
        return None

    def place(value: Any) -> float:
        share = 2 * float(value) - 1 if kind == "auc" else float(value)
        return round(100 * min(max(share, 0.0), 1.0), 2)

    limit = None if limited is None or limited.value is None else place(limited.value)
    judged = None if number.judged == number.value else place(number.judged)
    low = None if number.interval is None else place(number.interval[0])
    chance = None if answer.chance is None or kind == "auc" else place(answer.chance)
    words = f"{number.what}: {number.shown(number.value)}"
    words += "" if judged is None else f", judged at {number.shown(number.judged)}"
    words += "" if limit is None else f", limit {limited}: {number.verdict}"
    return Bar(WORDS[number.verdict][0], place(number.value), limit, low, judged, chance, str(limited or ""), words)


def _steps(assessment: "Assessment") -> Iterator[tuple[str, str, str]]:
    """What to do next, in order."""
    for setting in assessment.refused:
        yield "Give the reason for a setting, or leave it out.", f"{setting[:1].upper()}{setting[1:]} (--override).", ""
    for one in assessment.open:
        yield f"Answer: {one.asks}", f"{one.note[:1].upper()}{one.note[1:]}.", ""
    advice = assessment.advice
    if advice is not None and advice.best is not None:
        yield (
            f"Publish {advice.best} instead.",
            f"It passes every test on both halves of the people. {advice.best.left}",
            advice.command,
        )
    elif advice is not None:
        yield "Publish something else.", advice.section().answer, ""
    elif assessment.above:
        yield "Look for a release that passes.", "Methods are tried in order of loss and confirmed on other people.", ""
    if assessment.passed:
        yield (
            "Decide and sign below.",
            "Keep the link file apart from the release, and assess again when data or limits change.",
            "",
        )
