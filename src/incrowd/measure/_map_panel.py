"""The cells of a map of risk, and an outline -> the panel of the map."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats
from incrowd.errors import ParameterError
from incrowd.measure._squares import MIDDLE
from incrowd.plain import percent, several
from incrowd.show import Map

if TYPE_CHECKING:
    from incrowd.measure._risk_map import RiskMap

MOST_SQUARES = 1_000  # along a side of a picture; the cells of a larger area are drawn as dots


def map_of(result: "RiskMap", *, name: str, of: str, caption: str, steps: Sequence[float]) -> Map:
    """The panel: squares, or dots where cells are no squares or too many, within the outline or near each other."""
    at, lines = np.stack([result.x, result.y], axis=1), result.outline
    near = _inside(at, np.concatenate(lines)) if lines else _together(at)
    at, share = at[near], result.share[near]
    words = f"Map of {several(len(share), 'cell')}"
    if len(share):
        words += f"; {of} from {percent(float(share.min()))} to {percent(float(share.max()))}"
    side = result.cell_m or 0.0
    low = at.min(axis=0) - side / 2 if len(share) else lines[0].min(axis=0)
    about: dict[str, Any] = {"name": name, "of": of, "caption": caption, "words": f"{words}.", "steps": steps}
    lines = lines or (_hull(at, side),)
    about["outline"] = tuple((line - low) / 1000 for line in lines)
    if not side or not len(share) or np.ptp(at, axis=0).max() > MOST_SQUARES * side:
        return Map(value=share, at_km=(at - low) / 1000, cell_km=side / 1000, **about)
    column, row = np.floor((at - low) / side).astype(np.int64).T
    squares = np.full((row.max() + 1, column.max() + 1), np.nan)
    squares[row, column] = share
    return Map(value=squares, cell_km=side / 1000, **about)


def lines_of(outline: str | Path, crs: str | None) -> tuple[Floats, ...]:
    """The rings of the polygons of a file, in the plane of the visits."""
    from incrowd.discretize._zones import polygons_of, shapely
    from incrowd.read.plane import Plane

    if crs is None:
        raise ParameterError("these cells are in metres of their own, but an outline is in degrees; leave outline out.")
    polygons = polygons_of(outline)
    geo = shapely()
    rings = geo.get_rings(geo.get_parts(polygons))
    return tuple(np.stack(Plane(crs)(*geo.get_coordinates(ring).T), axis=1) for ring in rings)


def _inside(at: Floats, corners: Floats) -> NDArray[np.bool_]:
    """Which cells are within the box of the outline."""
    result: NDArray[np.bool_] = ((at >= corners.min(axis=0)) & (at <= corners.max(axis=0))).all(axis=1)
    return result


def _together(at: Floats) -> NDArray[np.bool_]:
    """Which cells are not farther than its half beyond the box of the middle 99 %: strays would stretch the map."""
    if not len(at):
        return np.zeros(0, np.bool_)
    low, high = np.quantile(at, MIDDLE, axis=0, method="nearest")
    half = (high - low).max() / 2
    result: NDArray[np.bool_] = ((at >= low - half) & (at <= high + half)).all(axis=1)
    return result


def _hull(at: Floats, side: float) -> Floats:
    """The shortest line around all cells that are shown, and none that is blank: that would tell where a few were."""
    corners = np.array([(-1, -1), (-1, 1), (1, -1), (1, 1)]) * side / 2
    points = np.unique((at[:, None] + corners).reshape(-1, 2), axis=0)
    new = np.append(True, np.diff(points[:, 0]) > 0)
    points = points[new | np.append(new[1:], True)]  # the southernmost and northernmost of each x
    return np.concatenate([_turning_left(points), _turning_left(points[::-1])])


def _turning_left(points: Floats) -> Floats:
    """The lower half of the hull of points from west to east, or the upper one from east to west."""
    hull: list[Floats] = []
    for point in points:
        while len(hull) > 1 and _turn(hull[-2], hull[-1], point) <= 0:
            hull.pop()
        hull.append(point)
    return np.array(hull)


def _turn(a: Floats, b: Floats, c: Floats) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
