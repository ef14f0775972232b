"""Counts published in several ways -> what attackers learn from each, and what it loses."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from incrowd import anonymize, discretize
from incrowd.anonymize.count_steps import squares
from incrowd.anonymize.dp_counts import bounded
from incrowd.assess.mitigated import MembershipRisk, Mitigations, Outcome, dp_bounds
from incrowd.attack.membership import membership
from incrowd.attack.membership.channel import Channel
from incrowd.attack.recover import recover
from incrowd.attack.recover.guesses import Positions, chance_accuracy, control_of, positions
from incrowd.attack.recover.repair import repair
from incrowd.attack.recover.score import RecoveryScore, recovery_score
from incrowd.columns import as_array
from incrowd.data import Counts, Visits
from incrowd.errors import DataError, ParameterError, check_choice, check_positive, check_share, check_whole, public
from incrowd.measure.uniqueness.question import wilson
from incrowd.progress import track

STRENGTHS: Mapping[str, tuple[float, ...]] = {
    "noise": (4, 2, 1, 0.5, 0.25),  # epsilon per count
    "suppress": (2, 3, 5, 10, 15, 20),  # smallest count published
    "round": (2, 5, 10),  # to multiples of
    "move": (0.05, 0.2),  # share of points at the two most visited cells
    "space": (2000, 5000),  # side of a region in metres
    "dp": (1, 0.4),  # epsilon per person, one slot of each
}
CHECKS: Mapping[str, Callable[..., None]] = {
    "noise": check_positive,
    "suppress": check_whole,
    "round": check_whole,
    "move": check_share,
    "space": check_positive,
    "dp": check_positive,
}
CHANNELS = {"noise": "noise_epsilon", "suppress": "suppress_below", "round": "round_to", "move": "move_share"}
FEWEST_PEOPLE = 3  # that membership needs
ATTACKING = "attacking every mitigation"
ON_COUNTS: Mapping[str, Callable[[Counts, float, int], Counts]] = {
    "none": lambda counts, _, __: counts,
    "noise": lambda counts, epsilon, seed: anonymize.noise_counts(counts, epsilon=epsilon, seed=seed),
    "suppress": lambda counts, k, _: anonymize.suppress_small(counts, k=int(k)),
    "round": lambda counts, to, _: anonymize.round_counts(counts, to=int(to)),
}


def _channel(mitigation: str, strength: float) -> dict[str, Any]:
    """What the attacker on membership is told of the method, by the keywords of `anonymize.counts`."""
    if mitigation == "dp":
        return {"dp_epsilon": strength, "slots_per_person": 1}
    whole = int(strength) if mitigation in ("suppress", "round") else strength
    return {CHANNELS[mitigation]: whole} if mitigation in CHANNELS else {}


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
        if mitigation == "dp":
            return self._per_person(strength)
        if mitigation == "time":
            return self._slower(self.resampled[int(strength)])
        if mitigation == "regions" and self.regions is not None:
            return self._coarser(self.regions)
        return self._coarser(squares(self.exact.xy, strength))

    def _per_person(self, epsilon: float) -> Way:
        """One random slot of each person with noise for a person; a reader multiplies by the number of slots."""
        rng, (slots, cells) = np.random.default_rng(self.seed), self.exact.shape
        kept = bounded(self.visits.owner, self.visits.slot, 1, 1, rng)
        true = np.bincount(self.visits.slot[kept] * cells + self.visits.cell[kept], minlength=slots * cells)
        n = Channel.of(_channel("dp", epsilon)).publish(true, rng).reshape(slots, cells)
        return Way(replace(self.exact, n=n), self.visits, n * slots)

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
    target: float = 0.1,
    strengths: Mapping[str, Iterable[float]] | None = None,
    regions: ArrayLike | None = None,
    resampled: Mapping[int, Visits] | None = None,
    method: Literal["exact", "threshold"] = "exact",
    theta_m: float | None = None,
    pairing: Literal["global", "index", "optimal"] = "global",
    seed: int = 0,
    plain: RecoveryScore | None = None,
) -> Mitigations:
    """What attackers learn from the counts of these visits after each mitigation, and what each loses.

    One attacker reconstructs positions: what is judged is the advantage of the better of attack and static guess over
    a guess from another day. Another knows somebody's visits and the method, and asks whether that person was counted
    (`incrowd.attack.membership`): AUC at most 0.60 and at most 5 % named rightly at 1 % named wrongly. The smallest
    true count behind a published number must be 11. Noise per count, moves and whatever only misleads the attack on
    positions are never recommended, nor are unchanged counts.

    Args:
        visits: One cell for everybody in every slot.
        target: Largest advantage in reconstructing positions.
        strengths: Strengths to try, by mitigation. [default: several of each; dp if OpenDP is installed]
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
    tried = {name: tuple(values) for name, values in (usual() if strengths is None else strengths).items()}
    check_strengths(tried)
    ways = Ways(visits, regions, resampled, seed)
    attacker = {"method": method, "theta_m": theta_m, "seed": seed}
    outcomes = []
    for mitigation, strength in track(_settings(tried, ways), ATTACKING):
        way = ways.publish(mitigation, strength)
        loss = count_loss(way.read_as, ways.exact)
        known = plain if mitigation == "none" else None
        unchanged = np.array_equal(way.counts.n, ways.exact.n)
        outcomes.append(
            Outcome(
                mitigation,
                strength,
                loss,
                **_attacked(way, pairing, attacker, known),
                membership=_membership_risk(mitigation, strength, way, seed),
                smallest=_smallest(mitigation, way),
                unchanged=unchanged,
            )
        )
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
    )


def usual() -> Mapping[str, tuple[float, ...]]:
    """The strengths tried by default: dp needs an extra that may not be installed."""
    return {name: values for name, values in STRENGTHS.items() if name != "dp" or find_spec("opendp")}


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
        return {"accuracy": np.nan, "night": np.nan, "day": np.nan, "far": np.nan, "unique": {}, "positions": None}
    mended, seed = repair(way.counts, users=len(way.truth)), attacker["seed"]
    if known is None:
        recovered = recover(mended, **attacker)
        score = recovery_score(recovered, way.truth, pairing=pairing)
        judged = positions(recovered, mended, way.truth, pairing=pairing, seed=seed)
    else:
        score, guesses = known, chance_accuracy(mended, way.truth, pairing=pairing, seed=seed)
        judged = Positions(known.accuracy, guesses, control_of(mended, way.truth, pairing=pairing))
    return {
        "accuracy": score.accuracy,
        "night": score.stages["night"],
        "day": score.stages["day"],
        "far": score.far,
        "unique": score.uniqueness,
        "positions": judged,
    }


def _membership_risk(mitigation: str, strength: float, way: Way, seed: int) -> MembershipRisk | None:
    """How well an attacker who knows the method tells who was counted; None if too few people were."""
    if len(way.truth) < FEWEST_PEOPLE:
        return None
    result = membership(way.truth, mitigation=_channel(mitigation, strength), seed=seed)
    if result.auc is None or result.interval is None:
        return None
    auc, tpr = result.interval[1], result.tpr_at_1pct
    named = None if tpr is None else wilson(tpr, result.asked)[1]
    if mitigation == "dp":
        most, at_most = dp_bounds(strength)
        auc, named = min(auc, most), at_most if named is None else min(named, at_most)
    return MembershipRisk(result.auc, auc, tpr, named)


def _smallest(mitigation: str, way: Way) -> int | None:
    """The smallest true count behind a published number above 0; None if noise for a person hides it."""
    seen = way.counts.n > 0
    if mitigation == "dp" or not seen.any():
        return None
    return int(discretize.counts(way.truth).n[seen].min())
