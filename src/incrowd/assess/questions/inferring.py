"""Inference: homes and workplaces that point to a person, and sensitive values that follow from a crowd."""

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np

from incrowd.arrays import Ints
from incrowd.assess.dataset import Dataset
from incrowd.assess.question import Finding, Inapplicable, Misled, Number, Question
from incrowd.assess.questions.lookup import guesses, lookup_memory, no_rows
from incrowd.assess.subject import Subject
from incrowd.attack import home_work
from incrowd.attack.lookup import candidates, drawn_records, held_rows
from incrowd.attack.recover.guesses import Z_MISLED
from incrowd.data import Traces, Visits
from incrowd.discretize import grid
from incrowd.errors import DataError, ParameterError
from incrowd.measure.uniqueness.question import effective_interval
from incrowd.plain import percent, printed, several
from incrowd.show import Result, Section, Table

LOAD_S, VISIT_S = 0.3, 5e-8  # seconds on one core: to load kernels, and per visit
HOME_WORK_S = 0.02  # whatever the data
VISIT_BYTES = 45  # cells, days and hours of a visit
FINE_MIN = 60  # slots in which a night and a working day are told apart
OTHER = object()  # any value that does not count
BLANK = object()  # no value, which may be one


def _home_work(data: Dataset) -> Finding:
    subject = data.subject
    visits = subject.visits
    if visits.start is None or visits.slot_min is None:
        raise Inapplicable("nothing says when slots begin, so night and day cannot be told apart")
    places = home_work(visits)
    both = places.home_found & places.work_found
    crowd = np.zeros(len(visits), np.int64)
    _, pair = np.unique(np.stack([places.home[both], places.work[both]]), axis=1, return_inverse=True)
    crowd[both] = np.bincount(pair.ravel(), subject.crowd[both])[pair.ravel()].astype(np.int64)
    people = subject.per_person(crowd)
    concerned = people[people > 0]
    if not len(concerned):
        if _silenced(data, visits):
            raise DataError("slots of the assessment are too long to show homes that the data hold; give shorter slots")
        raise Inapplicable("home and work can be inferred for nobody")
    numbers = guesses("home_work", concerned, drawn=False)
    alone = int((concerned == 1).sum())
    everybody = len(subject.present)
    note = (
        f"home and work can be inferred for {len(concerned):,} of {everybody:,} people; {alone:,} of them share the "
        f"pair with nobody; {_hours(visits)}; there is no ground truth for these places"
    )
    return Finding(
        judged=numbers,
        number=printed(float(numbers[0].value), len(concerned), of=everybody),
        numbers={"concerned": len(concerned), "people": everybody, "alone": alone, "pair_unique": places.pair_unique},
        results=(places,),
        note=note,
        chance=1 / everybody,
        concerned=len(concerned) if len(concerned) < everybody else None,
        stands_out="their home and work",
    )


def _silenced(data: Dataset, visits: Visits) -> bool:
    """Whether finer slots would show homes and workplaces that these hide."""
    table = data.subject.release.data
    if not isinstance(table, Traces) or (visits.slot_min or 0) <= FINE_MIN:
        return False
    fine = home_work(grid(table, cell_m=data.cell_m, slot_min=FINE_MIN, time_zone=visits.time_zone))
    return bool((fine.home_found & fine.work_found).any())


def _hours(visits: Visits) -> str:
    return f"night and office hours are those of {visits.time_zone or 'UTC (--time-zone sets their zone)'}"


@dataclass(frozen=True, kw_only=True)
class SensitiveGuess(Result):
    """How often the commonest value of a person's crowd is the person's own, beside the commonest of all.

    Args:
        sensitive: Name of the attribute.
        records: Known records of each person.
        people: People with a value, all of whom are asked about.
        right: Share of right guesses.
        control: Share of the commonest value among all people: right without the data.
        advantage: (right - control) / (1 - control).
    """

    sensitive: str
    records: int
    people: int
    right: float
    control: float
    advantage: float

    def section(self) -> Section:
        """How much better than without the data a value is guessed."""
        rows = [
            ("guessed rightly from the crowd", percent(self.right)),
            ("guessed rightly without the data (commonest value)", percent(self.control)),
            ("advantage", percent(self.advantage)),
        ]
        return Section(
            question=f"Can {self.sensitive} be inferred?",
            answer=f"An attacker who knows {several(self.records, 'record')} of a person guesses the value rightly for "
            f"{percent(self.right)} of {self.people:,} people, and for {percent(self.control)} without the data: an "
            f"advantage of {percent(self.advantage)}.",
            number=percent(self.advantage),
            number_of="advantage over guessing without the data",
            tables=[Table(("", "share of people"), rows)],
            method=["The attacker takes the commonest value among the people whom the known records may belong to."],
            options=f"{several(self.records, 'known record')}",
            data=self,
            number_at=("advantage",),
        )


def _sensitive(data: Dataset) -> Finding:
    """The value of those who have one, or that somebody has none, whichever is inferred better."""
    values = _values(data, data.precise, data.sensitive or "")
    if not any(value is not None for value in values):
        raise DataError(f"nobody has a value of {data.sensitive!r}; name the attribute that is sensitive")
    blanks: list[Hashable | None] = [BLANK if value is None else value for value in values]
    tried = [_inferred(data, one) for one in ((values, blanks) if None in values else (values,))]
    findings = [one for one in tried if one is not None]
    if not findings:
        raise Inapplicable(f"everybody has the same value of {data.sensitive}")
    return max(findings, key=lambda one: float(one.judged[0].judged))


def _inferred(data: Dataset, values: list[Hashable | None]) -> Finding | None:
    """How much better the value is guessed than without the data; None if everybody has the same."""
    subject, name = data.precise, data.sensitive or ""
    rows = ([values[row] for row in mine.tolist() if values[row] is not None] for mine in subject.rows)
    counted = Counter(mine[0] for mine in rows if mine)
    control = Fraction(max(counted.values(), default=1), max(sum(counted.values()), 1))
    if control == 1:
        return None
    records = data.options.records
    right, drawn = _guessed(subject, values, records, data.seed)
    mean = float(right.mean())
    interval = effective_interval(right) if drawn else None
    base = float(control)
    if mean < base - Z_MISLED * sqrt(base * (1 - base) / len(right)):
        raise Misled(
            f"the guess is right less often ({percent(mean)}) than without the data ({percent(base)}), so the attack "
            "was misled, which protects nobody"
        )
    exact = Fraction(mean).limit_denominator(10**9)
    value = (exact - control) / (1 - control)
    ends = None if interval is None else tuple((end - base) / (1 - base) for end in interval)
    record = SensitiveGuess(
        sensitive=name, records=records, people=len(right), right=mean, control=base, advantage=float(value)
    )
    return Finding(
        judged=(Number(limit="sensitive", what="advantage", value=value, interval=ends),),  # type: ignore[arg-type]
        number=f"{percent(float(value))} (advantage over guessing, of {several(len(right), 'person', 'people')})",
        numbers=record.to_dict(),
        results=(record,),
        note=f"guessed rightly for {percent(mean)} of people, without the data for {percent(base)}",
        control=base,
    )


def _values(data: Dataset, subject: Subject, name: str) -> list[Hashable | None]:
    """The value that counts of each published row; None for a row without any."""
    table: Any = subject.release.data
    attributes = table.attributes
    if name not in attributes:
        raise Inapplicable("the release does not publish it")
    wanted = data.options.values
    if wanted is None:
        return [_counts(value, None) for value in attributes[name]]
    texts = set(map(str, {wanted} if isinstance(wanted, str) else wanted))
    held = [*attributes[name], *data.visits.attributes.get(name, ())]
    nobody = texts - {str(one) for value in held for one in _all(value)}
    if nobody:
        raise DataError(
            f"nobody has {several(len(nobody), 'value')} of {name} that should count; check how values are written "
            "(--value)"
        )
    return [_counts(value, texts) for value in attributes[name]]


def _counts(value: Any, wanted: set[str] | None) -> Hashable | None:
    """A value, or several of one person, as they count; all that does not count is alike."""
    values = _all(value)
    if not values:
        return None
    if wanted is None:
        return values
    kept = frozenset(str(one) for one in values if str(one) in wanted)
    return kept or OTHER


def _all(value: Any) -> frozenset[Any]:
    """The values of one person; nothing, an empty text and no number are none."""
    if isinstance(value, (set, frozenset)):
        return frozenset(value)
    return frozenset() if value is None or value == "" or value != value else frozenset([value])


def _guessed(subject: Subject, values: list[Hashable | None], records: int, seed: int) -> tuple[Any, bool]:
    """How often the commonest value of the best crowd of each person is its own, ties in expectation."""
    published, holder = held_rows(subject.release, subject.original)
    drawn = drawn_records(holder.spans, records, seed)
    right = {}
    # Whoever finds no known record guesses among everybody; points may have been moved, and then the row is read off.
    unknown = None if isinstance(published.data, Traces) else np.arange(len(published.data))
    for person, groups, _ in candidates(published, holder, drawn):
        mine = [values[row] for row in published.rows[person].tolist() if values[row] is not None]
        if mine:
            crowd = min(
                groups, key=published.people, default=unknown if unknown is not None else published.rows[person]
            )
            right[person] = _right(mine[0], crowd, values, subject.crowd)
    if not right:
        raise DataError("nobody in the release has a value; name the attribute that is sensitive")
    long = np.diff(holder.spans, axis=1)[:, 0] > records
    return np.array(list(right.values())), bool(long.any())


def _right(own: Hashable, crowd: Ints, values: list[Hashable | None], people: Ints) -> float:
    counts: Counter[Hashable] = Counter()
    for row in crowd.tolist():
        if values[row] is not None:
            counts[values[row]] += int(people[row])
    most = max(counts.values())
    commonest = [value for value, many in counts.items() if many == most]
    return 1 / len(commonest) if own in commonest else 0.0


def _no_value(data: Dataset) -> str:
    return no_rows(data) or ("" if data.sensitive is not None else "no sensitive attribute was named (--sensitive)")


def named_columns(data: Dataset) -> Iterator[str]:
    """The columns beyond those of the kind that are, or would be, published."""
    names = list(getattr(data.table, "attributes", {}))
    wanted = data.options.publish_columns
    if not data.is_release and wanted is not None:
        strange = sorted(set(wanted) - set(names))
        if strange:
            raise ParameterError(
                f"the data have no attribute {strange[0]!r} that could be published (they have: "
                f"{', '.join(names) or 'none'}); read it too."
            )
        names = [name for name in names if name in wanted]
    yield from names


HOME_WORK = Question(
    name="home_work",
    about="inference",
    asks="For how many people is the pair home and work unique?",
    attacker=lambda _: (
        "The attacker sees what is published and takes the cell of most slots at night for home, and of most slots in "
        "office hours of weekdays for work; who knows where somebody lives and works guesses among those with that pair"
    ),
    seconds=lambda data: HOME_WORK_S + VISIT_S * data.visits.records,
    memory=lambda data: VISIT_BYTES * data.visits.records,
    run=_home_work,
    lacks=no_rows,
    who=True,
)
SENSITIVE = Question(
    name="sensitive",
    about="inference",
    asks="Can a sensitive attribute be inferred?",
    attacker=lambda data: (
        f"The attacker knows {data.options.records} random records of a person and guesses the commonest value among "
        "the people whom they may belong to"
    ),
    seconds=lambda data: LOAD_S + 1e-3 * len(data.visits) + VISIT_S * data.visits.records,
    memory=lookup_memory,
    run=_sensitive,
    lacks=_no_value,
)
