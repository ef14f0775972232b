"""The whole release against the whole original, without knowing who is who; points may have been moved."""

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Ints, distinct_rows
from incrowd.audit.checks.compared import APART, Space, Unlinked, packed
from incrowd.audit.checks.cylinder import SLACK_M, Walks, classes_of, finder_of, walks_of
from incrowd.audit.checks.groups import equal_sets, finalized
from incrowd.audit.checks.lkc import name_of
from incrowd.audit.checks.placing import differing, mapped, space_of
from incrowd.audit.reading.origin import Original
from incrowd.audit.reading.published import Published, exact
from incrowd.audit.reading.tables import codes_of
from incrowd.data import Fingerprints, Traces, Visits
from incrowd.plain import several

_MOST_PAIRS = 20_000_000
_EFFORT = 50_000_000  # pairs of box and sample that are looked at
_BOXES = 200_000  # the same for boxes
_ROOM = 1 << 25  # possible rows that are counted in an array
_CHUNK = 1 << 22


def moved_points(release: Published, original: Traces) -> Unlinked | str:
    """Every published trajectory goes with one that is somebody's own, point by point; all are on the map.

    Points are moved towards those of a trajectory that is published as it was. A table that states no delta promises no
    such thing: there, each trajectory has the times of somebody.
    """
    names = ("x", "y") if original.planar else ("lon", "lat")
    if not set(names) <= release.table.numbers.keys():
        return APART
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
    alike = several(int(true.sum()), "trajectory is", "trajectories are")
    return Unlinked(faults, f"{alike} as in the original, the {len(release) - int(true.sum()):,} others go with these")


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
    mixed = finalized(keep.astype(np.int64).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
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


def unlinked(release: Published, original: Original) -> Unlinked | str:
    """How a release relates to its original as a whole, or why that cannot be compared."""
    if release.noun == "Visits" and isinstance(original, (Visits, Traces)):
        return _visits(release, original)
    if release.noun == "Fingerprints" and isinstance(original, (Fingerprints, Traces)):
        return _boxes(release, original)
    if release.noun == "Traces" and isinstance(original, Traces):
        return moved_points(release, original)
    kind = type(original).__name__
    return f"published {release.noun} cannot be compared with original {kind}; give the data the method was given."


def _visits(release: Published, original: Visits | Traces) -> Unlinked | str:
    """No cell and slot is published for more people than were there, also together with each attribute."""
    own: tuple[Ints, Ints, Ints] | str
    if isinstance(original, Visits):
        differ = differing(release, original)
        own = differ or (original.owner, original.cell, original.slot)
        doubtful = 0
    else:
        own, doubtful = mapped(release, original)
    if isinstance(own, str):
        return own
    person, cell, slot = own
    here = [release.table.numbers["cell"], release.table.numbers["slot"]]
    if any(column.dtype.kind == "f" for column in here):
        return Unlinked(["cells or slots are not whole numbers"], "")
    if isinstance(original, Traces):
        person, cell, slot = np.unique(np.stack([person, cell, slot]), axis=1)
    more, fewer = _differences(here, [cell, slot])
    faults = []
    if more > doubtful:
        faults.append(f"{several(more, 'row shows', 'rows show')} a visit that no further person of the original made")
    faults += _attributes(release, original, here) if isinstance(original, Visits) else []
    evidence = f"no cell and slot is published for more people than were there ({several(release.rows, 'row')})"
    return Unlinked(faults, evidence, fewer if not doubtful else None)


def _differences(one: list[NDArray[Any]], other: list[NDArray[Any]]) -> tuple[int, int]:
    """How many rows the first table has more often than the second, and the other way round."""
    lows = [min(int(a.min()), int(b.min())) for a, b in zip(one, other, strict=True)]
    sizes = [max(int(a.max()), int(b.max())) - low + 1 for a, b, low in zip(one, other, lows, strict=True)]
    if prod(sizes) <= _ROOM:
        count = _counted(one, lows, sizes) - _counted(other, lows, sizes)
    else:
        mine, theirs = packed(one, other)
        keys, which = np.unique(np.concatenate([mine, theirs]), return_inverse=True)
        count = np.bincount(which[: len(mine)], minlength=len(keys))
        count -= np.bincount(which[len(mine) :], minlength=len(keys))
    return int(count[count > 0].sum()), int(-count[count < 0].sum())


def _counted(columns: list[NDArray[Any]], lows: list[int], sizes: list[int]) -> Ints:
    """How often each possible row is there, some rows at a time."""
    count = np.zeros(prod(sizes), np.int64)
    for start in range(0, len(columns[0]), _CHUNK):
        key = np.zeros(len(columns[0][start : start + _CHUNK]), np.int64)
        for column, low, size in zip(columns, lows, sizes, strict=True):
            key = key * size + (column[start : start + _CHUNK].astype(np.int64) - low)
        count += np.bincount(key, minlength=len(count))
    return count


def _attributes(release: Published, original: Visits, here: list[NDArray[Any]]) -> list[str]:
    """Attributes that are published with visits at which nobody with that value was."""
    import pyarrow as pa

    faults = []
    for position, name in enumerate(release.table.extras.column_names):
        if name not in original.attributes:
            continue
        column = release.table.extras[name]
        values = original.attributes[name].tolist()
        true = pa.array([sorted(map(name_of, v)) if isinstance(v, frozenset) else _text(v) for v in values])
        published = pa.array([sorted(map(name_of, v)) if isinstance(v, list) else _text(v) for v in column.to_pylist()])
        both = codes_of(pa.chunked_array([published, true.take(pa.array(original.owner))]))
        code, own = both[: release.rows], both[release.rows :]
        more, _ = _differences([*here, code], [original.cell, original.slot, own])
        if more:
            faults.append(f"extra column {position} holds a value in {more:,} rows that no person there has")
    return faults


def _text(value: Any) -> str | None:
    return None if value is None or value != value else name_of(value)


def _boxes(release: Published, original: Fingerprints | Traces) -> Unlinked | str:
    """Every published fingerprint fits at least as many people as it says: each has a sample in every box, or run."""
    spaces = space_of(release, original)
    if isinstance(spaces, str):
        return spaces
    boxes, samples, runs, slack = spaces
    order = np.argsort(samples.low[0], kind="stable")
    t = samples.low[0][order]
    lo, hi = (np.searchsorted(t, side[0]) for side in (boxes.low, boxes.high))
    chosen = _within_effort(release, np.maximum(hi - lo, 0))
    unit = np.arange(release.rows) if runs is None else runs
    weight = original.crowd if isinstance(original, Fingerprints) else np.ones(len(original), np.int64)
    alike = equal_sets(*release.sets())
    needed = np.bincount(alike, release.crowd)[alike]  # equal fingerprints stand for different people
    weak, first = 0, -1
    covered = np.zeros(len(t), np.bool_)
    order_of_rows = np.argsort(release.table.code, kind="stable")
    starts = np.searchsorted(release.table.code[order_of_rows], np.arange(len(release) + 1))
    for user in chosen.tolist():
        rows = order_of_rows[starts[user] : starts[user + 1]]
        fitting, seen = _fitting(boxes, samples, order, (lo, hi), rows, unit, slack, whole=runs is None)
        covered[seen] = True
        if int(weight[fitting].sum()) < needed[user]:
            weak, first = weak + 1, user if first < 0 else first
    faults = []
    if weak:
        those = several(weak, "fingerprint fits", "fingerprints fit")
        faults.append(f"{those} fewer people than stated, first at position {first}")
    drawn = "" if len(chosen) == len(release) else f" ({len(chosen):,} of them drawn)"
    absent = int((~covered).sum()) if len(chosen) == len(release) else None
    return Unlinked(
        faults,
        f"{several(len(release), 'fingerprint fits', 'fingerprints fit')} as many people as stated{drawn}",
        absent,
    )


def _within_effort(release: Published, count: Ints) -> Ints:
    """All pseudonyms, or as many at random as can be looked at."""
    work = np.bincount(release.table.code, count + _EFFORT / _BOXES, len(release))
    order = np.random.default_rng(0).permutation(len(release))
    return np.sort(order[: max(int(np.searchsorted(np.cumsum(work[order]), _EFFORT)), 1)])


def _fitting(
    boxes: Space,
    samples: Space,
    order: Ints,
    ends: tuple[Ints, Ints],
    rows: Ints,
    unit: Ints,
    slack: float,
    *,
    whole: bool,
) -> tuple[Ints, Ints]:
    """The people with a sample in each unit (box or run) of some rows, and the samples in any of them."""
    people, seen = None, []
    for number in np.unique(unit[rows]).tolist():
        there = []
        for row in rows[unit[rows] == number].tolist():
            sample = order[ends[0][row] : ends[1][row]]
            inside = samples.high[0][sample] <= boxes.high[0][row] if whole else np.ones(len(sample), np.bool_)
            for axis in (1, 2):
                inside &= samples.low[axis][sample] >= boxes.low[axis][row] - slack
                inside &= samples.high[axis][sample] <= boxes.high[axis][row] + slack
            there.append(sample[inside])
        met = np.concatenate(there)
        seen.append(met)
        own = np.unique(samples.owner[met])
        people = own if people is None else np.intersect1d(people, own, assume_unique=True)
    nobody = np.zeros(0, np.int64)
    return (nobody if people is None else people), np.concatenate([nobody, *seen])
