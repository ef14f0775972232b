"""Points that may be moved: what still must be as in the original, without knowing who is who."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, distinct_rows
from incrowd.audit.checks.compared import Unlinked, packed
from incrowd.audit.checks.cylinder import SLACK_M, Walks, classes_of, finder_of, walks_of
from incrowd.audit.checks.groups import equal_sets
from incrowd.audit.reading.published import Published, exact
from incrowd.data import Traces
from incrowd.plain import several

_MOST_PAIRS = 20_000_000
Flags = NDArray[np.bool_]


def moved_points(release: Published, original: Traces) -> Unlinked | str:
    """Every published trajectory goes with one that is somebody's own, point by point; all are on the map.

    Points are moved towards those of a trajectory that is published as it was. A table that states no delta promises no
    such thing: there, each trajectory has the times of somebody.
    """
    names = ("x", "y") if original.planar else ("lon", "lat")
    if not set(names) <= release.table.numbers.keys():
        return "the release and the original are not in the same plane."
    far = _off_the_map(release, original, names)
    faults = [f"{several(far, 'row lies', 'rows lie')} outside the places of the original"] if far else []
    walks, delta_m = walks_of(release), release.claims.get("delta_m")
    if isinstance(walks, str):
        return walks
    true = _literal(release, original, names) if delta_m is not None else _timely(release, original)
    lost = ~_near(walks, true, float(delta_m) / 2) if delta_m is not None else ~true
    how = (
        "go with no trajectory of the original" if delta_m is not None else "have times that nobody of the original has"
    )
    if lost.any():
        faults.append(
            f"{several(int(lost.sum()), 'trajectory', 'trajectories')} {how}, first at {int(np.argmax(lost))}"
        )
    shown = several(int(true.sum()), "trajectory is", "trajectories are")
    return Unlinked(faults, f"{shown} as in the original, the {len(release) - int(true.sum()):,} others go with these")


def _near(walks: Walks, true: Flags, radius_m: float) -> Flags:
    """Who stays within the radius of one that is true, at the same times."""
    near = np.zeros(len(true), np.bool_)
    for users in classes_of(equal_sets(walks.offsets, walks.times)):
        find = finder_of(walks, users, radius_m + SLACK_M)
        for one in np.flatnonzero(true[users]).tolist():
            near[users[find(one)]] = True
    return near


def _literal(release: Published, original: Traces, names: tuple[str, str]) -> Flags:
    """Which trajectories are all the records of one person, but for those that lie beyond all published places."""
    code, numbers = release.table.code.astype(np.int64), release.table.numbers
    here = [exact(numbers["t"]), *(exact(np.asarray(numbers[name], np.float64)) for name in names)]
    there = [exact(original.t), *(exact(np.asarray(column, np.float64)) for column in original.coordinates)]
    both = [np.unique(np.concatenate(pair), return_inverse=True)[1] for pair in zip(here, there, strict=True)]
    mine, known = packed([rank[: len(code)] for rank in both], [rank[len(code) :] for rank in both])
    order = np.argsort(known, kind="stable")
    low, high = (np.searchsorted(known, mine, side, sorter=order) for side in ("left", "right"))
    count = high - low
    rows = np.flatnonzero(np.cumsum(count) <= _MOST_PAIRS)
    row = np.repeat(rows, count[rows])
    at = order[low[row] + np.arange(len(row)) - np.repeat(np.cumsum(count[rows]) - count[rows], count[rows])]
    pairs = np.unique(np.stack([code[row], original.owner[at], row]), axis=1)
    fits, size = _runs(pairs[0], pairs[1])
    own = np.bincount(code, minlength=len(release))
    due = _within(release, original, names)
    whole = (size == own[fits[0]]) & (due[fits[1]] <= size)
    true = np.zeros(len(release), np.bool_)
    true[fits[0][whole]] = True
    return true


def _runs(*keys: Ints) -> tuple[NDArray[Any], Ints]:
    """Distinct neighbouring rows of sorted keys, and how often each is there."""
    starts = np.flatnonzero(distinct_rows(*keys)) if len(keys[0]) else np.zeros(0, np.int64)
    return np.stack([key[starts] for key in keys]), np.diff(starts, append=len(keys[0]))


def _within(release: Published, original: Traces, names: tuple[str, str]) -> Ints:
    """How many records of each person lie among the published places; those at (0, 0) may be left out."""
    inside = np.ones(original.records, np.bool_)
    for name, own in zip(names, original.coordinates, strict=True):
        inside &= (own >= release.table.numbers[name].min()) & (own <= release.table.numbers[name].max())
    return np.bincount(original.owner[inside & ~original.at_zero], minlength=len(original))


def _timely(release: Published, original: Traces) -> Flags:
    published = _time_keys(release.table.code, release.table.numbers["t"], len(release))
    return np.isin(published, _time_keys(original.owner, original.t, len(original)))


def _time_keys(code: NDArray[Any], t: NDArray[Any], users: int) -> Ints:
    """One number for the sorted times of each user, equal if these are but for 1 in 2**64."""
    keep = np.floor(t) if t.dtype.kind == "f" else t
    mixed = keep.astype(np.int64).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    sums = np.zeros(users, np.uint64)
    np.add.at(sums, code, mixed)
    return sums.view(np.int64)


def _off_the_map(release: Published, original: Traces, names: tuple[str, str]) -> int:
    """Rows outside the box of the original: points are only moved towards other points of it."""
    off = np.zeros(release.rows, np.bool_)
    for name, own in zip(names, original.coordinates, strict=True):
        slack = 1e-3 if original.planar else 1e-4  # the shortest way between two points may bulge
        off |= (release.table.numbers[name] < own.min() - slack) | (release.table.numbers[name] > own.max() + slack)
    return int(off.sum())
