"""The original and its release -> visits to the same cells in the same slots, so that they can meet."""

import re
from typing import Any

from incrowd.assess.dataset import Dataset
from incrowd.data import Release, Traces, Visits
from incrowd.discretize import grid, towers
from incrowd.errors import DataError

ORIGIN = re.compile(r"\+proj=laea \+lat_0=(\S+) \+lon_0=(\S+) ")
UNTOLD = "nobody tells who is who in the release; pass its link file, or the Release itself"
OTHER = "incrowd attack ash --counts says what counts give away"
GRAIN = ("cell_m", "slot_min", "start", "time_zone", "crs")


def same_ground(data: Dataset) -> tuple[Visits, Release | Visits]:
    """The original on the cells and slots of a release of visits; a release of points on those of the original."""
    table, release = data.published, data.options.release
    if isinstance(table, Visits):
        known, shown = original_on(table, data), table
    elif isinstance(table, Traces):
        known, shown = data.visits, _points_on(data.visits, table, data)
    else:
        raise DataError(f"linking compares visits, and the release holds {type(table).__name__}; {OTHER}.")
    return known, Release(shown, release.members, release.params) if isinstance(release, Release) else shown


def original_on(release: Visits, data: Dataset) -> Visits:
    """The original as visits to the release's own cells in its own slots, where the records are there to be regridded.

    Without them, or where the release is not on squares, cells and slots must be the same already.
    """
    visits, traces = data.visits, data.traces
    if traces is None or release.slot_min is None or all(_same(name, visits, release) for name in GRAIN):
        return visits
    if release.cell_m is None:
        return visits if data.options.towers is None else towers(traces, data.options.towers, **_clock(release))
    return _squares(release, traces, release.cell_m)


def origin_of(crs: str | None, points: Traces) -> tuple[float, float] | None:
    """The (lon, lat) from which a plane is counted; None for points in metres, or in a plane made elsewhere."""
    found = None if points.planar else ORIGIN.match(crs or "")
    return None if found is None else (float(found[2]), float(found[1]))


def _points_on(visits: Visits, points: Traces, data: Dataset) -> Visits:
    if data.options.towers is not None:
        return towers(points, data.options.towers, **_clock(visits))
    if visits.cell_m is None or visits.slot_min is None:
        raise DataError(
            "the release holds points, and the original is not on squares and slots of known size; give its records."
        )
    return _squares(visits, points, visits.cell_m)


def _squares(like: Visits, points: Traces, cell_m: float) -> Visits:
    """The same squares, which are counted from the same origin."""
    return grid(points, cell_m=cell_m, origin=origin_of(like.crs, points), **_clock(like))


def _clock(like: Visits) -> dict[str, Any]:
    return {"slot_min": like.slot_min, "start": like.start, "time_zone": like.time_zone}


def _same(name: str, visits: Visits, release: Visits) -> bool:
    """Whether both say the same, or the release does not say."""
    return getattr(release, name) in (None, getattr(visits, name))
