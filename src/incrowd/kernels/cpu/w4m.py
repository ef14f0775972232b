"""Greedy alignment of two trajectories, compiled; linear in their lengths."""

from math import sqrt

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.kernels.cpu import compiled, helper
from incrowd.threads import in_blocks

BLOCK = 16  # trajectories compared with all others by one call
NONE = -1


@helper
def _distance(points: Floats, a: int, b: int, unit: float, most: int) -> int:
    x, y, z = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    units = sqrt(x * x + y * y + z * z) / unit
    return most if units >= most else int(units)


@helper
def _walk(
    points: Floats, a: int, a_end: int, b: int, b_end: int, unit: float, most: int, first: Ints
) -> tuple[int, float]:
    """Align rows a:a_end with rows b:b_end; `first` takes the first row matched with each row of a:a_end."""
    i, j, total, far = a, b, 0, 0.0
    first[: a_end - a] = NONE
    while i < a_end or j < b_end:
        more_a, more_b = i < a_end, j < b_end
        both = _distance(points, i, j, unit, most) if more_a and more_b else most + 1  # dearer than any step
        later = more_a and more_b and both == 0  # nothing is cheaper, so that the others need not be known
        second = most + 1 if later or not more_b else _distance(points, a_end - 1, j, unit, most)
        own = most + 1 if later or not more_a else _distance(points, i, b_end - 1, unit, most)
        cost = min(both, second, own)
        at = a_end - 1 if both > cost and second == cost else i
        to = b_end - 1 if both > cost and second > cost else j
        if first[at - a] == NONE:
            first[at - a] = to
        i += both == cost or second > cost
        j += both == cost or second == cost
        total += cost
        x, y = points[to, 0] - points[at, 0], points[to, 1] - points[at, 1]
        far = max(far, x * x + y * y)
    return total, sqrt(far)


@compiled
def _compare(
    points: Floats, offsets: Ints, rows: Ints, unit: float, most: int, total: Ints, far: Floats, longest: int
) -> None:
    first = np.empty(longest, np.int64)
    for row in range(len(rows)):
        a, a_end = offsets[rows[row]], offsets[rows[row] + 1]
        for other in range(len(offsets) - 1):
            total[row, other], far[row, other] = _walk(
                points, a, a_end, offsets[other], offsets[other + 1], unit, most, first
            )


@compiled
def _matched(
    points: Floats, offsets: Ints, pivot: Ints, member: Ints, unit: float, most: int, starts: Ints, matches: Ints
) -> None:
    for n in range(len(pivot)):
        a, b = pivot[n], member[n]
        place = matches[starts[n] : starts[n + 1]]
        _walk(points, offsets[a], offsets[a + 1], offsets[b], offsets[b + 1], unit, most, place)


def compare(points: Floats, offsets: Ints, rows: Ints, unit: float, most: int) -> tuple[Ints, Floats]:
    """From the trajectories in `rows` to all: the summed distance, and the farthest matched points in the plane."""
    shape = (len(rows), len(offsets) - 1)
    total, far = np.empty(shape, np.int64), np.empty(shape)
    longest = int(np.diff(offsets).max())

    def work(part: slice) -> None:
        _compare(points, offsets, rows[part], unit, most, total[part], far[part], longest)

    in_blocks(work, len(rows), block=BLOCK)
    return total, far


def matched(points: Floats, offsets: Ints, pivot: Ints, member: Ints, unit: float, most: int) -> Ints:
    """For every point of each pivot in turn, the row of the first point of the member that is matched with it."""
    starts = np.append(0, np.cumsum(np.diff(offsets)[pivot]))
    matches = np.empty(starts[-1], np.int64)
    _matched(points, offsets, pivot, member, unit, most, starts, matches)
    return matches
