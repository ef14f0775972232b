"""Published counts beside the people counted -> how many positions are guessed, and how much another day tells."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from incrowd.arrays import Ints
from incrowd.attack.recover.guesses import random_guess, static_guess
from incrowd.attack.recover.score import originals, pair, share_right
from incrowd.clock import DAY_MIN
from incrowd.data import Counts, Visits
from incrowd.discretize import counts

Z_MISLED = 3.090232306167813  # one-sided 1e-3 of the normal distribution
CONTROL = (
    "The control is what anybody gets right who knows another day: everybody stays where the first slot of the next "
    "day (of the first one for the last) counts them. The advantage is (best - control) / (1 - control), where best "
    "is the better of the attack and of the guesses from the published counts; with one day only there is no control, "
    "and the best itself is judged. An attack that is right significantly less often than a guess or the control "
    "(one-sided, 1e-3, over people) was misled, which protects nobody from another attack."
)


@dataclass(frozen=True)
class Positions:
    """Shares of positions that are right.

    Args:
        attack: By the attack.
        guesses: By trivial guesses from the same counts.
        control: By whom another day tells; None if there is one day only.
        misled: Whether the attack is significantly worse than a guess or the control.
    """

    attack: float
    guesses: Mapping[str, float]
    control: float | None
    misled: bool = field(default=False, compare=False)  # not known of an attack that was made elsewhere

    @property
    def best(self) -> float:
        """What an attacker gets who takes the better of the attack and of the guesses."""
        return max(self.attack, *self.guesses.values())

    @property
    def advantage(self) -> float:
        """How much of what another day does not tell is gained, not clipped: below 0 if it misleads."""
        control = self.control or 0.0
        return (self.best - control) / (1 - control) if control < 1 else 0.0


def positions(recovered: Any, mended: Counts, truth: Visits, *, pairing: Any, seed: int) -> Positions:
    """Score an attack on counts beside the guesses from them and from another day.

    Args:
        recovered: What `incrowd.attack.recover` made of the counts.
        mended: The counts that it was made of.
        truth: The people counted, one cell in every slot.
        pairing: How reconstructed and true trajectories are paired.
        seed: Of the random assignment.
    """
    y = originals(recovered, truth)
    made = {"everyone static": static_guess(mended).cells, "random assignment": random_guess(mended, seed=seed).cells}
    other = another_day(truth)
    tried = made if other is None else {**made, "another day": other}
    rights = {name: _per_person(cells, y, pairing) for name, cells in {"attack": recovered.cells, **tried}.items()}
    shares = {name: int(right.sum()) / y.size for name, right in rights.items()}
    misled = any(_worse(rights["attack"], rights[name]) for name in tried if name != "random assignment")
    return Positions(shares["attack"], {name: shares[name] for name in made}, shares.get("another day"), misled)


def control_of(truth: Visits, *, pairing: Any) -> float | None:
    """How many positions are right if another day is known; None if there is one day only."""
    other = another_day(truth)
    if other is None:
        return None
    y = truth.cell.reshape(other.shape)
    return share_right(other, y, pair(other, y, pairing))


def another_day(truth: Visits) -> Ints | None:
    """Everybody stays, each day, where the first slot of the next day counts them: [person, slot]."""
    n = counts(truth).n
    per_day = DAY_MIN // int(truth.slot_min or DAY_MIN)
    days = len(n) // per_day
    if days < 2:
        return None
    firsts = [np.repeat(np.arange(n.shape[1]), n[(day + 1) % days * per_day]) for day in range(days)]
    cells: Ints = np.repeat(np.stack(firsts, axis=1), per_day, axis=1)
    return cells


def _per_person(cells: Ints, y: Ints, pairing: Any) -> Ints:
    """How many positions of each person are right in the trajectory paired with it."""
    match = pair(cells, y, pairing)
    right = np.empty(len(y), np.int64)
    right[match] = (cells == y[match]).sum(axis=1)
    return right


def _worse(attack: Ints, guess: Ints) -> bool:
    """Whether the attack is right significantly less often, person by person."""
    apart = attack - guess
    error = float(apart.std(ddof=1)) / len(apart) ** 0.5 if len(apart) > 1 else np.inf
    return bool(apart.mean() < 0 and apart.mean() <= -Z_MISLED * error)
