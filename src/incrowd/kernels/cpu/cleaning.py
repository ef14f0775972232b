"""Repair of temporal disorder and search for displaced records, compiled; linear in the number of records."""

from math import asin, cos, inf, radians, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.kernels.cpu import compiled, helper
from incrowd.kernels.types import EARTH_RADIUS_M, RECORDS, SHIFTED, SWAP_BEST, SWAP_RECORDS, TIMES, UNCORRELATED

ABSENT = -1
KEEP_A, KEEP_B, EXCHANGED = range(3)


@helper
def distance_m(x1: float, y1: float, x2: float, y2: float, planar: bool) -> float:
    """Euclid on a plane in metres, haversine on degrees."""
    if planar:
        return sqrt((x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1))
    north = sin(radians(y2 - y1) / 2)
    east = sin(radians(x2 - x1) / 2)
    chord = north * north + cos(radians(y1)) * cos(radians(y2)) * (east * east)
    return 2 * EARTH_RADIUS_M * asin(min(1.0, sqrt(chord)))


@helper
def speed_ms(x: Floats, y: Floats, planar: bool, a: int, a_t: int, b: int, b_t: int) -> float:
    """Metres per second from row a at a_t to row b at b_t; 0 where one of them is absent."""
    if a == ABSENT or b == ABSENT:
        return 0.0
    if a_t == b_t:
        return 0.0 if x[a] == x[b] and y[a] == y[b] else inf
    metres: float = distance_m(x[a], y[a], x[b], y[b], planar)
    return metres / abs(b_t - a_t)


def repair_order(
    offsets: Ints, t: Ints, x: Floats, y: Floats, planar: bool, shift: int, max_speed_ms: float
) -> tuple[Ints, Ints, Ints, Ints]:
    """Rows in repaired order, their times, the offsets of each user, and what was done how often."""
    rows, times = np.arange(len(t)), t.copy()
    ends, done = np.zeros(len(offsets), np.int64), np.zeros(4, np.int64)
    _repair_all(offsets, rows, times, x, y, planar, shift, max_speed_ms, ends, done)
    return rows[: ends[-1]].copy(), times[: ends[-1]].copy(), ends, done


@compiled
def _repair_all(
    offsets: Ints,
    rows: Ints,
    times: Ints,
    x: Floats,
    y: Floats,
    planar: bool,
    shift: int,
    max_speed_ms: float,
    ends: Ints,
    done: Ints,
) -> None:
    """Repair each user's log in place, and move what is left of it up to the user before."""
    for u in range(len(offsets) - 1):
        start, end, into = offsets[u], offsets[u + 1], ends[u]
        size = _repair(rows[start:end], times[start:end], x, y, planar, shift, max_speed_ms, done)
        for i in range(size):
            rows[into + i], times[into + i] = rows[start + i], times[start + i]
        ends[u + 1] = into + size


def displaced(offsets: Ints, t: Ints, x: Floats, y: Floats, planar: bool, max_speed_ms: float) -> NDArray[np.bool_]:
    """True at each record far from both neighbours that are near each other.

    One pass is the fixpoint: a removal leaves its two neighbours near each other, so that neither can ever be
    removed; every other record keeps the neighbours it was judged by.
    """
    gone = np.zeros(len(t), np.bool_)
    _find_displaced(offsets, t, x, y, planar, max_speed_ms, gone)
    return gone


@compiled
def _find_displaced(
    offsets: Ints, t: Ints, x: Floats, y: Floats, planar: bool, max_speed_ms: float, gone: NDArray[np.bool_]
) -> None:
    for u in range(len(offsets) - 1):
        a = offsets[u]
        for b in range(offsets[u] + 1, offsets[u + 1] - 1):
            c = b + 1
            gone[b] = (
                speed_ms(x, y, planar, a, t[a], b, t[b]) > max_speed_ms
                and speed_ms(x, y, planar, b, t[b], c, t[c]) > max_speed_ms
                and speed_ms(x, y, planar, a, t[a], c, t[c]) <= max_speed_ms
            )
            if not gone[b]:
                a = b


@helper
def _repair(
    rows: Ints, times: Ints, x: Floats, y: Floats, planar: bool, shift: int, max_speed_ms: float, done: Ints
) -> int:
    """Repair one user's log in place and give its new length.

    rows[: i + 1] is always in order, so stepping back after a change matters only where a itself leaves: then the
    record before it becomes a. Removed records lie between i and j; no removal moves anything else.
    """
    i, j = 0, 1
    while j < len(rows):
        if times[i] <= times[j]:
            i, j = i + 1, j + 1
            rows[i], times[i] = rows[j - 1], times[j - 1]
            continue
        has_p, has_n = i > 0, j + 1 < len(rows)
        if (not has_p or times[i - 1] <= times[j]) and (not has_n or times[i] <= times[j + 1]):
            what, left = _shifted(rows, times, i, j, x, y, planar, shift, max_speed_ms)
        else:
            what, left = UNCORRELATED, KEEP_B if has_n and times[i] > times[j + 1] else KEEP_A
        done[what] += 1
        if left == KEEP_A:
            j += 1
        elif left == KEEP_B and i > 0:
            i -= 1
        elif left == KEEP_B:
            rows[0], times[0] = rows[j], times[j]
            j += 1
    return i + 1 if len(rows) else 0


@helper
def _shifted(
    rows: Ints, times: Ints, i: int, j: int, x: Floats, y: Floats, planar: bool, shift: int, max_speed_ms: float
) -> tuple[int, int]:
    """Exchange a and b, which are out of order by one, or say which of them stays."""
    a, b, a_t, b_t = rows[i], rows[j], times[i], times[j]
    p, p_t = (rows[i - 1], times[i - 1]) if i > 0 else (ABSENT, 0)
    n, n_t = (rows[j + 1], times[j + 1]) if j + 1 < len(rows) else (ABSENT, 0)
    if shift == SWAP_RECORDS:
        rows[i], times[i], rows[j], times[j] = b, b_t, a, a_t
        return RECORDS, EXCHANGED
    if shift == SWAP_BEST:
        middle = speed_ms(x, y, planar, a, a_t, b, b_t)
        ends_b_a = _ends(x, y, planar, p, p_t, b, b_t, a, a_t, n, n_t)
        ends_a_b = _ends(x, y, planar, p, p_t, a, b_t, b, a_t, n, n_t)
        by_record, by_time = max(middle, ends_b_a), max(middle, ends_a_b)
        if min(by_record, by_time) <= max_speed_ms:
            times[i], times[j] = b_t, a_t
            if by_record > by_time:
                return TIMES, EXCHANGED
            rows[i], rows[j] = b, a
            return RECORDS, EXCHANGED
    without_a = _ends(x, y, planar, p, p_t, b, b_t, b, b_t, n, n_t)
    without_b = _ends(x, y, planar, p, p_t, a, a_t, a, a_t, n, n_t)
    return SHIFTED, KEEP_B if without_a <= without_b else KEEP_A


@helper
def _ends(
    x: Floats,
    y: Floats,
    planar: bool,
    p: int,
    p_t: int,
    first: int,
    first_t: int,
    last: int,
    last_t: int,
    n: int,
    n_t: int,
) -> float:
    """The faster of the legs from p to the first and from the last to n."""
    into: float = speed_ms(x, y, planar, p, p_t, first, first_t)
    out: float = speed_ms(x, y, planar, last, last_t, n, n_t)
    return max(into, out)
