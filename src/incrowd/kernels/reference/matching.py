"""Pairs of greatest total among listed candidates, as the definition reads."""

import numpy as np

from incrowd.arrays import Ints

NOBODY = -1


def assign(starts: Ints, column: Ints, value: Ints, places: Ints, spare: int) -> Ints:
    """The column of each row, -1 for none, of greatest total; all places are filled, and `spare` rows go without.

    Row i has the candidates column[starts[i]:starts[i+1]] at these values; column j takes places[j] rows.
    """
    from scipy.optimize import linear_sum_assignment

    rows, seats = len(starts) - 1, np.repeat(np.arange(len(places)), places)
    table = np.full((rows, len(seats) + spare), -np.inf)
    table[:, len(seats) :] = 0
    for i in range(rows):
        for k in range(starts[i], starts[i + 1]):
            table[i, : len(seats)][seats == column[k]] = value[k]
    chosen = linear_sum_assignment(table, maximize=True)[1]
    return np.where(chosen < len(seats), np.append(seats, [NOBODY] * spare)[chosen], NOBODY)
