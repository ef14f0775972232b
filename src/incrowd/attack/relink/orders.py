"""Random orders of pieces, drawn before windows are joined, so that it does not matter which is joined first."""

import numpy as np

from incrowd.arrays import Ints


class Orders:
    """Random orders in the order in which they are asked for."""

    def __init__(self, rng: np.random.Generator, drawn: list[Ints] | None = None) -> None:
        self._rng, self._drawn = rng, drawn

    @classmethod
    def drawn(cls, rng: np.random.Generator, ends: int, later: int) -> "Orders":
        """The orders of ends and later pieces, the larger side first, as a matching asks for them."""
        if not ends:
            return cls(rng, [])
        sizes = (ends, later) if ends >= later else (later, ends)
        return cls(rng, [rng.permutation(size) for size in sizes])

    def permutation(self, size: int) -> Ints:
        """The next order."""
        return self._rng.permutation(size) if self._drawn is None else self._drawn.pop(0)
