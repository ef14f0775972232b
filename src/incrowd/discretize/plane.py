"""Records -> the plane they are discretized in."""

from incrowd.errors import ParameterError
from incrowd.read._parts import Parts
from incrowd.read.plane import Box, Plane, box_of, plane_around, plane_at

__all__ = ["Box", "Origin", "Plane", "box_of", "check_origin", "plane_around", "plane_at", "plane_of"]

Origin = tuple[float, float]  # lon, lat in degrees


def check_origin(origin: Origin | None) -> None:
    """Refuse an origin that is no place on Earth."""
    if origin is not None and not (abs(origin[0]) <= 180 and abs(origin[1]) <= 90):
        raise ParameterError("origin must be (lon, lat) in degrees; check that they are not swapped.")


def plane_of(data: Parts, origin: Origin | None) -> Plane:
    """The plane of some records: around the origin, or the whole degrees that hold their median lon and lat.

    Strays move no median, and whole degrees give most cities the same grid whatever day is read.
    """
    if data.middle is None:
        if origin is not None:
            raise ParameterError("these coordinates are metres already; leave origin out.")
        return Plane(None)
    return plane_at(*(data.middle if origin is None else origin))
