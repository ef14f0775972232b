"""Greedy alignment of two trajectories, as the definition reads.

A trajectory is `points`, one row (x, y, time as metres) per point in time order; the distance of two points counts
whole units of length, at most `most`. At each step the next points of both are matched, or the next point of one with
the final point of the other; the cheapest step is taken, of equal ones both, then the second trajectory, then the
first. When one ends, what is left of the other is matched with its final point.
"""

from itertools import pairwise
from math import floor, sqrt

import numpy as np

from incrowd.arrays import Floats, Ints


def point_distance(p: Floats, q: Floats, unit: float, most: int) -> int:
    """Whole units between two points in space and time, capped."""
    x, y, z = (float(b) - float(a) for a, b in zip(p, q, strict=True))
    return floor(min(sqrt(x * x + y * y + z * z) / unit, most))


def aligned(p: Floats, q: Floats, unit: float, most: int) -> list[tuple[int, int, int]]:
    """The matched points (i of p, j of q) in the order of the walk, each with its distance; not symmetric."""
    i, j, path = 0, 0, []
    last_p, last_q = len(p) - 1, len(q) - 1
    while i <= last_p or j <= last_q:
        both = [(i, j, i + 1, j + 1)] if i <= last_p and j <= last_q else []
        second = [(last_p, j, i, j + 1)] if j <= last_q else []
        first = [(i, last_q, i + 1, j)] if i <= last_p else []
        steps = both + second + first
        costs = [point_distance(p[a], q[b], unit, most) for a, b, *_ in steps]
        cost = min(costs)
        a, b, i, j = steps[costs.index(cost)]
        path.append((a, b, cost))
    return path


def compare(points: Floats, offsets: Ints, rows: Ints, unit: float, most: int) -> tuple[Ints, Floats]:
    """From the trajectories in `rows` to all: the summed distance, and the farthest matched points in the plane."""
    users = [points[a:b] for a, b in pairwise(offsets)]
    total, far = np.zeros((len(rows), len(users)), np.int64), np.zeros((len(rows), len(users)))
    for row, at in enumerate(rows):
        p = users[at]
        for other, q in enumerate(users):
            path = aligned(p, q, unit, most)
            total[row, other] = sum(cost for *_, cost in path)
            far[row, other] = max(sqrt(((q[j, :2] - p[i, :2]) ** 2).sum()) for i, j, _ in path)
    return total, far


def matched(points: Floats, offsets: Ints, pivot: Ints, member: Ints, unit: float, most: int) -> Ints:
    """For every point of each pivot in turn, the row of the first point of the member that is matched with it."""
    matches: list[int] = []
    for a, b in zip(pivot.tolist(), member.tolist(), strict=True):
        p, q = points[offsets[a] : offsets[a + 1]], points[offsets[b] : offsets[b + 1]]
        first: dict[int, int] = {}
        for i, j, _ in aligned(p, q, unit, most):
            first.setdefault(i, j)
        matches += [int(offsets[b]) + first[i] for i in range(len(p))]
    return np.array(matches, np.int64)
