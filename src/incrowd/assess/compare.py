"""Samples of people -> every method at a few strengths: what it protects against what it costs."""

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from incrowd.anonymize import METHODS
from incrowd.anonymize.base import Strength, Wanted
from incrowd.arrays import Ints
from incrowd.assess.attacker import MOST_POINTS, known_samples, worst
from incrowd.assess.comparison import NOTHING, Comparison, Numbers, Row
from incrowd.assess.linkable import linkability
from incrowd.assess.loss import fate
from incrowd.assess.settings import Setting, Source, settings, untouched
from incrowd.assess.shown import views
from incrowd.assess.target import Target
from incrowd.data import Fingerprints, Release, Traces
from incrowd.data.some import some_people
from incrowd.discretize import fingerprints
from incrowd.errors import DataError, IncrowdError, ParameterError, check_choice, check_seed, check_whole
from incrowd.progress import track

ALL = tuple(METHODS)


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

    def row(self, one: Setting, made: Release | str, seconds: float) -> Row:
        """What became of one setting."""
        if isinstance(made, str) or one.strength is None:
            return Row(one.method, one.words, seconds=seconds, problem=str(made))
        found = self.judged(made, one.strength)
        note, meets = one.strength.note, self.reached(*found)
        return Row(one.method, one.words, *found, meets=meets, seconds=seconds, note=note)

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
) -> Asked:
    """Take some of the people, and draw what is known of them."""
    wanted = Target.parse(target)
    every = traces if isinstance(traces, Fingerprints) else fingerprints(traces)
    if every.crowd.max(initial=1) > 1:
        raise DataError("a fingerprint stands for several people, as in a release; compare fingerprints of one each.")
    prints = some_people(every, people=int(people), seed=seed)
    source = Source(prints, int(cell_m), int(slot_min))
    known = known_samples(prints, points=int(points), seed=seed)
    tried = settings(methods, Wanted(wanted.crowd, int(points), int(slot_min)))
    return Asked(wanted, source, known, tried, len(every), seed)
