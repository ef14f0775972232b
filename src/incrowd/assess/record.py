"""Assessment: every question with its answer, and the one page that tells it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from textwrap import wrap
from typing import Any

from incrowd.assess.question import ABOVE, NO_ANSWER, NOT_RUN, UNANSWERED, Answer, Estimate
from incrowd.assess.thresholds import HONESTY
from incrowd.ledger import Ledger
from incrowd.measure import Summary
from incrowd.plain import Shown, in_words, several

WIDE = 80  # columns of the page


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
    estimates: tuple[Estimate, ...]
    answers: tuple[Answer, ...]  # by what they are about
    summary: Summary | None = field(default=None, repr=False)
    results: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, repr=False)  # records behind each answer

    @property
    def above(self) -> tuple[Answer, ...]:
        """Answers above their thresholds."""
        return tuple(answer for answer in self.answers if answer.verdict == ABOVE)

    @property
    def open(self) -> tuple[Answer, ...]:
        """Questions that have a threshold and no answer, for lack of time or because they could not be answered."""
        return tuple(one for one in self.answers if one.verdict in (NOT_RUN, NO_ANSWER) and one.threshold is not None)

    @property
    def passed(self) -> bool:
        """Whether nothing is above its threshold and nothing was left open: what a gate asks."""
        return not self.above and not self.open

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        asked = [one for one in self.answers if one.verdict not in UNANSWERED and one.threshold is not None]
        late = sum(one.verdict == NOT_RUN for one in self.open)
        left = f"; {several(late, 'more was', 'more were')} not asked for lack of time" if late else ""
        silent = ", ".join(one.name for one in self.open if one.verdict == NO_ANSWER)
        left += f"; without an answer: {silent}" if silent else ""
        if not asked:
            return f"Nothing was held against a threshold{left}."
        names = ", ".join(one.name for one in self.above)
        told = f": {names}" if names else ""
        return f"{len(self.above)} of {len(asked)} answers are above their thresholds{told}{left}."

    def __repr__(self) -> str:
        return f"Assessment(people={self.people:,}, above={len(self.above)}, open={len(self.open)})"

    def _shown(self) -> list[tuple[str, ...]]:
        return [
            ("question", "number", "threshold", "verdict", "attacker"),
            *((*one.row, one.attacker) for one in self.answers),
        ]

    def __str__(self) -> str:
        return "\n".join(_page(self))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        names = ("people", "records", "visits", "cells", "days", "places", "slot_min", "budget_s", "took_s", "seed")
        more = ("interrupted", "verdict", "passed", "answers", "estimates", "summary", "ledger")
        return {name: getattr(self, name) for name in names + more} | {"note": HONESTY}


def _page(found: Assessment) -> Iterator[str]:
    slots = "" if found.slot_min is None else f" x {found.slot_min} min"
    yield f"{sizes(found)} ({found.places}{slots})"
    yield str(found.ledger)
    yield ""
    yield f"{'':<34} {'number':<25} {'limit':>5}  verdict"
    for about, answers in groupby(found.answers, key=lambda one: one.about):
        yield about
        for one in answers:
            yield from _lines(one)
    yield ""
    yield from wrap(found.verdict, WIDE)
    yield from wrap(HONESTY, WIDE)
    stopped = ", interrupted" if found.interrupted else ""
    yield f"({found.took_s:,.0f} s of {in_words(found.budget_s)}{stopped}; seed {found.seed})"


def sizes(found: Assessment) -> str:
    """How much there is of everything, in words."""
    counts = ((found.records, "record"), (found.visits, "visit"), (found.days, "day"))
    told = [several(count, noun) for count, noun in counts if count is not None]
    return ", ".join([several(found.people, "person", "people"), *told])


def _lines(one: Answer) -> Iterator[str]:
    asks, number, limit, verdict = one.row
    if verdict in UNANSWERED:
        yield from wrap(f"{asks} {verdict}: {one.note}", WIDE, initial_indent="  ", subsequent_indent="    ")
        return
    shown = verdict.upper() if verdict == ABOVE else verdict
    yield f"  {asks:<32} {number:<25} {limit:>5}  {shown}"
    for said in filter(None, (f"{one.attacker}.", one.note)):
        yield from wrap(said, WIDE, initial_indent="    ", subsequent_indent="      ")
