"""Degrees -> metres by the Lambert azimuthal equal-area projection."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Floats
from incrowd.errors import DataError, ParameterError

if TYPE_CHECKING:
    import pyproj

_ORIGIN = re.compile(r"\+proj=laea \+lat_0=(\S+) \+lon_0=(\S+) ")
_LOWEST = (180, 90)  # degrees that longitudes and latitudes begin below 0

Box = tuple[float, float, float, float]  # west, south, east, north in degrees, or the same in metres
Origin = tuple[float, float]  # lon, lat in degrees


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
            raise DataError("a record is opposite the centre of the projection; pass another origin=(lon, lat).")
        return x, y


@lru_cache(maxsize=16)
def _projection(crs: str) -> "pyproj.Proj":
    import pyproj

    return pyproj.Proj(crs)


def plane_at(lon: float, lat: float) -> Plane:
    """The equal-area plane around a point; the meridians 180 and -180 are one, so their planes are too."""
    lon = -180 if lon == 180 else lon
    return Plane(f"+proj=laea +lat_0={lat:.12g} +lon_0={lon:.12g} +datum=WGS84 +units=m +no_defs")


def origin_of(crs: str | None) -> tuple[float, float] | None:
    """The (lon, lat) around which a plane was made; None for metres of the caller's own, or a plane made elsewhere.

    >>> origin_of(plane_at(180, 52).crs)
    (-180.0, 52.0)
    """
    match = _ORIGIN.match(crs or "")
    return None if match is None else (float(match[2]), float(match[1]))


def plane_around(box: Box) -> Plane:
    """The plane around the centre of a box, in whole degrees."""
    west, south, east, north = box
    lon = (round((west + east) / 2) + 180) % 360 - 180
    return plane_at(lon, round((south + north) / 2))


def check_origin(origin: Origin | None) -> None:
    """Refuse an origin that is not a place on Earth."""
    if origin is not None and not (abs(origin[0]) <= 180 and abs(origin[1]) <= 90):
        raise ParameterError("origin must be (lon, lat) in degrees; check that they are not swapped.")


def plane_of(middle: tuple[int, int] | None, origin: Origin | None) -> Plane:
    """The plane of some records: around the origin, or the whole degrees that hold their median lon and lat.

    Strays move no median, and whole degrees give most cities the same grid whatever day is read. Records in metres
    have no `middle`.
    """
    if middle is None:
        if origin is not None:
            raise ParameterError("these coordinates are metres already; leave origin out.")
        return Plane(None)
    return plane_at(*(middle if origin is None else origin))


class Degrees:
    """Counts of places per whole degree of longitude and of latitude, added up batch by batch."""

    def __init__(self) -> None:
        self.counts = [np.zeros(2 * low + 1, np.int64) for low in _LOWEST]

    def add(self, lon: Floats, lat: Floats) -> None:
        """Count some more places."""
        for counts, low, values in zip(self.counts, _LOWEST, (lon, lat), strict=True):
            counts += np.bincount(np.floor(values).astype(np.int16) + low, minlength=len(counts))

    def merge(self, other: "Degrees") -> None:
        """Count the places that another one counted."""
        for counts, more in zip(self.counts, other.counts, strict=True):
            counts += more

    @property
    def middle(self) -> tuple[int, int]:
        """The degree that holds the lower median: the smallest with half of the places in it and below.

        >>> some = Degrees()
        >>> some.add(np.array([0.0, 116.2, 116.4, 117.9]), np.array([0.0, 39.5, 39.9, 40.1]))
        >>> some.middle
        (116, 39)
        """
        halves = (np.searchsorted(2 * np.cumsum(counts), counts.sum()) for counts in self.counts)
        lon, lat = (int(at) - low for at, low in zip(halves, _LOWEST, strict=True))
        return lon, lat


def box_of(lon: Floats, lat: Floats) -> Box:
    """The smallest box around some places, across the 180th meridian if that is narrower."""
    there = lon % 360
    plain = (float(lon.min()), float(lon.max()))
    west, east = narrower(plain, float(there.min()), float(there.max()))
    return west, float(lat.min()), east, float(lat.max())


def narrower(plain: tuple[float, float], west: float, east: float) -> tuple[float, float]:
    """The narrower of two ranges of longitude."""
    return (west, east) if east - west < plain[1] - plain[0] else plain
