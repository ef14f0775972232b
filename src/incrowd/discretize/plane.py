"""Records -> the plane they are discretized in."""

from incrowd.errors import ParameterError
from incrowd.read.parts import Parts
from incrowd.read.plane import Box, Plane, box_of, narrower, plane_around, plane_at

__all__ = ["Box", "Origin", "Plane", "box_of", "check_origin", "plane_around", "plane_at", "plane_of"]

Origin = tuple[float, float]  # lon, lat in degrees


def check_origin(origin: Origin | None) -> None:
    """Refuse an origin that is no place on Earth."""
    if origin is not None and not (abs(origin[0]) <= 180 and abs(origin[1]) <= 90):
        raise ParameterError("origin must be (lon, lat) in degrees; check that they are not swapped.")


def plane_of(data: Parts, origin: Origin | None) -> Plane:
    """The plane of some records: around the origin, or the centre of their box in whole degrees.

    Whole degrees give the same city the same grid whatever day is read.
    """
    if data.planar:
        if origin is not None:
            raise ParameterError("these coordinates are metres already; leave origin out.")
        return Plane(None)
    if origin is not None:
        return plane_at(*origin)
    west, south, east, north = data.box
    if east - west > 180:  # perhaps they live on both sides of the 180th meridian
        west, east = narrower((west, east), *_eastward(data))
    return plane_around((west, south, east, north))


def _eastward(data: Parts) -> tuple[float, float]:
    """The ends of the longitudes counted from 0 to 360."""
    low, high = 360.0, 0.0
    for _, traces in data:
        there = traces.coordinates[0] % 360
        low, high = min(low, float(there.min())), max(high, float(there.max()))
    return low, high
