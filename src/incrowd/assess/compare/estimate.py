"""A comparison that was not run -> about how long it takes."""

import time
from dataclasses import dataclass

from incrowd.anonymize import LKC, Cut, Glove
from incrowd.anonymize.glove.estimate import glove_estimates
from incrowd.anonymize.lkc import LIMIT_S
from incrowd.assess.compare import PreparedComparison
from incrowd.assess.compare.risk import risk
from incrowd.assess.compare.settings import MethodInputs, untouched
from incrowd.data.table import some_people
from incrowd.estimate import Estimate
from incrowd.kernels import compile_s
from incrowd.plain import in_words, several

TRIED = 100  # people whose attack is timed
COARSE = 4  # coarse releases hold what is known more often than the samples themselves
PIECES = 4  # pieces are joined twice and looked up three times


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
    """Time the attack on a few people and GLOVE's search, and scale them up to every setting."""
    prints = comparison.source.prints
    runs = [one.strength.run for one in comparison.settings if one.strength]
    steps = [step for method, step in ((Glove, "glove"), (LKC, "lkc")) if any(isinstance(run, method) for run in runs)]
    compiling = sum(compile_s(step) or 0.0 for step in steps)  # before anything is timed, which compiles
    crowded = [run.k for run in runs if isinstance(run, Glove)]
    glove = sum(run.seconds for run in glove_estimates(prints, k=crowded)) if crowded else 0.0
    attacks = sum(PIECES if isinstance(run, Cut) else 1 for run in runs) + 2
    limit = 2 * LIMIT_S * sum(isinstance(run, LKC) for run in runs)
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
