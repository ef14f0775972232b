"""Traces or Visits -> Summary: what is in a dataset, without anybody in particular."""

from dataclasses import dataclass, field

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.data import Traces
from incrowd.errors import DataError, check_positive
from incrowd.plain import Shown

HOUR_S, DAY_S = 3_600, 86_400
MONDAY = 4 * DAY_S  # 1970-01-05, the first Monday of the epoch
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)  # the extremes would be one person's
SHARES = tuple(f"{q:.0%}" for q in QUANTILES)


@dataclass(frozen=True)
class Summary(Shown):
    """Size, rhythm and extent of a dataset; every figure is about many people."""

    users: int
    records: int
    days: int  # calendar days (UTC) from the first to the last record
    records_per_user: dict[str, float]  # quantile -> records
    minutes_between: dict[str, float]  # quantile -> minutes from a record to the same user's next
    width_km: float  # of the box that holds the middle 99 % of records each way; stray points would stretch it
    height_km: float
    hour_of_week: Ints  # records in each of 168 hours, from Monday 00:00 UTC; all 0 for fewer than min_people
    users_in_cell: Ints  # [row, column] people seen in each cell of that box, south to north; -1: too few to show
    cell_km: float
    min_people: int
    sizes: Ints = field(repr=False)  # records of each user, sorted; for drawing, in no output


def summary(traces: Traces, *, min_people: int = 5, cells: int = 30) -> Summary:
    """Count what a dataset holds; map cells with fewer than `min_people` people are blank.

    >>> from incrowd import Traces
    >>> s = summary(Traces.from_arrays([1, 1, 2], [0, 3600, 60], lon=[5, 5.1, 5], lat=[52, 52, 52.1]))
    >>> s.users, s.records, s.days, s.records_per_user["50%"]
    (2, 3, 1, 1.5)
    """
    check_positive(min_people=min_people, cells=cells)
    if not traces.records:
        raise DataError("there is no record left to summarize; loosen the cleaning.")
    sizes = np.sort(np.diff(traces.offsets))
    east_m, north_m = (_centred(axis) for axis in _metres(traces))
    people, cell_m = _people(traces, east_m, north_m, cells)
    same = np.diff(traces.owner) == 0
    gaps = np.abs(np.diff(traces.t))[same] / 60
    return Summary(
        users=len(traces),
        records=traces.records,
        days=int(traces.t.max() // DAY_S - traces.t.min() // DAY_S) + 1,
        records_per_user=_quantiles(sizes),
        minutes_between=_quantiles(gaps),
        width_km=float(np.nanmax(east_m)) / 1000,
        height_km=float(np.nanmax(north_m)) / 1000,
        hour_of_week=_rhythm(traces) if len(traces) >= min_people else np.zeros(168, np.int64),
        users_in_cell=np.where(people < min_people, -1, people),
        cell_km=cell_m / 1000,
        min_people=min_people,
        sizes=sizes,
    )


def _rhythm(traces: Traces) -> Ints:
    return np.bincount((traces.t - MONDAY) // HOUR_S % 168, minlength=168).astype(np.int64)


def _quantiles(values: Ints | Floats) -> dict[str, float]:
    if not values.size:
        return {}
    return dict(zip(SHARES, np.quantile(values, QUANTILES).tolist(), strict=True))


def _metres(traces: Traces) -> tuple[Floats, Floats]:
    """East and north; a flat Earth is good enough for a picture and an extent."""
    first, second = traces.coordinates
    if traces.planar:
        return first, second
    metres_per_degree = 111_195.08
    shrink = np.cos(np.radians(np.median(second)))
    return first * (metres_per_degree * shrink), second * metres_per_degree


def _centred(metres: Floats) -> Floats:
    """From the low end of the middle 99 %; NaN outside it."""
    low, high = np.quantile(metres, (0.005, 0.995), method="nearest")
    return np.where((metres < low) | (metres > high), np.nan, metres - low)


def _people(traces: Traces, east_m: Floats, north_m: Floats, cells: int) -> tuple[Ints, float]:
    """Distinct users in each square of a grid with `cells` squares along its longer side."""
    cell_m = max(float(np.nanmax(east_m)), float(np.nanmax(north_m)), 1.0) / cells * (1 + 1e-9)
    columns = int(np.nanmax(east_m) // cell_m) + 1
    rows = int(np.nanmax(north_m) // cell_m) + 1
    inside = ~np.isnan(east_m) & ~np.isnan(north_m)
    cell = (north_m[inside] // cell_m).astype(np.int64) * columns + (east_m[inside] // cell_m).astype(np.int64)
    seen = np.unique(traces.owner[inside] * (rows * columns) + cell) % (rows * columns)
    people = np.bincount(seen, minlength=rows * columns)
    return people.reshape(rows, columns).astype(np.int64), cell_m
