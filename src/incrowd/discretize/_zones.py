"""Traces -> Visits to a custodian's own zones."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Floats
from incrowd.data import Traces, Visits
from incrowd.discretize.collect import NOWHERE, Located, collect
from incrowd.discretize.slots import KEEP, Keep, Source, Start, opened, slot_plan
from incrowd.errors import DataError, MissingExtra, ParameterError, check_choice, check_file, public
from incrowd.plain import several
from incrowd.read.layouts import Reading, with_reading
from incrowd.read.plane import Plane, box_of, plane_around

if TYPE_CHECKING:
    from shapely import STRtree


Shapes = NDArray[Any]  # of shapely polygons and multipolygons
# Raised on the way by a file that is not of its format, or nested without end.
_BROKEN = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


def shapely() -> Any:
    """The shapely module, or how to install it."""
    try:
        import shapely
    except ModuleNotFoundError as error:
        raise MissingExtra("zones need shapely; install it with: pip install 'incrowd[geo]'.") from error
    return shapely


def polygons_of(zones: str | Path | Iterable[Any]) -> Shapes:
    """Polygons in the order given; anything else is refused by its position."""
    if isinstance(zones, (str, Path)):
        path = Path(zones)
        check_file(path)
        if not path.is_file():
            raise DataError(f"{path.name} does not exist; check the path of zones.")
        listed = _geoparquet(path) if path.suffix.lower() in (".parquet", ".geoparquet") else _geojson(path)
    else:
        listed = list(zones)
    shapes = np.empty(len(listed), object)
    for position, zone in enumerate(listed):  # one by one: numpy would take a list apart
        shapes[position] = zone
    _check(shapes)
    return shapes


def _check(shapes: Shapes) -> None:
    geo = shapely()
    if not len(shapes):
        raise DataError("zones hold no polygon; give at least one.")
    kinds = {geo.GeometryType.POLYGON, geo.GeometryType.MULTIPOLYGON}
    fit = [geo.is_geometry(shape) and geo.get_type_id(shape) in kinds for shape in shapes]
    _refuse(~np.array(fit), "is not a polygon", "leave out points and lines")
    _refuse(geo.is_empty(shapes), "is empty", "leave it out")
    _refuse(
        ~geo.is_valid(shapes), "crosses itself or is not closed well", "repair it, for example by shapely.make_valid"
    )


def _refuse(bad: Flags, what: str, advice: str) -> None:
    if bad.any():
        raise DataError(f"zone {np.flatnonzero(bad)[0]} {what} ({several(int(bad.sum()), 'such zone')}); {advice}.")


def _geojson(path: Path) -> list[Any]:
    try:
        text = json.loads(path.read_text(encoding="utf-8"))
        named = (text.get("crs") or {}).get("properties", {}).get("name", "OGC:CRS84")
        features = text["features"] if text.get("type") == "FeatureCollection" else [text]
        geometries = [f.get("geometry") if f.get("type") == "Feature" else f for f in features]
    except (*_BROKEN, OSError) as error:
        raise DataError(f"{path.name} is not readable GeoJSON; check that it is a FeatureCollection.") from error
    _check_degrees(named, path)
    return [_polygon(geometry, zone, path) for zone, geometry in enumerate(geometries)]


def _polygon(geometry: Any, zone: int, path: Path) -> Any:
    """A GeoJSON geometry as a shape; None for anything else."""
    from shapely.geometry import shape

    try:
        return shape(geometry) if isinstance(geometry, dict) else None
    except (*_BROKEN, shapely().errors.ShapelyError) as error:
        raise DataError(f"zone {zone} of {path.name} cannot be read as GeoJSON; check its coordinates.") from error


def _geoparquet(path: Path) -> list[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
        about = json.loads((schema.metadata or {})[b"geo"])
        column = about["primary_column"]
        details = about["columns"][column]
        encoding, crs = details.get("encoding"), details.get("crs", "OGC:CRS84")
        wkb = pq.read_table(path, columns=[column])[column].to_pylist()
    except (*_BROKEN, OSError, pa.ArrowException) as error:
        raise DataError(f"{path.name} is not readable GeoParquet; check that it has 'geo' metadata.") from error
    if encoding != "WKB":
        raise DataError(f"the geometries of {path.name} are not in WKB; write it with encoding='WKB'.")
    _check_degrees(crs, path)
    shapes: list[Any] = shapely().from_wkb(wkb, on_invalid="ignore").tolist()
    return shapes


def _check_degrees(crs: Any, path: Path) -> None:
    """Refuse coordinates that are not WGS 84 longitudes and latitudes."""
    import pyproj

    try:
        known = pyproj.CRS.from_user_input(crs)
        fine = known.equals(pyproj.CRS("OGC:CRS84"), ignore_axis_order=True)
    except (pyproj.exceptions.CRSError, TypeError):
        fine = False
    if not fine:
        raise DataError(f"{path.name} is not in WGS 84 longitude and latitude; convert it to OGC:CRS84 first.")


@public
@with_reading
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
    and counted. Needs shapely (extra `geo`).

    Args:
        source: Traces, or what `incrowd.read.table` reads; files larger than memory are streamed.
        zones: A GeoJSON or GeoParquet file in degrees, or shapely polygons in the coordinates of the records.
        slot_min: Width of a time slot.
        keep: Every zone of a slot ("set"), or the one with most records ("vote": of several the lowest id,
            "vote_first": of several the one visited first).
        start: When slot 0 begins: a UTC second, a datetime or an ISO string. [default: midnight of the first day]
        time_zone: Zone of times without an offset, and of the slots. [default: UTC]

    >>> traces = Traces.from_arrays([7, 7], [0, 60], lon=[0.5, 1.0], lat=[0.5, 0.5])
    >>> zones(traces, [shapely().box(1, 0, 2, 1), shapely().box(0, 0, 1, 1)], slot_min=1).cell.tolist()
    [1, 0]
    """
    check_choice("keep", keep, KEEP)
    slots = slot_plan(slot_min, start, time_zone)
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
