"""Assessment: every question with its answer, and the one page that tells it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from textwrap import TextWrapper
from typing import Any

from incrowd.assess.question import (
    ABOVE,
    BEFORE,
    DATA,
    NO_ANSWER,
    NOT_RUN,
    RELEASE,
    UNANSWERED,
    WITHIN,
    Answer,
    StepEstimate,
)
from incrowd.assess.thresholds import HONESTY
from incrowd.ledger import Ledger
from incrowd.measure import Summary
from incrowd.plain import Shown, in_words, several

WIDE = 80  # columns of the page
GROUPS = {RELEASE: "the release: ", BEFORE: "before, the data as they are: "}
CONTEXT = "In brackets: context, which the verdict on the release does not take."


@dataclass(frozen=True, eq=False, repr=False)
class Assessment(Shown):
    """Every question with its answer, attacker and verdict; nothing in it is about one person."""

    people: int
    records: int | None  # None where only visits were given, or too many to hold
    visits: int
    cells: int
    days: int | None  # None where nobody says how long a slot is
    places: str  # what a cell is, in words
    slot_min: int | None
    budget_s: float
    took_s: float
    seed: int
    interrupted: bool
    ledger: Ledger
    estimates: tuple[StepEstimate, ...]
    answers: tuple[Answer, ...]  # by what they are about
    summary: Summary | None = field(default=None, repr=False)
    results: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, repr=False)  # records behind each answer

    @property
    def above(self) -> tuple[Answer, ...]:
        """Answers above their thresholds; where a release is given, those that decide about it."""
        return tuple(one for one in self.answers if one.decides and one.verdict == ABOVE)

    @property
    def open(self) -> tuple[Answer, ...]:
        """Questions that have a threshold and no answer, for lack of time or because they could not be answered."""
        due = (one for one in self.answers if one.decides and one.threshold is not None)
        return tuple(one for one in due if one.verdict in (NOT_RUN, NO_ANSWER))

    @property
    def held(self) -> tuple[Answer, ...]:
        """Answers held against a threshold."""
        return tuple(one for one in self.answers if one.decides and one.verdict in (ABOVE, WITHIN))

    @property
    def before(self) -> tuple[Answer, ...]:
        """Answers about the data as they are, where a release is judged."""
        return tuple(one for one in self.answers if one.group == BEFORE)

    @property
    def passed(self) -> bool:
        """What a gate asks: something was judged, nothing is above its threshold, and nothing was left open."""
        return bool(self.held) and not self.above and not self.open

    @property
    def gate(self) -> str:
        """Whether it passes, in words, and if not, why."""
        if self.passed:
            return "passes"
        counts = [
            f"{len(answers):,} {words}" for answers, words in ((self.above, "above"), (self.open, "missing")) if answers
        ]
        return f"does not pass: {', '.join(counts) or 'nothing was held against a threshold'}"

    @property
    def verdict(self) -> str:
        """The answer in a sentence; a second one tells what was before a release."""
        late = sum(one.verdict == NOT_RUN for one in self.open)
        left = f"; {several(late, 'more was', 'more were')} not asked for lack of time" if late else ""
        silent = ", ".join(one.name for one in self.open if one.verdict == NO_ANSWER)
        left += f"; without an answer: {silent}" if silent else ""
        if not self.held:
            return f"Nothing was held against a threshold{left}.{_context(self)}"
        names = ", ".join(one.name for one in self.above)
        named = f": {names}" if names else ""
        theirs = "its threshold" if len(self.held) == 1 else "their thresholds"
        return f"{_whose(self)}{_share(self.above, self.held)} above {theirs}{named}{left}.{_context(self)}"

    def __repr__(self) -> str:
        return f"Assessment(people={self.people:,}, above={len(self.above)}, open={len(self.open)})"

    def _shown(self) -> list[tuple[str, ...]]:
        return [
            ("question", "number", "threshold", "verdict", "attacker"),
            *((*one.row, one.attacker) for one in self.answers),
        ]

    def __str__(self) -> str:
        return "\n".join(_page(self))

    @property
    def judges(self) -> str:
        """What verdict and gate are about: the release, or the data where there is none."""
        return RELEASE if self.before else DATA

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        names = ("people", "records", "visits", "cells", "days", "places", "slot_min", "budget_s", "took_s", "seed")
        more = ("interrupted", "judges", "verdict", "passed", "gate", "answers", "estimates", "summary", "ledger")
        return {name: getattr(self, name) for name in names + more} | {"note": HONESTY}


def _whose(assessment: Assessment) -> str:
    """What is judged, where there is a release."""
    if not assessment.before:
        return ""
    more = ", and what you set a threshold for" if any(one.group == BEFORE for one in assessment.held) else ""
    return f"The release{more}: "


def _context(assessment: Assessment) -> str:
    """What was before a release, in a sentence."""
    known = [one for one in assessment.before if not one.decides and one.verdict in (ABOVE, WITHIN)]
    if not known:
        return ""
    theirs = "its own" if len(known) == 1 else "theirs"
    return f" Before it, as context: {_share([one for one in known if one.verdict == ABOVE], known)} above {theirs}."


def _share(part: Sequence[Answer], every: Sequence[Answer]) -> str:
    return f"{len(part)} of {several(len(every), 'answer is', 'answers are')}"


def _page(assessment: Assessment) -> Iterator[str]:
    slots = "" if assessment.slot_min is None else f" x {assessment.slot_min} min"
    yield f"{sizes(assessment)} ({assessment.places}{slots})"
    yield str(assessment.ledger)
    yield ""
    yield f"{'':<34} {'number':<25} {'limit':>5}  verdict"
    for heading, answers in groupby(
        assessment.answers, key=lambda one: f"{GROUPS[one.group] if assessment.before else ''}{one.about}"
    ):
        yield heading
        for one in answers:
            yield from _lines(one)
    yield ""
    yield f"Gate: {assessment.gate}."
    yield from _wrapped(assessment.verdict)
    if assessment.before:
        yield CONTEXT
    yield from _wrapped(HONESTY)
    stopped = ", interrupted" if assessment.interrupted else ""
    yield f"({assessment.took_s:,.0f} s of {in_words(assessment.budget_s)}{stopped}; seed {assessment.seed})"


def sizes(assessment: Assessment) -> str:
    """How much there is of everything, in words."""
    counts = ((assessment.records, "record"), (assessment.visits, "visit"), (assessment.days, "day"))
    parts = [several(count, noun) for count, noun in counts if count is not None]
    return ", ".join([several(assessment.people, "person", "people"), *parts])


def _lines(one: Answer) -> Iterator[str]:
    asks, number, limit, verdict = one.row
    if verdict in UNANSWERED:
        yield from _wrapped(f"{asks} {verdict}: {one.note}", 2)
        return
    outcome = verdict.upper() if verdict == ABOVE else verdict
    yield f"  {asks:<32} {number:<25} {limit:>5}  {outcome}"
    for sentence in filter(None, (f"{one.attacker}.", one.note)):
        yield from _wrapped(sentence, 4)


def _wrapped(text: str, indent: int = 0) -> list[str]:
    """Lines of the page, the second one on further in; options such as --release stay whole."""
    later = " " * (indent + 2) if indent else ""
    how = TextWrapper(WIDE, initial_indent=" " * indent, subsequent_indent=later, break_on_hyphens=False)
    return how.wrap(text)
