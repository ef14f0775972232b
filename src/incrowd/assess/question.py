"""One test of an assessment: the question it asks, its attacker, and the answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from incrowd.assess.dataset import Dataset
from incrowd.assess.limits import OldName, in_words
from incrowd.errors import DataError
from incrowd.estimate import Estimate
from incrowd.show import Result, Section

Judgement = Literal["above", "within", "no limit", "not run", "no answer", "does not apply"]
Group = Literal["release", "before", "data"]  # before: the original data, if a release is given
ABOVE: Judgement = "above"
WITHIN: Judgement = "within"
NOT_RUN: Judgement = "not run"
NO_ANSWER: Judgement = "no answer"
DOES_NOT_APPLY: Judgement = "does not apply"
UNANSWERED = (NOT_RUN, NO_ANSWER, DOES_NOT_APPLY)
RELEASE: Group = "release"
BEFORE: Group = "before"
DATA: Group = "data"


class Inapplicable(DataError):
    """There is nothing in these data that the question could be about."""


class Finding(NamedTuple):
    """The result of a test.

    `value` is compared with the limit; `number` prints it, with the number of people in brackets; `numbers` are plain
    values for JSON, `results` the records behind them, `note` what to know about the number.
    """

    value: float | None
    number: str
    numbers: Mapping[str, Any]
    results: tuple[Any, ...] = ()
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A test: what it asks of the data, what its attacker knows, how long it takes, when it applies, how it runs."""

    name: str  # of the test and of its limit
    about: str  # what regulators call it
    asks: str
    attacker: Callable[[Dataset], str]
    seconds: Callable[[Dataset], float]
    run: Callable[[Dataset], Finding]
    lacks: Callable[[Dataset], str] = lambda _: ""  # why it cannot run on these data
    of: Group = DATA  # data | release: whose people it is about

    def group(self, data: Dataset) -> Group:
        """Beside a release, the data are what was before it."""
        return BEFORE if self.of == DATA and data.options.release is not None else self.of

    def decides(self, data: Dataset) -> bool:
        """Whether it counts for the verdict: of a release, what is about it and what the user set a limit for."""
        return self.group(data) != BEFORE or self.name in data.options.wanted


@dataclass(frozen=True, kw_only=True)
class StepEstimate(Estimate):
    """What a test will take; `lacks` says why it will not run at all."""

    name: str
    asks: str
    lacks: str = ""

    def __str__(self) -> str:
        return f"{self.name:<18} {self.lacks or self.about}"


@dataclass(frozen=True)
class Answer(Result):
    """The answer of one test.

    Args:
        name: Name of the test and of its limit.
        about: What regulators call it: singling out, linkability, inference or aggregates.
        asks: The question.
        attacker: What the attacker knows.
        verdict: How the value compares with the limit, or why it does not.
        value: The number that is compared with the limit; a share in [0, 1], higher is riskier.
        number: The same as printed, with the number of people.
        limit: The largest value that is not above; None if the test has no limit.
        note: Whose number it is, why there is none, what to know about it.
        estimated_s: Seconds it was expected to take.
        took_s: Seconds it took.
        numbers: More numbers of the test by name.
        group: Whether it is about the release, the original data before it, or data without a release.
        decides: Whether it counts for the verdict.
    """

    name: str
    about: str
    asks: str
    attacker: str
    verdict: Judgement
    value: float | None
    number: str
    limit: float | None
    note: str = ""
    estimated_s: float = 0.0
    took_s: float = 0.0
    numbers: Mapping[str, Any] = field(default_factory=dict)
    group: Group = DATA
    decides: bool = True
    threshold = OldName()

    @property
    def share(self) -> str:
        """The number without what stands in brackets."""
        return self.number.partition(" (")[0]

    @property
    def people(self) -> str:
        """How many of how many people, or of what else was counted."""
        return self.number.partition(" (")[2].removesuffix(")")

    @property
    def outcome(self) -> str:
        """The verdict; in brackets if it does not affect that of the whole."""
        if self.verdict not in (ABOVE, WITHIN):
            return self.verdict
        return self.verdict if self.decides else f"({self.verdict})"

    def section(self) -> Section:
        """The question with its number, limit and attacker."""
        limit = "no limit" if self.limit is None else f"limit {in_words(self.limit)}"
        if self.value is None:
            return Section(self.asks, f"{self.verdict}: {self.note}.".capitalize(), data=self, options=limit)
        return Section(
            question=self.asks,
            answer=f"{self.number}, {limit}: {self.outcome}.",
            number=self.share,
            number_of=self.people,
            method=[f"{self.attacker}.", *([sentence(self.note)] if self.note else [])],
            options=f"{self.name}; {self.attacker}",
            data=self,
            number_at=("value",),
        )


def judged(value: float | None, limit: float | None) -> Judgement:
    """How a value compares with a limit; exactly at the limit is within.

    >>> judged(0.1, 0.1), judged(0.2, 0.1), judged(0.2, None), judged(None, 0.1)
    ('within', 'above', 'no limit', 'no answer')
    """
    if value is None:
        return NO_ANSWER
    if limit is None:
        return "no limit"
    return ABOVE if value > limit else WITHIN


def nothing(why: str) -> Finding:
    """No answer, and the reason."""
    return Finding(None, "-", {}, note=why.rstrip("."))


def sentence(note: str) -> str:
    """A note as a sentence.

    >>> sentence("2 people were drawn; 1 was not")
    '2 people were drawn; 1 was not.'
    """
    return f"{note[:1].upper()}{note[1:]}." if note else ""


def drawn_note(drawn: int, every: int, more: str = "") -> str:
    """That people were drawn, if they were."""
    return f"{drawn:,} of {every:,} people, drawn at random{more}" if drawn < every else ""


def no_release(data: Dataset) -> str:
    """Why a question about the release cannot be asked, if none was given."""
    return "" if data.options.release is not None else "no release was given (--release)"
