"""An answer -> its card: verdict, numbers as bars against their limits, facts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from incrowd.plain import in_words, percent, sentence, span
from incrowd.report.signing import Rows

if TYPE_CHECKING:
    from incrowd.assess import Answer
    from incrowd.assess.question import Number

Tone = Literal["bad", "ok", "gap", "na"]
SHARES = ("share", "advantage", "found")
WORDS: dict[str, tuple[Tone, str]] = {
    "above": ("bad", "Above the limit"),
    "within": ("ok", "Within the limit"),
    "no limit": ("na", "No limit"),
    "not run": ("gap", "Not run"),
    "no answer": ("gap", "No answer"),
    "does not apply": ("na", "Does not apply"),
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
        control: What is got right without the data; None if it is not known.
        limit_words: The limit in print.
        ends: What an empty and a full width stand for, where that is not nobody and everybody.
        words: What a reader who cannot see it is told.
    """

    tone: Tone
    value: float
    limit: float | None
    low: float | None
    judged: float | None
    chance: float | None
    control: float | None
    limit_words: str
    ends: str
    words: str


@dataclass(frozen=True)
class Judged:
    """A number of a test in print.

    Args:
        what: What is counted.
        value: The number.
        people: How many of how many; empty for all but the main number.
        interval: Its 95 % interval; empty if nothing was drawn.
        end: What is compared with the limit, where that is not plain from the interval.
        bar: The number against its limit; None if it is no share.
    """

    what: str
    value: str
    people: str
    interval: str
    end: str
    bar: Bar | None

    @property
    def note(self) -> str:
        """What stands below the bar: people and interval, or what is counted."""
        return "; ".join(filter(None, (self.people or self.what, self.interval)))

    @property
    def spread(self) -> str:
        """The interval with its name."""
        return f"95 % interval {self.interval}" if self.interval else ""


@dataclass(frozen=True)
class Card:
    """One test."""

    answer: "Answer"
    tone: Tone
    chip: str
    numbers: tuple[Judged, ...]
    facts: Rows
    note: str

    @property
    def excess(self) -> float:
        """How far its worst number is above its limit; less than 0 if it is within, 0 without a limit."""
        return 0.0 if self.answer.tightest is None else self.answer.tightest.excess

    @property
    def deciding(self) -> Judged | None:
        """The number that is above its limit, or else the main one; None without an answer."""
        above = (one for one in self.numbers if one.bar is not None and one.bar.tone == "bad")
        return next(above, self.numbers[0] if self.numbers else None)


def card_of(answer: "Answer") -> Card:
    """The card of a test.

    Args:
        answer: What was found.
    """
    tone, chip = WORDS[answer.verdict]
    people = [answer.people.removeprefix("of "), *[""] * len(answer.judged)]
    numbers = tuple(_number(one, answer, whose) for one, whose in zip(answer.judged, people, strict=False))
    return Card(answer, tone, chip, numbers, tuple(_facts(answer)), sentence(answer.note))


def _number(number: "Number", answer: "Answer", people: str) -> Judged:
    what = f"{number.what[:1].upper()}{number.what[1:]}"
    if number.limited is not None and number.limited.kind == "failures":
        return Judged("", f"{answer.share} {answer.people}", "", "", "", None)
    return Judged(what, number.in_print(number.value), people, _interval(number), _end(number), _bar(number, answer))


def _end(number: "Number") -> str:
    """Which end decides, if the number itself is within its limit or the interval is cut off at what is possible."""
    if number.interval is None or number.limited is None or number.limited.value is None:
        return ""
    end = number.in_print(number.judged)
    if number.verdict == "above" and not number.limited.exceeded(number.value):
        return f"The upper end, {end}, is above the limit."
    if number.judged < number.interval[1]:
        return f"Compared with the limit: {end}, because no attacker can do better."
    return ""


def _interval(number: "Number") -> str:
    if number.interval is None:
        return ""
    shares = number.limited is None or number.limited.kind in SHARES
    return span(number.interval) if shares else " to ".join(f"{end:.3f}" for end in number.interval)


def _facts(answer: "Answer") -> Iterator[tuple[str, str]]:
    main = answer.main
    if answer.people and not (main and main.limited and main.limited.kind == "failures"):
        yield "People", answer.people.removeprefix("of ")
    if answer.chance is not None:
        yield "By chance", "less than 0.1 %" if 0 < answer.chance < 0.001 else percent(answer.chance)
    if answer.control is not None:
        yield "Without the data", percent(answer.control)
    if answer.judged and answer.took_s:
        yield "Took", in_words(answer.took_s)
    if main is not None and main.limited is not None and main.limited.value is not None:
        yield f"Limit ({answer.name})", f"{main.limited}; {main.limited.source}"
    if answer.judged and answer.few:
        yield "Few people", sentence(answer.note)


def _bar(number: "Number", answer: "Answer") -> Bar | None:
    """None for numbers that are no share of anything."""
    limited = number.limited
    kind = "share" if limited is None else limited.kind
    if kind not in (*SHARES, "auc"):
        return None

    def place(value: Any) -> float:
        share = 2 * float(value) - 1 if kind == "auc" else float(value)
        return round(100 * min(max(share, 0.0), 1.0), 2)

    shares, main = kind == "share", number is answer.main
    words = f"{number.what}: {number.in_print(number.value)}"
    words += "" if number.judged == number.value else f", judged at {number.in_print(number.judged)}"
    limit = None if limited is None or limited.value is None else place(limited.value)
    words += "" if limit is None else f", limit {limited}: {number.verdict}"
    return Bar(
        tone=WORDS[number.verdict][0],
        value=place(number.value),
        limit=limit,
        low=None if number.interval is None else place(number.interval[0]),
        judged=None if number.interval is None and number.judged == number.value else place(number.judged),
        chance=place(answer.chance) if shares and main and answer.chance is not None else None,
        control=place(answer.control) if shares and main and answer.control is not None else None,
        limit_words=str(limited or ""),
        ends="Empty width: no better than a coin; full width: always right" if kind == "auc" else "",
        words=words,
    )
