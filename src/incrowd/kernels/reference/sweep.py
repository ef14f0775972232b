"""Whole-number records -> the points of each vehicle on some blocks, for several lengths of a period at once."""

from collections import Counter
from itertools import pairwise

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.types import Whole


def represent(
    t: Whole,
    x: Whole,
    y: Whole,
    offsets: Ints,
    size: tuple[int, int],
    blocks: int,
    base: int,
    periods: Ints,
    vote: bool,
    begins: Ints,
    ids: Whole,
) -> Ints:
    """How many points vehicle v has when a period lasts periods[k]: counts[k, v].

    The points go to ids from begins[k, v] on, by period, then cell, unless ids is empty: period * blocks**2 + cell.
    Records are by time; x and y lie in 0..size, `base` divides all periods. A period has the cell with most records,
    ties to the smallest (vote), or every cell.
    """
    del base
    counts = np.zeros((len(periods), len(offsets) - 1), np.int64)
    for v, (a, b) in enumerate(pairwise(offsets)):
        for k, length in enumerate(periods.tolist()):
            seen: dict[int, Counter[int]] = {}
            for r in range(a, b):
                column = min(int(x[r]) * blocks // size[0], blocks - 1)
                row = min(int(y[r]) * blocks // size[1], blocks - 1)
                seen.setdefault(int(t[r]) // length, Counter())[row * blocks + column] += 1
            points = [
                period * blocks**2 + cell
                for period, votes in seen.items()
                for cell in ([min(votes, key=lambda c: (-votes[c], c))] if vote else sorted(votes))
            ]
            counts[k, v] = len(points)
            if len(ids):
                ids[begins[k, v] : begins[k, v] + len(points)] = points
    return counts
