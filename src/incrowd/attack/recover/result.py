"""What an attacker got out of published counts, and how sure it is that nothing cheaper fits them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.attack.recover.section import recovered_section
from incrowd.data import Visits
from incrowd.show import Result, Section


@dataclass(frozen=True, eq=False, repr=False)
class Recovered(Result):
    """One trajectory per person, the total cost of each step, and a bound below every other way to take that step."""

    cells: Ints  # [user, slot]
    costs: Floats  # [day, slots of a day - 1] metres, all people together
    bounds: Floats  # likewise; those of the optimum with method "threshold" too
    gains: Floats  # [days - 1] bits, all people together
    gain_bounds: Floats  # likewise
    xy: Floats  # [cell, 2] metres
    slot_min: int
    night: NDArray[np.bool_]  # which slots of a day begin by night
    method: str
    theta_m: float | None
    seed: int | None
    seconds: float = 0.0
    machine: str = ""

    @property
    def gap(self) -> float:
        """The most metres by which any link of two slots may exceed its optimum.

        In theory 0, else rounding; with method "threshold" what the shortcut costs.
        """
        return float((self.costs - self.bounds).max(initial=0.0))

    @property
    def gain_gap(self) -> float:
        """The most bits by which any link of two days may exceed its optimum."""
        return float((self.gains - self.gain_bounds).max(initial=0.0))

    @property
    def days(self) -> int:
        """Days recovered, each on its own, then joined."""
        return len(self.costs)

    def section(self) -> Section:
        """What was reconstructed from counts."""
        return recovered_section(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON, without the trajectories."""
        names = ("method", "theta_m", "seed", "slot_min", "days", "gap", "gain_gap", "seconds", "machine")
        return {"users": len(self), "slots": self.cells.shape[1], **{name: getattr(self, name) for name in names}}

    def columns(self) -> Mapping[str, Any]:
        """A row for each person and slot: the cell."""
        visits = self.visits()
        return {"user": visits.owner, "slot": visits.slot, "cell": visits.cell}

    def visits(self) -> Visits:
        """The recovered people as if they had been observed, user i being row i."""
        users, slots = self.cells.shape
        user, slot = np.repeat(np.arange(users), slots), np.tile(np.arange(slots), users)
        return Visits.from_arrays(user, self.cells.ravel(), slot, xy=self.xy, slot_min=self.slot_min)

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        users, slots = self.cells.shape
        return f"Recovered(users={users:,}, slots={slots:,}, method={self.method!r}, gap={self.gap:.1g} m)"
