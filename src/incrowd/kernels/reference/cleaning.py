"""Repair of temporal disorder and search for displaced records, user by user, as the definitions read."""

from itertools import pairwise
from math import asin, cos, inf, radians, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.kernels.types import EARTH_RADIUS_M, RECORDS, SHIFTED, SWAP_BEST, SWAP_RECORDS, TIMES, UNCORRELATED


class Record(NamedTuple):
    """One line of a log, and the row it came from."""

    t: int
    x: float  # or longitude
    y: float  # or latitude
    row: int


def distance_m(x1: float, y1: float, x2: float, y2: float, planar: bool) -> float:
    """Euclid on a plane in metres, haversine on degrees."""
    if planar:
        return sqrt((x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1))
    north = sin(radians(y2 - y1) / 2)
    east = sin(radians(x2 - x1) / 2)
    chord = north * north + cos(radians(y1)) * cos(radians(y2)) * (east * east)
    return 2 * EARTH_RADIUS_M * asin(min(1.0, sqrt(chord)))


def speed_ms(a: Record, b: Record, planar: bool) -> float:
    """Metres per second; at one and the same time 0 or infinity."""
    if a.t == b.t:
        return 0.0 if (a.x, a.y) == (b.x, b.y) else inf
    return distance_m(a.x, a.y, b.x, b.y, planar) / abs(b.t - a.t)


def repair_order(
    offsets: Ints, t: Ints, x: Floats, y: Floats, planar: bool, shift: int, max_speed_ms: float
) -> tuple[Ints, Ints, Ints, Ints]:
    """Rows in repaired order, their times, the offsets of each user, and what was done how often."""
    done = np.zeros(4, np.int64)
    repaired = []
    for log in _logs(offsets, t, x, y):
        _repair(log, planar, shift, max_speed_ms, done)
        repaired.append(log)
    rows = np.array([record.row for log in repaired for record in log], np.int64)
    times = np.array([record.t for log in repaired for record in log], np.int64)
    return rows, times, np.cumsum([0, *map(len, repaired)], dtype=np.int64), done


def displaced(offsets: Ints, t: Ints, x: Floats, y: Floats, planar: bool, max_speed_ms: float) -> NDArray[np.bool_]:
    """True at each record far from both neighbours that are near each other; whole passes until none is left."""
    gone = np.zeros(len(t), np.bool_)
    for log in _logs(offsets, t, x, y):
        while (kept := _one_pass(log, planar, max_speed_ms)) != log:
            gone[[record.row for record in log if record not in kept]] = True
            log = kept
    return gone


def _logs(offsets: Ints, t: Ints, x: Floats, y: Floats) -> list[list[Record]]:
    records = [Record(*values, row) for row, values in enumerate(zip(t.tolist(), x.tolist(), y.tolist(), strict=True))]
    return [records[start:end] for start, end in pairwise(offsets.tolist())]


def _repair(log: list[Record], planar: bool, shift: int, max_speed_ms: float, done: Ints) -> None:
    i = 0
    while i + 1 < len(log):
        a, b = log[i], log[i + 1]
        before, after = log[i - 1 : i] if i else [], log[i + 2 : i + 3]  # empty where there is none
        if a.t <= b.t:
            i += 1
            continue
        if all(p.t <= b.t for p in before) and all(a.t <= n.t for n in after):
            log[i : i + 2], what = _shifted(before, a, b, after, planar, shift, max_speed_ms)
        elif after and a.t > after[0].t:
            log[i : i + 2], what = [b], UNCORRELATED
        else:
            log[i : i + 2], what = [a], UNCORRELATED
        done[what] += 1
        i = max(i - 1, 0)


def _shifted(
    before: list[Record],
    a: Record,
    b: Record,
    after: list[Record],
    planar: bool,
    shift: int,
    max_speed_ms: float,
) -> tuple[list[Record], int]:
    """What takes the place of a and b, which are out of order by one."""

    def worst(middle: list[Record]) -> float:
        legs = pairwise([*before, *middle, *after])
        return max((speed_ms(p, q, planar) for p, q in legs), default=0.0)

    records = [b, a]
    times = [a._replace(t=b.t), b._replace(t=a.t)]
    if shift == SWAP_RECORDS:
        return records, RECORDS
    if shift == SWAP_BEST:
        best, what = (records, RECORDS) if worst(records) <= worst(times) else (times, TIMES)
        if worst(best) <= max_speed_ms:
            return best, what
    return ([b] if worst([b]) <= worst([a]) else [a]), SHIFTED


def _one_pass(log: list[Record], planar: bool, max_speed_ms: float) -> list[Record]:
    kept = log[:1]
    for b, c in pairwise(log[1:]):
        a = kept[-1]
        near = speed_ms(a, c, planar) <= max_speed_ms
        if not (near and speed_ms(a, b, planar) > max_speed_ms and speed_ms(b, c, planar) > max_speed_ms):
            kept.append(b)
    return kept + log[1:][-1:]
