"""Counts published in several ways -> how many positions an attacker reconstructs from each, and what it loses."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from incrowd import anonymize, discretize
from incrowd.anonymize.count_steps import squares
from incrowd.assess.mitigated import Mitigations, Outcome
from incrowd.attack.recover import recover
from incrowd.attack.recover.guesses import chance_accuracy
from incrowd.attack.recover.repair import repair
from incrowd.attack.recover.score import RecoveryScore, recovery_score
from incrowd.columns import as_array
from incrowd.data import Counts, Visits
from incrowd.errors import DataError, ParameterError, check_choice, check_positive, check_share, check_whole, public
from incrowd.progress import track

STRENGTHS: Mapping[str, tuple[float, ...]] = {
    "noise": (4, 2, 1, 0.5, 0.25),  # epsilon per count
    "suppress": (2, 3, 5, 10, 15, 20),  # smallest count published
    "round": (2, 5, 10),  # to multiples of
    "move": (0.05, 0.2),  # share of points at the two most visited cells
    "space": (2000, 5000),  # side of a region in metres
}
CHECKS: Mapping[str, Callable[..., None]] = {
    "noise": check_positive,
    "suppress": check_whole,
    "round": check_whole,
    "move": check_share,
    "space": check_positive,
}
ATTACKING = "attacking every mitigation"
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
    """The sum of |published - P| over that of P: 0 for exact counts, 1 if nothing is published, or more."""
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


@public
def mitigations(
    visits: Visits,
    *,
    target: float = 0.3,
    strengths: Mapping[str, Iterable[float]] = STRENGTHS,
    regions: ArrayLike | None = None,
    resampled: Mapping[int, Visits] | None = None,
    method: Literal["exact", "threshold"] = "exact",
    theta_m: float | None = None,
    pairing: Literal["global", "index", "optimal"] = "global",
    seed: int = 0,
    plain: RecoveryScore | None = None,
) -> Mitigations:
    """How much an attacker reconstructs from the counts of these visits after each mitigation, and what each loses.

    Accuracy is against the exact visits; for regions and longer slots, against the visits to those; in [0, 1], higher
    is riskier. Knows: the counts, where cells are, and how many people there are. The attacker repairs the counts and
    does not model the noise: a cleverer one may do better, so a low accuracy is a measurement and no guarantee.

    Args:
        visits: One cell for everybody in every slot.
        target: Largest share of positions that may be reconstructed.
        strengths: Strengths to try, by mitigation.
        regions: One label for each cell, to count by region.
        resampled: The same records in longer slots, by minutes.
        method: How slots are linked, as in `incrowd.attack.recover`.
        theta_m: Largest distance of a link, for the method "threshold".
        pairing: How reconstructed and true trajectories are paired, as in `incrowd.attack.recovery_score`.
        seed: Seed of every random choice; the same seed gives the same numbers.
        plain: Score of the same attack on the exact counts, if it was made already.
    """
    if not 0 < target <= 1:
        raise ParameterError(f"target must be in (0, 1], got {target!r}.")
    strengths = {name: tuple(values) for name, values in strengths.items()}
    check_strengths(strengths)
    ways = Ways(visits, regions, resampled, seed)
    attacker = {"method": method, "theta_m": theta_m, "seed": seed}
    outcomes = []
    for mitigation, strength in track(_settings(strengths, ways), ATTACKING):
        way = ways.publish(mitigation, strength)
        loss = count_loss(way.read_as, ways.exact)
        known = plain if mitigation == "none" else None
        outcomes.append(Outcome(mitigation, strength, loss, **_attacked(way, pairing, attacker, known)))
    return Mitigations(
        outcomes=tuple(outcomes),
        chance=outcomes[0].chance,
        target=target,
        users=len(visits),
        cells=ways.exact.shape[1],
        slots=ways.exact.shape[0],
        slot_min=ways.exact.slot_min,
        method=method,
        pairing=pairing,
        seed=seed,
        best=min((o for o in outcomes if o.accuracy < target), key=lambda o: o.loss, default=None),
    )


def check_strengths(strengths: Mapping[str, Iterable[Any]]) -> None:
    """Refuse an unknown mitigation, or a strength it cannot have."""
    for name, values in strengths.items():
        check_choice("mitigation", name, tuple(STRENGTHS))
        for strength in values:
            CHECKS[name](**{f"strength of {name}": strength})


def _settings(strengths: Mapping[str, Iterable[float]], ways: Ways) -> list[tuple[str, float]]:
    listed = [("none", 0.0), *((name, float(one)) for name, values in strengths.items() for one in values)]
    if ways.regions is not None:
        listed.append(("regions", float(len(np.unique(ways.regions)))))
    return listed + [("time", float(slot_min)) for slot_min in sorted(ways.resampled)]


def _attacked(way: Way, pairing: Any, attacker: dict[str, Any], known: RecoveryScore | None) -> dict[str, Any]:
    """What the attacker, and one who guesses, gets out of published counts; nothing if nothing is published."""
    if not (way.counts.n > 0).any():
        return {"accuracy": np.nan, "night": np.nan, "day": np.nan, "far": np.nan, "unique": {}, "chance": {}}
    mended = repair(way.counts, users=len(way.truth))
    score = known or recovery_score(recover(mended, **attacker), way.truth, pairing=pairing)
    return {
        "accuracy": score.accuracy,
        "night": score.stages["night"],
        "day": score.stages["day"],
        "far": score.far,
        "unique": score.uniqueness,
        "chance": chance_accuracy(mended, way.truth, pairing=pairing, seed=attacker["seed"]),
    }
