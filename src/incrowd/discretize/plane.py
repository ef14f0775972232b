"""Degrees -> metres by the Lambert azimuthal equal-area projection."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Floats
from incrowd.errors import DataError, ParameterError
from incrowd.read.parts import Parts

if TYPE_CHECKING:
    import pyproj

Origin = tuple[float, float]  # lon, lat in degrees
Box = tuple[float, float, float, float]  # west, south, east, north in degrees, or the same in metres


@dataclass(frozen=True)
class Plane:
    """Where x and y live: the plane of a PROJ string, or the caller's own (crs=None)."""

    crs: str | None

    def __call__(self, first: Floats, second: Floats) -> tuple[Floats, Floats]:
        """(lon, lat) projected, or (x, y) as they are."""
        if self.crs is None:
            return first, second
        x, y = _projection(self.crs)(first, second)
        if not np.isfinite(x).all():
            raise DataError("a record lies opposite the centre of the projection; pass another origin=(lon, lat).")
        return x, y


@lru_cache(maxsize=16)
def _projection(crs: str) -> "pyproj.Proj":
    import pyproj

    return pyproj.Proj(crs)


def plane_at(lon: float, lat: float) -> Plane:
    """The equal-area plane around a point."""
    return Plane(f"+proj=laea +lat_0={lat:.12g} +lon_0={lon:.12g} +datum=WGS84 +units=m +no_defs")


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
        west, east = _narrower((west, east), *_eastward(data))
    return plane_around((west, south, east, north))


def plane_around(box: Box) -> Plane:
    """The plane around the centre of a box, in whole degrees."""
    west, south, east, north = box
    lon = (round((west + east) / 2) + 180) % 360 - 180
    return plane_at(lon, round((south + north) / 2))


def box_of(lon: Floats, lat: Floats) -> Box:
    """The smallest box around some places, across the 180th meridian where that is narrower."""
    there = lon % 360
    plain = (float(lon.min()), float(lon.max()))
    west, east = _narrower(plain, float(there.min()), float(there.max()))
    return west, float(lat.min()), east, float(lat.max())


def _narrower(plain: tuple[float, float], west: float, east: float) -> tuple[float, float]:
    return (west, east) if east - west < plain[1] - plain[0] else plain


def _eastward(data: Parts) -> tuple[float, float]:
    """The ends of the longitudes counted from 0 to 360."""
    low, high = 360.0, 0.0
    for _, traces in data:
        there = traces.coordinates[0] % 360
        low, high = min(low, float(there.min())), max(high, float(there.max()))
    return low, high
