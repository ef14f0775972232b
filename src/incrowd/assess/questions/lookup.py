"""Lookup: how often a person is guessed from records known as precisely as what is published shows them."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.assess.dataset import Dataset
from incrowd.assess.options import RECORDS
from incrowd.assess.question import Finding, Number, Question
from incrowd.assess.subject import ROWLESS, Subject
from incrowd.attack import Lookup, lookup
from incrowd.attack.lookup import candidates, drawn_records, held_rows, holders_of, records_for_caps
from incrowd.attack.lookup.holders import BoxHolder, ReleasedRows
from incrowd.data import Fingerprints, UserTable, Visits
from incrowd.errors import DataError, IncrowdError
from incrowd.measure.uniqueness.question import effective_interval, wilson
from incrowd.plain import percent, printed, several

STRANGERS = "nobody of the data is in the release; check that both belong together"
HALF = 2  # people in a crowd whose guess is right half of the time
EXACT = 300  # different sizes up to which a mean is a fraction
RIGHT = "right guesses on average"
WORST = "people guessed rightly half of the time or more"
MORE = 8  # known records, beside those that are judged
# Seconds on one core, from benchmarks/estimates.py: to load the kernels, per person looked up, per row beyond one for
# each person, per record published.
FIRST_S, PERSON_S, PIECE_S, RECORD_S = 0.3, 4e-4, 9e-5, 9e-7
# Per sample looked up in boxes, and per box that it is compared with.
SAMPLE_S, NEAR_S = 1e-5, 3e-9
# Bytes, from the same: per visit that is looked up, per point or box, and per visit that is audited.
VISIT_BYTES, RECORD_BYTES, AUDITED_BYTES = 50, 140, 125
HIDDEN_BYTES = 250  # per record that boxes hide, with their audit


def guesses(
    limit: str, crowd: Ints, *, drawn: bool, caps: Ints | None = None, bound: Fraction | None = None
) -> tuple[Number, Number]:
    """The mean of 1/crowd, and the share of crowds of one or two.

    Args:
        limit: Name of the limit of the mean.
        crowd: For each person asked about the people among whom it is guessed, 0 for a wrong guess.
        drawn: Whether known records, or the people, were drawn.
        caps: The same for an attacker who knows everything published.
        bound: The largest probability of a right guess that an audited guarantee allows.
    """
    most = [] if caps is None else [mean_of(caps)]
    close = [] if caps is None else [half_right(caps)]
    if bound is not None:
        most, close = [*most, bound], [*close, Fraction(int(bound * HALF >= 1))]
    return (
        Number(
            limit=limit,
            what=RIGHT,
            value=mean_of(crowd),
            interval=effective_interval(rights(crowd)) if drawn else None,
            cap=min(most, default=None),
        ),
        Number(
            limit="worst",
            what=WORST,
            value=half_right(crowd),
            interval=wilson(float(half_right(crowd)), len(crowd)) if drawn else None,
            cap=min(close, default=None),
        ),
    )


def mean_of(crowd: Ints) -> Fraction:
    """The mean of 1/crowd, exactly where few sizes make that easy; crowds of 0 add nothing.

    >>> mean_of(np.array([2, 2, 0, 4]))
    Fraction(5, 16)
    """
    sizes = Counter(crowd[crowd > 0].tolist())
    if len(sizes) > EXACT:
        return Fraction(float(rights(crowd).mean()))
    return sum((Fraction(many, size) for size, many in sizes.items()), Fraction(0)) / max(len(crowd), 1)


def rights(crowd: Ints) -> Floats:
    """The probability of a right guess for each person."""
    return np.divide(1.0, crowd, out=np.zeros(len(crowd)), where=crowd > 0)


def half_right(crowd: Ints) -> Fraction:
    """The share of people who are guessed rightly half of the time or more."""
    return Fraction(int(((crowd >= 1) & (crowd <= HALF)).sum()), len(crowd))


def _lookup(data: Dataset) -> Finding:
    """The worst of what is found from 4 records and from as many as are asked about or claimed to be safe."""
    tried = [_from_records(data, records) for records in _records(data)]
    limit = data.options.limit
    return max(
        tried,
        key=lambda one: (
            any(limit(number.limit).exceeded(number.judged) for number in one.judged),
            float(one.judged[0].judged),
        ),
    )


def _from_records(data: Dataset, records: int) -> Finding:
    subject = data.precise
    risk, more = (lookup(subject.release, subject.original, records=n, seed=data.seed) for n in (records, MORE))
    here = risk.crowd >= 0
    if not here.any():
        raise DataError(STRANGERS)
    drawn = bool((_known_records(subject)[here] > records).any())
    together = _with_columns(data, subject, records)
    if together is None:
        known: Any = {"caps": risk.caps[here], "bound": data.bound(records)}
        mean, worst = guesses("lookup", risk.crowd[here], drawn=drawn, **known)
    else:  # what else is published of a person may be known beside the records, which no bound of them allows for
        mean, worst = guesses("lookup", together[here], drawn=drawn)
        if drawn and any(map(data.undecided, (mean, worst))) and not risk.within:
            every = _with_columns(data, subject, int(_known_records(subject).max()))  # who knows all, knows most
            mean, worst = guesses("lookup", together[here], drawn=True, caps=None if every is None else every[here])
    if 2 * risk.none_left >= risk.people and subject.is_release:
        # Records that no row holds lead nowhere, which is no safety: what cannot be exceeded is judged.
        mean, worst = (replace(one, interval=(float(one.value), 1.0)) for one in (mean, worst))
    numbers = {**risk.to_dict(), "more": {"records": MORE, "value": more.value, "worst": more.worst}}
    known_records = f"judged with {records} known records" if records != data.options.records else ""
    beside = "" if together is None else "the other published columns of a person are known beside its records"
    notes = (
        known_records,
        beside,
        _beside(risk, more),
        _gone(risk),
        _precision(data, risk),
        _held_out(data, subject, records),
    )
    note = "; ".join(filter(None, notes))
    return Finding(
        judged=(mean, worst),
        number=printed(float(mean.value), risk.people),
        numbers=numbers,
        results=(risk,),
        note=note,
        chance=1 / max(len(subject.original), 1),
    )


def _with_columns(data: Dataset, subject: Subject, records: int) -> Ints | None:
    """For each person the fewest people behind rows that hold known records and the person's other values.

    None if no other column is published; 0 for a wrong guess.
    """
    from incrowd.assess.questions.publishing import known_values

    values = known_values(data)
    if values is None:
        return None
    rows = ReleasedRows.of(subject.release, subject.original, None)
    fewest = np.zeros(len(subject.original), np.int64)
    for holder in holders_of(rows, subject.original):
        drawn = drawn_records(holder.spans, records, data.seed)
        for person, groups, _ in candidates(rows, holder, drawn):
            own = set(values[rows.rows[person]].tolist())
            alike = [group[np.isin(values[group], list(own))] for group in groups]
            sizes = [rows.people(group) for group in alike if len(group)]
            fewest[person] = min([*sizes, *([fewest[person]] if fewest[person] else [])], default=0)
    return fewest


def _records(data: Dataset) -> list[int]:
    """Known records: as many as asked about, as a claimed L, and never more only, since more may miss a moved row."""
    asked, claimed = data.options.records, data.subject.release.claims.get("l")
    longest = claimed if isinstance(claimed, int) and claimed > asked else asked
    return sorted({min(asked, RECORDS), asked, longest})


def _known_records(subject: Subject) -> Ints:
    """How many records of each person there are to know."""
    original = subject.original
    return np.diff(original.offsets)


def _beside(risk: Lookup, more: Lookup) -> str:
    return (
        f"{percent(risk.worst)} of people are guessed rightly half of the time or more; with {MORE} known records the "
        f"guess is right {percent(more.value)} of the time, with everything published {percent(risk.cap)}"
    )


def _gone(risk: Lookup) -> str:
    left = several(risk.none_left, "person", "people")
    words = f"of {left} no known record is in the release" if risk.none_left else ""
    absent = f"{several(risk.absent, 'person is', 'people are')} not in the release" if risk.absent else ""
    return "; ".join(filter(None, (words, absent)))


def _precision(data: Dataset, risk: Lookup) -> str:
    """How precisely records are known."""
    table = data.subject.release.data
    if risk.within:
        reaches = dict.fromkeys(f"{metres:,.3g} m and {seconds:,.3g} s" for metres, seconds in risk.within)
        return "; ".join(f"points within {reach}" for reach in reaches)
    if isinstance(table, Fingerprints):
        return "samples that published boxes hold"
    return f"on {data.grain_of(table)}"


def _held_out(data: Dataset, subject: Subject, records: int) -> str:
    """What the same lookup believes of people who were left out on purpose."""
    people = data.held_out(subject)
    if not len(people):
        return ""
    wrong = matched(subject, people, records, data.seed)
    out = several(len(people), "person", "people")
    return f"of {out} held out, {wrong:,} would be matched to somebody, always wrongly"


def matched(subject: Subject, people: Ints, records: int, seed: int) -> int:
    """How many of some people, who are not in the release, a lookup would match to exactly one row."""
    _, holder = held_rows(subject.release, subject.original)
    single = 0
    for chosen in drawn_records(holder.spans[people], records, seed):
        if len(chosen):
            held = holder.rows(holder.known[chosen])
            common = set(held[0].tolist()).intersection(*(one.tolist() for one in held[1:]))
            single += len(common) == 1
    return single


def _lookup_s(data: Dataset) -> float:
    records = data.visits.records if data.original is None else data.original.records
    boxes = boxes_of(data)
    if boxes is not None:
        samples = len(data.visits) * (data.options.records + MORE) + 2 * records_for_caps(boxes.boxes, boxes)
        return FIRST_S + RECORD_S * records + in_boxes_s(boxes, samples)
    pieces = 0
    with suppress(IncrowdError):  # the test itself says what is wrong with the release
        pieces = max(len(data.published) - len(data.visits), 0) if isinstance(data.published, UserTable) else 0
    return FIRST_S + PERSON_S * len(data.visits) + PIECE_S * pieces + RECORD_S * records


def holds_boxes(data: Dataset) -> bool:
    """Whether a release of boxes is judged."""
    with suppress(IncrowdError):  # the test itself says what is wrong with the release
        return isinstance(data.published, Fingerprints) and data.published.records > 0
    return False


def boxes_of(data: Dataset) -> BoxHolder | None:
    """The published boxes, in which samples are looked up; None if something else is published."""
    return BoxHolder.over(data.published, data.published) if holds_boxes(data) else None


def in_boxes_s(boxes: BoxHolder, samples: float) -> float:
    """Seconds to look so many samples up."""
    return (SAMPLE_S + NEAR_S * boxes.near) * samples


def lookup_memory(data: Dataset) -> int:
    """Points in a tree or lists of visits; the first test of a release audits it, too."""
    original = data.visits if data.original is None else data.original
    if holds_boxes(data):
        return HIDDEN_BYTES * original.records
    each = VISIT_BYTES if isinstance(original, Visits) else RECORD_BYTES
    return max(each * original.records, audit_memory(data) if data.is_release else 0)


def audit_memory(data: Dataset) -> int:
    """What the audit of a release holds."""
    return AUDITED_BYTES * data.visits.records


def no_rows(data: Dataset) -> str:
    """Why nobody can be guessed, if only counts are published."""
    return ROWLESS if data.publishes_counts else ""


def no_release(data: Dataset) -> str:
    """Why nothing can be asked about a release, if none was given."""
    return "" if data.is_release else "no release was given (--release)"


LOOKUP = Question(
    name="lookup",
    about="singling out",
    asks="How often is a person guessed rightly from 4 known records?",
    attacker=lambda data: (
        f"The attacker knows {data.options.records} random records of a person, as precisely as what is published "
        "shows such records, and looks them up"
    ),
    seconds=_lookup_s,
    memory=lookup_memory,
    run=_lookup,
    lacks=no_rows,
    who=True,
)
