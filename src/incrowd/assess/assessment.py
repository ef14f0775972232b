"""Assessment: every test with its answer, the verdict, and the sections that explain them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from incrowd.assess.limits import HONESTY, OLD_KEYS, OLD_NAMES, named
from incrowd.assess.question import (
    ABOVE,
    DOES_NOT_APPLY,
    NO_ANSWER,
    NOT_RUN,
    WITHIN,
    Answer,
    Number,
    StepEstimate,
    compared,
    sentence,
)
from incrowd.errors import check_choice
from incrowd.ledger import Ledger
from incrowd.measure import Summary
from incrowd.plain import in_words as time_in_words
from incrowd.plain import percent, plain, several, span
from incrowd.show import Result, Section, Table, section_of

HEAD = ("question", "verdict", "result", "limit", "how many")  # the first four fit a phone
ONLY_ASKED = "Only the attacks listed here were tried; others may succeed."
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
        advice: What to publish instead, if it was looked for.
        summary: What is in the data.
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
    advice: Any = None
    summary: Summary | None = field(default=None, repr=False)
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
        return " ".join([_verdict(self), *_worst(self), *_missing(self), *_more(self)])

    @property
    def grain(self) -> str:
        """The size of a cell and of a slot, in words."""
        places = self.places.replace("cells of ", "").replace(" m", " m cells")
        return places if self.slot_min is None else f"{places}, {self.slot_min:,} min slots"

    def __repr__(self) -> str:
        return f"Assessment(people={self.people:,}, above={len(self.above)}, open={len(self.open)})"

    def section(self) -> Section:
        """The verdict, with the table of all tests."""
        override = f"Override: {self.override} ({'; '.join(self.shopping)}). " if self.override and self.shopping else ""
        return Section(
            question="Does any test exceed your limits?",
            answer=f"{override}{self.verdict}",
            number=str(len(self.above) + len(self.open)) if self.held or self.open else "-",
            number_of="tests above your limits or missing",
            tables=[_table(self), *_details(self), *_unanswered(self), *_limits(self)],
            method=[
                HONESTY,
                ONLY_ASKED,
                f"The most informative tests came first; {time_in_words(self.budget_s)} were allowed for all.",
                "Each test has its own section below, with its method and its paper.",
            ],
            options=self._options(),
            data=self,
        )

    def sections(self) -> list[Section]:
        """Everything a page explains: the verdict, the data, each test under its question, and what was left out."""
        behind = [
            _about(record, answer, place)
            for answer in self.answers
            for place, record in enumerate(self.results.get(answer.name, ()))
        ]
        summary = [] if self.summary is None else [section_of(self.summary)]
        advice = [] if self.advice is None else [section_of(self.advice)]
        return [self.section(), *advice, *summary, *behind, section_of(self.ledger)]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; what was renamed in version 0.2 also stands under its old name."""
        names = ("people", "records", "visits", "cells", "days", "places", "slot_min", "budget_s", "took_s", "seed")
        more = ("seed_given", "interrupted", "judges", "verdict", "passed", "gate", "override", "shopping", "remark")
        rest = ("loss", "estimates", "advice", "summary", "ledger")
        old = {new: name for name, new in OLD_NAMES.items()}
        answers = [{**one.to_dict(), "threshold": one.limit, "old_name": old.get(one.name)} for one in self.answers]
        notice = {"answers": answers, "note": HONESTY, "renamed": {**OLD_NAMES, "threshold": OLD_KEYS["threshold"]}}
        record = {name: getattr(self, name) for name in names + more + rest} | notice
        return {name: plain(value) for name, value in record.items()}

    def columns(self) -> Mapping[str, Any]:
        """A row for each test."""
        names = ("name", "asks", "about", "verdict", "value", "limit", "number", "due", "note")
        return {name: [getattr(one, name) for one in self.answers] for name in names}

    def _options(self) -> str:
        counts = ((self.records, "record"), (self.visits, "visit"), (self.days, "day"))
        parts = [several(count, noun) for count, noun in counts if count is not None]
        stopped = ", interrupted" if self.interrupted else ""
        took = f"{self.took_s:,.0f} s of {time_in_words(self.budget_s)}{stopped}"
        people = several(self.people, "person", "people")
        seed = f"seed {self.seed}, {'given' if self.seed_given else 'derived from the data'}"
        return "; ".join((", ".join([people, *parts]), self.grain, seed, took))


def _verdict(result: Assessment) -> str:
    held, above, missing = len(result.held), len(result.above), len(result.open)
    if not held and not missing:
        return "No verdict: no test was compared with a limit."
    if result.passed:
        return f"Nothing above your limits: {several(held, 'test')}, none missing."
    reasons = []
    if above:
        tests = f"{above:,} of {several(held, 'test')}"
        reasons.append(f"{tests} {'exceeds' if above == 1 else 'exceed'} your limits")
    if missing:
        reasons.append(f"{several(missing, 'test is', 'tests are')} missing")
    if result.refused:
        reasons.append(f"{several(len(result.refused), 'setting makes', 'settings make')} the verdict easier")
    if not reasons:
        reasons.append("no test of whether people can be identified was judged")
    return f"Do not publish: {' and '.join(reasons)}."


def _worst(result: Assessment) -> Iterator[str]:
    """The test that is furthest above its limit."""
    over: list[tuple[float, Answer, Number]] = []
    for answer in result.above:
        number = answer.tightest
        if number is not None and number.limited is not None and number.limited.value is not None:
            over.append((float(number.judged) - float(number.limited.value), answer, number))
    if over:
        _, answer, number = max(over, key=lambda one: one[0])
        yield f"Worst: {answer.asks} {answer.number}; {compared(number)}."


def _missing(result: Assessment) -> Iterator[str]:
    """Tests without an answer, though one was due."""
    late = [one for one in result.open if one.verdict == NOT_RUN]
    if late:
        yield f"Not run: {', '.join(one.name for one in late)}."
    yield from (f"No answer: {one.name} ({one.note})." for one in result.open if one.verdict == NO_ANSWER)


def _more(result: Assessment) -> Iterator[str]:
    """What makes the verdict easier, what was clear before, and what is lost."""
    if result.refused:
        yield f"Refused without a reason (--override): {'; '.join(result.refused)}."
    if result.remark:
        yield sentence(result.remark)
    if result.loss:
        yield result.loss


def _table(result: Assessment) -> Table:
    """Numbers lead to the value that was judged, limits to the limit; what is missing though it was due is listed."""
    answered = [(place, one) for place, one in enumerate(result.answers) if one.judged or one in result.open]
    at = {
        (row, HEAD.index(column)): ("answers", place, name)
        for row, (place, one) in enumerate(answered)
        for column, name in (("result", "value"), ("limit", "limit"))
        if getattr(one, name) is not None
    }
    what = "The release." if result.judges == "release" else "The data as they are."
    return Table(HEAD, [_cells(one) for _, one in answered], f"{what} Higher is riskier.", at)


def _cells(one: Answer) -> tuple[str, ...]:
    shut = one.verdict in (ABOVE, NOT_RUN, NO_ANSWER)
    limited = None if one.main is None else one.main.limited
    return (
        one.asks,
        one.verdict.upper() if shut else one.verdict,
        one.share,
        "-" if limited is None else str(limited),
        one.people or "-",
    )


def _details(result: Assessment) -> list[Table]:
    rows = [(one.name, _explained(one)) for one in result.answers if one.judged]
    return [Table(("test", "what the attacker knows, and more about the number"), rows)] if rows else []


def _explained(one: Answer) -> str:
    numbers = sentence("; ".join(compared(number) for number in one.judged))
    interval = None if one.main is None else one.main.interval
    parts = (
        f"95 % interval {span(interval)}" if interval is not None and one.name != "membership" else "",
        f"chance {percent(one.chance)}" if one.chance is not None else "",
        f"without the data {percent(one.control)}" if one.control is not None else "",
        one.note,
    )
    return f"{one.asks} {one.attacker}. {numbers} {sentence('; '.join(filter(None, parts)))}".rstrip()


def _unanswered(result: Assessment) -> list[Table]:
    rows = [
        (one.name, f"{one.asks} {sentence(f'{one.verdict}: {one.note}')}")
        for one in result.answers
        if not one.judged and (one.verdict != DOES_NOT_APPLY or result.judges == "release" or "release" not in one.note)
    ]
    return [Table(("test", "why there is no answer"), rows)] if rows else []


def _limits(result: Assessment) -> list[Table]:
    """Every limit that was used, with its source."""
    used: dict[str, Any] = {number.limit: number.limited for one in result.answers for number in one.judged}
    rows = [(name, str(limit), limit.source) for name, limit in used.items() if limit is not None and limit.value is not None]
    return [Table(("limit", "value", "source"), rows)] if rows else []


def _about(record: Any, answer: Answer, place: int) -> Section:
    """The section of a record; that of the number that was judged is headed by the question of its test."""
    part = _judged(record, answer) if isinstance(record, Sequence) else section_of(record)
    if place:
        return part
    return replace(part, question=answer.asks, method=[f"{answer.attacker}.", *part.method])


def _judged(curve: Sequence[Any], answer: Answer) -> Section:
    """Uniqueness against known visits, with the answer that was judged first."""
    from incrowd.measure.uniqueness import section

    part = section.section_of_uniqueness(curve, curve[answer.numbers["judged"]])
    return replace(part, number=answer.share, number_of=answer.people)
