"""Ways to publish counts -> how much of the people an attacker recovers from each, and what it costs the reader."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from incrowd.assess.publishing import Way, Ways, count_loss
from incrowd.attack.recover import recover
from incrowd.attack.recover.guesses import chance_accuracy
from incrowd.attack.recover.repair import repair
from incrowd.attack.recover.score import RecoveryScore, recovery_score
from incrowd.data import Visits
from incrowd.errors import ParameterError, check_choice, check_positive, check_share, check_whole
from incrowd.plain import Shown, fraction
from incrowd.progress import track

STRENGTHS: Mapping[str, tuple[float, ...]] = {
    "noise": (4, 2, 1, 0.5, 0.25),  # epsilon per count
    "suppress": (2, 3, 5, 10, 15, 20),  # smallest count published
    "round": (2, 5, 10),  # to multiples of
    "move": (0.05, 0.2),  # share of points at the two most visited cells
    "space": (2000, 5000),  # side of a region in metres
}
IN_WORDS = {
    "none": "counts as they are",
    "noise": "noise, epsilon {:g} per count",
    "suppress": "counts below {:g} suppressed",
    "round": "rounded to multiples of {:g}",
    "move": "{:.0%} of points at top places moved",
    "space": "regions of {:g} m",
    "regions": "{:g} given regions",
    "time": "slots of {:g} min",
}
CHECKS: Mapping[str, Callable[..., None]] = {
    "noise": check_positive,
    "suppress": check_whole,
    "round": check_whole,
    "move": check_share,
    "space": check_positive,
}
ATTACKING = "attacking every mitigation"


@dataclass(frozen=True)
class Outcome:
    """One way to publish: what the attacker gets right, and how far the counts are from the exact ones."""

    mitigation: str
    strength: float
    loss: float  # sum |published - P| / sum P
    accuracy: float  # of whole trajectories; nan where nothing was left to attack
    night: float  # stage 1
    day: float  # stage 2
    far: float  # share of points more than 1 km off
    unique: Mapping[int, float]  # recovered trajectories singled out by their top k cells
    chance: Mapping[str, float]  # what trivial guesses get right from the same counts, repaired and scored alike

    def __str__(self) -> str:
        return IN_WORDS[self.mitigation].format(self.strength)


@dataclass(frozen=True)
class Mitigations(Shown):
    """Every way that was tried, the counts as they are first; `chance` is what guesses get right from these."""

    outcomes: tuple[Outcome, ...]
    chance: Mapping[str, float]
    target: float
    users: int
    cells: int
    slots: int
    slot_min: int
    method: str
    pairing: str
    seed: int
    cheapest: Outcome | None = field(default=None)  # of those under the target that publish anything, the least loss

    @property
    def caution(self) -> str:
        """Whether trivial guesses exceed the target, from the counts as they are or from the cheapest, or all is well.

        Empty where there is nothing to say.
        """
        sentences = []
        better = [name for name, share in self.chance.items() if share > self.target]
        if better:
            sentences.append(
                f"The target of {self.target:.0%} is below what guessing gets right ({' and '.join(better)})."
            )
        if self.cheapest is not None and self.cheapest.mitigation == "none":
            sentences.append(
                f"Nothing needs to be done against this attack: it gets {self.cheapest.accuracy:.0%} right."
            )
            return " ".join(sentences)
        best = max(self.cheapest.chance.items(), key=lambda one: one[1], default=None) if self.cheapest else None
        if best is not None and best[1] > self.target:
            sentences.append(
                f"From the cheapest, {best[0]} still gets {best[1]:.0%} right: it only misleads this attack."
            )
        return " ".join(sentences)

    def _shown(self) -> list[tuple[str, ...]]:
        named: list[tuple[str, Outcome | None]] = [(str(one), one) for one in self.outcomes]
        named.append((f"cheapest under {self.target:g}: {self.cheapest or 'none that was tried'}", self.cheapest))
        return [
            ("published", "loss", "nights", "days", "whole", *self.chance),
            *(_row(*one, self.chance) for one in named),
        ]

    def of(self, mitigation: str) -> tuple[Outcome, ...]:
        """One mitigation, by loss."""
        return tuple(sorted((o for o in self.outcomes if o.mitigation == mitigation), key=lambda o: o.loss))


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
    """Attack the counts of these visits after each mitigation; accuracy in [0, 1], higher is riskier.

    `regions` is one label per cell, `resampled` the same records in longer slots, by minutes. Accuracy is against the
    unperturbed visits; for regions and longer slots, against the visits to those. Knows: the counts, where cells are,
    and how many people there are. The attacker repairs the counts and does not model the noise: a cleverer one may do
    better, so that a low accuracy is a measurement and no guarantee. `plain` is the score of the same attack on the
    exact counts, where it was made already.
    """
    if not 0 < target <= 1:
        raise ParameterError(f"target must lie above 0 and up to 1, got {target!r}.")
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
        cheapest=min((o for o in outcomes if o.accuracy < target), key=lambda o: o.loss, default=None),
    )


def check_strengths(strengths: Mapping[str, Iterable[Any]]) -> None:
    """Refuse an unknown mitigation, or a strength it cannot have."""
    for name, values in strengths.items():
        check_choice("mitigation", name, tuple(STRENGTHS))
        for strength in values:
            CHECKS[name](**{f"strength of {name}": strength})


def _row(name: str, one: Outcome | None, guesses: Iterable[str]) -> tuple[str, ...]:
    if one is None:
        return (name, *("" for _ in ("loss", "night", "day", "whole", *guesses)))
    shares = (one.loss, one.night, one.day, one.accuracy, *(one.chance.get(guess, np.nan) for guess in guesses))
    return (name, *map(fraction, shares))


def _settings(strengths: Mapping[str, Iterable[float]], ways: Ways) -> list[tuple[str, float]]:
    listed = [("none", 0.0), *((name, float(one)) for name, values in strengths.items() for one in values)]
    if ways.regions is not None:
        listed.append(("regions", float(len(np.unique(ways.regions)))))
    return listed + [("time", float(slot_min)) for slot_min in sorted(ways.resampled)]


def _attacked(way: Way, pairing: Any, attacker: dict[str, Any], known: RecoveryScore | None) -> dict[str, Any]:
    """What the attacker, and one who guesses, gets out of published counts; nothing where nothing is published."""
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
