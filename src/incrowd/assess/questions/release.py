"""The original and its release -> visits to the same cells in the same slots, so that they can meet."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from incrowd.arrays import Floats, Labels, positions_of
from incrowd.assess.dataset import Dataset
from incrowd.attack.people import Link, read_link
from incrowd.data import Release, Traces, Visits
from incrowd.discretize import grid, towers
from incrowd.discretize.slots import Grain
from incrowd.errors import DataError
from incrowd.read import plane

UNTOLD = "no link file was given, so matches cannot be scored; pass the one of the release (--link), or the Release"
MISLINKED = "the link file names nobody who is both in the data and in the release; pass the one written with it"
MISFIT = "the link does not fit the release: its points are no nearer to the people it names than to others"
NAMELESS = "the link file does not say to which release it belongs, so a wrong one would not be noticed"
OTHER = "run incrowd attack recover on counts"
GRAIN = ("cell_m", "slot_min", "start", "time_zone", "crs")
SHUFFLES, SIGNIFICANT = 199, 0.05  # random links, and the share of them that may explain a release better


def same_ground(data: Dataset) -> tuple[Visits, Release | Visits]:
    """The original on the cells and slots of a release of visits; a release of points on those of the original."""
    table, release, visits = data.published, data.options.release, published_visits(data)
    if visits is None:
        raise DataError(f"linking compares visits, and the release holds {type(table).__name__}; {OTHER}.")
    known = original_on(visits, data) if isinstance(table, Visits) else data.visits
    return known, Release(visits, release.members, release.params) if isinstance(release, Release) else visits


def published_visits(data: Dataset) -> Visits | None:
    """What the release publishes as visits, its points on the cells and slots of the data; None for all else."""
    table = data.published
    if isinstance(table, Traces):
        return _points_on(data.visits, table, data)
    return table if isinstance(table, Visits) else None


def grain_note(visits: Visits) -> str:
    """The cells and slots of published visits, if they say how large they are."""
    if visits.cell_m is None or visits.slot_min is None:
        return ""
    return f"on the release's {Grain(visits.cell_m, visits.slot_min)}"


def original_on(release: Visits, data: Dataset) -> Visits:
    """The original as visits to the release's own cells in its own slots, if its records are there to be regridded.

    Without them, or if the release is not on squares, cells and slots must be the same already.
    """
    visits, traces = data.visits, data.traces
    if traces is None or release.slot_min is None or all(_same(name, visits, release) for name in GRAIN):
        return visits
    if release.cell_m is None:
        return visits if data.options.towers is None else _at_towers(traces, data.options.towers, release)
    return _squares(release, traces, release.cell_m)


def origin_of(crs: str | None, points: Traces) -> tuple[float, float] | None:
    """The (lon, lat) from which a plane is counted; None for points in metres, or in a plane made elsewhere."""
    return None if points.planar else plane.origin_of(crs)


def are_pseudonyms(labels: Labels) -> bool:
    """Whether labels are just numbers from 0 on, as in every release: that others are equal says nothing.

    >>> are_pseudonyms(np.array([0, 2, 1])), are_pseudonyms(np.array(["ann", "bob"]))
    (True, False)
    """
    return set(labels.astype(np.str_).tolist()) == set(map(str, range(len(labels))))


def checked_link(data: Dataset, known: Visits, published: Any) -> str:
    """A caveat if a link file does not name its release; one that does not fit moved points is refused."""
    if data.options.link is None:
        return ""
    link = read_link(data.options.link, data.options.release)
    # What is moved is nowhere exactly, so no audit can say whether it is linked to the right people.
    if isinstance(data.published, Traces) and not fits(link, known, published, seed=data.options.seed):
        raise DataError(MISFIT)
    return "" if link.of_release else NAMELESS


def fits(link: Link, known: Visits, published: Visits, *, seed: int) -> bool:
    """Whether a link brings published trajectories nearer to their people than nearly all random ones do.

    The distance is that between the mean places of both; without places, or for one person, nothing can be said.
    """
    row, person = positions_of(link.pseudonyms, published.users), positions_of(link.people, known.users)
    both = (row >= 0) & (person >= 0)
    if published.xy is None or known.xy is None:
        return True
    a, b, rng = (
        _middles(published, published.xy)[row[both]],
        _middles(known, known.xy)[person[both]],
        np.random.default_rng(seed),
    )
    off = float(np.hypot(*(a - b).T).sum())
    chance = [float(np.hypot(*(a - rng.permutation(b)).T).sum()) for _ in range(SHUFFLES)]
    return sum(one < off * (1 - 1e-9) for one in chance) <= SIGNIFICANT * SHUFFLES


def _middles(visits: Visits, xy: Floats) -> Floats:
    """The mean place of each person."""
    points, size = xy[visits.cell], np.maximum(np.diff(visits.offsets), 1)
    return np.column_stack([np.bincount(visits.owner, axis, len(visits)) / size for axis in points.T])


def _points_on(visits: Visits, points: Traces, data: Dataset) -> Visits:
    if data.options.towers is not None:
        return _at_towers(points, data.options.towers, visits)
    if visits.cell_m is None or visits.slot_min is None:
        raise DataError(
            "the release holds points, and the original is not on squares and slots of known size; give its records."
        )
    return _squares(visits, points, visits.cell_m)


def _at_towers(points: Traces, places: ArrayLike, like: Visits) -> Visits:
    """At the towers that the original was put at, however far they are."""
    return towers(points, places, far_towers=True, **_clock(like))


def _squares(like: Visits, points: Traces, cell_m: float) -> Visits:
    """The same squares, which are counted from the same origin."""
    return grid(points, cell_m=cell_m, origin=origin_of(like.crs, points), **_clock(like))


def _clock(like: Visits) -> dict[str, Any]:
    return {"slot_min": like.slot_min, "start": like.start, "time_zone": like.time_zone}


def _same(name: str, visits: Visits, release: Visits) -> bool:
    """Whether both say the same, or the release does not say."""
    return getattr(release, name) in (None, getattr(visits, name))
