"""Traces -> what the experiments of [tan2017] need: cleaned taxis, and a box of the paper's size around them."""

import math
from dataclasses import dataclass

import numpy as np

from incrowd import clean
from incrowd.arrays import Floats, Ints
from incrowd.clock import DAY_H
from incrowd.data import Traces
from incrowd.discretize.bounds import warn_zero_left_out
from incrowd.discretize.slots import wall_hours
from incrowd.errors import DataError
from incrowd.ledger import Step
from incrowd.read import synthetic_city
from incrowd.read.plane import Box

TAXIS = {"Shenzhen": 13_798, "Shanghai": 13_899}  # [tan2017, Table 1]
RECORDS = {"Shenzhen": 130_551_644, "Shanghai": 1_141_606_183}
BLOCKS, SLOT_MIN, KNOWN = 100, 20, 4  # blocks each way, minutes of a period and points of most experiments
FOUR = {"Shenzhen": 0.9535, "Shanghai": 0.9675}  # unique at these
SIDE_KM = 200.0
USERS, DAYS, DIRT = 500, 9, 0.02
QUICK_USERS, QUICK_DAYS = 60, 2
DEGREE_KM = 111.2


@dataclass(frozen=True, eq=False, repr=False)
class Taxis:
    """Traces as they came and as they were cleaned."""

    raw: Traces
    traces: Traces
    made_up: bool
    time_zone: str | None = None  # whose wall clock days follow; None for UTC
    keep_zero: bool = False  # whether records at (0, 0) stayed

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
        return f"{kind}, and {len(self.traces):,} of them instead of {TAXIS['Shenzhen']:,}"

    def steps(self) -> dict[str, Step]:
        """What cleaning did, by step."""
        before = len(self.raw.ledger.steps)
        return {step.name: step for step in self.traces.ledger.steps[before:]}


def synthetic(*, quick: bool = False, seed: int = 0) -> Traces:
    """Nine days of GPS of made-up taxis, with defects as in real logs."""
    users, days = (QUICK_USERS, QUICK_DAYS) if quick else (USERS, DAYS)
    return synthetic_city(users=users, days=days, profile="taxi", seed=seed, dirt=DIRT).traces


def cleaned(
    traces: Traces, *, made_up: bool, time_zone: str | None = None, box: Box | None = None, keep_zero: bool = False
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
    return Taxis(traces, tidy, made_up, time_zone, keep_zero)


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
