"""The same people published by every method -> what each release protects, and how much detail it loses."""

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from incrowd.anonymize import LKC, METHODS, Cut, Glove
from incrowd.anonymize.base import Wanted
from incrowd.anonymize.glove.estimate import glove_estimates
from incrowd.anonymize.lkc import LIMIT_S, STEPS
from incrowd.assess.compare.comparison import AS_THEY_ARE, NOTHING, Comparison, Row, who
from incrowd.assess.compare.fate import fate, visible
from incrowd.assess.compare.risk import risk
from incrowd.assess.compare.settings import DEFAULT, MethodInputs, Setting, Target, settings, untouched
from incrowd.data import Fingerprints, Release, Traces
from incrowd.data.table import some_people
from incrowd.discretize import fingerprints
from incrowd.discretize.slots import Grain
from incrowd.errors import DataError, IncrowdError, ParameterError, check_choice, check_seed, check_whole, public
from incrowd.estimate import Estimate
from incrowd.kernels import compile_s
from incrowd.plain import in_words, several
from incrowd.progress import track

ALL = tuple(METHODS)
MOST_POINTS = 8  # the time that lkc takes grows with every known record
VISITS = ("visits", "voted")  # what methods take who are given visits
TRIED = 100  # people whose attack is timed
COARSE = 4  # coarse releases hold what is known more often than the samples themselves
PIECES = 4  # pieces are joined twice and looked up three times


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """The keywords of `incrowd.assess.compare`; what cannot be compared is refused before any data are read."""

    methods: Sequence[str] = ALL
    target: str = DEFAULT
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
    points: int  # records that the attacker knows of each person
    settings: tuple[Setting, ...]
    of_people: int
    seed: int

    def run(self) -> Comparison:
        """Make, attack and weigh every release."""
        source, prints = self.source, self.source.prints
        rows = [self.judged(NOTHING, AS_THEY_ARE, untouched(prints), prints)]
        if any(one.strength and one.strength.takes in VISITS for one in self.settings):
            grain = f"{source.cell_m:,} m, {source.slot_min:,} min"
            rows.append(self.judged(NOTHING, grain, untouched(source.visits), source.visits))
        # Nobody sees the pseudonyms; from the seed, they make the same comparison again.
        rows += [self.row(*made) for made in self.releases(pseudonym_seed=self.seed)]
        return Comparison(
            target=self.target,
            points=self.points,
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
        note = setting.strength.note
        return self.judged(setting.method, setting.words, made, setting.data(self.source), seconds=seconds, note=note)

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

    def judged(
        self, method: str, setting: str, release: Release, original: Any, *, seconds: float = 0.0, note: str = ""
    ) -> Row:
        """What a release protects and what it costs; one that publishes nothing protects nobody."""
        prints = self.source.prints
        utility = fate(release, prints, visible(release)).numbers(prints)
        row = Row(method, setting, {}, utility, seconds=seconds, note=note)
        if not release.data.records:
            return row
        risks = risk(release, original, self.source, points=self.points, seed=self.seed)
        row = replace(row, privacy=risks.numbers(self.target.crowd), missed=tuple(self.target.missed(risks)))
        return replace(row, meets=row.published and not row.missed)


@public
def compare(
    traces: Traces | Fingerprints | str | Path,
    *,
    methods: Sequence[str] = ALL,
    target: str = DEFAULT,
    points: int = 4,
    people: int = 2000,
    cell_m: int = int(Grain.cell_m),
    slot_min: int = Grain.slot_min,
    seed: int = 0,
) -> Comparison:
    """Which method loses least detail: the same people published by every method, each release attacked alike.

    The data as they are go through the same attacks and are judged by the same rule. `assess.compare.risk` and `.loss`
    define the numbers.

    Args:
        traces: Trajectories, their fingerprints, or a source that `incrowd.read.table` reads.
        methods: Names of the methods to compare, of `incrowd.anonymize.METHODS`.
        target: "guess=1/11": people are guessed rightly in at most one of eleven cases; "k=2": nobody in a crowd below
            2, whatever is known; "uniqueness=0.1": at most a tenth of people identified.
        points: How many records of a person the attacker knows.
        people: Compare on at most so many people, drawn at random.
        cell_m: Side of a grid cell, for methods that take visits; the others start from 100 m.
        slot_min: Width of a time slot, for methods that take visits; the others start from 1 min.
        seed: Seed of every random choice; the same seed gives the same numbers.

    >>> four = Fingerprints.from_arrays([1, 2, 3, 4], x=[0, 0, 900, 900], y=[0] * 4, t=[0, 0, 5, 9])
    >>> best = compare(four, methods=["glove"], target="k=2", points=1).best
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
    if len(prints) < target.fewest:
        raise DataError(
            f"no release of {several(len(prints), 'person', 'people')} can reach the target ({target}); at least "
            f"{target.fewest:,} people are needed."
        )
    tried = settings(options.methods, Wanted(target.crowd, int(options.points), int(options.slot_min)))
    return PreparedComparison(target, source, int(options.points), tried, len(every), options.seed)


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
        given = f"{who(self.people, self.of_people)}, {several(self.samples, 'sample')}"
        return f"{given}, {several(self.settings, 'setting')}: {self.about}{more}"


def compare_estimate(comparison: PreparedComparison) -> CompareEstimate:
    """Time the attack on a few people and GLOVE's search, and scale them up to every setting."""
    prints = comparison.source.prints
    runs = [one.strength.run for one in comparison.settings if one.strength]
    steps = [step for method, step in ((Glove, "glove"), (LKC, "lkc")) if any(isinstance(run, method) for run in runs)]
    compiling = sum(compile_s(step) or 0.0 for step in steps)  # before anything is timed, which compiles
    crowded = [run.k for run in runs if isinstance(run, Glove)]
    glove = sum(run.seconds for run in glove_estimates(prints, k=crowded)) if crowded else 0.0
    attacks = sum(PIECES if isinstance(run, Cut) else 1 for run in runs) + 2
    limit = STEPS * LIMIT_S * sum(isinstance(run, LKC) for run in runs)
    return CompareEstimate(
        seconds=attacks * _attack_s(comparison) + glove,
        compile_s=compiling or None,
        people=len(prints),
        of_people=comparison.of_people,
        samples=prints.records,
        settings=len(runs),
        lkc_limit_s=limit,
    )


def _attack_s(comparison: PreparedComparison) -> float:
    """One attack, from that on a few people: the lookups grow with the records, the links with pairs of people."""
    source = comparison.source
    few = some_people(source.prints, people=TRIED, seed=comparison.seed)
    sample = MethodInputs(few, source.cell_m, source.slot_min)
    for _ in range(2):  # the first time kernels are loaded
        began = time.perf_counter()
        risk(untouched(few), few, sample, points=comparison.points, seed=comparison.seed)
    return COARSE * (time.perf_counter() - began) * source.prints.records / few.records
