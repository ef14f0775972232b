"""Generalize: everybody in coarser cells and slots."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from incrowd.anonymize.base import Strength, Wanted, release_visits
from incrowd.clock import DAY_MIN
from incrowd.data import Release, Traces
from incrowd.discretize import grid

GRAINS = ((1_000, 60), (5_000, 240), (20_000, 480), (50_000, DAY_MIN))  # the third is the coarsest of [gramaglia2015]


@dataclass(frozen=True)
class Generalize:
    """Publish the cell and slot of each point instead of the point, on one grid for all [tan2017, Sec. 4.2].

    Guarantee: none (heuristic): no published place is finer than `cell_m`, no time finer than `slot_min`; how many
    people share a trajectory at that grain has to be measured.

    >>> traces = Traces.from_arrays(["a", "b"], [0, 60], lon=[5, 5], lat=[52, 52])
    >>> Generalize(cell_m=1000, slot_min=60)(traces)
    Release(Visits, rows=2, pseudonyms=2, people=2)
    """

    cell_m: int = 1000
    slot_min: int = 60
    time_zone: str | None = None

    @staticmethod
    def strengths(wanted: Wanted) -> Iterator[Strength]:
        """From a neighbourhood and an hour to a region and a day, whatever is wanted."""
        del wanted
        for cell_m, slot_min in GRAINS:
            run = Generalize(cell_m=cell_m, slot_min=slot_min)
            yield Strength(f"{cell_m / 1000:g} km, {slot_min / 60:g} h", run, "points")

    def __call__(self, data: Traces | str | Path, *, seed: int = 0, pseudonym_seed: int | None = None) -> Release:
        """Coarsen traces, or a path that is then streamed; nothing but the pseudonyms is random."""
        visits = grid(data, cell_m=self.cell_m, slot_min=self.slot_min, time_zone=self.time_zone)
        return release_visits(self, visits, np.arange(len(visits)), pseudonym_seed)
