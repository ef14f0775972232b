"""Traces -> Visits to a custodian's own zones."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from incrowd.arrays import Floats
from incrowd.data import Traces, Visits
from incrowd.discretize.collect import NOWHERE, Located, collect
from incrowd.discretize.geofiles import polygons_of, shapely
from incrowd.discretize.options import KEEP, Keep, Reading, Source, opened
from incrowd.discretize.plane import Plane, box_of, plane_around
from incrowd.discretize.slots import Start, asked
from incrowd.errors import ParameterError, check_choice

if TYPE_CHECKING:
    from shapely import STRtree


def zones(
    source: Source,
    zones: str | Path | Iterable[Any],
    *,
    slot_min: int = 60,
    keep: Keep = "set",
    start: Start | None = None,
    time_zone: str | None = None,
    **reading: Unpack[Reading],
) -> Visits:
    """Visits to polygons from GeoJSON, GeoParquet or shapely; the id of a zone is its place in the file, from 0.

    A point in several zones, as on a shared border, belongs to the lowest id; points outside every zone are dropped
    and counted. `time_zone` is that of naive times and of the slots. Needs shapely (extra `geo`).

    >>> traces = Traces.from_arrays([7, 7], [0, 60], lon=[0.5, 1.0], lat=[0.5, 0.5])
    >>> zones(traces, [shapely().box(1, 0, 2, 1), shapely().box(0, 0, 1, 1)], slot_min=1).cell.tolist()
    [1, 0]
    """
    check_choice("keep", keep, KEEP)
    slots = asked(slot_min, start, time_zone)
    shapes = polygons_of(zones)
    data = opened(source, time_zone, reading)
    if data.planar and isinstance(zones, (str, Path)):
        raise ParameterError("these records are in metres but zones in files are in degrees; give shapely geometries.")
    clock, tree = slots.over(data.span), shapely().STRtree(shapes)
    rows = collect(
        data, lambda traces: _located(traces, tree), clock, step="zones", keep=keep, outside="outside every zone"
    )
    xy, plane = _centroids(shapes, planar=data.planar)
    return rows.visits(clock, xy, plane.crs)


def _located(traces: Traces, tree: "STRtree") -> Located:
    """The lowest zone that covers each record."""
    points = shapely().points(*traces.coordinates)
    point, zone = tree.query(points, predicate="intersects")
    cell = np.full(len(points), NOWHERE)
    order = np.lexsort((-zone, point))  # the last write wins: the lowest zone
    cell[point[order]] = zone[order]
    return Located(cell)


def _centroids(shapes: Any, *, planar: bool) -> tuple[Floats, Plane]:
    if planar:
        plane = Plane(None)
    else:
        corners = shapely().get_coordinates(shapes)
        plane = plane_around(box_of(corners[:, 0], corners[:, 1]))
        shapes = shapely().transform(shapes, lambda degrees: np.stack(plane(degrees[:, 0], degrees[:, 1]), axis=1))
    centroids: Floats = shapely().get_coordinates(shapely().centroid(shapes))
    return centroids, plane
