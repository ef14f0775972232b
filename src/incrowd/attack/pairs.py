"""Recovered and original trajectories -> which of them are compared."""

import numpy as np

from incrowd.arrays import Ints
from incrowd.errors import ParameterError

PAIRINGS = ("global", "index", "optimal")
MOST_OPTIMAL = 5_000  # users; three tables of all pairs


def pair(z: Ints, y: Ints, pairing: str) -> Ints:
    """The row of y that each row of z is compared with, by slots spent in the same cell.

    >>> z, y = np.array([[0, 0, 1, 2], [0, 0, 1, 1]]), np.array([[0, 0, 1, 1], [0, 0, 2, 2]])
    >>> [pair(z, y, rule).tolist() for rule in ("global", "index")]
    [[1, 0], [0, 1]]
    """
    from incrowd.kernels.cpu import pairing as kernel

    if pairing == "index":
        return kernel.pair_in_order(z, y)
    if pairing == "global":
        return kernel.pair_globally(z, y)
    if len(z) > MOST_OPTIMAL:
        raise ParameterError(
            f"pairing 'optimal' compares all pairs, of at most {MOST_OPTIMAL:,} users, got {len(z):,}; use 'global'."
        )
    from scipy.optimize import linear_sum_assignment

    chosen: Ints = linear_sum_assignment(kernel.similarity(z, y), maximize=True)[1].astype(np.int64)
    return chosen
