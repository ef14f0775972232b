"""Clusters of trajectories -> the release: every member at the times of its pivot, pulled into the cylinder."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from incrowd.anonymize.base import random_order
from incrowd.anonymize.w4m.clusters import TRASHED, Tracks
from incrowd.anonymize.w4m.points import Placed
from incrowd.arrays import Floats, Ints
from incrowd.data import Groups, Release, Traces
from incrowd.ledger import Ledger

UNMATCHED = "point that shares its pivot's time with an earlier one"
OF_TRASHED = "point of a trashed trajectory"
REPEATED = "point repeated at another time"


def release_of(
    original: Traces,
    placed: Placed,
    tracks: Tracks,
    pivot: Ints,
    pseudonym_seed: int | None,
    spent: Mapping[str, Any],
    *,
    params: Mapping[str, Any],
    **promise: Any,
) -> Release:
    """Publish the trajectories that have a pivot, in random order; private: the original row behind each row."""
    from incrowd.kernels.cpu.w4m import matched

    data = placed.data
    kept = np.flatnonzero(pivot != TRASHED)
    member = kept[random_order(len(kept), pseudonym_seed)]
    middle = pivot[member]
    source = matched(tracks.points, tracks.offsets, middle, member, tracks.unit_m, tracks.most)
    size = np.diff(data.offsets)[middle]
    offsets = np.append(0, np.cumsum(size))
    at = np.repeat(data.offsets[middle] - offsets[:-1], size) + np.arange(offsets[-1])
    place, moved = pulled(data, source, at, tracks.unit_m / 2)
    ledger = _ledger(original, placed, source, at, moved, kept)
    columns: dict[str, Any] = dict(zip(("x", "y") if data.planar else ("lon", "lat"), place, strict=True))
    columns |= {"users": np.arange(len(member)), "offsets": offsets, "t": data.t[at]}
    published = replace(data, attributes={}, ledger=ledger, **columns)
    pivots, number = np.unique(middle, return_inverse=True)
    return Release(
        published,
        Groups(np.arange(len(member) + 1), placed.people[member]),
        params={**params, "pseudonym_seed_given": pseudonym_seed is not None},
        ledger=ledger,
        provenance={
            "source": placed.rows[source],  # the original row whose place each row shows
            "cluster": number,  # of each published trajectory
            "pivot": np.argsort(member)[np.searchsorted(np.sort(member), pivots)],  # of each cluster, as a pseudonym
            "discarded_users": np.setdiff1d(np.arange(len(original)), placed.people[kept]),
            "dropped_attributes": list(data.attributes),
            **spent,
        },
        **promise,
    )


def pulled(data: Traces, source: Ints, at: Ints, radius_m: float) -> tuple[tuple[Floats, Floats], Ints]:
    """The places of source rows, those farther than the radius from row `at` moved towards it, and which these are.

    Degrees are measured and moved along the ellipsoid, so that no plane distorts the radius.
    """
    first, second = data.coordinates
    x, y = first[source], second[source]
    if data.planar:
        apart = np.hypot(x - first[at], y - second[at])
        moved = np.flatnonzero(apart > radius_m)
        share, middle = radius_m / apart[moved], at[moved]
        x[moved] = first[middle] + (x[moved] - first[middle]) * share
        y[moved] = second[middle] + (y[moved] - second[middle]) * share
    else:
        import pyproj

        earth = pyproj.Geod(ellps="WGS84")
        azimuth, _, apart = earth.inv(first[at], second[at], x, y)
        moved = np.flatnonzero(apart > radius_m)
        reach = np.full(len(moved), radius_m)
        x[moved], y[moved], _ = earth.fwd(first[at[moved]], second[at[moved]], azimuth[moved], reach)
    return (x, y), moved


def _ledger(original: Traces, placed: Placed, source: Ints, at: Ints, moved: Ints, kept: Ints) -> Ledger:
    """Points that are published twice are created, those that are not published at all are dropped."""
    data, distinct = placed.data, len(np.unique(source))
    lived = int(np.diff(data.offsets)[kept].sum())
    return original.ledger.add(
        "w4m",
        read=original.records,
        kept=len(source),
        dropped={**placed.lost, OF_TRASHED: data.records - lived, UNMATCHED: lived - distinct},
        created={REPEATED: len(source) - distinct},
        notes={
            "trashed trajectory": len(data) - len(kept),
            "moved in space": len(moved),
            "moved in time": int((data.t[at] != data.t[source]).sum()),
        },
        users=(len(original), len(kept)),
    )
