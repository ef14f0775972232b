"""Cut: each trajectory becomes many short ones under unrelated pseudonyms."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from incrowd.anonymize.base import Anonymizer, Strength, Wanted, release_visits
from incrowd.data import Release, Visits
from incrowd.discretize import windows
from incrowd.errors import ParameterError, public

WINDOWS_H = (24, 6, 1)  # tried in a comparison


@public
@dataclass(frozen=True)
class Cut(Anonymizer):
    """Cut trajectories into windows of time, every piece under a fresh pseudonym.

    Windows are half-open [song2014, Sec. 3.2]; this differs from the paper, whose closed windows publish a visit on a
    boundary twice.

    Args:
        window_h: Width of a window.
        windows: Number of windows, instead of their width.
        start_slot: Slot at which the recording period begins.
        slots: Length of the recording period in slots. [default: to the last visit]

    Guarantee: none (heuristic): nothing is removed or made coarser, and the pieces of one person have different
    pseudonyms; a rare piece still singles out its owner and may be joined to the next one, so measure the residual
    risk.

    Example:
        incrowd anonymize cut visits.parquet --plan --target 0.1 --report plan.html
        incrowd anonymize cut visits.parquet -o release --window-h 6

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

    @public
    def __call__(self, data: Visits, *, seed: int | None = 0, pseudonym_seed: int | None = None) -> Release:
        """The pieces as a release.

        Args:
            data: Visits to cut.
            seed: Changes nothing, because only the pseudonyms are random.
            pseudonym_seed: Seed of the pseudonyms, for tests; an audit fails a release that was made with one.
        """
        width = self.window_h if self.windows is None else None
        cut = windows(data, window_h=width, windows=self.windows, start_slot=self.start_slot, slots=self.slots)
        return release_visits(replace(self, window_h=width), cut.visits, cut.owner, pseudonym_seed)
