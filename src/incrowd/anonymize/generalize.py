"""Generalize: everybody in coarser cells and slots."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from incrowd.anonymize.base import Anonymizer, Strength, Wanted, release_visits
from incrowd.clock import DAY_MIN
from incrowd.data import Release, Traces
from incrowd.discretize import grid
from incrowd.errors import public

GRAINS = ((1_000, 60), (5_000, 240), (20_000, 480), (50_000, DAY_MIN))  # the third is the coarsest of [gramaglia2015]


@public
@dataclass(frozen=True)
class Generalize(Anonymizer):
    """Publish coarse cells and slots instead of points, on the same grid for everybody.

    The grid is that of `discretize.grid` [tan2017, Sec. 4.2].

    Args:
        cell_m: Side of a published cell.
        slot_min: Width of a published time slot.
        time_zone: Zone of the days and hours of slots, such as Europe/Amsterdam. [default: UTC]

    Guarantee: none (heuristic): no published place is finer than `cell_m`, no time is finer than `slot_min`; how many
    people share a trajectory at that grain has to be measured.

    Example:
        incrowd anonymize generalize trips.csv -o release --cell-m 2000 --slot-min 120

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

    @public
    def __call__(
        self, data: Traces | str | Path, *, seed: int | None = 0, pseudonym_seed: int | None = None
    ) -> Release:
        """The cells and slots as a release.

        Args:
            data: Traces, or the path of a table, which is then read in parts.
            seed: Changes nothing, because only the pseudonyms are random.
            pseudonym_seed: Seed of the pseudonyms, for tests; an audit fails a release that was made with one.
        """
        visits = grid(data, cell_m=self.cell_m, slot_min=self.slot_min, time_zone=self.time_zone)
        return release_visits(self, visits, np.arange(len(visits)), pseudonym_seed)
