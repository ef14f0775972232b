"""The stretch of two fingerprints, compiled; every sample against every other, for the few pairs that are merged."""

import numpy as np
from numba import njit

from incrowd.arrays import Ints
from incrowd.kernels.cpu import compiled, helper
from incrowd.kernels.types import Scale


@njit(inline="always")
def apart(a0: int, a1: int, b0: int, b1: int, n_a: int, n_b: int) -> int:
    """By how much the people of two intervals are stretched to their union."""
    union = max(a1, b1) - min(a0, b0)
    return n_a * (union - (a1 - a0)) + n_b * (union - (b1 - b0))


@njit(inline="always")
def outreach(a: Ints, b: Ints, n_a: int, n_b: int) -> tuple[int, int]:
    """People-metres (or cells) and people-minutes by which two samples are stretched."""
    space = apart(a[2], a[3], b[2], b[3], n_a, n_b) + apart(a[4], a[5], b[4], b[5], n_a, n_b)
    return space, apart(a[0], a[1], b[0], b[1], n_a, n_b)


@helper
def closest(sample: Ints, others: Ints, n_a: int, n_b: int, scale: Scale, uncapped: bool) -> tuple[int, int, int]:
    """The first other sample at the smallest stretch, and the shares of space and of time."""
    space_cap, time_cap = scale[1] * (n_a + n_b), scale[3] * (n_a + n_b)
    best, near, late, beyond = -1, 0, 0, 0
    for j in range(len(others)):
        space, time = outreach(sample, others[j], n_a, n_b)
        s, t = scale[0] * min(space, space_cap), scale[2] * min(time, time_cap)
        if best < 0 or s + t <= near + late:
            further = scale[0] * space + scale[2] * time
            if best < 0 or s + t < near + late or (uncapped and further < beyond):
                best, near, late, beyond = j, s, t, further
    return best, near, late


@compiled
def sample_parts(a: Ints, b: Ints, n_a: int, n_b: int, scale: Scale) -> tuple[Ints, Ints]:
    """Space and time shares of each sample of a at its closest sample of b."""
    space, time = np.empty(len(a), np.int64), np.empty(len(a), np.int64)
    for i in range(len(a)):
        _, space[i], time[i] = closest(a[i], b, n_a, n_b, scale, False)
    return space, time


@helper
def directed(a: Ints, b: Ints, n_a: int, n_b: int, scale: Scale) -> int:
    """Numerator of the mean stretch of the samples of a to their closest of b."""
    total = 0
    for i in range(len(a)):
        _, space, time = closest(a[i], b, n_a, n_b, scale, False)
        total += space + time
    return total


@compiled
def stretch(a: Ints, b: Ints, n_a: int, n_b: int, scale: Scale) -> tuple[int, bool]:
    """Numerator of the fingerprint stretch, and whether it is a that is summed over."""
    if len(a) > len(b):
        return directed(a, b, n_a, n_b, scale), True
    back = directed(b, a, n_b, n_a, scale)
    if len(a) < len(b):
        return back, False
    there = directed(a, b, n_a, n_b, scale)
    return (there, True) if there <= back else (back, False)
