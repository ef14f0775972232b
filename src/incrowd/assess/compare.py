"""Samples of people -> every method at a few strengths: what it protects against what it costs."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from incrowd.arrays import Ints
from incrowd.assess.attacker import MOST_POINTS, crowds, known_samples
from incrowd.assess.loss import fate
from incrowd.assess.people import some_people
from incrowd.assess.settings import STRENGTHS, Setting, Source, Wanted, settings, untouched
from incrowd.assess.shown import shown
from incrowd.assess.target import Target
from incrowd.data import Fingerprints, Release, Traces
from incrowd.discretize import fingerprints
from incrowd.errors import IncrowdError, ParameterError, check_choice, check_seed, check_whole
from incrowd.progress import track

ALL = tuple(STRENGTHS)
NOTHING = "none"
Numbers = Mapping[str, float | None]  # by name


@dataclass(frozen=True)
class Row:
    """One method at one strength; `problem` says why it could not run, and then there are no numbers."""

    method: str
    setting: str
    privacy: Numbers = field(default_factory=dict)  # other attacks add theirs
    utility: Numbers = field(default_factory=dict)
    meets: bool = False
    seconds: float = 0.0
    problem: str = ""

    @property
    def loss(self) -> float:
        """The single number of the cost, in [0, 1], lower is better; 1 where the method could not run."""
        return float(self.utility.get("loss") or 0.0) if self.utility else 1.0

    def __str__(self) -> str:
        return "publishing as is" if self.method == NOTHING else f"{self.method} ({self.setting})"


@dataclass(frozen=True)
class Comparison:
    """What every method protects and costs on the same people; the first row is the data as they are."""

    target: Target
    points: int  # the attacker knows
    people: int  # compared
    of_people: int  # in the data
    samples: int
    cell_m: int  # of the visits that cut and lkc are given
    slot_min: int
    seed: int
    rows: tuple[Row, ...]

    @property
    def cheapest(self) -> Row | None:
        """The row with the least loss among those that meet the target."""
        return min((row for row in self.rows if row.meets), key=lambda row: row.loss, default=None)

    @property
    def verdict(self) -> str:
        """The answer in words."""
        best = self.cheapest
        if best is None:
            return self._nearest()
        if best.method == NOTHING:
            return f"The data reach the target ({self.target}) as they are; no method is needed."
        others = [row for row in self.rows if row.meets and row.method != best.method]
        second = min(others, key=lambda row: row.loss, default=None)
        after = "No other method reaches it." if second is None else f"Next is {second} with loss {second.loss:.3f}."
        return f"Cheapest for the target ({self.target}) is {best}: {_cost(best)}. {after}"

    def _nearest(self) -> str:
        ran = [row for row in self.rows if not row.problem]
        nearest = min(ran, key=lambda row: self.target.distance(row.privacy))
        share = self.target.distance(nearest.privacy)
        return f"No setting reaches the target ({self.target}); {nearest} comes closest with {share:.1%} of people."


@dataclass(frozen=True)
class Asked:
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
        for one, made, seconds in self.releases():
            if isinstance(made, str):
                rows.append(Row(one.method, one.words, seconds=seconds, problem=made))
                continue
            found = self.judged(made, one.reach_m)
            rows.append(Row(one.method, one.words, *found, meets=self.reached(*found), seconds=seconds))
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

    def reached(self, privacy: Numbers, utility: Numbers) -> bool:
        """Whether the target is met by something: to publish nothing is no answer."""
        return bool(utility["kept"]) and self.target.met(privacy)

    def releases(self) -> Iterator[tuple[Setting, Release | str, float]]:
        """Every release in turn with its seconds, or why there is none."""
        for one in track(self.settings, "comparing methods"):
            began = time.perf_counter()
            made: Release | str
            try:
                made = one.release(self.source, seed=self.seed)
            except IncrowdError as error:
                made = str(error)
            yield one, made, time.perf_counter() - began

    def judged(self, release: Release, reach_m: float | None = None) -> tuple[Numbers, Numbers]:
        """What a release protects and what it costs."""
        what = shown(release, reach_m=reach_m, slot_min=self.source.slot_min)
        privacy = crowds(what, self.source.prints, self.known).numbers(self.target.crowd)
        return privacy, fate(release, self.source.prints, what).numbers(self.source.prints)


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
    lkc are given, the rest starts from 100 m and 1 min. `incrowd.assess.attacker` and `.loss` define the numbers.

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
    if isinstance(methods, str) or not methods:
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
) -> Asked:
    """Take some of the people, and draw what is known of them."""
    wanted = Target.parse(target)
    every = traces if isinstance(traces, Fingerprints) else fingerprints(traces)
    prints = some_people(every, people=int(people), seed=seed)
    source = Source(prints, int(cell_m), int(slot_min))
    known = known_samples(prints, points=int(points), seed=seed)
    strengths = Wanted(wanted.crowd, int(points), int(slot_min))
    asked = [one for name in dict.fromkeys(methods) for one in settings(name, strengths)]
    return Asked(wanted, source, known, tuple(asked), len(every), seed)


def _cost(row: Row) -> str:
    off, late, kept = (row.utility[name] for name in ("position_m", "time_min", "kept"))
    share = "all" if kept == 1 else f"{kept:.1%} of"
    return f"loss {row.loss:.3f}, {share} samples kept, {off:,.0f} m and {late:,.0f} min off on average"
