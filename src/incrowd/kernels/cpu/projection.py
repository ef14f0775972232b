"""What both searches for sets share: paths with fences, lists of places, arrays that grow."""

import numpy as np
from numba import njit

from incrowd.arrays import Ints
from incrowd.kernels.reference.sequences import Ids

FENCE = -1


@njit(cache=True)
def occurrences(path: Ids, size: int) -> tuple[Ints, Ints]:
    """The places of each item in a fenced path, by counting sort."""
    starts = np.zeros(size + 2, np.int64)
    for item in path:
        if item >= 0:
            starts[item + 2] += 1
    for i in range(2, size + 2):
        starts[i] += starts[i - 1]
    places = np.empty(starts[size + 1], np.int64)
    for place in range(len(path)):
        if path[place] >= 0:
            places[starts[path[place] + 1]] = place
            starts[path[place] + 1] += 1
    return starts[:-1], places


@njit(cache=True)
def room(array: Ints, size: int) -> Ints:
    """The array, or a longer copy."""
    if size <= len(array):
        return array
    longer = np.empty(max(size, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer


@njit(cache=True)
def roomy(table: Ints, size: int) -> Ints:
    """The table, or a longer copy."""
    if size <= len(table):
        return table
    longer = np.empty((max(size, 2 * len(table)), table.shape[1]), table.dtype)
    longer[: len(table)] = table
    return longer
