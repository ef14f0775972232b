"""Recovered trajectories against the original ones: accuracy by stage, errors in metres, uniqueness."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from incrowd.arrays import Flags, Floats, Ints, frozen
from incrowd.attack.recover.result import score_section
from incrowd.data import Visits
from incrowd.errors import DataError, ParameterError, check_choice, public
from incrowd.measure.uniqueness.index import Tops
from incrowd.progress import track
from incrowd.show import Result, Section
from incrowd.threads import machine

Pairing = Literal["global", "index", "optimal"]
PAIRINGS = ("global", "index", "optimal")
MOST_OPTIMAL = 5_000  # users; three tables of all pairs


def pair(z: Ints, y: Ints, pairing: str) -> Ints:
    """The row of y that each row of z is compared with, by slots spent in the same cell.

    >>> z, y = np.array([[0, 0, 1, 2], [0, 0, 1, 1]]), np.array([[0, 0, 1, 1], [0, 0, 2, 2]])
    >>> [pair(z, y, rule).tolist() for rule in ("global", "index")]
    [[1, 0], [0, 1]]
    """
    from incrowd.kernels.cpu import recovery_score as kernel

    if pairing == "index":
        return kernel.pair_in_order(z, y)
    if pairing == "global":
        return kernel.pair_globally(z, y)
    if len(z) > MOST_OPTIMAL:
        raise ParameterError(
            f"pairing 'optimal' compares all pairs, of at most {MOST_OPTIMAL:,} users, got {len(z):,}; use 'global'."
        )
    from scipy.optimize import linear_sum_assignment

    chosen: Ints = linear_sum_assignment(kernel.similarity(z, y), maximize=True)[1].astype(np.int64)
    return chosen


FAR_M = 1_000.0
QUANTILES = (0.5, 0.75, 0.9, 0.95, 0.99)
TOP = 5
MATCHES = ("set", "ordered", "contain")

_BLOCK = 4_096  # users whose errors are worked out at once


@runtime_checkable
class Guessed(Protocol):
    """Trajectories that somebody recovered or guessed: the cell of each of them in each slot of whole days."""

    @property
    def cells(self) -> Ints:
        """[user, slot]."""

    @property
    def xy(self) -> Floats:
        """[cell, 2] metres."""

    @property
    def slot_min(self) -> int:
        """Minutes of a slot."""

    @property
    def days(self) -> int:
        """How many the slots make."""

    @property
    def night(self) -> Flags:
        """Which slots of a day belong to the night."""


@dataclass(frozen=True, eq=False)
class RecoveryScore(Result):
    """How much of the truth was recovered, in [0, 1], higher is worse for the people counted."""

    accuracy: float  # share of points in the right cell
    stages: Mapping[str, float]  # "night" and "day", each paired anew, mean over days; "whole" is the accuracy
    error_m: Mapping[float, float]  # quantiles over all points
    mean_error_m: float
    far: float  # share of points more than 1 km off
    uniqueness: Mapping[int, float]  # recovered trajectories singled out by the set of their top k cells
    uniqueness_by: Mapping[str, Mapping[int, float]]  # the same as a set, as a list, and by who visited all of them
    original_uniqueness: Mapping[str, Mapping[int, float]]
    pairing: str
    users: int
    slots: int
    slot_min: int
    per_day: Mapping[str, tuple[float, ...]] = field(repr=False)
    errors: Floats = field(repr=False)  # metres of every point, in rising order
    match: Ints = field(repr=False)  # the original each recovered trajectory is compared with
    seconds: float = 0.0
    machine: str = ""

    def section(self) -> Section:
        """How much of what was reconstructed is true."""
        return score_section(self)

    def within(self, limit_m: float) -> float:
        """P(E <= x), the share of points not farther off [xu2017, Eq. 6]."""
        return float(np.searchsorted(self.errors, limit_m, "right") / len(self.errors))


@public
def recovery_score(recovered: Guessed, visits: Visits, *, pairing: Pairing = "global") -> RecoveryScore:
    """How much of reconstructed trajectories is true: accuracy, error, uniqueness [xu2017, Eqs. 5 and 6, Sec. 5.1].

    Differs from [xu2017]: it names "index", which depends on the order of rows.

    Args:
        recovered: Trajectories from `attack.recover`, or guessed ones.
        visits: The original people, one cell in every slot.
        pairing: With which original each is compared: the most similar pair left, again and again ("global"), each in
            turn takes its most similar ("index"), or the greatest total ("optimal", for few people).

    >>> visits = Visits.from_arrays([1, 1, 2, 2], [0, 1, 2, 2], [0, 1, 0, 1], xy=[[0, 0], [9, 0], [0, 9]], slot_min=720)
    >>> from incrowd.attack.recover.guesses import Guess
    >>> guess = Guess(np.array([[2, 2], [0, 0]]), visits.xy, 720, days=1, night=np.array([True, False]))
    >>> recovery_score(guess, visits).accuracy
    0.75
    """
    began = time.perf_counter()
    check_choice("pairing", pairing, PAIRINGS)
    if not isinstance(recovered, Guessed):
        raise DataError(f"recovered must come from incrowd.attack.recover, got {type(recovered).__name__}.")
    z, y = recovered.cells, originals(recovered, visits)
    per_day = _per_day(z, y, recovered, pairing)
    match = pair(z, y, pairing)
    errors = _errors(z, y, match, recovered.xy)
    accuracy = share_right(z, y, match)
    mine, theirs = _uniqueness(z), _uniqueness(y)
    return RecoveryScore(
        accuracy=accuracy,
        stages={**{name: float(np.mean(values)) for name, values in per_day.items()}, "whole": accuracy},
        error_m=dict(zip(QUANTILES, _quantiles(errors), strict=True)),
        mean_error_m=float(errors.mean()),
        far=float((errors > FAR_M).mean()),
        uniqueness=mine["set"],
        uniqueness_by=mine,
        original_uniqueness=theirs,
        pairing=pairing,
        users=len(z),
        slots=z.shape[1],
        slot_min=recovered.slot_min,
        per_day=per_day,
        errors=frozen(errors),
        match=frozen(match),
        seconds=time.perf_counter() - began,
        machine=machine(),
    )


def originals(recovered: Guessed, visits: Visits) -> Ints:
    """The cell of each original user in each slot, if they can be compared with the recovered ones."""
    users, slots = recovered.cells.shape
    if len(visits) != users:
        raise DataError(f"{users:,} users were recovered and {len(visits):,} are given; give the people counted.")
    if visits.slot_min != recovered.slot_min:
        raise DataError(f"slots of {recovered.slot_min} min were recovered; give visits in slots of that length.")
    if visits.xy is None or not np.array_equal(visits.xy, recovered.xy):
        raise DataError("these visits have other cells than the recovered trajectories; use those that were counted.")
    cells = visits.everywhere(slots)
    if cells is None:
        raise DataError(
            f"not every user has one cell in each of the {slots:,} slots of the counts, and in no other; give the "
            "people of the slots that were counted, and fill their gaps (--fill interpolate)."
        )
    return cells


def share_right(z: Ints, y: Ints, match: Ints) -> float:
    """Share of points in the right cell [xu2017, Eq. 5]."""
    parts = [slice(a, a + _BLOCK) for a in range(0, len(z), _BLOCK)]
    return sum(int((z[part] == y[match[part]]).sum()) for part in parts) / z.size if z.size else np.nan


def _per_day(z: Ints, y: Ints, recovered: Guessed, pairing: str) -> dict[str, tuple[float, ...]]:
    """Accuracy of each night and each day, paired on its own."""
    slots = z.shape[1] // recovered.days
    nights: list[float] = []
    days: list[float] = []
    for start in track(range(0, z.shape[1], slots), "scoring days", recovered.days):
        for shares, which in ((nights, start + np.flatnonzero(recovered.night)), (days, start + np.arange(slots))):
            mine, theirs = z[:, which], y[:, which]
            shares.append(share_right(mine, theirs, pair(mine, theirs, pairing)))
    return {"night": tuple(nights), "day": tuple(days)}


def _errors(z: Ints, y: Ints, match: Ints, xy: Floats) -> Floats:
    """Metres between each recovered point and the original one, in rising order; most are 0 and need no sorting."""
    parts = []
    for a in range(0, len(z), _BLOCK):
        here, there = z[a : a + _BLOCK], y[match[a : a + _BLOCK]]
        wrong = here != there
        parts.append(np.hypot(*(xy[here[wrong]] - xy[there[wrong]]).T))
    errors = np.zeros(z.size)
    far = errors[z.size - sum(map(len, parts)) :]
    np.concatenate(parts, out=far)
    far.sort()
    return errors


def _quantiles(errors: Floats) -> list[float]:
    """The least x with P(E <= x) >= q, of errors in order."""
    return [float(errors[int(np.ceil(q * len(errors))) - 1]) for q in QUANTILES]


def _uniqueness(cells: Ints) -> dict[str, dict[int, float]]:
    """Share of trajectories singled out by their top k cells, for each rule and k."""
    users, slots = cells.shape
    # Only how often matters, and one row at a time is soon in order.
    flat: dict[str, Any] = {"cell": np.sort(cells, axis=1).ravel(), "slot": np.broadcast_to(np.int64(0), cells.size)}
    tops = Tops.over(Visits(np.arange(users), np.arange(users + 1) * slots, **flat))
    return {
        rule: {k: float((tops.crowds(k, rule) == 1).mean()) for k in range(1, TOP + 1)}
        for rule in track(MATCHES, "uniqueness")
    }
