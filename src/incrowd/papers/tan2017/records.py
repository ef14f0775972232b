"""[tan2017]: taxis as they came and as they were cleaned; Table 1 and Figures 8 to 14, what their records say."""

import math
from dataclasses import dataclass

import numpy as np

from incrowd import clean
from incrowd.arrays import Floats, Ints
from incrowd.clock import DAY_H, HOUR_S
from incrowd.data import Traces, Visits
from incrowd.discretize.bounds import warn_zero_left_out
from incrowd.discretize.slots import wall_hours
from incrowd.errors import DataError
from incrowd.ledger import Step
from incrowd.measure.sweep.result import Sweep
from incrowd.measure.uniqueness import crowd_sizes
from incrowd.papers.record import FACTOR, OTHER, UNDEFINED, Figure, Statement, apart, claim, size, sized
from incrowd.plain import percent, several
from incrowd.read import synthetic_city
from incrowd.read.plane import Box
from incrowd.show import Cdf, curve

TAXIS = {"Shenzhen": 13_798, "Shanghai": 13_899}  # [tan2017, Table 1]
RECORDS = {"Shenzhen": 130_551_644, "Shanghai": 1_141_606_183}
BLOCKS, SLOT_MIN, KNOWN = 100, 20, 4  # blocks each way, minutes of a period and points of most experiments
FOUR = {"Shenzhen": 0.9535, "Shanghai": 0.9675}  # unique at these
SIDE_KM = 200.0
DAYS = {"Shenzhen": 9, "Shanghai": 10}
USERS, DIRT = 500, 0.02
QUICK_USERS, QUICK_DAYS = 60, 2
DEGREE_KM = 111.2
DRAWN = "an illustration without numbers"
SORTED = "the records were in time order when they were read"


@dataclass(frozen=True, eq=False, repr=False)
class Taxis:
    """Traces as they were cleaned, and what is kept of those that came."""

    traces: Traces
    made_up: bool
    records: int  # that came
    ordered: bool  # by time, when they came
    earlier_steps: int  # of their ledger, before cleaning
    time_zone: str | None = None  # whose wall clock days follow; None for UTC
    keep_zero: bool = False  # whether records at (0, 0) stayed
    like: str | None = None  # city of the paper that made-up taxis stand for

    @property
    def cities(self) -> tuple[str, ...]:
        """Cities of the paper whose numbers stand beside these."""
        return tuple(TAXIS) if self.like is None else (self.like,)

    @property
    def day(self) -> Ints:
        """The day of each record, counted from 1970."""
        return wall_hours(self.traces.t, self.time_zone) // DAY_H

    @property
    def days(self) -> int:
        """Days from the first to the last record, both counted."""
        return int(np.ptp(self.day)) + 1

    @property
    def why(self) -> str:
        """Why a number differs from the paper's."""
        kind = "made-up taxis" if self.made_up else "other vehicles and places"
        theirs = min(TAXIS[city] for city in self.cities)
        fewer = len(self.traces) < theirs / FACTOR
        return f"{kind}, and {len(self.traces):,} of them instead of {theirs:,}" if fewer else kind

    def steps(self) -> dict[str, Step]:
        """What cleaning did, by step."""
        return {step.name: step for step in self.traces.ledger.steps[self.earlier_steps :]}


def synthetic(city: str, *, quick: bool = False, full: bool = False, seed: int = 0) -> Traces:
    """GPS of made-up taxis for as many days as those of a city of the paper, with defects as in real logs."""
    users, days = (QUICK_USERS, QUICK_DAYS) if quick else (TAXIS[city] if full else USERS, DAYS[city])
    other = list(TAXIS).index(city)
    return synthetic_city(users=users, days=days, profile="taxi", seed=seed + other, dirt=DIRT).traces


def cleaned(
    traces: Traces,
    *,
    made_up: bool,
    time_zone: str | None = None,
    box: Box | None = None,
    keep_zero: bool = False,
    like: str | None = None,
) -> Taxis:
    """Repeats, disorder, displacement and taxis with few records, in the order of [tan2017, Sec. 4.1].

    Records at (0, 0) and outside a given box leave before that.
    """
    zeros = 0 if keep_zero else int(traces.at_zero.sum())
    here = clean.outside(traces, box, zero=not keep_zero) if zeros or box is not None else traces
    warn_zero_left_out(zeros)
    tidy = clean.sparse_users(clean.displaced(clean.order(clean.duplicates(here))))
    if len(tidy) < 2:
        raise DataError("fewer than two users are left after cleaning; give data of more vehicles or people.")
    came = traces.records, traces.ordered, len(traces.ledger.steps)
    return Taxis(tidy, made_up, *came, time_zone, keep_zero, like)


def wide_box(traces: Traces) -> Box:
    """The paper's 200 km each way, around the median record: 100 x 100 blocks of it measure 2 km."""
    x, y = traces.coordinates
    half_x, half_y = (SIDE_KM / 2 * per for per in _per_km(traces, y))
    east, north = float(np.median(x)), float(np.median(y))
    return east - half_x, north - half_y, east + half_x, north + half_y


def _per_km(traces: Traces, y: Floats) -> tuple[float, float]:
    """How much x and y grow along a kilometre: metres, or degrees at the median latitude."""
    if traces.planar:
        return 1000.0, 1000.0
    return 1 / DEGREE_KM / math.cos(math.radians(float(np.median(y)))), 1 / DEGREE_KM


def table_1(taxis: Taxis, own: Sweep) -> Figure:
    """Taxis, records and their area [tan2017, Table 1]; Table 2 lists records of single taxis and is left out."""
    traces = taxis.traces
    daily = traces.records / len(traces) / taxis.days
    both = " and ".join(f"{TAXIS[city]:,}" for city in taxis.cities)
    enough = any(TAXIS[city] / FACTOR < len(traces) for city in taxis.cities)
    dense = "made-up taxis send a record a minute" if taxis.made_up else OTHER
    return Figure(
        paper="tan2017",
        number="Table 1",
        question="What is in the data?",
        answer=f"{len(traces):,} vehicles with {daily:,.0f} records a day each, over {several(taxis.days, 'day')}.",
        panels=(),
        statements=(
            sized("Table 1", "taxis", both, f"{len(traces):,}", enough, taxis.why),
            *(
                claim("Table 1", f"days ({c})", f"{DAYS[c]}", f"{taxis.days:,}", taxis.days == DAYS[c], OTHER)
                for c in taxis.cities
            ),
            *(
                size("Table 1", f"records of a taxi on a day ({c})", _daily(c), round(daily), "", dense)
                for c in taxis.cities
            ),
            _side(taxis, max(own.box_m) / 1000),
            apart("Table 2", "first records of three taxis", "listed", "records of single vehicles are not printed"),
        ),
        convention=(
            "Counted after cleaning. Days are from the first to the last record, both counted. The area is the box "
            "that blocks divide: of all records, but for a few that would stretch it to more than 4 times their middle."
        ),
        users=len(traces),
    )


def _daily(city: str) -> int:
    """Records of a taxi on a day, as printed."""
    return round(RECORDS[city] / TAXIS[city] / DAYS[city])


def _side(taxis: Taxis, own_km: float) -> Statement:
    why = "the made-up city is this large" if taxis.made_up else OTHER
    return size("Sec. 3.1", "side of the area", SIDE_KM, own_km, "km", why)


def figure_8_9(taxis: Taxis) -> Figure:
    """What cleaning found: disorder in time and displacement in space [tan2017, Fig. 8 and 9]."""
    steps = taxis.steps()
    order, moved = steps["order"], steps["displaced"]
    swapped = sum(order.notes.values())
    stray, jumps = order.dropped["uncorrelated time"], moved.dropped["implausible speed before and after"]
    repeats, few = sum(steps["duplicates"].dropped.values()), sum(steps["sparse_users"].dropped.values())
    disorder = (
        (_count("Fig. 8a", "records of uncorrelated time removed", stray), _swapped(swapped, taxis.records))
        if not taxis.ordered
        else (apart("Fig. 8", "records in temporal disorder", "removed or corrected", SORTED),)
    )
    return Figure(
        paper="tan2017",
        number="Figures 8 and 9",
        question="What did cleaning remove?",
        answer=(
            f"Of {taxis.records:,} records {repeats:,} are repeats, {stray + jumps:,} are broken in time or space, "
            f"{swapped:,} were put in order and {few:,} are of vehicles with few; {taxis.traces.records:,} are left."
        ),
        panels=(),
        statements=(*disorder, _count("Fig. 9", "displaced records removed", jumps)),
        convention=(
            "Disorder is repaired until times rise; a record is displaced when it is too fast to reach and to leave at "
            "200 km/h while its neighbours are within reach. The paper gives no speed and no counts."
        ),
        users=len(taxis.traces),
    )


def _count(where: str, what: str, ours: int) -> Statement:
    return apart(where, what, "some", "the paper gives no count", ours=f"{ours:,}")


def _swapped(swapped: int, records: int) -> Statement:
    part = swapped / records
    why = "there are more of them here"
    return claim(
        "Sec. 4.1", "disorder by one record", "a low possibility", f"{percent(part)} of records", part < 0.05, why
    )


def figure_10_12() -> Figure:
    """The example of a unique sample [tan2017, Fig. 12]; Figures 10 and 11 draw periods and blocks."""
    blue, red = (1, 2, 3, 4), (5, 2, 3, 6)  # A to D and E to H; B with F and C with G share a block
    two = Visits.from_arrays([0] * 4 + [1] * 4, cell=[*blue, *red], slot=[*range(4)] * 2)
    times_of = {"B, C": (1, 2), "A, B, C": (0, 1, 2), "B, C, D": (1, 2, 3)}
    crowds = crowd_sizes(two, [[(blue[t], t) for t in times] for times in times_of.values()]).tolist()
    stated = {"B, C": "not unique", "A, B, C": "unique", "B, C, D": "unique"}
    return Figure(
        paper="tan2017",
        number="Figures 10 to 12",
        question="When is a sample unique?",
        answer="Two taxis share B and C; a third point tells them apart.",
        panels=(),
        statements=(
            *(
                claim("Fig. 12", f"known: {known}", stated[known], own, own == stated[known], "")
                for known, crowd in zip(times_of, crowds, strict=True)
                for own in ("unique" if crowd == 1 else "not unique",)
            ),
            apart("Fig. 10", "points of one period are alike", "a drawing", DRAWN),
            apart("Fig. 11", "points of one block are alike", "a drawing", DRAWN),
        ),
        convention="A sample is unique when one vehicle has all its points.",
        users=2,
    )


def figure_13(taxis: Taxis) -> Figure:
    """Records of a vehicle on a day [tan2017, Fig. 13]."""
    traces = taxis.traces
    day = taxis.day
    counts = np.bincount(traces.owner * (int(np.ptp(day)) + 1) + (day - int(day.min())))
    many = counts[counts > 0].astype(np.float64)
    own = f"median {np.median(many):,.0f}, mean {many.mean():,.0f}"
    return Figure(
        paper="tan2017",
        number="13",
        question="How many records does a vehicle have on a day?",
        answer=f"Half of the days have {np.median(many):,.0f} records or more.",
        panels=(
            Cdf(
                "13",
                "records of a vehicle on a day",
                "days",
                (curve("records", many),),
                f"Records of a vehicle on a day with any (n = {len(many):,} days of {len(traces):,} vehicles).",
            ),
        ),
        statements=(
            apart("Fig. 13", "density of the records a day", "falls in Shenzhen, rises in Shanghai", "only drawn", own),
        ),
        convention=f"Days are those of {taxis.time_zone or 'UTC'}.",
        users=len(traces),
    )


def figure_14(taxis: Taxis) -> Figure:
    """Time from one record of a vehicle to the next [tan2017, Fig. 14]."""
    gaps, users = intervals(taxis.traces.t, taxis.traces.offsets), len(taxis.traces)
    hour = float((gaps <= HOUR_S).mean()) if len(gaps) else float("nan")
    what, theirs = "intervals within one hour", "more than 95 %"
    statement = (
        claim("Sec. 4.5", what, theirs, percent(hour), hour > 0.95, OTHER)
        if len(gaps)
        else apart("Sec. 4.5", what, theirs, UNDEFINED)
    )
    return Figure(
        paper="tan2017",
        number="14",
        question="How long is it from one record to the next?",
        answer=f"{percent(hour)} of the intervals are within one hour.",
        panels=(
            Cdf(
                "14",
                "seconds to the next record",
                "intervals",
                (curve("interval", gaps),),
                f"Time from one record of a vehicle to the next (n = {len(gaps):,} intervals).",
                log=True,
            ),
        ),
        statements=(statement,),
        convention="Counted after cleaning.",
        users=users,
    )


def intervals(t: Ints, offsets: Ints) -> Floats:
    """Seconds between records of one user, users one after the other."""
    within = np.ones(max(len(t) - 1, 0), np.bool_)
    within[offsets[1:-1] - 1] = False
    return np.diff(t)[within].astype(np.float64)
