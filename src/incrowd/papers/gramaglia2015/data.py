"""[gramaglia2015]: Table 1; Figures 1, 2 and 6, which explain and measure nothing; the data and numbers of Table 2."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from incrowd.anonymize.glove import Glove
from incrowd.arrays import Floats, Ints
from incrowd.clock import DAY_MIN
from incrowd.data import Fingerprints
from incrowd.data.table import some_people, some_rows
from incrowd.discretize import fingerprints
from incrowd.errors import DataError, ParameterError, check_whole
from incrowd.kernels.types import METRES
from incrowd.measure.glove.accuracy import Accuracy, accuracy
from incrowd.measure.glove.section import EXTENT
from incrowd.papers.record import OTHER, Figure, apart, claim
from incrowd.read import synthetic_city, table
from incrowd.read.city import City
from incrowd.read.city.people import CELL_M

USERS, QUICK_USERS = 2000, 300
FEW_TOWERS, TOWERS = 200, 1200
DAYS = 14  # of each dataset [gramaglia2015, Sec. 3]
PEOPLE = (82_000, 320_000)  # of d4d-civ and d4d-sen
FULL_NAMES = ("as large as d4d-civ", "as large as d4d-sen")
THEIR_SIZES = " and ".join(f"{n:,}" for n in PEOPLE)
LIMIT_M, LIMIT_MIN = 15_000, 360  # the thresholds of Table 2
FINE_M, FINE_MIN = 2000, 120  # what the text calls accurate
BEFORE = "boxes before reshaping, leftover merged"
CONVENTION = f"{EXTENT} Boxes are those before reshaping; a last group of too few is merged with its nearest."


@dataclass(frozen=True, repr=False)
class Run:
    """One run of GLOVE without suppression: its accuracy, and each person's mean effort in [0, 1]."""

    k: int
    users: int
    accuracy: Accuracy
    effort: Floats
    owner: Ints  # of each sample

    def __repr__(self) -> str:
        return f"Run(k={self.k}, users={self.users:,})"


def countries(*, quick: bool = False, seed: int = 0) -> dict[str, Fingerprints]:
    """Two weeks of calls in made-up countries, in place of the paper's data; one is enough if `quick`."""
    if quick:
        return {"a synthetic country": _country(QUICK_USERS, FEW_TOWERS, seed)}
    towers = {"one country": FEW_TOWERS, "another": 2 * FEW_TOWERS}
    return {name: _country(USERS, sites, seed + number) for number, (name, sites) in enumerate(towers.items())}


def full_country(number: int, *, seed: int) -> Fingerprints:
    """One of two made-up countries with as many people as in the paper."""
    return _country(PEOPLE[number], TOWERS, seed + number)


def _country(users: int, towers: int, seed: int) -> Fingerprints:
    return synthetic_city(users=users, towers=towers, profile="cdr", days=DAYS, seed=seed).fingerprints()


def hide(fingerprints: Fingerprints, *, k: int, cache: str | Path | None = None) -> Run:
    """Run GLOVE and keep what its figures need; a run that was killed goes on from what is in the folder `cache`.

    A person's effort is the mean of Eq. 1 over their samples, each stretched to the box that hides it.

    >>> two = Fingerprints.from_arrays([1, 2], x=[0, 4000], y=[0, 0], t=[0, 96])
    >>> hide(two, k=2).effort.tolist()
    [0.2, 0.2]
    """
    if len(fingerprints) < k:
        raise ParameterError(f"hiding among {k} needs at least {k} people, and there are {len(fingerprints)}.")
    kept = None if cache is None else Path(cache) / f"glove-{len(fingerprints)}-k{k}.npz"
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
    errors = accuracy(Glove(k=k)(fingerprints, checkpoint=kept), fingerprints)
    space = np.minimum(errors.pos_stretch / METRES.space_cap, 1)
    time = np.minimum(errors.time_stretch / METRES.time_cap, 1)
    samples = np.diff(fingerprints.offsets)
    effort = np.bincount(fingerprints.owner, (space + time) / 2, len(fingerprints)) / samples
    return Run(k, len(fingerprints), errors, effort, fingerprints.owner)


def generalized(fingerprints: Fingerprints, *, cell_m: int, slot_min: int) -> Fingerprints:
    """Every sample blown up to whole cells and slots; equal ones of a person collapse [gramaglia2015, Sec. 5.2].

    >>> two = Fingerprints.from_arrays([1, 1], x=[0, 1900], y=[0, 0], t=[0, 59])
    >>> generalized(two, cell_m=2000, slot_min=60).records
    1
    """
    check_whole(cell_m=cell_m, slot_min=slot_min)
    box: dict[str, Ints] = {}
    for low, length, grain in (("x", "dx", cell_m), ("y", "dy", cell_m), ("t", "dt", slot_min)):
        start, side = getattr(fingerprints, low), getattr(fingerprints, length)
        box[low] = start // grain * grain
        box[length] = -(-(start + side) // grain) * grain - box[low]
    return _grouped(fingerprints, fingerprints.owner, box)


def first_days(fingerprints: Fingerprints, *, days: int) -> Fingerprints:
    """The samples that begin in the first days, counted from midnight; people without one are left out."""
    check_whole(days=days)
    return some_rows(
        fingerprints, fingerprints.t < (first_day(fingerprints) + days) * DAY_MIN, "first days", "outside the period"
    )


def days_of(fingerprints: Fingerprints) -> int:
    """Days from the first to the last sample, both counted."""
    return int(fingerprints.t.max()) // DAY_MIN - first_day(fingerprints) + 1


def first_day(fingerprints: Fingerprints) -> int:
    """The day of the first sample."""
    return int(fingerprints.t.min()) // DAY_MIN


def _grouped(like: Fingerprints, owner: Ints, box: dict[str, Ints]) -> Fingerprints:
    left, code = np.unique(owner, return_inverse=True)
    made = Fingerprints.from_codes(
        like.users[left], code, box, people=like.crowd[left], start=like.start, read=len(code)
    )
    return replace(made, crs=like.crs)


DRAWN = "a drawing"


def table_1(fingerprints: Fingerprints) -> Figure:
    """How large the data are beside the paper's, and why its examples cannot be measured."""
    people, days = len(fingerprints), days_of(fingerprints)
    sizes = "people", THEIR_SIZES, f"{people:,}"
    return Figure(
        paper="gramaglia2015",
        number="Table 1 and Figures 1, 2 and 6",
        question="What is in the data?",
        answer=f"{people:,} people with {fingerprints.records:,} samples over {days:,} days.",
        panels=(),
        statements=(
            claim("Sec. 3", *sizes, True, "")
            if people in PEOPLE
            else apart("Sec. 3", *sizes[:2], "needs as many people", ours=sizes[2]),
            claim("Sec. 3", "days of each dataset", f"{DAYS}", f"{days:,}", days == DAYS, OTHER),
            apart("Table 1", "fingerprints of three people", "listed", "an example in symbols, without numbers"),
            apart("Fig. 1", "the same people on a map", DRAWN, "an illustration of what generalization does"),
            apart("Fig. 2", "stretch of two samples", DRAWN, "the definition of Eqs. 4 to 9, which is computed here"),
            apart("Fig. 6", "merging and reshaping", DRAWN, "an illustration of two steps of GLOVE"),
        ),
        convention="Days are from the first to the last sample, both counted.",
        users=people,
    )


MEASURES = ("discarded", "created", "deleted", "position_m", "time_min")
W4M, GLOVE = "W4M-LC", "GLOVE"
LIKE = {"country": ("d4d-civ", "d4d-sen"), "city": ("abidjan", "dakar")}  # whose figures stand beside ours

# People of each pair; those of the cities follow from their printed counts and shares of discarded fingerprints.
CROWD = {"country": THEIR_SIZES, "city": "about 20,000 in abidjan"}
MADE_UP = (0.17, 0.74)  # samples that W4M-LC makes up, least and most of the table


@dataclass(frozen=True)
class PrintedColumn:
    """One column of the table: shares of fingerprints and samples, metres, minutes."""

    discarded: float
    created: float
    deleted: float
    position_m: float
    time_min: float


PRINTED: dict[tuple[str, int, str], PrintedColumn] = {
    ("d4d-civ", 2, W4M): PrintedColumn(0.013, 0.249, 0.075, 10_190.88, 1_151.51),
    ("d4d-civ", 2, GLOVE): PrintedColumn(0, 0, 0.083, 1_013.71, 60.21),
    ("d4d-sen", 2, W4M): PrintedColumn(0.001, 0.179, 0.053, 9_392.85, 1_037.74),
    ("d4d-sen", 2, GLOVE): PrintedColumn(0, 0, 0.141, 1_312.28, 69.31),
    ("abidjan", 2, W4M): PrintedColumn(0.168, 0.208, 0.207, 2_939.70, 2_769.74),
    ("abidjan", 2, GLOVE): PrintedColumn(0, 0, 0.0403, 1_323.12, 57.21),
    ("dakar", 2, W4M): PrintedColumn(0.014, 0.174, 0.061, 1_889.34, 1_172.66),
    ("dakar", 2, GLOVE): PrintedColumn(0, 0, 0.048, 1_249.24, 58.47),
    ("d4d-civ", 5, W4M): PrintedColumn(0.015, 0.449, 0.096, 23_534.062, 3_455.94),
    ("d4d-civ", 5, GLOVE): PrintedColumn(0, 0, 0.083, 5_129.9, 171.01),
    ("d4d-sen", 5, W4M): PrintedColumn(0.012, 0.299, 0.073, 19_881.9, 2_600.64),
    ("d4d-sen", 5, GLOVE): PrintedColumn(0, 0, 0.169, 5_694.2, 408.30),
    ("abidjan", 5, W4M): PrintedColumn(0.001, 0.738, 0.135, 4_033.4, 3_334.4),
    ("abidjan", 5, GLOVE): PrintedColumn(0, 0, 0.0441, 1_870.10, 146.90),
    ("dakar", 5, W4M): PrintedColumn(0.008, 0.174, 0.078, 3_365.22, 2_030.13),
    ("dakar", 5, GLOVE): PrintedColumn(0, 0, 0.064, 1_596.77, 147.53),
}

DOUBTS: dict[tuple[str, int, str, str], str] = {
    ("city", 2, W4M, "discarded"): "16.8 % in abidjan is more than the 10 % that may be trashed",
    ("city", 5, W4M, "discarded"): "204 in abidjan are 1.0 %, not 0.1 %, of the people that its other rows imply",
    (
        "city",
        5,
        W4M,
        "created",
    ): "3,310 thousand in dakar are 30 %, not 17.4 %, of the samples that its other rows imply",
    ("country", 5, GLOVE, "deleted"): "d4d-civ prints the same 1,482 thousand for k = 2 and k = 5",
    ("city", 2, GLOVE, "deleted"): "194496 in abidjan is a count, where the other cells are thousands",
}


HOP_M = 10_000  # towers this near to each other are of one city
LEAST_SAMPLES = 10  # of a rider: one or two trips are no trajectory
FEWEST_TAXIS = 10
REAL = {"ValleyBike": "valleybike_events_clean.parquet", "Cabspotting": "cabspotting_sf_week.parquet"}
KIND = {
    "ValleyBike": "riders of shared bikes with 10 samples or more",
    "Cabspotting": "taxis in the first 24 hours of the data, objects and not people",
}


@dataclass(frozen=True)
class NamedPrints:
    """Fingerprints under the name they have in the table."""

    name: str
    prints: Fingerprints


def datasets(users: int, real: str | Path | None, seed: int) -> list[NamedPrints]:
    """A country of so many people, its largest city, and what the folder holds: as many riders, a tenth the taxis."""
    city = synthetic_city(users=users, profile="cdr", days=DAYS, seed=seed)
    made = [NamedPrints("country", city.fingerprints()), NamedPrints("city", largest_city(city))]
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


def _real(folder: Path, users: int, seed: int) -> Iterator[NamedPrints]:
    bikes, taxis = ((name, folder / file) for name, file in REAL.items())
    if bikes[1].is_file():
        riders = fingerprints(table(bikes[1]))
        busy = some_rows(
            riders, (np.diff(riders.offsets) >= LEAST_SAMPLES)[riders.owner], "busy", "person with few samples"
        )
        yield NamedPrints(bikes[0], some_people(busy, people=users, seed=seed))
    if taxis[1].is_file():
        sampled = some_people(fingerprints(table(taxis[1])), people=max(users // 10, FEWEST_TAXIS), seed=seed)
        first = sampled.t < (sampled.t.min() // DAY_MIN + 1) * DAY_MIN
        yield NamedPrints(taxis[0], some_rows(sampled, first, "first day", "outside the period"))
