"""Traces -> Visits at 20 million records; windows at 42 million visits."""

from typing import Any

import numpy as np

import incrowd as ic
from benchmarks import timed

RECORDS = 20_000_000
USERS = 300_000
DAYS = 14


def _city(records: int, users: int, days: int, seed: int = 0) -> ic.Traces:
    """Homes in a city of 40 km, 120 m of noise, records spread over the days."""
    rng = np.random.default_rng(seed)
    user = np.sort(rng.integers(0, users, records))
    t = rng.integers(0, days * 86_400, records)
    home = np.stack([5 + rng.normal(0, 0.2, 2 * users), 52 + rng.normal(0, 0.12, 2 * users)])
    place = 2 * user + rng.integers(0, 2, records)
    lon, lat = home[:, place] + rng.normal(0, 0.0015, (2, records))
    return ic.Traces.from_arrays(user, t, lon, lat)


def _visits(visits: ic.Visits) -> dict[str, Any]:
    return {"records": RECORDS, "visits": visits.records, "cells": 0 if visits.xy is None else len(visits.xy)}


def grid() -> dict[str, Any]:
    result: dict[str, Any] = {}
    traces = _city(RECORDS, USERS, DAYS)
    with timed(result, "grid"):
        visits = ic.discretize.grid(traces, cell_m=500, slot_min=60)
    return {**result, **_visits(visits)}


def blocks_vote() -> dict[str, Any]:
    result: dict[str, Any] = {}
    traces = _city(RECORDS, USERS, DAYS)
    with timed(result, "blocks"):
        visits = ic.discretize.blocks(traces, blocks=100, slot_min=20, keep="vote")
    return {**result, **_visits(visits)}


def fingerprints() -> dict[str, Any]:
    result: dict[str, Any] = {}
    traces = _city(RECORDS, USERS, DAYS)
    with timed(result, "fingerprints"):
        prints = ic.discretize.fingerprints(traces)
    return {**result, "records": RECORDS, "samples": prints.records}


def towers_interpolated() -> dict[str, Any]:
    """100,000 users, a week of half hours, a record every third slot on average, 8,000 towers."""
    result: dict[str, Any] = {}
    traces = _city(100_000 * 112, 100_000, 7)
    rng = np.random.default_rng(1)
    towers = np.stack([5 + rng.normal(0, 0.2, 8000), 52 + rng.normal(0, 0.12, 8000)], axis=1)
    with timed(result, "towers"):
        visits = ic.discretize.towers(traces, towers, fill="interpolate")
    return {**result, **_visits(visits), "records": traces.records}


def windows() -> dict[str, Any]:
    result: dict[str, Any] = {}
    slots, users = 672, 625_000
    offsets = np.arange(users + 1) * 68
    step = np.arange(68) * 9
    slot = (step[None, :] + np.random.default_rng(0).integers(0, 9, (users, 68))).ravel()
    visits = ic.Visits(np.arange(users), offsets, np.zeros(len(slot), np.int64), slot, slot_min=15)
    with timed(result, "windows"):
        made = ic.discretize.windows(visits, window_h=6, slots=slots)
    return {**result, "visits": visits.records, "pieces": len(made.owner)}


CASES = {
    "grid": grid,
    "blocks_vote": blocks_vote,
    "fingerprints": fingerprints,
    "towers_interpolated": towers_interpolated,
    "windows": windows,
}
