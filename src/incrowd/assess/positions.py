"""Published counts beside the people counted -> how many positions are guessed, and how much another day tells."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.attack.recover.guesses import Guess, random_guess, static_guess
from incrowd.attack.recover.score import originals, pair
from incrowd.data import Counts, Visits

Z_MISLED = 3.090232306167813  # one-sided 1e-3 of the normal distribution
CONTROL = (
    "The control is the static guess from another day: everybody stays where the first slot of the published counts "
    "has them, and the days after the first one are scored. The advantage is (best - control) / (1 - control), where "
    "best is the better of the attack and of the guesses over all days; with one day only the control is 0. An attack "
    "that is right significantly less often than the static guess (one-sided, 1e-3, over people) was misled, which "
    "protects nobody from another attack."
)


@dataclass(frozen=True)
class Positions:
    """Shares of positions that are right.

    Args:
        attack: By the attack.
        guesses: By trivial guesses from the same counts.
        control: By the static guess, over the days after the one that it is of; 0 if there is one day only.
        misled: Whether the attack is significantly worse than the static guess.
    """

    attack: float
    guesses: Mapping[str, float]
    control: float
    misled: bool = field(default=False, compare=False)  # not known of an attack that was made elsewhere

    @property
    def best(self) -> float:
        """What an attacker gets who takes the better of the attack and of the guesses."""
        return max(self.attack, *self.guesses.values())

    @property
    def advantage(self) -> float:
        """How much of what another day does not tell is gained, not clipped: below 0 if it misleads."""
        return (self.best - self.control) / (1 - self.control) if self.control < 1 else 0.0


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
    static = static_guess(mended)
    made = {"attack": recovered.cells, "everyone static": static.cells}
    made["random assignment"] = random_guess(mended, seed=seed).cells
    right = {name: _right(cells, y, pairing) for name, cells in made.items()}
    shares = {name: int(hits.sum()) / y.size for name, hits in right.items()}
    misled = _worse(right["attack"].sum(axis=1), right["everyone static"].sum(axis=1))
    return Positions(shares.pop("attack"), shares, _later(right["everyone static"], static), misled)


def control_of(mended: Counts, truth: Visits, *, pairing: Any) -> float:
    """The control alone."""
    static = static_guess(mended)
    return _later(_right(static.cells, originals(static, truth), pairing), static)


def _right(cells: Ints, y: Ints, pairing: Any) -> NDArray[np.bool_]:
    """Whether each position of each person is right in the trajectory paired with it."""
    match = pair(cells, y, pairing)
    right = np.empty(y.shape, np.bool_)
    right[match] = cells == y[match]
    return right


def _later(right: NDArray[np.bool_], guess: Guess) -> float:
    """The share that is right over the days after the first one."""
    later = right[:, right.shape[1] // guess.days :]
    return int(later.sum()) / later.size if later.size else 0.0


def _worse(attack: Ints, guess: Ints) -> bool:
    """Whether the attack is right significantly less often, person by person."""
    apart = attack - guess
    error = float(apart.std(ddof=1)) / len(apart) ** 0.5 if len(apart) > 1 else np.inf
    return bool(apart.mean() < 0 and apart.mean() <= -Z_MISLED * error)
