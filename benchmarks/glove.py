"""GLOVE and the k-gap on the sparse calls of a country: seconds, memory, and how little is compared."""

import functools
from typing import Any

import numpy as np

import incrowd as ic
from benchmarks import timed
from incrowd.anonymize.glove import Glove
from incrowd.anonymize.glove.estimate import glove_estimate
from incrowd.measure.glove import kgap
from incrowd.measure.glove.accuracy import accuracy

TOWERS = 1200
DAYS = 14


def calls(users: int) -> ic.Fingerprints:
    return ic.read.synthetic_city(users=users, towers=TOWERS, days=DAYS, profile="cdr").fingerprints()


def _warm(k: int) -> None:
    """Compile, or load what was compiled, outside of what is timed."""
    Glove(k=k, reshape="union")(calls(40))


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
    data = calls(users)
    _warm(k)
    cost = glove_estimate(data, k=k)
    with timed(result, "glove"):
        release = Glove(k=k, **options)(data)
    result |= {"expected_s": cost.seconds, "expected_mib": cost.memory_mib, "groups": len(release.data)}
    return {**result, **_shares(data, release.provenance["work"])}


def gap(users: int = 10_000) -> dict[str, Any]:
    result: dict[str, Any] = {}
    data = calls(users)
    kgap(calls(40))
    with timed(result, "kgap"):
        gaps = kgap(data)
    return {**result, "users": users, "samples": data.records, "median": float(np.median(gaps.value))}


def shards(users: int = 5000, k: int = 2) -> dict[str, Any]:
    """What dividing costs in accuracy, with the suppression of the paper."""
    data = calls(users)
    result: dict[str, Any] = {"users": users, "k": k}
    _warm(k)
    for most in (None, 2500, 1250, 625, 313):
        name = f"shard_{most or 'none'}"
        with timed(result, name):
            release = Glove(k=k, max_extent_m=15_000, max_extent_min=360, shard_users=most)(data)
        coarse = accuracy(release, data)
        result[f"{name}_cost"] = float(np.mean([cost for *_, cost in release.merges]))
        result[f"{name}_deleted"] = coarse.deleted_share
        result |= {f"{name}_{what}": coarse.mean[what] for what in ("pos_extent", "time_extent")}
    return result


CASES = {
    "k2_10000": functools.partial(_hidden, 10_000, 2),
    "k5_10000": functools.partial(_hidden, 10_000, 5),
    "kgap_10000": gap,
    "shards_5000": shards,
    **{f"growth_{n}": functools.partial(_hidden, n, 2) for n in (1000, 2000, 5000, 20_000)},
    "whole_82000": functools.partial(_hidden, 82_000, 2),
}
