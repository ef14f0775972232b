"""One question of an assessment, and its answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from incrowd.assess.dataset import Dataset
from incrowd.errors import DataError
from incrowd.estimate import Estimate

ABOVE, WITHIN, UNJUDGED = "above", "within", "no threshold"
NOT_RUN, NO_ANSWER, DOES_NOT_APPLY = "not run", "no answer", "does not apply"
UNANSWERED = (NOT_RUN, NO_ANSWER, DOES_NOT_APPLY)
RELEASE, BEFORE, DATA = "release", "before", "data"  # groups of answers; before is the data where a release is given


class Inapplicable(DataError):
    """There is nothing in these data that the question could be about."""


class Finding(NamedTuple):
    """The result of a step: the value held against the threshold, in words, what stands behind it, and its caveat."""

    value: float | None
    number: str
    numbers: Mapping[str, Any]  # plain values, for JSON
    results: tuple[Any, ...] = ()  # records, for the report
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A step: what it asks of the data, what its attacker knows, what it costs, when it applies, and how it runs."""

    name: str  # of its threshold
    about: str  # what regulators call it
    asks: str
    attacker: Callable[[Dataset], str]
    seconds: Callable[[Dataset], float]
    run: Callable[[Dataset], Finding]
    lacks: Callable[[Dataset], str] = lambda _: ""  # why it cannot run on these data
    of: str = DATA  # data | release: whose people it is about

    def group(self, data: Dataset) -> str:
        """Beside a release, the data are what was before it."""
        return BEFORE if self.of == DATA and data.options.release is not None else self.of

    def decides(self, data: Dataset) -> bool:
        """Whether verdict and gate take it: of a release, what is about it and what the user set a threshold for."""
        return self.group(data) != BEFORE or self.name in data.options.wanted


@dataclass(frozen=True, kw_only=True)
class StepEstimate(Estimate):
    """What a step will take; `lacks` says why it will not run at all."""

    name: str
    asks: str
    lacks: str = ""

    def __str__(self) -> str:
        return f"{self.name:<17} {self.lacks or self.about}"


@dataclass(frozen=True)
class Answer:
    """The answer to one question; shares in [0, 1], higher is riskier."""

    name: str
    about: str
    asks: str
    attacker: str
    verdict: str  # above | within | no threshold | not run | no answer | does not apply
    value: float | None
    number: str
    threshold: float | None
    note: str = ""  # on whom, why not, what to beware of
    estimated_s: float = 0.0
    took_s: float = 0.0
    numbers: Mapping[str, Any] = field(default_factory=dict)
    group: str = DATA  # release | before | data
    decides: bool = True  # False for context, which neither verdict nor gate takes

    @property
    def row(self) -> tuple[str, ...]:
        """Question, number, threshold, verdict; that of context in brackets."""
        limit = "-" if self.threshold is None else f"{self.threshold:.3g}"
        context = not self.decides and self.verdict in (ABOVE, WITHIN)
        return (self.asks, self.number, limit, f"({self.verdict})" if context else self.verdict)


def judged(value: float | None, threshold: float | None) -> str:
    """The verdict on a value; exactly at the threshold is within.

    >>> judged(0.1, 0.1), judged(0.2, 0.1), judged(0.2, None), judged(None, 0.1)
    ('within', 'above', 'no threshold', 'no answer')
    """
    if value is None:
        return NO_ANSWER
    if threshold is None:
        return UNJUDGED
    return ABOVE if value > threshold else WITHIN


def nothing(why: str) -> Finding:
    """No answer, and the reason."""
    return Finding(None, "-", {}, note=why.rstrip("."))


def drawn_note(drawn: int, every: int, more: str = "") -> str:
    """That people were drawn, where they were."""
    return f"{drawn:,} of {every:,} people, drawn at random{more}" if drawn < every else ""


def no_release(data: Dataset) -> str:
    """Why a question about the release cannot be asked, where there is none."""
    return "" if data.options.release is not None else "no release was given (--release)"
