"""What is judged: a release, or the data as they are, with the people behind every published row."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.attack.link.sides import as_visits, crowd_of
from incrowd.attack.lookup import caps_of
from incrowd.attack.lookup.holders import points_of
from incrowd.attack.people import Link, read_link
from incrowd.data import Counts, Fingerprints, Groups, Release, Traces, UserTable, Visits
from incrowd.discretize import fingerprints, grid, towers
from incrowd.errors import DataError
from incrowd.read import plane

if TYPE_CHECKING:
    from incrowd.assess.dataset import Dataset

UNTOLD = (
    "who is who is not known; pass the link file of the release (--link), the Release itself, or --same-labels if "
    "equal labels are the same person"
)
MISLINKED = "the link file names nobody who is both in the data and in the release; pass the one written with it"
UNLIKE = "no label of the release is one of the data; pass the link file of the release (--link)"
BOXES = "the release holds boxes; give the trajectories or the fingerprints that it was made from"
ROWLESS = "counts have no rows of people"
POINTS = "the release holds points; give the trajectories that it was made from"
FAR = (
    "the link does not fit the release: published points are no nearer to those of the person whom the link names than "
    "to those of other people"
)
PAIRS, NEARER, SPOTS = 100, 0.95, 50  # pairs looked at, the share that must be near, and points of each
GRAIN = ("cell_m", "slot_min", "start", "time_zone", "crs")


@dataclass(frozen=True, eq=False)
class Subject:
    """What is published, whose it is, and the original in the form that it is compared with.

    Args:
        release: What is published; its members are positions in `original`.
        original: What an attacker may know, as precisely as the release shows it.
        known: The same people as visits, on cells and slots that published rows can be put on.
        is_release: Whether a release is judged, rather than the data as they are.
    """

    release: Release
    original: Traces | Visits | Fingerprints
    known: Visits
    is_release: bool

    @cached_property
    def visits(self) -> Visits:
        """What is published as visits: points and the centres of boxes in the cells and slots of `known`."""
        table: Any = self.release.data
        if isinstance(table, Visits):
            return table
        if isinstance(table, Fingerprints):
            boxes: Visits = as_visits(table, self.known)
            return boxes
        return self.known if not self.is_release else _squares(self.known, table)

    @cached_property
    def crowd(self) -> Ints:
        """How many people stand behind each row."""
        return crowd_of(self.release, len(self.release.data))

    @cached_property
    def rows(self) -> Groups:
        """The rows of each person of the original."""
        members = self.release.members
        return Groups.of_pairs(members.positions, members.owner, len(self.original))

    @cached_property
    def present(self) -> Ints:
        """Positions of the people who have a row."""
        return np.flatnonzero(np.diff(self.rows.offsets))

    @cached_property
    def caps(self) -> Ints:
        """For each person of the original the fewest people behind the rows that hold all that is published of it."""
        return caps_of(self.release, self.original)

    def per_person(self, of_rows: Ints) -> Ints:
        """The least value above 0 of a person's rows, 0 where there is none."""
        large = np.iinfo(np.int64).max
        least = np.full(len(self.original), large)
        values = of_rows[self.rows.positions]
        np.minimum.at(least, self.rows.owner, np.where(values > 0, values, large))
        return np.where(least == large, 0, least)


def subject_of(data: "Dataset") -> Subject:
    """The release that was given with the people behind it, or else the data themselves."""
    options = data.options
    if options.release is None:
        original = data.visits if data.original is None else data.original
        return Subject(Release(original, Groups.themselves(len(original))), original, data.visits, False)
    table = data.published
    if isinstance(table, Counts) or not isinstance(table, UserTable):
        raise DataError(ROWLESS)
    original = original_for(table, data)
    members = _behind(data, table, original)
    claims, params = data.claims_and_params
    if data.link_fault:
        raise DataError(data.link_fault)
    if isinstance(table, Traces) and not _near(table, original, members):
        raise DataError(FAR)
    known = original if isinstance(original, Visits) else _known(table, data)
    if len(known) != len(original):
        raise DataError("a person has no record after the start of the release; give the data it was made from.")
    return Subject(Release(table, members, params=params, claims=claims), original, known, True)


def _near(table: Traces, original: Traces, members: Groups) -> bool:
    """Whether moved points are nearer to their person than to half of all people, for nearly all pairs of the link."""
    ours, theirs = points_of(table, original)
    rng = np.random.default_rng(0)
    row = members.owner
    others = rng.permutation(len(original))[:PAIRS].tolist()

    def apart(points: Floats, person: int) -> float:
        own = ours[slice(*original.offsets[person : person + 2].tolist())]
        after = np.clip(np.searchsorted(own[:, 2], points[:, 2]), 1, max(len(own) - 1, 1))
        pair = np.stack([after - 1, np.minimum(after, len(own) - 1)])
        close = pair[np.abs(own[pair, 2] - points[:, 2]).argmin(axis=0), np.arange(len(points))]
        return float(np.hypot(*(own[close, :2] - points[:, :2]).T).mean())

    pairs = rng.permutation(len(row))[:PAIRS]
    near = 0
    for one in pairs.tolist():
        points = theirs[slice(*table.offsets[row[one] : row[one] + 2].tolist())]
        points = points[:: max(len(points) // SPOTS, 1)]
        limit = apart(points, int(members.positions[one]))
        near += 2 * sum(apart(points, person) < limit for person in others) <= len(others)
    return near >= NEARER * len(pairs)


def original_for(table: Any, data: "Dataset") -> Any:
    """The original as the kind of data that a release publishes, on its cells and slots."""
    if isinstance(table, Visits):
        return original_on(table, data)
    check_kind(table, data)
    if isinstance(table, Traces) or data.traces is None:
        return data.original
    where: Any = {"origin": origin_of(table.crs, data.traces), "start": table.start, "time_zone": table.time_zone}
    return fingerprints(data.traces, **where)


def check_kind(table: Any, data: "Dataset") -> None:
    """Refuse data of a kind that a release of boxes or points cannot be made from."""
    if isinstance(table, Traces) and data.traces is None:
        raise DataError(POINTS)
    if isinstance(table, Fingerprints) and not isinstance(data.original, (Traces, Fingerprints)):
        raise DataError(BOXES)


def original_on(release: Visits, data: "Dataset") -> Visits:
    """The original as visits to the release's own cells in its own slots, if its records are there to be regridded.

    Without them, or if the release is not on squares, cells and slots must be the same already.
    """
    visits, traces = data.visits, data.traces
    if isinstance(data.original, Fingerprints):
        raise DataError("the release holds visits; give the trajectories or visits that it was made from")
    if traces is None or release.slot_min is None or all(_same(name, visits, release) for name in GRAIN):
        return visits
    if release.cell_m is None:
        places = data.options.towers
        return visits if places is None else towers(traces, places, far_towers=True, **_clock(release))
    return _squares(release, traces)


def origin_of(crs: str | None, points: Traces) -> tuple[float, float] | None:
    """The (lon, lat) from which a plane is counted; None for points in metres, or in a plane made elsewhere."""
    return None if points.planar else plane.origin_of(crs)


def foreign_visits(path: Path, like: Visits) -> Visits:
    """A mere table of visits to the same cells in the same slots, with every other column: all of it is published."""
    from incrowd.read import visits
    from incrowd.read._kind import header_of
    from incrowd.read.layouts import find_columns, plain

    header = header_of(path)
    named = {role: role for role in ("cell", "slot") if role in map(plain, header)}
    own = find_columns(header, named, ("user", "cell", "slot"), path.name)
    others = [name for place, name in enumerate(header) if (place,) not in own.values()]
    table: Visits = visits(path, slot_min=like.slot_min, attributes=others)
    return stated_as(table, like)


def stated_as(table: Visits, like: Visits) -> Visits:
    """The same visits with the places and the clock of others, where they do not state their own."""
    own = like.xy is not None and int(table.cell.max(initial=0)) < len(like.xy)
    names = ("start", "time_zone", "slot_min", *(("xy", "cell_m", "crs") if own and table.xy is None else ()))
    lacking: Any = {name: getattr(like, name) for name in names if getattr(table, name) is None}
    return replace(table, **lacking)


def _behind(data: "Dataset", table: UserTable, original: UserTable) -> Groups:
    """The people behind each row."""
    given, options = data.options.release, data.options
    if options.link is not None:
        return _linked(read_link(options.link, given), table, original, MISLINKED)
    if isinstance(given, Release) and len(given.members.positions):
        return given.members
    if options.same_labels:
        return _linked(Link(table.users, table.users), table, original, UNLIKE)
    raise DataError(UNTOLD)


def _linked(link: Link, table: UserTable, original: UserTable, why_nobody: str) -> Groups:
    members = link.members(table, original)
    if not len(members.positions):
        raise DataError(why_nobody)
    return members


def _known(table: Any, data: "Dataset") -> Visits:
    """The original as visits in the plane of published boxes or points."""
    if isinstance(table, Traces) or isinstance(data.original, Fingerprints):
        return data.visits
    how: Any = {"cell_m": data.cell_m, "slot_min": data.visits.slot_min or data.options.width_min}
    where = {"origin": origin_of(table.crs, data.traces), "start": table.start, "time_zone": table.time_zone}  # type: ignore[arg-type]
    return grid(data.traces, **how, **where)


def _squares(like: Visits, points: Traces) -> Visits:
    """Points in the same squares and slots, counted from the same origin."""
    if like.cell_m is None or like.slot_min is None:
        raise DataError("points can be put on squares and slots of known size only; give the records of the original")
    return grid(points, cell_m=like.cell_m, origin=origin_of(like.crs, points), **_clock(like))


def _clock(like: Visits) -> dict[str, Any]:
    return {"slot_min": like.slot_min, "start": like.start, "time_zone": like.time_zone}


def _same(name: str, visits: Visits, release: Visits) -> bool:
    """Whether both say the same, or the release does not say."""
    return getattr(release, name) in (None, getattr(visits, name))
