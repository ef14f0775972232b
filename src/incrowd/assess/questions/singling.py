"""Singling out: who is guessed from a few known records, or from one, and how much blurring would hide everyone."""

import numpy as np

from incrowd.arrays import Ints
from incrowd.assess.dataset import Dataset
from incrowd.assess.question import Finding, Inapplicable, Number, Question, drawn_note
from incrowd.assess.questions.lookup import boxes_of, guesses, holds_boxes, in_boxes_s, no_rows
from incrowd.assess.subject import Subject
from incrowd.attack.lookup import caps_of, held_rows
from incrowd.data import Fingerprints, Groups, Release, Traces, Visits
from incrowd.kernels.types import CELLS
from incrowd.measure import Uniqueness, kgap, tails
from incrowd.measure._cut_risk import by_convention
from incrowd.measure._summary import QUANTILES
from incrowd.measure.glove.section import HEAVY
from incrowd.measure.uniqueness.choices import Trajectories
from incrowd.measure.uniqueness.index import Index, index_of
from incrowd.measure.uniqueness.question import UniquenessQuestion
from incrowd.plain import percent, printed, several, span

POINTS = (1, 2, 3, 4, 5)
MOST_SAMPLES = 20_000  # looked up one by one in boxes
KGAP_PEOPLE, KGAP_FEWEST, KGAP_S = 1_000, 125, 60.0
# Seconds on one core, from benchmarks/estimates.py: to load the kernels of an index, and of GLOVE; per visit indexed,
# per question of a person.
LOAD_S, GLOVE_S, VISIT_S, ASK_S = 0.3, 0.2, 1e-7, 5e-7
# Per byte of what is known of the whole period, per pair of people, per such pair and pair of samples beyond the first
# of long fingerprints, and for the tails of a person's pairs of samples.
SKETCH_S, PAIR_S, LONG_S, TAIL_S, SHORT = 1.1e-8, 6.5e-7, 1.3e-10, 8e-9, 250
INDEX_BYTES, SAMPLE_BYTES = 40, 160  # per visit indexed, and per sample that is laid out for GLOVE's search


def _identified(data: Dataset) -> Finding:
    subject = data.subject
    if isinstance(subject.release.data, Fingerprints) and subject.is_release:
        raise Inapplicable("the release holds boxes, in which samples are looked up instead")
    visits = subject.visits
    one, more = ("published trajectory", "published trajectories") if subject.is_release else ("person", "people")
    index, crowd = index_of(visits), Trajectories.over(visits.offsets)
    points = sorted({*POINTS, data.options.records})
    by = {m: by_convention(index, crowd, visits, UniquenessQuestion(points=m, seed=data.seed)) for m in points}
    main = by[data.options.records]["all"]
    if main.crowd_sizes is None or not main.population:
        raise Inapplicable("nobody has a visit")
    sizes = main.crowd_sizes[0]
    drawn = bool((np.diff(visits.offsets) > data.options.records).any())
    bound = data.bound(data.options.records)
    numbers = guesses("identified", sizes, drawn=drawn, bound=bound)
    if drawn and any(data.undecided(one) for one in numbers):
        whole = Release(visits, Groups.themselves(len(visits)))
        numbers = guesses("identified", sizes, drawn=True, caps=caps_of(whole, visits)[main.targets], bound=bound)
    curve: list[Uniqueness] = [by[m][short] for short in ("drop", "all", "zero") for m in points]
    alone = int((sizes == 1).sum())
    record = {"curve": [one.to_dict() for one in curve], "judged": curve.index(main), "alone": alone}
    return Finding(
        judged=numbers,
        number=printed(float(numbers[0].value), len(sizes), one=one, more=more),
        numbers=record,
        results=(curve,),
        note=f"on {data.grain_of(visits)}; {percent(alone / len(sizes))} are alone; {_curve(by)}{_crammed(visits)}",
        chance=1 / len(sizes),
    )


def _curve(by: dict[int, dict[str, Uniqueness]]) -> str:
    """Who is alone, against the number of known visits."""
    shares = [f"{m}: {percent(each['all'].value)} ({span(each['all'].interval)})" for m, each in by.items()]
    return f"alone by number of known visits, with 95 % intervals, {', '.join(shares)}"


def _crammed(visits: Visits) -> str:
    """A warning if most people fall into few cells."""
    cells = len(np.unique(visits.cell))
    return (
        f"; all of it in {several(cells, 'cell')}, so this grain hides more than it shows"
        if cells <= 2 < len(visits)
        else ""
    )


def _single_visit(data: Dataset) -> Finding:
    subject = data.subject
    if isinstance(subject.release.data, Fingerprints) and subject.is_release:
        crowd, people = _single_in_boxes(subject, data.seed)
    else:
        crowd, people = subject.per_person(_rarest(subject))[subject.present], subject.present
    everybody = len(subject.present)
    numbers = guesses("single_visit", crowd, drawn=len(people) < everybody, bound=data.bound(1))
    alone = int((crowd == 1).sum())
    return Finding(
        judged=numbers,
        number=printed(float(numbers[0].value), len(people), of=everybody),
        numbers={"people": len(people), "alone": alone, "of_people": everybody},
        note="; ".join(
            filter(
                None,
                (
                    f"{percent(alone / len(people))} ({alone:,} people) made a visit that nobody else made",
                    drawn_note(len(people), everybody),
                ),
            )
        ),
        chance=1 / everybody,
    )


def _rarest(subject: Subject) -> Ints:
    """For each published row the fewest people who made one of its visits."""
    visits = subject.visits
    index = Index.build(visits)
    people = np.append(0, np.cumsum(subject.crowd[index.postings]))
    of_point = people[index.starts[1:]] - people[index.starts[:-1]]
    least = np.full(len(visits), np.iinfo(np.int64).max)
    np.minimum.at(least, visits.owner, of_point[index.ids])
    return np.where(np.diff(visits.offsets) > 0, least, 0)


def _single_in_boxes(subject: Subject, seed: int) -> tuple[Ints, Ints]:
    """For each person asked about the fewest people behind the boxes around one of its samples."""
    rows, holder = held_rows(subject.release, subject.original)
    order = np.random.default_rng(seed).permutation(subject.present)
    samples = np.cumsum(np.diff(subject.original.offsets)[order])
    people = np.sort(order[: max(int(np.searchsorted(samples, MOST_SAMPLES, "right")), 1)])
    fewest = []
    for person in people.tolist():
        mine = set(rows.rows[person].tolist())
        held = holder.rows(holder.known[slice(*holder.spans[person].tolist())])
        fewest.append(min((rows.people(one) for one in held if mine.intersection(one.tolist())), default=0))
    return np.array(fewest, np.int64), people


def _blurring(data: Dataset) -> Finding:
    prints = data.prints(people=_gap_people(data))
    gap = kgap(prints, k=2)
    tail = tails(prints, k=2, gap=gap)
    median = float(np.median(gap.value))
    heavy = {name: float((getattr(tail, name) >= HEAVY).mean()) for name in ("delta", "space", "time")}
    cdf = dict(zip((f"{q:.0%}" for q in QUANTILES), np.quantile(gap.value, QUANTILES).tolist(), strict=True))
    hidden = int((gap.value == 0).sum())
    numbers = {"k": 2, "people": len(prints), "quantiles": cdf, "hidden": hidden, "heavy": heavy}
    sample = drawn_note(len(prints), len(data.visits), "; among all people it can only be smaller")
    explained = (
        f"half of the people need between {cdf['25%']:.3f} and {cdf['75%']:.3f}, "
        f"{several(hidden, 'person needs', 'people need')} none; the tails of the sample stretches are heavy in time "
        f"for {percent(heavy['time'], 0)} of people and in space for {percent(heavy['space'], 0)}"
    )
    return Finding(
        judged=(Number(limit="blurring", what="median blurring", value=median),),
        number=f"{median:.3f} (median of {several(len(prints), 'person', 'people')})",
        numbers=numbers,
        results=(gap, tail),
        note="; ".join(filter(None, (explained, sample))),
    )


def _identified_s(data: Dataset) -> float:
    if holds_boxes(data):  # does not apply
        return 0.0
    return LOAD_S + 2 * VISIT_S * data.visits.records + ASK_S * len(data.visits) * len(POINTS)


def _single_visit_s(data: Dataset) -> float:
    boxes = boxes_of(data)
    if boxes is not None:
        return in_boxes_s(boxes, MOST_SAMPLES if data.original is None else min(data.original.records, MOST_SAMPLES))
    return 2 * VISIT_S * data.visits.records  # the kernels are loaded by then


def _gap_people(data: Dataset) -> int:
    """Fewer if their trajectories are long, as long as some hundred are left."""
    people = KGAP_PEOPLE
    while people > KGAP_FEWEST and _blurring_s(data, people) > KGAP_S:
        people //= 2
    return people


def _blurring_s(data: Dataset, people: int | None = None) -> float:
    """Seconds for so many people at most; by itself for those it would draw."""
    if data.traces is None:
        return 0.0
    people = min(len(data.traces), _gap_people(data) if people is None else people)
    sizes = np.diff(data.traces.offsets).astype(np.float64)
    samples, squared = float(sizes.mean()), float((sizes**2).mean())
    pair_s = PAIR_S + LONG_S * samples * max(samples - SHORT, 0)
    return GLOVE_S + SKETCH_S * _sketch(data.traces, people) + people * people * pair_s + people * TAIL_S * squared


def _sketch(traces: Traces, people: int) -> int:
    """Bytes by which GLOVE's search knows when these people are where, for the whole period."""
    from incrowd.kernels.cpu.glove.prints import allocate

    minutes, samples = int(np.ptp(traces.t)) // 60, traces.records // len(traces)
    laid = allocate(np.full(people, samples), minutes, CELLS, room=0)  # what is not filled takes no memory
    return sum(column.nbytes for column in (laid.quiet, laid.coarse, laid.calm, laid.hours))


def _blurring_memory(data: Dataset) -> int:
    if data.traces is None:
        return 0
    people = min(len(data.traces), _gap_people(data))
    return SAMPLE_BYTES * people * data.traces.records // len(data.traces) + _sketch(data.traces, people)


def _no_blurring(data: Dataset) -> str:
    """It is context about the data: with a release, or without their records, it does not apply."""
    if data.is_release:
        return "it is about the data as they are, and a release is judged"
    if data.traces is None:
        return data.why_no_traces
    return "" if len(data.traces) > 1 else "the data hold one person only"


IDENTIFIED = Question(
    name="identified",
    about="singling out",
    asks="How many people are identified by 4 known visits?",
    attacker=lambda data: (
        f"The attacker knows {data.options.records} random visits of a person, to the cell and slot, and that the "
        "person is in the data"
    ),
    seconds=_identified_s,
    memory=lambda data: INDEX_BYTES * data.visits.records,
    run=_identified,
    lacks=no_rows,
    who=True,
)
SINGLE_VISIT = Question(
    name="single_visit",
    about="singling out",
    asks="How many people are identified by a single visit?",
    attacker=lambda _: (
        "The attacker knows just the one visit of a person that fewest others made, and that the person is in the data"
    ),
    seconds=_single_visit_s,
    memory=lambda data: INDEX_BYTES * data.visits.records,
    run=_single_visit,
    lacks=no_rows,
    who=True,
)
BLURRING = Question(
    name="blurring",
    about="singling out",
    asks="How much blurring until everyone looks like one other person? (0: none, 1: 20 km and 8 h)",
    attacker=lambda _: "The attacker knows all samples of a person, to 100 m and a minute",
    seconds=_blurring_s,
    memory=_blurring_memory,
    run=_blurring,
    lacks=_no_blurring,
)
