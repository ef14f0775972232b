"""Assessment: every test with its answer, the verdict, and the sections that explain them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from incrowd.assess.assessment_section import assessment_section, behind, verdict_of
from incrowd.assess.head import AssessmentHead, head_section
from incrowd.assess.limits import HONESTY, OLD_KEYS, OLD_NAMES, named
from incrowd.assess.question import ABOVE, NO_ANSWER, NOT_RUN, WITHIN, Answer, StepEstimate
from incrowd.clock import DAY_MIN
from incrowd.errors import check_choice
from incrowd.ledger import Ledger
from incrowd.measure import RiskMap, Summary
from incrowd.plain import in_words as time_in_words
from incrowd.plain import plain, several
from incrowd.show import Result, Section

SCHEMA = "incrowd-assessment/1"  # of its JSON, described in docs/schemas/assessment-1.json
DECISIVE = ("membership", "counts")  # beside who-is-it questions: without one of them nothing passes


@dataclass(frozen=True, eq=False, repr=False)
class Assessment(Result):
    """Every test with its answer, attacker and verdict; nothing in it is about one person.

    Args:
        people: People in the data.
        records: Records in the data; None if they are too many to hold.
        visits: Visits made of them.
        cells: Cells that were visited.
        days: Days from the first visit to the last; None if nothing says how long a slot is.
        places: What a cell is, in words.
        slot_min: Width of a slot.
        budget_s: Seconds that were allowed.
        took_s: Seconds that it took.
        seed: Of every random choice.
        seed_given: Whether somebody chose the seed.
        interrupted: Whether it was stopped.
        judges: What the verdict is about: the release, or the data as they are.
        override: Why settings that make the verdict easier were allowed.
        shopping: Settings that make the verdict easier.
        remark: What was known before anything ran.
        loss: That much was dropped on the way to the release.
        ledger: What happened to every record.
        estimates: What each test was expected to take.
        answers: Of every test, by what they are about.
        head: What a signature is about: files, command line, machine, limits, earlier runs.
        advice: What to publish instead, if it was looked for.
        summary: What is in the data.
        risk_map: Where people are identified by a single visit in the data, if it is known where cells are.
        results: The records behind each answer.
    """

    people: int
    records: int | None
    visits: int
    cells: int
    days: int | None
    places: str
    slot_min: int | None
    budget_s: float
    took_s: float
    seed: int
    seed_given: bool
    interrupted: bool
    judges: Literal["release", "data"]
    override: str | None
    shopping: tuple[str, ...]
    remark: str
    loss: str
    ledger: Ledger
    estimates: tuple[StepEstimate, ...]
    answers: tuple[Answer, ...]
    head: AssessmentHead | None = None
    advice: Any = None
    summary: Summary | None = field(default=None, repr=False)
    risk_map: RiskMap | None = field(default=None, repr=False)
    results: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, repr=False)

    def answer(self, name: str) -> Answer:
        """The answer of one test.

        Args:
            name: Name of the test, such as "lookup" or "later".
        """
        name = named(name)
        check_choice("test", name, tuple(one.name for one in self.answers))
        return next(one for one in self.answers if one.name == name)

    @property
    def above(self) -> tuple[Answer, ...]:
        """Tests above a limit."""
        return tuple(one for one in self.answers if one.verdict == ABOVE)

    @property
    def open(self) -> tuple[Answer, ...]:
        """Tests that are due and have no answer, because of too little time or because they could not be answered."""
        return tuple(one for one in self.answers if one.due and one.verdict in (NOT_RUN, NO_ANSWER))

    @property
    def held(self) -> tuple[Answer, ...]:
        """Tests whose numbers were compared with a limit."""
        return tuple(one for one in self.answers if one.verdict in (ABOVE, WITHIN))

    @property
    def decisive(self) -> bool:
        """Whether a test was judged that says who somebody is, or who is in counts."""
        return any(one.who or one.name in DECISIVE for one in self.held)

    @property
    def refused(self) -> tuple[str, ...]:
        """Settings that make the verdict easier and that no reason was given for."""
        return () if self.override else self.shopping

    @property
    def passed(self) -> bool:
        """Whether somebody could have been identified and was not, nothing is above its limit, nothing is missing."""
        return self.decisive and not self.above and not self.open and not self.refused

    @property
    def overridden(self) -> bool:
        """Whether it passes only because settings were overridden."""
        return bool(self.passed and self.override and self.shopping)

    @property
    def exit_code(self) -> int:
        """What --fail-above exits with: 0 passed, 1 the gate is shut, 3 passed with an override."""
        return 1 if not self.passed else 3 if self.overridden else 0

    @property
    def gate(self) -> str:
        """Whether it passes, in words, and if not, why."""
        if self.passed:
            return "passes with an override" if self.overridden else "passes"
        counts = [
            f"{len(parts):,} {words}"
            for parts, words in ((self.above, "above"), (self.open, "missing"), (self.refused, "refused"))
            if parts
        ]
        return f"does not pass: {', '.join(counts) or 'nothing that identifies people was compared with a limit'}"

    @property
    def verdict(self) -> str:
        """The answer in words: whether anything is above its limit or missing, and the worst."""
        return verdict_of(self)

    @property
    def grain(self) -> str:
        """The size of a cell and of a slot, in words."""
        places = self.places.replace("cells of ", "").replace(" m", " m cells")
        if self.slot_min is None:
            return places
        days, rest = divmod(self.slot_min, DAY_MIN)
        return (
            f"{places}, slots of {several(days, 'day')}"
            if days and not rest
            else f"{places}, {self.slot_min:,} min slots"
        )

    def __repr__(self) -> str:
        return f"Assessment(people={self.people:,}, above={len(self.above)}, open={len(self.open)})"

    def section(self) -> Section:
        """The verdict, with the table of all tests."""
        return assessment_section(self)

    def sections(self) -> list[Section]:
        """All that a page explains: the verdict, the head, the data, each test, and what was left out."""
        head = [] if self.head is None else [head_section(self, self.head)]
        return [self.section(), *head, *behind(self)]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; what was renamed in version 0.2 also stands under its old name."""
        names = ("people", "records", "visits", "cells", "days", "places", "slot_min", "budget_s", "took_s", "seed")
        more = ("seed_given", "interrupted", "judges", "verdict", "passed", "gate", "override", "shopping", "remark")
        rest = ("exit_code", "head", "loss", "estimates", "advice", "summary", "ledger")
        old = {new: name for name, new in OLD_NAMES.items()}
        answers = [{**one.to_dict(), "threshold": one.limit, "old_name": old.get(one.name)} for one in self.answers]
        notice = {"answers": answers, "note": HONESTY, "renamed": {**OLD_NAMES, "threshold": OLD_KEYS["threshold"]}}
        record = {"schema": SCHEMA} | {name: getattr(self, name) for name in names + more + rest} | notice
        return {name: plain(value) for name, value in record.items()}

    def columns(self) -> Mapping[str, Any]:
        """A row for each test."""
        names = ("name", "asks", "about", "verdict", "value", "limit", "number", "due", "note")
        return {name: [getattr(one, name) for one in self.answers] for name in names}

    @property
    def options(self) -> str:
        """What it was made of, in one line."""
        counts = ((self.records, "record"), (self.visits, "visit"), (self.days, "day"))
        parts = [several(count, noun) for count, noun in counts if count is not None]
        stopped = ", interrupted" if self.interrupted else ""
        took = f"{self.took_s:,.0f} s of {time_in_words(self.budget_s)}{stopped}"
        people = several(self.people, "person", "people")
        seed = f"seed {self.seed}, {'given' if self.seed_given else 'derived from the data'}"
        return "; ".join((", ".join([people, *parts]), self.grain, seed, took))
