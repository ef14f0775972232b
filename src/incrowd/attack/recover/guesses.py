"""Counts -> trajectories that anybody would guess, to judge by them what an attack gets right."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.attack.recover import night_slots
from incrowd.attack.recover.score import PAIRINGS, Pairing, originals, pair, share_right
from incrowd.data import Counts, Visits
from incrowd.errors import DataError, check_choice, check_kind, public

NIGHT_H = (0, 6)  # [xu2017, Sec. 4.2]
GUESSES = {"everyone static": "assuming that nobody moves", "random assignment": "assigning positions at random"}


@dataclass(frozen=True, eq=False, repr=False)
class Guess:
    """Trajectories made of counts without an attack, scored like recovered ones."""

    cells: Ints  # [user, slot]
    xy: Floats
    slot_min: int
    days: int
    night: NDArray[np.bool_]  # which slots of a day belong to it

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
