"""GLOVE and the k-gap on the sparse calls of a country: seconds, memory, and how little is compared."""

import functools
from typing import Any

import numpy as np

import incrowd as ic
from benchmarks import timed
from incrowd.anonymize.glove import Glove
from incrowd.anonymize.glove.estimate import glove_estimate
from incrowd.measure.glove.accuracy import accuracy
from incrowd.measure.glove.kgap import kgap
from incrowd.measure.glove.stretch import layout

TOWERS = 1200
DAYS = 14


def _calls(users: int) -> ic.Fingerprints:
    return ic.read.synthetic_city(users=users, towers=TOWERS, days=DAYS, profile="cdr").fingerprints()


def _warm(k: int) -> None:
    """Compile, or load what was compiled, outside of what is timed."""
    Glove(k=k, reshape="union")(_calls(40))


def _shares(data: ic.Fingerprints, work: dict[str, int]) -> dict[str, Any]:
    """What was looked at, out of all pairs of users and of samples that a table of the first distances would hold."""
    size = np.diff(data.offsets).astype(float)
    samples = (size.sum() ** 2 - (size**2).sum()) / 2
    pairs = len(data) * (len(data) - 1) / 2
    return {
        "users": len(data),
        "samples": data.records,
        **{f"{name}_share": work[name] / pairs for name in ("pairs", "near", "close", "exact")},
        "compared_share": float(work["compared"] / samples),
    }


def _hidden(users: int, k: int, **options: Any) -> dict[str, Any]:
    result: dict[str, Any] = {"k": k}
    data = _calls(users)
    _warm(k)
    cost = glove_estimate(data, k=k)
    with timed(result, "glove"):
        release = Glove(k=k, **options)(data)
    result |= {"expected_s": cost.seconds, "expected_mib": cost.memory_mib, "groups": len(release.data)}
    return {**result, **_shares(data, release.provenance["work"])}


def gap(users: int = 10_000) -> dict[str, Any]:
    result: dict[str, Any] = {}
    data = _calls(users)
    kgap(_calls(40))
    with timed(result, "kgap"):
        found = kgap(data)
    return {**result, "users": users, "samples": data.records, "median": float(np.median(found.value))}


def _all_pairs(data: ic.Fingerprints) -> np.ndarray[Any, Any]:
    """The straightforward way: every sample of the longer against every one of the shorter, in NumPy."""
    laid = layout(data)
    users = [laid.corners[a:b].astype(np.int64) for a, b in zip(laid.offsets[:-1], laid.offsets[1:], strict=True)]
    value = np.full((len(users), len(users)), np.inf)
    for a, one in enumerate(users):
        for b in range(a):
            value[a, b] = value[b, a] = _distance(one, users[b])
    return value


def _distance(one: np.ndarray[Any, Any], two: np.ndarray[Any, Any]) -> float:
    low = np.minimum(one[:, None, ::2], two[None, :, ::2])
    high = np.maximum(one[:, None, 1::2], two[None, :, 1::2])
    union = 2 * (high - low)
    own = (one[:, 1::2] - one[:, ::2])[:, None] + (two[:, 1::2] - two[:, ::2])[None]
    time, x, y = np.moveaxis(union - own, 2, 0)
    cost = 12 * np.minimum(x + y, 400) + 5 * np.minimum(time, 960)
    there, back = cost.min(axis=1).mean(), cost.min(axis=0).mean()
    if len(one) == len(two):
        return float(min(there, back) / 9600)
    return float((there if len(one) > len(two) else back) / 9600)


def beside_numpy(users: int = 1000) -> dict[str, Any]:
    """Both in one run: the 2-gap of everybody, from all pairs and from ours."""
    result: dict[str, Any] = {"users": users}
    data = _calls(users)
    kgap(_calls(40))
    with timed(result, "numpy"):
        plain = _all_pairs(data).min(axis=1)
    with timed(result, "ours"):
        found = kgap(data)
    np.testing.assert_allclose(found.value, plain, rtol=1e-12)
    return {**result, "ratio": result["numpy_s"] / result["ours_s"]}


def shards(users: int = 5000, k: int = 2) -> dict[str, Any]:
    """What dividing costs in accuracy, with the suppression of the paper."""
    data = _calls(users)
    result: dict[str, Any] = {"users": users, "k": k}
    _warm(k)
    for most in (None, 2500, 1250, 625, 313):
        name = f"shard_{most or 'none'}"
        with timed(result, name):
            release = Glove(k=k, max_extent_m=15_000, max_extent_min=360, shard_users=most)(data)
        found = accuracy(release, data)
        result[f"{name}_cost"] = float(np.mean([cost for *_, cost in release.merges]))
        result[f"{name}_deleted"] = found.deleted_share
        result |= {f"{name}_{what}": found.mean[what] for what in ("pos_extent", "time_extent")}
    return result


CASES = {
    "k2_10000": functools.partial(_hidden, 10_000, 2),
    "k5_10000": functools.partial(_hidden, 10_000, 5),
    "kgap_10000": gap,
    "beside_numpy_1000": beside_numpy,
    "shards_5000": shards,
    **{f"growth_{n}": functools.partial(_hidden, n, 2) for n in (1000, 2000, 5000, 20_000)},
    "whole_82000": functools.partial(_hidden, 82_000, 2),
}
