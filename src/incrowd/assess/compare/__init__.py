"""What a comparison will take, before it is started."""

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from incrowd.anonymize import LKC, METHODS, Glove
from incrowd.anonymize.base import Strength, Wanted
from incrowd.anonymize.glove.estimate import glove_costs
from incrowd.anonymize.lkc import LIMIT_S
from incrowd.arrays import Ints
from incrowd.assess.compare.attacker import MOST_POINTS, crowds, known_samples, worst
from incrowd.assess.compare.comparison import NOTHING, Comparison, Numbers, Row, Target
from incrowd.assess.compare.loss import fate
from incrowd.assess.compare.settings import Setting, Source, settings, untouched
from incrowd.assess.compare.views import Visible, views, visible
from incrowd.attack import link, relink
from incrowd.data import Fingerprints, Release, Traces, Visits
from incrowd.data.sample import some_people
from incrowd.discretize import fingerprints, grid
from incrowd.errors import DataError, IncrowdError, ParameterError, check_choice, check_seed, check_whole
from incrowd.estimate import Estimate
from incrowd.plain import in_words, several
from incrowd.progress import track

LINKS = (
    "Linked is the share of published people who come first among all pseudonyms (hit@1, ties in expectation) for an "
    "attacker who holds their whole trajectory in the cells and slots of the release, points being put on the cells "
    "and slots of the visits. Boxes, and the data as they are, are looked up by the known samples instead: there, "
    "linked is how often a guess within the crowd is right, 1 / crowd. Rejoined, for cut releases, is the share of "
    "neighbouring pieces of a person that least information gain joins again [xu2017, Eq. 4]."
)


def linkability(
    release: Release, source: Source, *, guess: float | None = None, seed: int = 0
) -> dict[str, float | None]:
    """hit@1 of linking the originals to the release, and the share of neighbouring pieces rejoined.

    Boxes are not linked; `guess`, how often one within the crowd is right, stands for them.

    >>> from incrowd import Fingerprints
    >>> from incrowd.anonymize import Cut
    >>> two = Fingerprints.from_arrays([1, 1, 2, 2], x=[0, 0, 900, 900], y=[0] * 4, t=[0, 400, 0, 400])
    >>> source = Source(two, cell_m=100, slot_min=60)
    >>> linkability(Cut(window_h=6)(source.visits), source)
    {'linked': 1.0, 'rejoined': 1.0}
    """
    data = release.data
    if isinstance(data, Traces) and data.records:
        data = grid(data, cell_m=source.cell_m, slot_min=source.slot_min, start=source.visits.start)
    if not isinstance(data, Visits) or not data.records or data.cell_m is None or data.slot_min is None:
        return {"linked": guess, "rejoined": None}
    same = (data.cell_m, data.slot_min) == (source.cell_m, source.slot_min)
    known = source.visits if same else source.visits_on(data.cell_m, data.slot_min)
    score = relink(release, seed=seed).score if release.params["method"] == "Cut" else None
    shares = link(known, replace(release, data=data)).hit
    return {"linked": shares[1], "rejoined": None if score is None else score.share}


ALL = tuple(METHODS)


@dataclass(frozen=True)
class PreparedComparison:
    """A comparison that was checked and prepared, but not run."""

    target: Target
    source: Source
    known: Ints  # rows of the samples the attacker knows of each person
    settings: tuple[Setting, ...]
    of_people: int
    seed: int

    def run(self) -> Comparison:
        """Make, attack and weigh every release."""
        source, prints = self.source, self.source.prints
        before = self.judged(untouched(prints))
        rows = [Row(NOTHING, "as they are", *before, meets=self.reached(*before))]
        # Nobody sees the pseudonyms; from the seed, they make the same comparison again.
        rows += [self.row(*made) for made in self.releases(pseudonym_seed=self.seed)]
        return Comparison(
            target=self.target,
            points=self.known.shape[1],
            people=len(prints),
            of_people=self.of_people,
            samples=prints.records,
            cell_m=source.cell_m,
            slot_min=source.slot_min,
            seed=self.seed,
            rows=tuple(rows),
        )

    def row(self, setting: Setting, made: Release | str, seconds: float) -> Row:
        """What became of one setting."""
        if isinstance(made, str) or setting.strength is None:
            return Row(setting.method, setting.words, seconds=seconds, problem=str(made))
        numbers = self.judged(made, setting.strength)
        note, meets = setting.strength.note, self.reached(*numbers)
        return Row(setting.method, setting.words, *numbers, meets=meets, seconds=seconds, note=note)

    def reached(self, privacy: Numbers, utility: Numbers) -> bool:
        """Whether the target is met by something: to publish nothing is no answer."""
        return bool(utility["kept"]) and self.target.met(privacy)

    def releases(self, *, pseudonym_seed: int | None = None) -> Iterator[tuple[Setting, Release | str, float]]:
        """Every release in turn with its seconds, or why there is none."""
        for one in track(self.settings, "comparing methods"):
            began = time.perf_counter()
            made: Release | str
            try:
                made = one.release(self.source, seed=self.seed, pseudonym_seed=pseudonym_seed)
            except IncrowdError as error:
                made = str(error)
            yield one, made, time.perf_counter() - began

    def judged(self, release: Release, strength: Strength | None = None) -> tuple[Numbers, Numbers]:
        """What a release protects and what it costs."""
        source, prints = self.source, self.source.prints
        seen = views(release, reach_m=strength.reach_m if strength else None, slot_min=source.slot_min)
        privacy = worst(seen, prints, self.known).numbers(self.target.crowd)
        links = linkability(release, source, guess=privacy["expected_hit"], seed=self.seed)
        return {**privacy, **links}, fate(release, prints, seen[0]).numbers(prints)


def compare(
    traces: Traces | Fingerprints | str | Path,
    *,
    methods: Sequence[str] = ALL,
    target: str = "k=2",
    points: int = 4,
    people: int = 2000,
    cell_m: int = 500,
    slot_min: int = 60,
    seed: int = 0,
) -> Comparison:
    """Publish the same people by every method, attack each release alike, and weigh what it costs.

    Of more than `people` people so many are drawn; `cell_m` and `slot_min` are the grain of the visits that cut and
    lkc are given, the rest starts from 100 m and 1 min. `assess.compare.attacker` and `.loss` define the numbers.

    >>> four = Fingerprints.from_arrays([1, 2, 3, 4], x=[0, 0, 900, 900], y=[0] * 4, t=[0, 0, 5, 9])
    >>> best = compare(four, methods=["glove"], points=1).cheapest
    >>> str(best), best.privacy["crowd_least"], best.utility["time_min"]
    ('glove (k=2)', 2.0, 1.0)
    """
    check_question(methods, target, points, people, cell_m, slot_min, seed)
    return question(traces, methods, target, points, people, cell_m, slot_min, seed).run()


def check_question(
    methods: Sequence[str], target: str, points: int, people: int, cell_m: int, slot_min: int, seed: int
) -> None:
    """Refuse what cannot be compared, before any data are read."""
    Target.parse(target)
    if isinstance(methods, str) or not isinstance(methods, Collection) or not len(methods):
        raise ParameterError(f"methods must be a list of some of {', '.join(ALL)}.")
    for method in methods:
        check_choice("method", method, ALL)
    check_whole(points=points, people=people, cell_m=cell_m, slot_min=slot_min)
    check_seed(seed=seed)
    if points > MOST_POINTS:
        raise ParameterError(f"points must lie in 1 to {MOST_POINTS}, got {points}.")


def question(
    traces: Traces | Fingerprints | str | Path,
    methods: Sequence[str],
    target: str,
    points: int,
    people: int,
    cell_m: int,
    slot_min: int,
    seed: int,
) -> PreparedComparison:
    """Take some of the people, and draw what is known of them."""
    wanted = Target.parse(target)
    every = traces if isinstance(traces, Fingerprints) else fingerprints(traces)
    if every.crowd.max(initial=1) > 1:
        raise DataError("a fingerprint stands for several people, as in a release; compare fingerprints of one each.")
    prints = some_people(every, people=int(people), seed=seed)
    source = Source(prints, int(cell_m), int(slot_min))
    known = known_samples(prints, points=int(points), seed=seed)
    tried = settings(methods, Wanted(wanted.crowd, int(points), int(slot_min)))
    return PreparedComparison(wanted, source, known, tried, len(every), seed)


TRIED = 100  # people whose attack is timed
COARSE = 4  # coarse releases hold what is known more often than the samples themselves


@dataclass(frozen=True, kw_only=True)
class CompareEstimate(Estimate):
    """About how long a comparison takes; lkc gives up after `lkc_limit_s` at most, which is not counted."""

    people: int
    of_people: int
    samples: int
    settings: int
    lkc_limit_s: float

    def __str__(self) -> str:
        more = f", and lkc at most {in_words(self.lkc_limit_s)} more" if self.lkc_limit_s else ""
        drawn = f" of {self.of_people:,}, drawn at random" if self.people < self.of_people else ""
        who = f"{several(self.people, 'person', 'people')}{drawn}, {several(self.samples, 'sample')}"
        return f"{who}, {several(self.settings, 'setting')}: {self.about}{more}"


def compare_cost(prepared: PreparedComparison) -> CompareEstimate:
    """Time one small attack and GLOVE's search, and scale them up to every setting."""
    prints, known = prepared.source.prints, prepared.known
    runs = [one.strength.run for one in prepared.settings if one.strength]
    what = visible(untouched(prints))
    once, few = (_seconds(what, prints, known[:people]) for people in (1, TRIED))
    attack = once + max(few - once, 0) / min(TRIED, len(known)) * len(known)
    crowded = [run.k for run in runs if isinstance(run, Glove)]
    glove = sum(run.seconds for run in glove_costs(prints, k=crowded)) if crowded else 0.0
    seconds = COARSE * attack * (len(runs) + 1) + glove
    limit = 2 * LIMIT_S * sum(isinstance(run, LKC) for run in runs)
    return CompareEstimate(
        seconds=seconds,
        people=len(prints),
        of_people=prepared.of_people,
        samples=prints.records,
        settings=len(runs),
        lkc_limit_s=limit,
    )


def _seconds(what: Visible, prints: Fingerprints, known: Ints) -> float:
    began = time.perf_counter()
    crowds(what, prints, known)
    return time.perf_counter() - began
