"""Does every published trajectory walk in a cylinder with at least k - 1 others?"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from incrowd.arrays import Flags, Floats, Ints, offsets_of, row_order
from incrowd.audit.checks.groups import equal_sets
from incrowd.audit.checks.placing import centres_at
from incrowd.audit.reading.published import Published, exact
from incrowd.audit.verdict import Check, failed, passed, uncheckable

CYLINDER = "(k, delta)-anonymity"
SLACK_M = 0.001  # coordinates that are written as text, or moved between planes, are rounded
_EARTH_M = 6_335_439.0  # the smallest radius of curvature of WGS 84: no two places are nearer than on this sphere
_FEW = 64  # trajectories of which all are compared with all

Near = Callable[[int], Ints]


class Walks(NamedTuple):
    """Trajectories by pseudonym, then time."""

    offsets: Ints
    times: dict[str, Ints]
    place: Floats  # [row, 2]
    degrees: bool


def cylinder(release: Published, k: int | None, delta_m: float | None) -> Check:
    """Every trajectory is one of k people's that share all its times and stay within delta / 2 of one of theirs.

    Such a set is co-localised: no two of it are ever more than delta apart, also between the times if people move
    straight on [abul2008]. It need not be named by whoever made the release: it is looked for among all trajectories
    of the same times. Rows of one time are compared in file order; the place of a box or cell is its centre.
    """
    if delta_m is None or k is None:
        return uncheckable(CYLINDER, "k and delta are not both stated.")
    walks = walks_of(release)
    if isinstance(walks, str):
        return uncheckable(CYLINDER, walks)
    alone = np.ones(len(release), np.bool_)
    for users in classes_of(equal_sets(walks.offsets, walks.times)):
        near = finder_of(walks, users, delta_m / 2 + SLACK_M)
        alone[users] = _uncovered(release, users, near, k)
    parameters = f"k = {k}, delta = {delta_m:g} m"
    if alone.any():
        return failed(
            CYLINDER,
            f"{int(alone.sum()):,} of {len(release):,} trajectories are in no cylinder of delta / 2 around one of "
            f"{k} people's, the first at position {int(np.argmax(alone))}; {parameters}.",
        )
    return passed(CYLINDER, f"each of {len(release):,} trajectories shares a cylinder and its times; {parameters}.")


def walks_of(release: Published) -> Walks | str:
    """The published trajectories in the order of time, or why they have no place."""
    numbers, code = release.table.numbers, release.table.code
    if release.noun == "Visits":
        if release.cells is None:
            return "published cells have no stated place."
        place = centres_at(*release.cells, numbers["cell"])
    elif release.noun == "Fingerprints":
        place = np.column_stack([numbers[axis] + numbers[f"d{axis}"] / 2 for axis in "xy"])
    else:
        names = ("lon", "lat") if "lon" in numbers else ("x", "y")
        place = np.column_stack([numbers[name] for name in names]).astype(np.float64)
        if names[0] == "lon" and (np.abs(place) > [180, 90]).any():
            return "a published place is not on the earth."
    clock = {name: exact(column) for name, column in numbers.items() if name in ("slot", "t", "dt")}
    order = row_order(code, *clock.values())
    if order is not None:
        code, place = code[order], place[order]
        clock = {name: column[order] for name, column in clock.items()}
    return Walks(offsets_of(code, len(release)), clock, place, "lon" in numbers)


def classes_of(group: Ints) -> Iterator[Ints]:
    """Positions of the users of each class."""
    order = np.argsort(group, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(group[order])) + 1)


def finder_of(walks: Walks, users: Ints, radius_m: float) -> Near:
    """A function that finds who of a class stays within the radius of one of them, itself included."""
    steps = np.arange(walks.offsets[users[0] + 1] - walks.offsets[users[0]])
    everybody = np.arange(len(users))
    candidates: Near = (lambda _: everybody) if len(users) <= _FEW else _tree(walks, users, steps, radius_m)

    def near(one: int) -> Ints:
        nearby = candidates(one)
        others = walks.place[walks.offsets[users[nearby]][:, None] + steps]
        mine = np.broadcast_to(walks.place[walks.offsets[users[one]] + steps], others.shape)
        within: Flags = _apart(mine, others, degrees=walks.degrees).max(axis=1) <= radius_m
        return nearby[within]

    return near


def _tree(walks: Walks, users: Ints, steps: Ints, radius_m: float) -> Near:
    """Candidates that are near at the first, middle and last time."""
    from scipy.spatial import cKDTree

    sampled = steps[[0, len(steps) // 2, -1]]
    place = walks.place[walks.offsets[users][:, None] + sampled]
    flat = (_sphere(place) if walks.degrees else place).reshape(len(users), -1)
    tree = cKDTree(flat)
    return lambda one: np.array(tree.query_ball_point(flat[one], radius_m, p=np.inf, return_sorted=True))


def _sphere(place: Floats) -> Floats:
    lon, lat = np.radians(place[..., 0]), np.radians(place[..., 1])
    axes = [np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)]
    return _EARTH_M * np.stack(axes, axis=-1)


def _apart(one: Floats, two: Floats, *, degrees: bool) -> Floats:
    """Metres between places, along the ellipsoid where they are given in degrees."""
    if not degrees:
        apart: Floats = np.hypot(*np.moveaxis(one - two, -1, 0))
        return apart
    import pyproj

    lon, lat, other_lon, other_lat = (np.ascontiguousarray(both[..., axis]) for both in (one, two) for axis in (0, 1))
    metres: Floats = pyproj.Geod(ellps="WGS84").inv(lon, lat, other_lon, other_lat)[2]
    return metres


def _uncovered(release: Published, users: Ints, near: Near, k: int) -> Flags:
    """Who is in the neighbourhood of nobody, itself included, that has k people."""

    def enough(rows: Ints) -> bool:
        return _people(release, users[rows]) >= k

    alone = np.ones(len(users), np.bool_)
    known: dict[int, Ints] = {}
    for one in range(len(users)):
        if alone[one]:
            known[one] = near(one)
            if enough(known[one]):
                alone[known[one]] = False
    for one in np.flatnonzero(alone).tolist():
        for other in known[one].tolist():
            if other not in known:
                known[other] = near(other)
            if enough(known[other]):
                alone[one] = False
                break
    return alone


def _people(release: Published, users: Ints) -> int:
    """Distinct members of some trajectories; where they are not known, as many as these say they stand for."""
    if release.members is None:
        return int(release.crowd[users].sum())
    return len(np.unique(np.concatenate([release.members[user] for user in users])))
