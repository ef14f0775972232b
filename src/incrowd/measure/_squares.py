"""Places in metres -> the squares of a map, and how many people were seen in each."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints

MIDDLE = (0.005, 0.995)  # quantiles between which a map lies; stray points would stretch it


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
