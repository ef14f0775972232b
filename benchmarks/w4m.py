"""W4M-LC on the sparse calls of a country, and the check of its cylinders: seconds and memory as the crowd grows."""

import functools
from typing import Any

import incrowd as ic
from benchmarks import timed
from incrowd.anonymize.w4m import W4M
from incrowd.anonymize.w4m.points import points_of

TOWERS = 1200
DAYS = 14


def _calls(users: int) -> ic.Traces:
    return points_of(ic.read.synthetic_city(users=users, towers=TOWERS, days=DAYS, profile="cdr").fingerprints())


def bent(users: int, k: int = 2) -> dict[str, Any]:
    """Growth is linear in chunks: seconds per chunk stay the same."""
    result: dict[str, Any] = {"users": users, "k": k}
    traces = _calls(users)
    W4M(k=k)(_calls(100))  # compiles, or loads what was compiled
    with timed(result, "w4m"):
        release = W4M(k=k)(traces)
    with timed(result, "audit"):
        verdict = ic.audit.check(release, original=traces)
    moved = ic.measure.displacement(release, traces)
    return {
        **result,
        "points": traces.records,
        "chunks": release.provenance["chunks"],
        "clusters": len(release.provenance["pivot"]),
        "chunk_ms": 1000 * result["w4m_s"] / release.provenance["chunks"],
        "passed": verdict["(k, delta)-anonymity"].status == "pass",
        "created_share": moved.created_share,
        "deleted_share": moved.deleted_share,
        "pos_center_m": moved.mean["pos_center"],
        "time_center_min": moved.mean["time_center"],
    }


CASES = {
    **{f"k2_{users}": functools.partial(bent, users) for users in (1000, 2000, 5000, 10_000)},
    "k5_10000": functools.partial(bent, 10_000, 5),
}
