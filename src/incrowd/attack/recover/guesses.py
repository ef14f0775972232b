"""Counts -> trajectories that anybody would guess, and how much more than these an attack gets right."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from incrowd.arrays import Flags, Floats, Ints
from incrowd.attack.recover import night_slots
from incrowd.attack.recover.score import PAIRINGS, Pairing, originals, pair, share_right
from incrowd.data import Counts, Visits
from incrowd.errors import DataError, check_choice, check_kind, public

NIGHT_H = (0, 6)  # [xu2017, Sec. 4.2]
GUESSES = {"everyone static": "assuming that nobody moves", "random assignment": "assigning positions at random"}
Z_MISLED = 3.090232306167813  # one-sided 1e-3 of the normal distribution
CONTROL = (
    "The control is the static guess from another day: everybody stays where the first slot of the published counts "
    "has them, and the days after the first one are scored. The advantage is (best - control) / (1 - control), where "
    "best is the better of the attack and of the guesses over all days; with one day only the control is 0. An attack "
    "that is right significantly less often than the static guess (one-sided, 1e-3, over people) was misled, which "
    "protects nobody from another attack."
)


@dataclass(frozen=True, eq=False, repr=False)
class Guess:
    """Trajectories made of counts without an attack, scored like recovered ones."""

    cells: Ints  # [user, slot]
    xy: Floats
    slot_min: int
    days: int
    night: Flags  # which slots of a day belong to it

    def __repr__(self) -> str:
        users, slots = self.cells.shape
        return f"Guess(users={users:,}, slots={slots:,})"


def static_guess(counts: Counts, *, night_h: tuple[float, float] = NIGHT_H) -> Guess:
    """Everybody stays where they are in the first slot; give the night_h of the attack it is compared with.

    >>> static_guess(Counts.from_arrays([[2, 1], [1, 2]], xy=[[0, 0], [500, 0]], slot_min=720)).cells.tolist()
    [[0, 0], [0, 0], [1, 1]]
    """
    first = _records(counts)[0]
    return _guess(counts, np.repeat(first[:, None], len(counts.n), axis=1), night_h)


def random_guess(counts: Counts, *, seed: int | None = 0, night_h: tuple[float, float] = NIGHT_H) -> Guess:
    """Everybody is anybody of each slot: its records in a random order."""
    rng = np.random.default_rng(seed)
    return _guess(counts, np.stack([rng.permutation(slot) for slot in _records(counts)], axis=1), night_h)


@public
def chance_accuracy(
    counts: Counts, visits: Visits, *, pairing: Pairing = "global", seed: int | None = 0
) -> dict[str, float]:
    """How much trivial guesses get right from the same counts: everybody stays, or everybody is anywhere.

    Args:
        counts: The counts that were attacked.
        visits: The original people, one cell in every slot.
        pairing: With which original each guess is compared, as in `recovery_score`.
        seed: Seed of the random assignment.

    >>> visits = Visits.from_arrays([1, 1, 2, 2], [0, 1, 1, 1], [0, 1, 0, 1], xy=[[0, 0], [9, 0]], slot_min=720)
    >>> chance_accuracy(Counts.from_arrays([[1, 1], [0, 2]], visits.xy, slot_min=720), visits)["everyone static"]
    0.75
    """
    check_choice("pairing", pairing, PAIRINGS)
    guesses = {"everyone static": static_guess(counts), "random assignment": random_guess(counts, seed=seed)}
    truth = originals(guesses["everyone static"], visits)
    return {name: share_right(g.cells, truth, pair(g.cells, truth, pairing)) for name, g in guesses.items()}


def _records(counts: Counts) -> list[Ints]:
    """The cell of each person counted, slot by slot, in the order of cells."""
    check_kind("the guess", counts, Counts)
    totals = counts.n.sum(axis=1)
    if not counts.whole or (counts.n < 0).any() or (totals != totals[0]).any():
        raise DataError(
            "counts are not whole or do not add up to the same crowd in every slot; call incrowd.attack.repair first."
        )
    return [np.repeat(np.arange(len(n)), n) for n in counts.n]


def _guess(counts: Counts, cells: Ints, night_h: tuple[float, float]) -> Guess:
    night = night_slots(night_h, counts.slot_min, counts.start_min)
    return Guess(cells, counts.xy, counts.slot_min, max(len(counts.n) // len(night), 1), night)


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


def _right(cells: Ints, y: Ints, pairing: Any) -> Flags:
    """Whether each position of each person is right in the trajectory paired with it."""
    match = pair(cells, y, pairing)
    right = np.empty(y.shape, np.bool_)
    right[match] = cells == y[match]
    return right


def _later(right: Flags, guess: Guess) -> float:
    """The share that is right over the days after the first one."""
    later = right[:, right.shape[1] // guess.days :]
    return int(later.sum()) / later.size if later.size else 0.0


def _worse(attack: Ints, guess: Ints) -> bool:
    """Whether the attack is right significantly less often, person by person."""
    apart = attack - guess
    error = float(apart.std(ddof=1)) / len(apart) ** 0.5 if len(apart) > 1 else np.inf
    return bool(apart.mean() < 0 and apart.mean() <= -Z_MISLED * error)
