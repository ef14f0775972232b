"""One test of an assessment: the question it asks, its attacker, the numbers that are judged, and the answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

from incrowd.assess.dataset import Dataset
from incrowd.assess.limits import Limit, OldName, in_words
from incrowd.errors import DataError
from incrowd.estimate import Estimate
from incrowd.plain import plain, sentence
from incrowd.show import Result, Section

Judgement = Literal["above", "within", "no limit", "not run", "no answer", "does not apply"]
About = Literal["singling out", "linkability", "inference", "membership", "release"]
ABOVE: Judgement = "above"
WITHIN: Judgement = "within"
NO_LIMIT: Judgement = "no limit"
NOT_RUN: Judgement = "not run"
NO_ANSWER: Judgement = "no answer"
DOES_NOT_APPLY: Judgement = "does not apply"
UNANSWERED = (NOT_RUN, NO_ANSWER, DOES_NOT_APPLY)
FEWEST = 30  # people concerned, from which on a rate is a rate


class Inapplicable(DataError):
    """There is nothing in these data that the question could be about."""


class Misled(DataError):
    """The attack does worse than no attack: it was misled, which is no safety."""


@dataclass(frozen=True, kw_only=True)
class Number:
    """A number that is compared with a limit.

    Args:
        limit: Name of the limit.
        what: What is counted, in a few words.
        value: The number itself, exactly where it can be.
        interval: Its 95 % interval, if people or records were drawn; None for an exact number.
        cap: What no attacker of this kind can exceed, as far as it is known.
        limited: The limit, once it is judged.
    """

    limit: str
    what: str
    value: Fraction | float
    interval: tuple[float, float] | None = None
    cap: Fraction | float | None = None
    limited: Limit | None = None

    @property
    def judged(self) -> Fraction | float:
        """The upper end of the interval, never above the cap; the value itself if nothing was drawn."""
        high = self.value if self.interval is None else max(self.interval[1], self.value)
        return high if self.cap is None else max(min(high, self.cap), self.value)

    @property
    def verdict(self) -> Judgement:
        """How it compares with its limit."""
        if self.limited is None or self.limited.value is None:
            return NO_LIMIT
        return ABOVE if self.limited.exceeded(self.judged) else WITHIN

    @property
    def excess(self) -> float:
        """How far it is above its limit, for a count how far below it as a share of it; 0 without a limit."""
        if self.limited is None or self.limited.value is None:
            return 0.0
        over = float(self.judged) - float(self.limited.value)
        return -over / max(float(self.limited.value), 1.0) if self.limited.kind == "count" else over

    def in_print(self, value: Fraction | float) -> str:
        """The value or the limit in print."""
        kind = "share" if self.limited is None else self.limited.kind
        return f"{100 * float(value):.1f} %" if kind in ("share", "advantage", "found") else in_words(value, kind)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "limit": self.limit,
            "what": self.what,
            "value": float(self.value),
            "interval": plain(self.interval),
            "cap": None if self.cap is None else float(self.cap),
            "judged": float(self.judged),
            "limit_value": None if self.limited is None or self.limited.value is None else float(self.limited.value),
            "source": None if self.limited is None else self.limited.source,
            "verdict": self.verdict,
        }


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The result of a test.

    Args:
        judged: The numbers that are compared with limits, the main one first.
        number: The main one in print, with the number of people in brackets.
        numbers: Plain values for JSON.
        results: The records behind them.
        note: What to know about the number.
        chance: What a guess at random gets right.
        control: What is got right without the release.
        concerned: People for whom the data hold an answer; None if that is everybody.
        stands_out: By what few people stand out.
    """

    judged: tuple[Number, ...]
    number: str
    numbers: Mapping[str, Any]
    results: tuple[Any, ...] = ()
    note: str = ""
    chance: float | None = None
    control: float | None = None
    concerned: int | None = None
    stands_out: str = ""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A test: what it asks, what its attacker knows, what it takes, when it applies, how it runs."""

    name: str  # of the test and of its main limit
    about: About  # what regulators call it
    asks: str
    attacker: Callable[[Dataset], str]
    seconds: Callable[[Dataset], float]
    memory: Callable[[Dataset], int]  # bytes on top of the data
    run: Callable[[Dataset], Finding]
    lacks: Callable[[Dataset], str] = lambda _: ""  # why it cannot be about these data
    who: bool = False  # whether it asks who somebody is


@dataclass(frozen=True, kw_only=True)
class StepEstimate(Estimate):
    """What a test will take; `lacks` says why it will not run at all."""

    name: str
    asks: str
    lacks: str = ""

    def __str__(self) -> str:
        return f"{self.name:<15} {self.lacks or self.about}"


@dataclass(frozen=True, kw_only=True)
class Answer(Result):
    """The answer of one test.

    Args:
        name: Name of the test and of its main limit.
        about: What regulators call it: singling out, linkability, inference or membership.
        asks: The question.
        attacker: What the attacker knows.
        verdict: How the numbers compare with their limits, or why they do not.
        judged: The numbers that are compared with limits, the main one first.
        number: The main one as printed, with the number of people.
        note: Whose number it is, why there is none, what to know about it.
        estimated_s: Seconds it was expected to take.
        took_s: Seconds it took.
        numbers: More numbers of the test by name.
        chance: What a guess at random gets right.
        control: What is got right without the release.
        concerned: People for whom the data hold an answer; None if that is everybody.
        who: Whether it asks who somebody is.
        due: Whether the verdict needs it.
    """

    name: str
    about: About
    asks: str
    attacker: str
    verdict: Judgement
    judged: tuple[Number, ...] = ()
    number: str = "-"
    note: str = ""
    estimated_s: float = 0.0
    took_s: float = 0.0
    numbers: Mapping[str, Any] = field(default_factory=dict)
    chance: float | None = None
    control: float | None = None
    concerned: int | None = None
    who: bool = False
    due: bool = True
    threshold = OldName()

    @property
    def main(self) -> Number | None:
        """The number that the printed one is about."""
        return self.judged[0] if self.judged else None

    @property
    def value(self) -> float | None:
        """The main number; for most tests a share, higher is riskier."""
        return None if self.main is None else float(self.main.value)

    @property
    def limit(self) -> float | None:
        """The limit of the main number; None if it has none."""
        limited = None if self.main is None else self.main.limited
        return None if limited is None or limited.value is None else float(limited.value)

    @property
    def few(self) -> bool:
        """Whether it concerns too few people for a rate."""
        return self.concerned is not None and 0 < self.concerned < FEWEST

    @property
    def share(self) -> str:
        """The number without what stands in brackets."""
        return self.number.partition(" (")[0]

    @property
    def people(self) -> str:
        """How many of how many people, or of what else was counted."""
        return self.number.partition(" (")[2].removesuffix(")")

    @property
    def tightest(self) -> Number | None:
        """The number that is above its limit, or else the main one."""
        return next((one for one in self.judged if one.verdict == ABOVE), self.main)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        names = ("name", "about", "asks", "attacker", "verdict", "value", "limit", "number", "note", "chance")
        more = ("control", "concerned", "who", "due", "estimated_s", "took_s", "judged", "numbers")
        return {name: plain(getattr(self, name)) for name in names + more}

    def section(self) -> Section:
        """The question with its number, limits and attacker."""
        if self.main is None:
            return Section(self.asks, f"{self.verdict}: {self.note}.".capitalize(), data=self)
        return Section(
            question=self.asks,
            answer=f"{self.number}; {'; '.join(compared(one) for one in self.judged)}.",
            number=self.share,
            number_of=self.people,
            method=[f"{self.attacker}.", *([sentence(self.note)] if self.note else [])],
            options=f"{self.name}; {self.attacker}",
            data=self,
            number_at=("value",),
        )


def compared(one: Number) -> str:
    """A number against its limit, in words.

    >>> compared(Number(limit="lookup", what="guesses", value=Fraction(1, 10), limited=Limit(Fraction(1, 11), "")))
    'guesses 10.0 %, above the limit of 9.1 % (1 in 11)'
    """
    return f"{one.what} {one.in_print(one.value)}, {against(one)}"


def against(one: Number) -> str:
    """What of a number is compared with its limit, and how it compares, in words."""
    end = "" if one.judged == one.value else f"judged at {one.in_print(one.judged)}, "
    if one.verdict == NO_LIMIT or one.limited is None:
        return f"{end}no limit"
    side = "below" if one.limited.kind == "count" else "above"
    return f"{end}{side if one.verdict == ABOVE else 'within'} the limit of {one.limited}"


def judged(finding: Finding, limits: Callable[[str], Limit]) -> tuple[Judgement, Finding]:
    """The numbers with their limits, and the worst verdict among them.

    Of fewer than 30 people concerned no rate is judged: they stand out by themselves if the right guess is above the
    limit and at least one of them is guessed rightly.
    """
    numbers = tuple(replace(one, limited=limits(one.limit)) for one in finding.judged)
    if finding.concerned is not None and 0 < finding.concerned < FEWEST:
        return _few(finding, numbers)
    verdicts = {one.verdict for one in numbers}
    verdict = next((v for v in (ABOVE, WITHIN, NO_LIMIT) if v in verdicts), NO_ANSWER)
    return verdict, replace(finding, judged=numbers)


def _few(finding: Finding, numbers: tuple[Number, ...]) -> tuple[Judgement, Finding]:
    main, few = numbers[0], finding.concerned or 0
    alone = replace(main, interval=None, cap=None)
    if alone.verdict == NO_LIMIT:
        return NO_LIMIT, replace(finding, judged=(alone,))
    guess = f"right guess {alone.in_print(alone.value)}"
    verdict, words = WITHIN, f"{few} people are too few for a rate; {guess}, within"
    if alone.verdict == ABOVE and few * alone.value >= 1:
        verdict, words = ABOVE, f"{few} people stand out by {finding.stands_out}: leave them out or coarsen; {guess}"
    return verdict, replace(finding, judged=(alone,), note="; ".join(filter(None, (words, finding.note))))


def drawn_note(drawn: int, every: int, more: str = "") -> str:
    """That people were drawn, if they were."""
    return f"{drawn:,} of {every:,} people, drawn at random{more}" if drawn < every else ""
