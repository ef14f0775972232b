"""Singling out: who is identified by a few visits or by one, and how much blurring would hide everyone."""

import numpy as np

from incrowd.assess.dataset import Dataset
from incrowd.assess.question import RELEASE, Finding, Inapplicable, Question, drawn_note, no_release
from incrowd.assess.questions.release import grain_note, published_visits
from incrowd.data import Visits
from incrowd.measure import Uniqueness, exposure, kgap, tails
from incrowd.measure._cut_risk import by_convention
from incrowd.measure.uniqueness.choices import Trajectories
from incrowd.measure.uniqueness.index import index_of
from incrowd.measure.uniqueness.question import UniquenessQuestion
from incrowd.plain import of_people, percent, several, span

ABOUT = "singling out"
POINTS = (1, 2, 3, 4, 5)
MAIN = 4  # known points of the verdict, as in most of the literature
EXPOSURE_POINTS, EXPOSURE_SETS = 2, 1_000_000
KGAP_PEOPLE, KGAP_FEWEST, KGAP_S = 1_000, 125, 60.0
HEAVY = 1.5  # a tail this heavy is exponential rather than Gaussian [gramaglia2015, Sec. 5.3]
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
# Seconds on one core, measured on synthetic cities and taxis, rounded up: to load the kernels, the first of all for
# longer, per visit indexed, per question of a person, per set of visits tried.
FIRST_S, LOAD_S, VISIT_S, ASK_S, SET_S = 1.2, 0.5, 1e-6, 2e-6, 5e-9
# Per pair of people and sample compared, per such pair and pair of samples beyond the first of long fingerprints, and
# for the tails of a person's pairs of samples.
SAMPLE_S, LONG_S, TAIL_S, SHORT = 2e-8, 2.2e-10, 2.2e-8, 250


def _identified(data: Dataset) -> Finding:
    return _alone(data.visits, data.options.seed, "person", "people")


def _released(data: Dataset) -> Finding:
    visits = published_visits(data)
    if visits is None:
        raise Inapplicable(f"the release holds {type(data.published).__name__}, neither visits nor points")
    finding = _alone(visits, data.options.seed, "published trajectory", "published trajectories")
    put = f"points of the release were put on {data.places}"
    grain = grain_note(visits) if isinstance(data.published, Visits) else put
    return finding._replace(note="; ".join(filter(None, (grain, finding.note))))


def _alone(visits: Visits, seed: int, *noun: str) -> Finding:
    """The curve under all conventions; points are drawn once for the three of them."""
    index, crowd = index_of(visits), Trajectories.over(visits.offsets)
    by = {m: by_convention(index, crowd, visits, UniquenessQuestion(points=m, seed=seed)) for m in POINTS}
    main = by[MAIN]["all"]
    curve: list[Uniqueness] = [by[m][short] for short in ("drop", "all", "zero") for m in POINTS]
    alone = round((main.value or 0) * main.population)
    numbers = {"curve": [one.to_dict() for one in curve], "judged": curve.index(main), "alone": alone}
    return Finding(main.value, of_people(alone, main.population, *noun), numbers, (curve,), _note(by, *noun))


def _note(by: dict[int, dict[str, Uniqueness]], one: str, more: str) -> str:
    """The whole curve in words, and the other conventions if they differ."""
    shares = [f"{m}: {percent(each['all'].value)} ({span(each['all'].interval)})" for m, each in by.items()]
    known = f"by number of known visits, with 95 % intervals, {', '.join(shares)}"
    short = by[max(by)]["drop"].skipped
    if not short:
        return f"{known}; nobody has fewer visits than that, so all conventions agree"
    other = {name: ", ".join(percent(each[name].value) for each in by.values()) for name in ("drop", "zero")}
    return (
        f"{known}; {several(short, f'{one} has', f'{more} have')} fewer than {max(by)} visits, which are then all "
        f"known; if such {more} are left out: {other['drop']}; if they count as not identified: {other['zero']}"
    )


def _single_visit(data: Dataset) -> Finding:
    exposed = exposure(data.visits, max_points=EXPOSURE_POINTS, max_sets=EXPOSURE_SETS)
    one, few = (int(np.isin(exposed.points, range(1, n + 1)).sum()) for n in (1, EXPOSURE_POINTS))
    people = len(exposed.points)
    note = f"two well-chosen visits of their own, or fewer, identify {of_people(few, people)}"
    numbers = {**exposed.to_dict(), "by_one": one, "by_two": few}
    return Finding(one / people, of_people(one, people), numbers, (exposed,), note)


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
    people = several(len(prints), "person", "people")
    notes = "; ".join(filter(None, (explained, sample)))
    return Finding(median, f"{median:.3f} (median of {people})", numbers, (gap, tail), notes)


def _uniqueness_s(data: Dataset) -> float:
    return FIRST_S + VISIT_S * data.visits.records + ASK_S * len(data.visits) * len(POINTS)


def _single_visit_s(data: Dataset) -> float:
    """As if a quarter of all sets were tried: most people are identified by one of the first."""
    n = np.diff(data.visits.offsets).astype(np.float64)
    return LOAD_S + SET_S * float(np.minimum(n * n / 2, EXPOSURE_SETS).sum()) / 4


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
    samples = data.traces.records / max(len(data.traces), 1)
    pair_s = samples * (SAMPLE_S + LONG_S * max(samples - SHORT, 0))
    return LOAD_S + people * people * pair_s + people * (2e-3 + TAIL_S * samples * samples)


def _no_records(data: Dataset) -> str:
    if data.traces is None:
        return data.why_no_traces
    return "" if len(data.traces) > 1 else "the data hold one person only"


IDENTIFIED = Question(
    name="identified",
    about=ABOUT,
    asks=f"How many people are identified by {MAIN} known visits?",
    attacker=lambda _: (
        f"The attacker knows {MAIN} random visits of a person, to the cell and slot, and that the person is in the data"
    ),
    seconds=_uniqueness_s,
    run=_identified,
)
RELEASE_IDENTIFIED = Question(
    name="release_identified",
    about=ABOUT,
    asks=f"How many published trajectories are identified by {MAIN} known visits?",
    attacker=lambda _: (
        f"The attacker knows {MAIN} random visits of a published trajectory, as the release shows them, and that it is "
        "in the release"
    ),
    seconds=lambda data: 2 * _uniqueness_s(data),
    run=_released,
    lacks=no_release,
    of=RELEASE,
)
SINGLE_VISIT = Question(
    name="single_visit",
    about=ABOUT,
    asks="How many people are identified by a single visit?",
    attacker=lambda _: (
        "The attacker knows just the one visit of a person that nobody else made, and that the person is in the data"
    ),
    seconds=_single_visit_s,
    run=_single_visit,
)
BLURRING = Question(
    name="blurring",
    about=ABOUT,
    asks="How much blurring until everyone looks like one other person? (0: none, 1: 20 km and 8 h)",
    attacker=lambda _: "The attacker knows all samples of a person, to 100 m and a minute",
    seconds=_blurring_s,
    run=_blurring,
    lacks=_no_records,
)
