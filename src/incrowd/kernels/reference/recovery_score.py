"""Recovered trajectories -> the original each is compared with, by slots spent in the same cell, as defined."""

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.types import Cells


def similarity(z: Cells, y: Cells) -> Ints:
    """How many slots each trajectory of z spends in the same cell as each of y."""
    same: Ints = (z[:, None] == y[None]).sum(axis=2)
    return same


def pair_globally(z: Cells, y: Cells) -> Ints:
    """The original of each recovered trajectory: again and again the most similar pair among those left.

    Ties go to the lowest (recovered, original); what is similar to nobody is paired in order.
    """
    left = similarity(z, y)
    match = np.full(len(left), -1, np.int64)
    while left.max(initial=0) > 0:
        i, j = np.unravel_index(left.argmax(), left.shape)  # the first of equals
        match[i] = j
        left[i], left[:, j] = -1, -1
    return _rest_in_order(match)


def pair_in_order(z: Cells, y: Cells) -> Ints:
    """Each recovered trajectory in turn takes the most similar original left [xu2017, Sec. 5.1]; ties to the lowest."""
    left = similarity(z, y)
    match = np.empty(len(left), np.int64)
    for i, row in enumerate(left):
        match[i] = row.argmax()
        left[:, match[i]] = -1
    return match


def _rest_in_order(match: Ints) -> Ints:
    match[match < 0] = np.setdiff1d(np.arange(len(match)), match)
    return match
