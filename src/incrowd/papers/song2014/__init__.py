"""[song2014]: its table and figures on any dataset, and what its text says beside what the data say."""

from collections.abc import Sequence

import numpy as np

from incrowd.anonymize.cut import Cut
from incrowd.arrays import Floats, tally
from incrowd.data import Visits
from incrowd.data.table import DRAWN, some_people, some_rows
from incrowd.discretize import towers, windows
from incrowd.errors import DataError, public
from incrowd.measure._cut_risk import CutRisk, cut_risk
from incrowd.papers.record import FACTOR, OTHER, Figure, Reproduction, Statement, apart, claim, share, size, sized
from incrowd.papers.song2014.cut import PEOPLE, PLACES, SHORTEST, Cuts, figure_2, figure_3, figure_4
from incrowd.read import synthetic_city
from incrowd.show import Cdf, curve

RECORDS = (56_000_000, 43_000_000)  # before and after cleaning
RAW_PEOPLE, KEPT_PEOPLE = 1_100_000, 630_000
SLOTS, AVERAGE, FEWEST = 672, 56, 3
NEAREST_KM, FARTHEST_KM = 0.11, 49
USERS, QUICK_USERS, DAYS, SLOT_MIN = 50_000, 2_000, 7, 15
QUICK_TOWERS = 12
POINTS = (1, 2, 3, 4, 5)
WINDOWS_H = (24, 12, 6)
MOST_PLACES = 5_000  # whose distances are all looked at

__all__ = ["figure_1", "figure_2", "figure_3", "figure_4", "reproduce", "table_1"]


@public
def reproduce(
    visits: Visits | None = None,
    *,
    name: str = "the data",
    quick: bool = False,
    full: bool = False,
    seed: int = 0,
) -> Reproduction:
    """Table 1 and Figures 1 to 4 of the paper, each of its statements beside what these data say.

    Args:
        visits: Visits with `slot_min`; a synthetic city if None.
        name: What a report calls the data.
        quick: Take two thousand people and fewer points, which takes seconds; fewer people are identified more easily.
        full: Make up as many people as the paper has.
        seed: Seed of every random choice.
    """
    made_up = visits is None
    if visits is None:
        visits, name = synthetic(quick=quick, full=full, seed=seed), "a synthetic city"
    elif quick:
        visits = some_people(visits, people=QUICK_USERS, seed=seed)
    data = cuts(visits, made_up=made_up, quick=quick, seed=seed)
    figures = (table_1(data), figure_1(data), figure_2(data, seed=seed), figure_3(data), figure_4(data))
    moving = data.visits
    return Reproduction("song2014", "Uniqueness and cutting", name, len(moving), moving.records, figures)


def synthetic(*, quick: bool = False, full: bool = False, seed: int = 0) -> Visits:
    """A week of sparse records at antennas, with as many people to an antenna as the paper has."""
    users = QUICK_USERS if quick else PEOPLE if full else USERS
    sites = QUICK_TOWERS if quick else round(users * PLACES / PEOPLE)
    city = synthetic_city(users=users, towers=sites, days=DAYS, profile="cdr", seed=seed)
    return towers(city.traces, city.towers, slot_min=SLOT_MIN)


def cuts(visits: Visits, *, made_up: bool, quick: bool, seed: int) -> Cuts:
    """Leave out people at one place [song2014, Sec. 4], then measure every cut."""
    if visits.slot_min is None:
        raise DataError("cutting by the hour needs visits with slot_min, the minutes of a slot.")
    moving = movers(visits)
    if not len(moving):
        raise DataError("nobody was at two places; use finer cells, or data of people who move.")
    return Cuts(*_raw(visits), moving, made_up, _risks(moving, POINTS[:3] if quick else POINTS, seed))


def _raw(visits: Visits) -> tuple[int, int]:
    """People and records before cleaning; of a draw its part of them, since repeats are not told by person."""
    steps = [step for step in visits.ledger.steps if step.read]
    if not steps or steps[0].users is None:
        return len(visits), visits.records
    users, records = steps[0].users[0], steps[0].read
    for step in steps:
        if step.name == DRAWN and step.users is not None:
            users, records = round(users * step.users[1] / step.users[0]), round(records * step.kept / step.read)
    return users, records


def _risks(visits: Visits, points: Sequence[int], seed: int) -> dict[tuple[int, int], CutRisk]:
    pieces = {window_h: windows(visits, window_h=window_h) for window_h in WINDOWS_H}
    return {(w, m): cut_risk(visits, cut, points=m, seed=seed) for w, cut in pieces.items() for m in points}


def movers(visits: Visits) -> Visits:
    """Without people who were at one place only.

    >>> two = Visits.from_arrays([1, 1, 2, 2], cell=[3, 3, 3, 4], slot=[0, 1, 0, 1])
    >>> len(movers(two))
    1
    """
    first = np.repeat(visits.cell[visits.offsets[:-1]], np.diff(visits.offsets))
    return some_rows(
        visits, (tally(visits.cell != first, visits.offsets) > 0)[visits.owner], "movers", "user at one place"
    )


def table_1(data: Cuts) -> Figure:
    """What is in the data [song2014, Table 1]."""
    visits = data.visits
    points = np.diff(visits.offsets)
    users, records = len(visits), visits.records
    return Figure(
        paper="song2014",
        number="Table 1",
        question="What is in the data?",
        answer=(
            f"{users:,} of {data.raw_users:,} people were at two places or more; they have {points.mean():.0f} points "
            "on average."
        ),
        panels=(
            Cdf(
                "table-1",
                "points of a trajectory",
                "people",
                (curve("points", points.astype(np.float64)),),
                f"Points of a trajectory (n = {users:,} people, {records:,} points).",
                log=True,
            ),
        ),
        statements=(*_counts(data, points.astype(np.float64)), *_distances(visits)),
        convention=(
            "A point is a place and a slot; the same person at the same place in the same slot twice is a repeat. "
            "People who were at one place only leave."
        ),
        users=users,
    )


def _counts(data: Cuts, points: Floats) -> list[Statement]:
    visits, where = data.visits, "Table 1"
    places, slots = len(np.unique(visits.cell)), int(visits.slot.max() - visits.slot.min()) + 1
    few = "a smaller city, made up" if data.made_up else OTHER
    stay = "few made-up people stay at one antenna all week" if data.made_up else OTHER
    once = "all records of a made-up person at one place in one slot count as one" if data.made_up else OTHER
    own = f"{points.mean():,.0f} by both"
    contradiction = "the paper contradicts itself: 43,000,000 records of 633,798 people are 68 each"
    return [
        _number("places", PLACES, places, few),
        _number("slots", SLOTS, slots, "another recording period, or other slots"),
        _number("trajectories", PEOPLE, len(visits), few),
        share(where, "people left after cleaning", _part(KEPT_PEOPLE, RAW_PEOPLE), len(visits) / data.raw_users, stay),
        share(where, "records left after cleaning", _part(*RECORDS[::-1]), visits.records / data.raw_records, once),
        _number("fewest points of a trajectory", FEWEST, int(points.min()), OTHER),
        _number("most points of a trajectory", SLOTS, int(points.max()), "nobody is seen in every slot here"),
        _number("average points of a trajectory", AVERAGE, round(float(points.mean())), OTHER),
        apart(where, "average = records / trajectories", "56 printed, 68 by division", contradiction, ours=own),
    ]


def _number(what: str, theirs: int, ours: int, why: str) -> Statement:
    near = theirs / FACTOR <= ours <= theirs * FACTOR
    return sized("Table 1", what, f"{theirs:,}", f"{ours:,}", near, why)


def _part(kept: int, read: int) -> tuple[float, float]:
    return kept / read, kept / read


def _distances(visits: Visits) -> list[Statement]:
    what, theirs = "nearest and farthest places", f"{NEAREST_KM} km, {FARTHEST_KM} km"
    used = np.unique(visits.cell)
    if visits.xy is None or not 2 <= len(used) <= MOST_PLACES:
        return [apart("Sec. 4", what, theirs, f"needs coordinates of 2 to {MOST_PLACES:,} places")]
    near, far = extremes_km(visits.xy[used])
    return [
        size("Sec. 4", "two nearest places", NEAREST_KM, near, "km", OTHER),
        size("Sec. 4", "two farthest places", FARTHEST_KM, far, "km", OTHER),
    ]


def extremes_km(xy: Floats) -> tuple[float, float]:
    """The least and the greatest distance between two of some places.

    >>> extremes_km(np.array([[0, 0], [3000, 4000], [0, 1000]]))
    (1.0, 5.0)
    """
    near, far = np.inf, 0.0
    for row in range(1, len(xy)):
        away = np.hypot(*(xy[:row] - xy[row]).T)
        near, far = min(near, float(away.min())), max(far, float(away.max()))
    return near / 1000, far / 1000


def figure_1(data: Cuts) -> Figure:
    """Cutting itself, which Figure 1 draws for one person [song2014, Fig. 1]; nobody's trajectory is drawn here."""
    visits = data.visits
    release = Cut(window_h=SHORTEST)(visits)
    pieces = np.diff(release.data.offsets).astype(np.float64)
    same = release.data.records == visits.records
    return Figure(
        paper="song2014",
        number="1",
        question="How long are the pieces after cutting?",
        answer=f"{len(visits):,} people become {len(pieces):,} pieces of {pieces.mean():.1f} points on average.",
        panels=(
            Cdf(
                "1",
                "points of a piece",
                "pieces",
                (curve(f"{SHORTEST} h", pieces),),
                f"Points of a piece of {SHORTEST} h (n = {len(pieces):,} pieces of {len(visits):,} people).",
                log=True,
            ),
        ),
        statements=(
            claim(
                "Sec. 1",
                "points kept, and made up",
                "all, none",
                f"{release.data.records:,} of {visits.records:,}, 0",
                same,
                "",
            ),
            apart(
                "Fig. 1", "one trajectory in pieces of 6 h", "a drawing", "an illustration: it shows one person's week"
            ),
        ),
        convention="Windows are half-open and begin at midnight; every piece gets a pseudonym of its own.",
        users=len(visits),
    )
