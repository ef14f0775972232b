"""Places in metres -> the squares of a map, and how many people were seen in each; a map of risk."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.data import Visits
from incrowd.plain import several
from incrowd.show import Map

MIDDLE = (0.005, 0.995)  # quantiles between which a map lies; stray points would stretch it
SQUARES = 30  # along the longer side
MIN_PEOPLE = 5  # squares with fewer are blank


def centred(metres: Floats, placed: NDArray[np.bool_]) -> Floats:
    """From the low end of the middle 99 % of the values that are placed; NaN outside it."""
    low, high = np.quantile(metres[placed], MIDDLE, method="nearest")
    return np.where((metres < low) | (metres > high) | ~placed, np.nan, metres - low)


@dataclass(frozen=True, eq=False)
class Squares:
    """Squares from the south-west corner of a map, row by row; `at` is that of each record, -1 outside the map."""

    rows: int
    columns: int
    cell_m: float
    at: Ints

    @classmethod
    def over(cls, east_m: Floats, north_m: Floats, squares: int) -> "Squares":
        """As many squares along the longer side; NaN is outside."""
        cell_m = max(float(np.nanmax(east_m)), float(np.nanmax(north_m)), 1.0) / squares * (1 + 1e-9)
        columns, rows = (int(np.nanmax(axis) // cell_m) + 1 for axis in (east_m, north_m))
        inside = ~np.isnan(east_m) & ~np.isnan(north_m)
        at = np.full(len(east_m), -1, np.int64)
        at[inside] = (north_m[inside] // cell_m).astype(np.int64) * columns + (east_m[inside] // cell_m).astype(
            np.int64
        )
        return cls(rows, columns, cell_m, at)

    def people(self, owner: Ints, records: NDArray[np.bool_] | None = None) -> Ints:
        """Distinct people with a record in each square, or with one of some records."""
        wanted = self.at >= 0 if records is None else (self.at >= 0) & records
        size = self.rows * self.columns
        seen = np.unique(owner[wanted] * size + self.at[wanted]) % size
        return np.bincount(seen, minlength=size).reshape(self.rows, self.columns).astype(np.int64)


@dataclass(frozen=True, eq=False)
class RiskMap:
    """People seen in each square, south to north and west to east, and those who made a visit there alone."""

    people: Ints
    identified: Ints
    cell_km: float

    @classmethod
    def over(cls, visits: Visits, alone: NDArray[np.bool_]) -> "RiskMap | None":
        """The map of visits, with those that nobody else made; None if it is not known where cells are."""
        if visits.xy is None:
            return None
        east, north = visits.xy[visits.cell].T
        placed: NDArray[np.bool_] = ~np.isnan(east) & ~np.isnan(north)
        if not placed.any():
            return None
        east_m, north_m = (centred(axis, placed) for axis in (east, north))
        squares = Squares.over(east_m, north_m, SQUARES)
        identified = squares.people(visits.owner, alone)
        return cls(squares.people(visits.owner), identified, squares.cell_m / 1000)

    def panel(self, users: int) -> Map:
        """The share of the people of each square whom a visit there identifies."""
        enough = self.people >= MIN_PEOPLE
        share = np.where(enough, self.identified / np.maximum(self.people, 1), np.nan)
        few = several(MIN_PEOPLE, "person", "people")
        caption = (
            f"Share of the people seen in a square of {self.cell_km:.2g} km whom a single visit there identifies "
            f"(n = {users:,} people); {several(int(enough.sum()), 'square')} with at least {few}, the others are blank."
        )
        highest = f"; the highest share is {np.nanmax(share):.0%}" if enough.any() else ""
        words = f"Map of {enough.shape[0]} by {enough.shape[1]} squares coloured by the share identified{highest}."
        return Map("risk-map", share, self.cell_km, "share identified by a visit there", caption, words, most=1.0)
