"""Cells that are published whatever the data hold: the squares of a box, or zones."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from incrowd.arrays import Floats
from incrowd.cli.inputs import traces_of
from incrowd.cli.options import box_of
from incrowd.cli.reading import ReadingOptions
from incrowd.clock import DAY_MIN
from incrowd.data import Visits
from incrowd.errors import ParameterError
from incrowd.read.plane import Box, Plane, plane_around

BoxOfSquares = Annotated[
    str | None,
    typer.Option(
        "--box",
        metavar="W,S,E,N",
        help="Count in all squares of --cell-m in this box, in degrees or metres, whether anybody was there or not.",
    ),
]
Zones = Annotated[
    Path | None, typer.Option(help="Count in these polygons, GeoJSON or GeoParquet; gaps are not interpolated.")
]
MOST_SQUARES = 1_000_000


def in_area(
    sources: list[str],
    reading: ReadingOptions,
    *,
    box: str | None,
    zones: Path | None,
    cell_m: float,
    slot_min: int,
    start: str | None,
    days: int | None,
) -> Visits:
    """Visits to the squares of a box, or to zones; nobody's visits depend on those of others."""
    from incrowd import clean, discretize

    traces = traces_of(sources, reading)
    how: dict[str, Any] = {"slot_min": slot_min, "start": start, "time_zone": reading.arguments().get("time_zone")}
    if zones is not None:
        if box is not None:
            raise ParameterError("give --box or --zones, not both.")
        return discretize.zones(traces, zones, keep="vote", **how)
    bounds = box_of(str(box))
    slots = None if days is None else -(-days * DAY_MIN // slot_min)
    inside = clean.outside(traces, box=bounds)
    places = squares(bounds, cell_m, planar=traces.planar)
    return discretize.towers(inside, places, fill="interpolate", slots=slots, far_towers=True, **how)


def squares(box: Box, cell_m: float, *, planar: bool) -> Floats:
    """The middle of every square of a plane that reaches into a box, as lon and lat or x and y.

    >>> squares((0, 0, 1000, 400), 500, planar=True).tolist()
    [[250.0, 250.0], [750.0, 250.0]]
    """
    plane = Plane(None) if planar else plane_around(box)
    along = np.linspace(0, 1, 65)
    west, south, east, north = box
    lon = west + (east - west) * np.r_[along, along, 0 * along, 0 * along + 1]
    lat = south + (north - south) * np.r_[0 * along, 0 * along + 1, along, along]
    ends = [(float(side.min()) / cell_m, float(side.max()) / cell_m) for side in plane(lon, lat)]
    first, many = zip(*((np.floor(low), max(np.ceil(high) - np.floor(low), 1)) for low, high in ends), strict=True)
    if many[0] * many[1] > MOST_SQUARES:
        raise ParameterError(f"the box holds more than {MOST_SQUARES:,} squares; use a larger --cell-m.")
    x, y = ((start + np.arange(size) + 0.5) * cell_m for start, size in zip(first, many, strict=True))
    across, up = (side.ravel() for side in np.meshgrid(x, y))
    if plane.crs is not None:
        import pyproj

        across, up = pyproj.Proj(plane.crs)(across, up, inverse=True)
    return np.stack([across, up], axis=1)
