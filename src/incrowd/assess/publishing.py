"""Visits -> their counts as a custodian might publish them, one way after the other."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from incrowd import anonymize, discretize
from incrowd.anonymize.counts import squares
from incrowd.columns import as_array
from incrowd.data import Counts, Visits
from incrowd.errors import DataError

ON_COUNTS: Mapping[str, Callable[[Counts, float, int], Counts]] = {
    "none": lambda counts, _, __: counts,
    "noise": lambda counts, epsilon, seed: anonymize.noise_counts(counts, epsilon=epsilon, seed=seed),
    "suppress": lambda counts, k, _: anonymize.suppress_small(counts, k=int(k)),
    "round": lambda counts, to, _: anonymize.round_counts(counts, to=int(to)),
}


class Way(NamedTuple):
    """Counts as published, whom they stand for, and what a reader takes them for on the exact cells and slots."""

    counts: Counts
    truth: Visits
    read_as: NDArray[Any]


class Ways:
    """The ways to publish some visits; each is made when asked for, as tables of counts are large."""

    def __init__(
        self, visits: Visits, regions: ArrayLike | None, resampled: Mapping[int, Visits] | None, seed: int
    ) -> None:
        check_ways(visits, regions, resampled)
        self.visits, self.exact, self.seed = visits, exact_counts(visits), seed
        self.regions = None if regions is None else as_array(regions, "regions")
        self.resampled = dict(resampled or {})

    def publish(self, mitigation: str, strength: float) -> Way:
        """The counts after one mitigation."""
        if mitigation in ON_COUNTS:
            counts = ON_COUNTS[mitigation](self.exact, strength, self.seed)
            return Way(counts, self.visits, counts.n)
        if mitigation == "move":
            moved = anonymize.perturb_points(self.visits, share=strength, seed=self.seed)
            counts = discretize.counts(moved)
            return Way(counts, self.visits, counts.n)
        if mitigation == "time":
            return self._slower(self.resampled[int(strength)])
        if mitigation == "regions" and self.regions is not None:
            return self._coarser(self.regions)
        return self._coarser(squares(self.exact.xy, strength))

    def _coarser(self, regions: NDArray[Any]) -> Way:
        """A reader spreads the people of a region evenly over its cells."""
        truth = anonymize.to_regions(self.visits, region=regions)
        counts = discretize.counts(truth)
        _, number, size = np.unique(regions, return_inverse=True, return_counts=True)
        return Way(counts, truth, (counts.n / size)[:, number])

    def _slower(self, truth: Visits) -> Way:
        """A reader takes the count of a long slot for that of every slot inside."""
        counts = discretize.counts(truth)
        return Way(counts, truth, np.repeat(counts.n, counts.slot_min // self.exact.slot_min, axis=0))


def check_ways(visits: Visits, regions: ArrayLike | None, resampled: Mapping[int, Visits] | None) -> None:
    """Refuse regions of other cells and longer slots of other people before anything is attacked."""
    cells = 0 if visits.xy is None else len(visits.xy)
    if regions is not None and as_array(regions, "regions").shape != (cells,):
        raise DataError(f"regions must hold one label for each of the {cells:,} cells, in their order.")
    for slot_min, other in (resampled or {}).items():
        _check_resampled(visits, other, slot_min)


def exact_counts(visits: Visits) -> Counts:
    """The counts of visits without gaps; each slot adds up to everybody."""
    counts = discretize.counts(visits)
    if (counts.n.sum(axis=1) != len(visits)).any():
        raise DataError("not everybody is in one cell in every slot; fill the gaps with incrowd.discretize.filled.")
    return counts


def count_loss(read_as: NDArray[Any], exact: Counts) -> float:
    """The sum of |published - P| over that of P: 0 for exact counts, 1 where nothing is published, or more."""
    return float(np.abs(read_as - exact.n).sum() / exact.n.sum())


def _check_resampled(visits: Visits, other: Visits, slot_min: int) -> None:
    if other.slot_min != slot_min or not visits.slot_min or slot_min % visits.slot_min:
        raise DataError(
            f"resampled[{slot_min}] must hold visits in slots of {slot_min} min, a multiple of the exact ones."
        )
    if visits.xy is None or other.xy is None or not np.array_equal(visits.xy, other.xy):
        raise DataError(f"resampled[{slot_min}] has other cells; discretize the same records to the same towers.")
    counts = discretize.counts(other)
    if counts.n.sum() * slot_min != visits.records * visits.slot_min or len(other) != len(visits):
        raise DataError(f"resampled[{slot_min}] has other people or days; discretize the same records again, filled.")
