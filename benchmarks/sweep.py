"""The sweep of tan2017 at full size: 462 combinations of 150,000 samples over the taxis of a city."""

import tempfile
from typing import Any

import numpy as np

import incrowd as ic
from benchmarks import timed
from incrowd.measure.sweep import sweep, sweep_estimate

VEHICLES, RECORDS, DAYS = 13_798, 9_461, 9  # 130.5 million records of Shenzhen's taxis [tan2017, Table 1]
SPOTS = 300
CHUNK = 200  # vehicles made at once
START = 1_303_084_800  # 2011-04-18


def tan2017_full() -> dict[str, Any]:
    """All 462 combinations, in one go."""
    return _swept(VEHICLES)


def tan2017_tenth() -> dict[str, Any]:
    """The same for a tenth of the vehicles."""
    return _swept(VEHICLES // 10)


def estimate_full() -> dict[str, Any]:
    """What the estimate says before, and what it takes to say it."""
    _warm_up()
    traces = fleet(VEHICLES)
    result: dict[str, Any] = {}
    with timed(result, "estimate"):
        cost = sweep_estimate(traces)
    return {**result, "said_s": cost.seconds, "said_gb": cost.bytes / 1e9, "traces_gb": cost.traces_bytes / 1e9}


def resumed_tenth() -> dict[str, Any]:
    """A sweep into a cache, then the same again, which has nothing left to do."""
    _warm_up()
    traces = fleet(VEHICLES // 10)
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("first", "again"):
            with timed(result, name):
                sweep(traces, cache=folder)
    return result


CASES = {
    "tan2017_full": tan2017_full,
    "tan2017_tenth": tan2017_tenth,
    "estimate_full": estimate_full,
    "resumed_tenth": resumed_tenth,
}


def _swept(vehicles: int) -> dict[str, Any]:
    _warm_up()
    result: dict[str, Any] = {}
    with timed(result, "make"):
        traces = fleet(vehicles)
    cost = sweep_estimate(traces)
    with timed(result, "sweep"):
        surface = sweep(traces)
    four = {f"u4_{s.blocks}_{s.minutes}": s.uniqueness for s in surface.at(4) if s.minutes in (20, 240)}
    return {
        **result,
        "said_s": cost.seconds,
        "said_gb": cost.bytes / 1e9,
        "traces_gb": cost.traces_bytes / 1e9,
        "cells": len(surface),
        "vehicles": vehicles,
        "records": traces.records,
        **four,
    }


def fleet(vehicles: int, seed: int = 0) -> ic.Traces:
    """Taxis that drive from spot to spot of a city inside a box of two degrees, on duty for part of each day.

    A vehicle has a leg of its own length, 15 to 50 minutes, and goes to one of six favourite spots or to any other.
    """
    rng = np.random.default_rng(seed)
    spots = rng.normal([114.0, 22.9], [0.15, 0.12], (SPOTS, 2))
    weights = rng.pareto(1.2, SPOTS) + 0.2
    weights /= weights.sum()
    size = vehicles * RECORDS
    t, lon, lat = np.empty(size, np.int64), np.empty(size), np.empty(size)
    for a in range(0, vehicles, CHUNK):
        n = min(CHUNK, vehicles - a)
        rows = slice(a * RECORDS, (a + n) * RECORDS)
        second = _seconds(rng, n)
        place = _places(rng, second, spots, weights)
        t[rows] = (second + START).ravel()
        lon[rows] = np.clip(place[..., 0], 113, 115).ravel()
        lat[rows] = np.clip(place[..., 1], 22, 24).ravel()
    return ic.Traces(np.arange(vehicles), np.arange(vehicles + 1) * RECORDS, t, lon=lon, lat=lat)


def _seconds(rng: np.random.Generator, vehicles: int) -> np.ndarray[Any, Any]:
    """Times in order, on 55 to 100 % of each day."""
    duty = rng.uniform(0.55, 1, vehicles)[:, None]
    day = rng.integers(0, DAYS, (vehicles, RECORDS))
    begin = rng.integers(0, 86_400, vehicles)[:, None]
    within = (begin + rng.random((vehicles, RECORDS)) * duty * 86_400).astype(np.int64) % 86_400
    return np.sort(day * 86_400 + within, axis=1)


def _places(
    rng: np.random.Generator, second: np.ndarray[Any, Any], spots: np.ndarray[Any, Any], weights: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """Degrees, rounded to six decimals as in the data."""
    n = len(second)
    leg = rng.integers(900, 3000, n)[:, None]
    stops = DAYS * 86_400 // 900 + 3
    favourite = rng.choice(SPOTS, (n, 6), p=weights)
    often = np.take_along_axis(favourite, rng.integers(0, 6, (n, stops)), 1)
    stop = np.where(rng.random((n, stops)) < 0.6, often, rng.choice(SPOTS, (n, stops), p=weights))
    at = spots[stop] + rng.normal(0, 0.01, (n, stops, 2))
    number, share = (second // leg)[..., None], ((second % leg) / leg)[..., None]
    here, there = np.take_along_axis(at, number, 1), np.take_along_axis(at, number + 1, 1)
    return np.round(here + (there - here) * share, 6)


def _warm_up() -> None:
    """Compile first: the kernels are kept on disk, but a first run should not pay for them here."""
    rng = np.random.default_rng(0)
    t = START + np.sort(rng.integers(0, 86_400, 3_000))
    traces = ic.Traces.from_arrays(rng.integers(0, 99, 3_000), t, lon=rng.random(3_000), lat=rng.random(3_000))
    sweep(traces, blocks=(10, 200), minutes=(20, 240), samples=100)
