"""Cut: each trajectory becomes many short ones under unrelated pseudonyms."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from incrowd.anonymize.base import Strength, Wanted, release_visits
from incrowd.data import Release, Visits
from incrowd.discretize import windows
from incrowd.errors import ParameterError

WINDOWS_H = (24, 6, 1)  # tried in a comparison


@dataclass(frozen=True)
class Cut:
    """Cut trajectories at fixed times and give every piece a fresh pseudonym [song2014, Sec. 3.2].

    Windows are half-open, counted from `start_slot`; give their width (`window_h`) or their number (`windows`)
    over a recording period of `slots` slots. Differs from [song2014], whose closed windows publish a point on a
    boundary twice.

    Guarantee: none (heuristic): nothing is removed or made coarser, pieces of one person share no pseudonym; a
    rare piece still singles its owner out and may be re-linked to the next, so measure the residual risk.

    >>> visits = Visits.from_arrays(["a", "a"], cell=[1, 2], slot=[0, 7], slot_min=60)
    >>> Cut(window_h=6)(visits)
    Release(Visits, rows=2, pseudonyms=2, people=1)
    """

    window_h: float | None = 6
    windows: int | None = None
    start_slot: int = 0
    slots: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.start_slot, bool) or not isinstance(self.start_slot, (int, np.integer)):
            raise ParameterError(f"start_slot must be a whole number, got {self.start_slot!r}.")

    @staticmethod
    def strengths(wanted: Wanted) -> Iterator[Strength]:
        """Windows of at least a slot."""
        for hours in WINDOWS_H:
            if 60 * hours >= wanted.slot_min:
                yield Strength(f"{hours} h", Cut(window_h=hours), "visits")

    def __call__(self, data: Visits, *, seed: int = 0, pseudonym_seed: int | None = None) -> Release:
        """Cut visits; nothing but the pseudonyms is random, so `seed` changes nothing."""
        width = self.window_h if self.windows is None else None
        cut = windows(data, window_h=width, windows=self.windows, start_slot=self.start_slot, slots=self.slots)
        return release_visits(replace(self, window_h=width), cut.visits, cut.owner, pseudonym_seed)
