"""What a comparison will take, before it is started."""

import time
from dataclasses import dataclass

from incrowd.anonymize import LKC, Glove
from incrowd.anonymize.glove_cost import glove_costs
from incrowd.anonymize.lkc import LIMIT_S
from incrowd.arrays import Ints
from incrowd.assess.attacker import crowds
from incrowd.assess.compare import Asked
from incrowd.assess.settings import untouched
from incrowd.assess.shown import Visible, shown
from incrowd.data import Fingerprints
from incrowd.plain import in_words, several

TRIED = 100  # people whose attack is timed
COARSE = 4  # coarse releases hold what is known more often than the samples themselves


@dataclass(frozen=True)
class CompareCost:
    """About how long a comparison takes; lkc gives up after `lkc_limit_s` at most, which is not counted."""

    people: int
    of_people: int
    samples: int
    settings: int
    seconds: float
    lkc_limit_s: float

    def __str__(self) -> str:
        took = in_words(self.seconds)
        more = f", and lkc at most {self.lkc_limit_s / 60:.0f} min more" if self.lkc_limit_s else ""
        drawn = f" of {self.of_people:,}, drawn at random" if self.people < self.of_people else ""
        who = f"{several(self.people, 'person', 'people')}{drawn}, {several(self.samples, 'sample')}"
        return f"{who}, {several(self.settings, 'setting')}: about {took}{more}"


def compare_cost(asked: Asked) -> CompareCost:
    """Time one small attack and GLOVE's search, and scale them up to every setting."""
    prints, known = asked.source.prints, asked.known
    runs = [one.strength.run for one in asked.settings if one.strength]
    what = shown(untouched(prints))
    once, some = (_seconds(what, prints, known[:people]) for people in (1, TRIED))
    attack = once + max(some - once, 0) / min(TRIED, len(known)) * len(known)
    crowded = [run.k for run in runs if isinstance(run, Glove)]
    glove = sum(cost.seconds for cost in glove_costs(prints, k=crowded)) if crowded else 0.0
    seconds = COARSE * attack * (len(runs) + 1) + glove
    limit = 2 * LIMIT_S * sum(isinstance(run, LKC) for run in runs)
    return CompareCost(len(prints), asked.of_people, prints.records, len(runs), seconds, limit)


def _seconds(what: Visible, prints: Fingerprints, known: Ints) -> float:
    began = time.perf_counter()
    crowds(what, prints, known)
    return time.perf_counter() - began
