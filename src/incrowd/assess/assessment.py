"""Assessment: every test with its answer, the verdict, and the sections that explain them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from incrowd.assess.limits import HONESTY, OLD_KEYS, OLD_NAMES, in_words, named
from incrowd.assess.question import (
    ABOVE,
    BEFORE,
    DATA,
    NO_ANSWER,
    NOT_RUN,
    RELEASE,
    WITHIN,
    Answer,
    Group,
    StepEstimate,
    sentence,
)
from incrowd.errors import check_choice
from incrowd.ledger import Ledger
from incrowd.measure import Summary
from incrowd.plain import in_words as time_in_words
from incrowd.plain import plain, several
from incrowd.show import Result, Section, Table, section_of

HEAD = ("question", "verdict", "result", "limit", "how many")  # the first four fit a phone
CONTEXT = "Values in brackets describe the original data and do not affect the verdict."
ONLY_ASKED = "Only the attacks listed here were tried; others may succeed."


@dataclass(frozen=True, eq=False, repr=False)
class Assessment(Result):
    """Every test with its answer, attacker and verdict; nothing in it is about one person."""

    people: int
    records: int | None  # None if only visits were given, or too many to hold
    visits: int
    cells: int
    days: int | None  # None if nothing says how long a slot is
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

    def answer(self, name: str) -> Answer:
        """The answer of one test.

        Args:
            name: Name of the test, such as "identified" or "counts".
        """
        name = named(name)
        check_choice("test", name, tuple(one.name for one in self.answers))
        return next(one for one in self.answers if one.name == name)

    @property
    def above(self) -> tuple[Answer, ...]:
        """Tests above their limits; if a release is given, those that count for it."""
        return tuple(one for one in self.answers if one.decides and one.verdict == ABOVE)

    @property
    def open(self) -> tuple[Answer, ...]:
        """Tests that have a limit and no answer, because of too little time or because they could not be answered."""
        due = (one for one in self.answers if one.decides and one.limit is not None)
        return tuple(one for one in due if one.verdict in (NOT_RUN, NO_ANSWER))

    @property
    def held(self) -> tuple[Answer, ...]:
        """Tests whose number was compared with a limit."""
        return tuple(one for one in self.answers if one.decides and one.verdict in (ABOVE, WITHIN))

    @property
    def before(self) -> tuple[Answer, ...]:
        """Tests of the original data, if a release is judged."""
        return tuple(one for one in self.answers if one.group == BEFORE)

    @property
    def passed(self) -> bool:
        """Whether something was compared with a limit, nothing is above its limit, and nothing is missing."""
        return bool(self.held) and not self.above and not self.open

    @property
    def gate(self) -> str:
        """Whether it passes, in words, and if not, why."""
        if self.passed:
            return "passes"
        counts = [
            f"{len(answers):,} {words}" for answers, words in ((self.above, "above"), (self.open, "missing")) if answers
        ]
        return f"does not pass: {', '.join(counts) or 'nothing was compared with a limit'}"

    @property
    def judges(self) -> str:
        """What the verdict is about: the release, or the data if there is none."""
        return RELEASE if self.before else DATA

    @property
    def verdict(self) -> str:
        """The answer in words: whether anything is above its limit or missing, the worst, and the original data."""
        return " ".join([_verdict(self), *_worst(self), *_missing(self), *_original(self)])

    @property
    def grain(self) -> str:
        """The size of a cell and of a slot, in words."""
        places = self.places.replace("cells of ", "").replace(" m", " m cells")
        return places if self.slot_min is None else f"{places}, {self.slot_min:,} min slots"

    def __repr__(self) -> str:
        return f"Assessment(people={self.people:,}, above={len(self.above)}, open={len(self.open)})"

    def section(self) -> Section:
        """The verdict, with the table of all tests."""
        return Section(
            question="Does any test exceed your limits?",
            answer=self.verdict,
            number=str(len(self.above) + len(self.open)) if self.held or self.open else "-",
            number_of="tests above your limits or missing",
            tables=[*_verdicts(self), *_details(self), *_unanswered(self)],
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
        return [self.section(), *summary, *behind, section_of(self.ledger)]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; what was renamed in version 0.2 also stands under its old name."""
        names = ("people", "records", "visits", "cells", "days", "places", "slot_min", "budget_s", "took_s", "seed")
        more = ("interrupted", "judges", "verdict", "passed", "gate", "estimates", "summary", "ledger")
        old = {new: name for name, new in OLD_NAMES.items()}
        answers = [{**one.to_dict(), "threshold": one.limit, "old_name": old.get(one.name)} for one in self.answers]
        notice = {"answers": answers, "note": HONESTY, "renamed": {**OLD_NAMES, "threshold": OLD_KEYS["threshold"]}}
        record = {name: getattr(self, name) for name in names + more} | notice
        return {name: plain(value) for name, value in record.items()}

    def columns(self) -> Mapping[str, Any]:
        """A row for each test."""
        names = ("name", "asks", "group", "verdict", "value", "limit", "number", "decides", "note")
        return {name: [getattr(one, name) for one in self.answers] for name in names}

    def _options(self) -> str:
        counts = ((self.records, "record"), (self.visits, "visit"), (self.days, "day"))
        parts = [several(count, noun) for count, noun in counts if count is not None]
        stopped = ", interrupted" if self.interrupted else ""
        took = f"{self.took_s:,.0f} s of {time_in_words(self.budget_s)}{stopped}"
        people = several(self.people, "person", "people")
        return "; ".join((", ".join([people, *parts]), self.grain, f"seed {self.seed}", took))


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
    return f"Do not publish: {' and '.join(reasons)}."


def _worst(result: Assessment) -> Iterator[str]:
    """The test that is furthest above its limit."""
    worst = max(result.above, key=lambda one: (one.value or 0.0) - (one.limit or 0.0), default=None)
    if worst is not None:
        yield f"Worst: {worst.asks} {worst.number}, limit {in_words(worst.limit)}."


def _missing(result: Assessment) -> Iterator[str]:
    """Tests without an answer, though one was due."""
    late = [one for one in result.open if one.verdict == NOT_RUN]
    if late:
        yield f"Not run: {', '.join(one.name for one in late)}."
    yield from (f"No answer: {one.name} ({one.note})." for one in result.open if one.verdict == NO_ANSWER)


def _original(result: Assessment) -> Iterator[str]:
    """What the same tests say of the original data."""
    set_by_user = [one.name for one in result.held if one.group == BEFORE]
    if set_by_user:
        yield f"Of the original data, you set limits for: {', '.join(set_by_user)}."
    known = [one for one in result.before if not one.decides and one.verdict in (ABOVE, WITHIN)]
    if known:
        above = sum(one.verdict == ABOVE for one in known)
        exceed = "exceeds" if above == 1 else "exceed"
        yield f"Of the original data, {above:,} of {several(len(known), 'test')} {exceed} the limits. {CONTEXT}"


def _verdicts(result: Assessment) -> list[Table]:
    """One table, or with a release one of it and one of the original data."""
    if not result.before:
        return [_table(result, (DATA, RELEASE), "Shares; higher is riskier.")]
    return [
        _table(result, (RELEASE,), "The release. Shares; higher is riskier."),
        _table(result, (BEFORE,), f"The original data. {CONTEXT}"),
    ]


def _table(result: Assessment, groups: tuple[Group, ...], caption: str) -> Table:
    """Numbers lead to the value that was judged, limits to the limit; what is missing though it was due is listed."""
    places = [(place, one) for place, one in enumerate(result.answers) if one.group in groups]
    answered = [(place, one) for place, one in places if one.value is not None or one in result.open]
    at = {
        (row, HEAD.index(column)): ("answers", place, name)
        for row, (place, one) in enumerate(answered)
        for column, name in (("result", "value"), ("limit", "limit"))
        if getattr(one, name) is not None
    }
    return Table(HEAD, [_cells(one) for _, one in answered], caption, at)


def _cells(one: Answer) -> tuple[str, ...]:
    shut = one.outcome in (ABOVE, NOT_RUN, NO_ANSWER)
    return (
        one.asks,
        one.outcome.upper() if shut else one.outcome,
        one.share,
        in_words(one.limit),
        one.people or "-",
    )


def _details(result: Assessment) -> list[Table]:
    rows = [
        (one.name, f"{one.asks} {one.attacker}. {sentence(one.note)}".rstrip())
        for one in result.answers
        if one.value is not None
    ]
    return [Table(("test", "what the attacker knows, and more about the number"), rows)] if rows else []


def _unanswered(result: Assessment) -> list[Table]:
    rows = [
        (one.name, f"{one.asks} {sentence(f'{one.verdict}: {one.note}')}")
        for one in result.answers
        if one.value is None
    ]
    return [Table(("test", "why there is no answer"), rows)] if rows else []


def _about(record: Any, answer: Answer, place: int) -> Section:
    """The section of a record; that of the number that was judged is headed by the question of its test."""
    part = _judged(record, answer) if isinstance(record, Sequence) else section_of(record)
    if place:
        return part
    whose = " (original data)" if answer.group == BEFORE else ""
    return replace(part, question=f"{answer.asks}{whose}", method=[f"{answer.attacker}.", *part.method])


def _judged(curve: Sequence[Any], answer: Answer) -> Section:
    """Uniqueness against known visits, with the answer that was judged first."""
    from incrowd.measure.uniqueness import section

    main = curve[answer.numbers["judged"]]
    part = section.section_of_uniqueness(curve, main)
    of = "published trajectories" if answer.group == RELEASE else "people"
    return replace(part, answer=section.answer(main, of))
