"""Visits -> RiskMap: where people are identified by a single visit, cell by cell; its section and its panel."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.arrays import Flags, Floats, Ints, frozen
from incrowd.data import Visits
from incrowd.errors import DataError, ParameterError, check_whole, public
from incrowd.measure._map_files import geojson, save_map
from incrowd.measure._summary import MIDDLE
from incrowd.measure.uniqueness.index import index_of
from incrowd.plain import percent, several
from incrowd.show import Map, Result, Section, Table
from incrowd.show.panel import step_words

STEPS = (0.01, 0.05, 0.2, 0.5)  # shares at which the colours change; the same on every map, so that maps compare
WHO = "A visit identifies a person if nobody else was in the same cell in the same slot."
MOST_SQUARES = 1_000  # along a side of a picture; the cells of a larger area are drawn as dots


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RiskMap(Result):
    """A row for each cell that at least `min_people` people visited; the others are blank, and only counted.

    `people` visited the cell, and `identified` of them came at least once when nobody else was there.
    """

    cell: Ints
    x: Floats  # centre in metres
    y: Floats
    people: Ints
    identified: Ints
    users: int
    blank_cells: int
    min_people: int
    cell_m: float | None  # side, if cells are squares
    crs: str | None  # plane of x and y, if it is known
    outline: tuple[Floats, ...] = field(default=(), repr=False)  # lines in that plane, if they were given

    def __post_init__(self) -> None:
        for name in ("cell", "x", "y", "people", "identified"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @property
    def share(self) -> Floats:
        """Of the people of each cell, those whom one visit there identifies; in [0, 1], higher is riskier."""
        shares: Floats = self.identified / self.people
        return shares

    def __repr__(self) -> str:
        return f"RiskMap(users={self.users:,}, cells={len(self.cell):,}, blank={self.blank_cells:,})"

    def columns(self) -> Mapping[str, Any]:
        """A row for each cell that is not blank."""
        names = ("cell", "x", "y", "people", "identified", "share")
        return {name: getattr(self, name) for name in names}

    def to_geojson(self) -> dict[str, Any]:
        """A FeatureCollection in WGS 84 longitude and latitude: squares, or points where cells have no known shape."""
        return geojson(self)

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """The path of a file with the cells that are not blank, written whole or not at all.

        Args:
            path: File to write: .geojson or .json for GeoJSON, .parquet for GeoParquet.
            force: Whether an existing file may be replaced.
        """
        return save_map(self, Path(path), force=force)

    def section(self) -> Section:
        """Where people are identified, with the map."""
        cells = several(len(self.cell), "cell")
        few = several(self.min_people, "person", "people")
        if not len(self.cell):
            answer = f"No cell has {few} or more, so nothing is shown."
        else:
            half = int((2 * self.identified > self.people).sum())
            answer = (
                f"In the typical cell {percent(self._typical)} of its people are identified by one visit there; in "
                f"{half:,} of {cells} it is more than half of them."
            )
        return Section(
            question="Where are people identified by a single visit?",
            answer=answer,
            number=percent(self._typical),
            number_of="of the people of the typical cell (median over cells)",
            panels=[self.panel()] if len(self.cell) else [],
            tables=[Table(("share identified", "cells"), list(self._classes()))],
            method=[WHO, f"Cells with fewer than {few} are blank; the median is over the others."],
            options=f"{several(self.users, 'person', 'people')}, {cells} with at least {few}",
            data=self,
        )

    @property
    def _typical(self) -> float | None:
        return float(np.median(self.share)) if len(self.cell) else None

    def _classes(self) -> Iterator[tuple[str, str]]:
        """How many cells have each colour."""
        counts = np.bincount(np.searchsorted(STEPS, self.share), minlength=len(STEPS) + 1)
        yield from zip(step_words(STEPS), (f"{count:,}" for count in counts), strict=True)
        yield f"blank: fewer than {several(self.min_people, 'person', 'people')}", f"{self.blank_cells:,}"

    def panel(self) -> Map:
        """The share of each cell in its place."""
        few, is_are = several(self.min_people, "person", "people"), "is" if self.blank_cells == 1 else "are"
        caption = (
            f"Share of the people of a cell whom one visit there identifies (n = {self.users:,} people): "
            f"{several(len(self.cell), 'cell')} with at least {few}; {self.blank_cells:,} with fewer {is_are} blank."
        )
        return map_of(self, name="risk-map", of="share identified", caption=caption, steps=STEPS)


@public
def risk_map(visits: Visits, *, min_people: int = 10, outline: str | Path | None = None) -> RiskMap:
    """Where people are identified: per cell, the share of its people whom one visit there identifies.

    The people of a cell are those with a visit to it in any slot. Such a visit identifies its person if nobody else
    has a visit to the same cell in the same slot. The share, in [0, 1] and higher is riskier, is that of the people
    of the cell with at least one such visit there. Cells whose place is not known are left out.

    Args:
        visits: The visits of everybody, with the places of their cells.
        min_people: Cells with fewer people are blank: of these only the number is told.
        outline: Polygons to draw around the map, a GeoJSON or GeoParquet file in degrees; needs the extra `geo`.
            [default: a line around the cells that are shown]

    >>> visits = Visits.from_arrays([1, 2, 2], cell=[0, 0, 0], slot=[0, 0, 1], xy=[(0.0, 0.0)])
    >>> result = risk_map(visits, min_people=2)
    >>> result.people.tolist(), result.identified.tolist(), result.share.tolist()
    ([2], [1], [0.5])
    """
    check_whole(min_people=min_people)
    if visits.xy is None:
        raise DataError("these visits do not say where their cells are; discretize trajectories, or give xy.")
    lines = () if outline is None else lines_of(outline, visits.crs)
    index = index_of(visits)
    alone = np.diff(index.starts)[index.ids] == 1
    cells, at = np.unique(visits.cell, return_inverse=True)
    placed = np.isfinite(visits.xy[cells]).all(axis=1)
    people, identified = (_people(visits.owner[rows], at[rows], len(cells)) for rows in (slice(None), alone))
    dense = placed & (people >= min_people)
    x, y = visits.xy[cells[dense]].T
    return RiskMap(
        cell=cells[dense],
        x=x,
        y=y,
        people=people[dense],
        identified=identified[dense],
        users=len(visits),
        blank_cells=int((placed & ~dense).sum()),
        min_people=int(min_people),
        cell_m=visits.cell_m,
        crs=visits.crs,
        outline=lines,
    )


def _people(owner: Ints, at: Ints, cells: int) -> Ints:
    """Distinct people with a row in each cell."""
    seen = np.unique(owner * cells + at) % cells
    return np.bincount(seen, minlength=cells)


def map_of(result: "RiskMap", *, name: str, of: str, caption: str, steps: Sequence[float]) -> Map:
    """The panel: squares, or dots where cells are no squares or too many, within the outline or near each other."""
    at, lines = np.stack([result.x, result.y], axis=1), result.outline
    near = _inside(at, np.concatenate(lines)) if lines else _together(at)
    beyond = int((~near).sum())
    if beyond:
        caption += f" {several(beyond, 'cell')} beyond the edge of the map {'is' if beyond == 1 else 'are'} not drawn."
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


def _inside(at: Floats, corners: Floats) -> Flags:
    """Which cells are within the box of the outline."""
    result: Flags = ((at >= corners.min(axis=0)) & (at <= corners.max(axis=0))).all(axis=1)
    return result


def _together(at: Floats) -> Flags:
    """Which cells are not farther than its half beyond the box of the middle 99 %: strays would stretch the map."""
    if not len(at):
        return np.zeros(0, np.bool_)
    low, high = np.quantile(at, MIDDLE, axis=0, method="nearest")
    half = (high - low).max() / 2
    result: Flags = ((at >= low - half) & (at <= high + half)).all(axis=1)
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
