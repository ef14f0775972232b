"""Cleaning: taxis of a week with a fault in every hundredth record, and logs made to be slow."""

from typing import Any

import numpy as np

from benchmarks import timed
from incrowd import Traces, clean

STEPS = (clean.duplicates, clean.order, clean.displaced, clean.still_users, clean.sparse_users)


def taxis(records: int, *, vehicles: int = 516, seed: int = 0) -> Traces:
    """Random walks with a point a minute; repeated, displaced and shifted records, in log order."""
    rng = np.random.default_rng(seed)
    row, each = np.arange(records), -(-records // vehicles)
    user, t = row // each, 1_211_000_000 + row % each * 60
    lon, lat = (middle + np.cumsum(rng.normal(0, 1e-4, records)) % 0.5 for middle in (-122.4, 37.5))
    repeated, displaced, shifted = (rng.choice(records - 1, records // 300, replace=False) for _ in range(3))
    t[repeated + 1], lon[repeated + 1], lat[repeated + 1] = t[repeated], lon[repeated], lat[repeated]
    lon[displaced] += 1.0
    t[shifted], t[shifted + 1] = t[shifted + 1], t[shifted].copy()
    return Traces.from_arrays(user, t, lon, lat, order="log")


def through_all(traces: Traces) -> dict[str, Any]:
    clean.displaced(clean.order(taxis(2_000)))  # compile before the clock runs
    result: dict[str, Any] = {"records": traces.records, "users": len(traces)}
    with timed(result, "all"):
        for step in STEPS:
            with timed(result, step.__name__):
                traces = step(traces)
    return {**result, "kept": traces.records}


def week() -> dict[str, Any]:
    return through_all(taxis(3_319_441))


def twenty_million() -> dict[str, Any]:
    return through_all(taxis(20_000_000, vehicles=10_000))


def reversed_log() -> dict[str, Any]:
    """One user's log backwards: every record but two is removed, one at a time."""
    size = 3_000_000
    zero = np.zeros(size)
    return through_all(Traces.from_arrays(zero.astype(int), np.arange(size)[::-1], x=zero, y=zero, order="log"))


def every_second_displaced() -> dict[str, Any]:
    size = 3_000_000
    x = np.where(np.arange(size) % 2, 1e6, np.arange(size) * 1e-3)
    return through_all(Traces.from_arrays(np.zeros(size, int), np.arange(size), x=x, y=x * 0, order="log"))


CASES = {
    "week": week,
    "twenty_million": twenty_million,
    "reversed_log": reversed_log,
    "every_second_displaced": every_second_displaced,
}
