"""The same people published by every method -> what each release protects, and how much detail it loses."""

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from incrowd.anonymize import LKC, METHODS, Glove
from incrowd.anonymize.base import Strength, Wanted
from incrowd.anonymize.glove.estimate import glove_estimates
from incrowd.anonymize.lkc import LIMIT_S
from incrowd.arrays import Ints
from incrowd.assess.compare.attacker import MOST_POINTS, crowds, known_samples, linkability, worst
from incrowd.assess.compare.comparison import NOTHING, Comparison, Numbers, Row, Target
from incrowd.assess.compare.loss import fate
from incrowd.assess.compare.settings import MethodInputs, Setting, settings, untouched
from incrowd.assess.compare.views import Visible, views, visible
from incrowd.data import Fingerprints, Release, Traces
from incrowd.data.table import some_people
from incrowd.discretize import fingerprints
from incrowd.discretize.slots import Grain
from incrowd.errors import DataError, IncrowdError, ParameterError, check_choice, check_seed, check_whole, public
from incrowd.estimate import Estimate
from incrowd.plain import in_words, several
from incrowd.progress import track

ALL = tuple(METHODS)
TRIED = 100  # people whose attack is timed
COARSE = 4  # coarse releases hold what is known more often than the samples themselves


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """The keywords of `incrowd.assess.compare`; what cannot be compared is refused before any data are read."""

    methods: Sequence[str] = ALL
    target: str = "k=2"
    points: int = 4
    people: int = 2000
    cell_m: int = int(Grain.cell_m)
    slot_min: int = Grain.slot_min
    seed: int = 0

    def __post_init__(self) -> None:
        Target.parse(self.target)
        if isinstance(self.methods, str) or not isinstance(self.methods, Collection) or not len(self.methods):
            raise ParameterError(f"methods must be a list of some of {', '.join(ALL)}.")
        for method in self.methods:
            check_choice("method", method, ALL)
        check_whole(points=self.points, people=self.people, cell_m=self.cell_m, slot_min=self.slot_min)
        check_seed(seed=self.seed)
        if self.points > MOST_POINTS:
            raise ParameterError(f"points must be in [1, {MOST_POINTS}], got {self.points}.")


@dataclass(frozen=True)
class PreparedComparison:
    """A comparison that was checked and prepared, but not run."""

    target: Target
    source: MethodInputs
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


@public
def compare(
    traces: Traces | Fingerprints | str | Path,
    *,
    methods: Sequence[str] = ALL,
    target: str = "k=2",
    points: int = 4,
    people: int = 2000,
    cell_m: int = int(Grain.cell_m),
    slot_min: int = Grain.slot_min,
    seed: int = 0,
) -> Comparison:
    """Which method loses least detail: the same people published by every method, each release attacked alike.

    `assess.compare.attacker` and `.loss` define the numbers.

    Args:
        traces: Trajectories, their fingerprints, or a source that `incrowd.read.table` reads.
        methods: Names of the methods to compare, of `incrowd.anonymize.METHODS`.
        target: "k=2": nobody in a crowd below 2; "uniqueness=0.1": at most a tenth of people identified.
        points: How many samples of a person the attacker knows.
        people: Compare on at most so many people, drawn at random.
        cell_m: Side of a grid cell, for methods that take visits; the others start from 100 m.
        slot_min: Width of a time slot, for methods that take visits; the others start from 1 min.
        seed: Seed of every random choice; the same seed gives the same numbers.

    >>> four = Fingerprints.from_arrays([1, 2, 3, 4], x=[0, 0, 900, 900], y=[0] * 4, t=[0, 0, 5, 9])
    >>> best = compare(four, methods=["glove"], points=1).best
    >>> str(best), best.privacy["crowd_least"], best.utility["time_min"]
    ('glove (k=2)', 2.0, 1.0)
    """
    options = CompareOptions(
        methods=methods, target=target, points=points, people=people, cell_m=cell_m, slot_min=slot_min, seed=seed
    )
    return prepared(traces, options).run()


def prepared(traces: Traces | Fingerprints | str | Path, options: CompareOptions) -> PreparedComparison:
    """Take some of the people, and draw what is known of them."""
    target = Target.parse(options.target)
    every = traces if isinstance(traces, Fingerprints) else fingerprints(traces)
    if every.crowd.max(initial=1) > 1:
        raise DataError("a fingerprint stands for several people, as in a release; compare fingerprints of one each.")
    prints = some_people(every, people=int(options.people), seed=options.seed)
    source = MethodInputs(prints, int(options.cell_m), int(options.slot_min))
    known = known_samples(prints, points=int(options.points), seed=options.seed)
    tried = settings(options.methods, Wanted(target.crowd, int(options.points), int(options.slot_min)))
    return PreparedComparison(target, source, known, tried, len(every), options.seed)


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


def compare_estimate(comparison: PreparedComparison) -> CompareEstimate:
    """Time one small attack and GLOVE's search, and scale them up to every setting."""
    prints, known = comparison.source.prints, comparison.known
    runs = [one.strength.run for one in comparison.settings if one.strength]
    what = visible(untouched(prints))
    once, few = (_seconds(what, prints, known[:people]) for people in (1, TRIED))
    attack = once + max(few - once, 0) / min(TRIED, len(known)) * len(known)
    crowded = [run.k for run in runs if isinstance(run, Glove)]
    glove = sum(run.seconds for run in glove_estimates(prints, k=crowded)) if crowded else 0.0
    seconds = COARSE * attack * (len(runs) + 1) + glove
    limit = 2 * LIMIT_S * sum(isinstance(run, LKC) for run in runs)
    return CompareEstimate(
        seconds=seconds,
        people=len(prints),
        of_people=comparison.of_people,
        samples=prints.records,
        settings=len(runs),
        lkc_limit_s=limit,
    )


def _seconds(what: Visible, prints: Fingerprints, known: Ints) -> float:
    began = time.perf_counter()
    crowds(what, prints, known)
    return time.perf_counter() - began
