"""Visits -> RiskMap: where people are identified by a single visit, cell by cell; and its section."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.arrays import Floats, Ints, frozen
from incrowd.data import Visits
from incrowd.errors import DataError, check_whole, public
from incrowd.measure._map_files import geojson, save_map
from incrowd.measure._map_panel import lines_of, map_of
from incrowd.measure.uniqueness.index import index_of
from incrowd.plain import percent, several
from incrowd.show import Map, Result, Section, Table
from incrowd.show.panel import step_words

STEPS = (0.01, 0.05, 0.2, 0.5)  # shares at which the colours change; the same on every map, so that maps compare
WHO = "A visit identifies a person if nobody else was in the same cell in the same slot."


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
        shown = several(len(self.cell), "cell")
        few = several(self.min_people, "person", "people")
        if not len(self.cell):
            answer = f"No cell has {few} or more, so nothing is shown."
        else:
            half = int((2 * self.identified > self.people).sum())
            answer = (
                f"In the typical cell {percent(self._typical)} of its people are identified by one visit there; in "
                f"{half:,} of {shown} it is more than half of them."
            )
        return Section(
            question="Where are people identified by a single visit?",
            answer=answer,
            number=percent(self._typical),
            number_of="of the people of the typical cell (median over cells)",
            panels=[self.panel()] if len(self.cell) else [],
            tables=[Table(("share identified", "cells"), list(self._classes()))],
            method=[WHO, f"Cells with fewer than {few} are blank; the median is over the others."],
            options=f"{several(self.users, 'person', 'people')}, {shown} with at least {few}",
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
    >>> found = risk_map(visits, min_people=2)
    >>> found.people.tolist(), found.identified.tolist(), found.share.tolist()
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
    shown = placed & (people >= min_people)
    x, y = visits.xy[cells[shown]].T
    return RiskMap(
        cell=cells[shown],
        x=x,
        y=y,
        people=people[shown],
        identified=identified[shown],
        users=len(visits),
        blank_cells=int((placed & ~shown).sum()),
        min_people=int(min_people),
        cell_m=visits.cell_m,
        crs=visits.crs,
        outline=lines,
    )


def _people(owner: Ints, at: Ints, cells: int) -> Ints:
    """Distinct people with a row in each cell."""
    seen = np.unique(owner * cells + at) % cells
    return np.bincount(seen, minlength=cells)
