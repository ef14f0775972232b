"""The data of [gramaglia2015, Table 2] as far as there are any: a synthetic country, its largest city, real ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from incrowd.data import Fingerprints
from incrowd.data.some import some_people, some_rows
from incrowd.discretize import fingerprints
from incrowd.errors import DataError
from incrowd.read import synthetic_city, table
from incrowd.read.city.city import City
from incrowd.read.city.ground import CELL_M

DAYS, DAY_MIN = 14, 1440
HOP_M = 10_000  # towers this near to each other are of one city
LEAST_SAMPLES = 10  # of a rider: one or two trips are no trajectory
FEWEST_TAXIS = 10
REAL = {"ValleyBike": "valleybike_events_clean.parquet", "Cabspotting": "cabspotting_sf_week.parquet"}
KIND = {
    "ValleyBike": "riders of shared bikes with 10 samples or more",
    "Cabspotting": "taxis in the first 24 hours of the data, objects and not people",
}


@dataclass(frozen=True)
class Dataset:
    """Fingerprints under the name they have in the table."""

    name: str
    prints: Fingerprints


def datasets(users: int, real: str | Path | None, seed: int) -> list[Dataset]:
    """A country of so many people, its largest city, and what the folder holds: as many riders, a tenth the taxis."""
    city = synthetic_city(users=users, profile="cdr", days=DAYS, seed=seed)
    made = [Dataset("country", city.fingerprints()), Dataset("city", largest_city(city))]
    return [*made, *_real(Path(real), users, seed)] if real is not None else made


def absent(real: str | Path | None) -> tuple[str, ...]:
    """Which real data are not there, and why; a folder that does not exist is refused."""
    if real is None:
        return tuple(f"{name}: no folder of real data was given" for name in REAL)
    if not Path(real).is_dir():
        raise DataError("the folder of real data does not exist; give the one that holds their parquet files.")
    return tuple(f"{name}: {file} is not there" for name, file in REAL.items() if not (Path(real) / file).is_file())


def largest_city(city: City) -> Fingerprints:
    """The people who live in the city with most homes, and their samples there.

    Towers within 10 km of each other, directly or by others in between, are one city.
    """
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import KDTree

    tree = KDTree(city.xy)
    of_tower = connected_components(tree.sparse_distance_matrix(tree, HOP_M), directed=False)[1]
    inside = of_tower == np.bincount(of_tower[city.home]).argmax()
    prints = city.fingerprints()
    cells = np.floor(city.xy[inside] / CELL_M).astype(np.int64) * CELL_M
    there = (prints.x[:, None] == cells[:, 0]) & (prints.y[:, None] == cells[:, 1])
    return some_rows(prints, there.any(axis=1) & inside[city.home][prints.owner], "city", "outside the city")


def _real(folder: Path, users: int, seed: int) -> Iterator[Dataset]:
    bikes, taxis = ((name, folder / file) for name, file in REAL.items())
    if bikes[1].is_file():
        riders = fingerprints(table(bikes[1]))
        busy = some_rows(
            riders, (np.diff(riders.offsets) >= LEAST_SAMPLES)[riders.owner], "busy", "person with few samples"
        )
        yield Dataset(bikes[0], some_people(busy, people=users, seed=seed))
    if taxis[1].is_file():
        some = some_people(fingerprints(table(taxis[1])), people=max(users // 10, FEWEST_TAXIS), seed=seed)
        first = some.t < (some.t.min() // DAY_MIN + 1) * DAY_MIN
        yield Dataset(taxis[0], some_rows(some, first, "first day", "outside the period"))
