"""Counts -> trajectories: people found again in what was published as nothing but numbers of people."""

import time
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Floats, Ints, frozen
from incrowd.attack.gain import Match, match_by_gain
from incrowd.attack.recover.result import Recovered
from incrowd.clock import DAY_MIN, check_hours, within_hours
from incrowd.data import Counts
from incrowd.errors import (
    DataError,
    ParameterError,
    check_choice,
    check_positive,
    check_seed,
    check_whole,
    public,
)
from incrowd.progress import track
from incrowd.threads import Pool, machine, threads


class Linked(NamedTuple):
    """Which row of each day belongs to whom; order[d, i] is the row of day d of user i, and order[0] counts up."""

    order: Ints  # [days, users]
    gains: Floats  # [days - 1] bits in total
    bounds: Floats  # [days - 1] bits; no other way of joining these two days gains less


def link_days(
    days: NDArray[np.integer[Any]], cells: int, seed: int | None = None, *, workers: int | None = None
) -> Linked:
    """Join each day with the next by the least total of information gains [xu2017, Eq. 4], links composed.

    `days` holds the cell, below `cells`, of each day, row and slot. Equals and ties go by row, or at random where a
    seed is given; neither depends on `workers`, the days joined at a time (default: one per core).

    >>> link_days(np.array([[[0, 0], [1, 1]], [[1, 1], [0, 0]]]), cells=2).order.tolist()
    [[0, 1], [1, 0]]
    """
    size, users, _ = days.shape
    if days.size and not 0 <= days.min() <= days.max() < cells:
        raise DataError(f"a cell id lies outside 0 to {cells - 1}; number the cells from 0.")

    def link(day: int) -> Match:
        rng = None if seed is None else np.random.default_rng([seed, day])
        return match_by_gain(*_rows(days[day]), *_rows(days[day + 1]), rng=rng)

    with Pool(workers or threads()) as pool:
        links = list(track(pool.map(link, range(size - 1)), "joining days", size - 1))
    order = np.tile(np.arange(users), (size, 1))
    for day, matching in enumerate(links, 1):
        order[day] = matching.match[order[day - 1]]
    return Linked(
        order, np.array([matching.total for matching in links]), np.array([matching.bound for matching in links])
    )


def _rows(day: NDArray[np.integer[Any]]) -> tuple[Ints, Ints]:
    """Offsets and cells of one day; in order row by row, which takes a tenth of the time of all rows at once."""
    users, slots = day.shape
    return np.arange(users + 1) * slots, np.sort(day, axis=1).ravel().astype(np.int64)


METHODS = ("exact", "threshold")
QUARTER_MIN = 360
MOST_POINTS = 2**32  # people times slots, 12 bytes each
MOST_BIDS = 10_000  # per person and link; hard cities need about 100

Day = tuple[NDArray[np.int32], Floats, Floats, Ints]


@public
def recover(
    counts: Counts,
    *,
    night_h: tuple[float, float] = (0, 6),
    method: Literal["exact", "threshold"] = "exact",
    theta_m: float | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> Recovered:
    """Trajectories that explain published counts at the least total distance, day by day, then joined [xu2017, Sec. 4].

    The attacker knows the counts and where the cells are. By night people are expected where they were, by day as far
    on as they came.

    Args:
        counts: Counts of whole days that add up to the same number of people in every slot (`attack.repair`).
        night_h: Hours in which people are expected to stay.
        method: The optimal assignment ("exact"), or the paper's shortcut ("threshold"): pairs nearer than theta_m
            first. Its bounds are those of the optimum, which is worked out beside it, hence it takes longer.
        theta_m: Metres below which the shortcut joins pairs first.
        seed: Settles ties at random. [default: by row]
        workers: Days worked on at a time. [default: one for each core]

    Returns:
        One trajectory for each person counted, with costs and the bounds that certify them.

    >>> counts = Counts.from_arrays([[1, 1]] * 4, xy=[[0, 0], [900, 0]], slot_min=360)
    >>> recover(counts).cells.tolist()
    [[0, 0, 0, 0], [1, 1, 1, 1]]
    """
    began = time.perf_counter()
    check_choice("method", method, METHODS)
    theta = _theta(method, theta_m)
    if seed is not None:
        check_seed(seed=seed)
    if workers is not None:
        check_whole(workers=workers)
    night = night_slots(night_h, counts.slot_min)
    _check(counts)
    n = counts.n.reshape(-1, DAY_MIN // counts.slot_min, counts.shape[1])
    days, costs, bounds = _days(n, counts.xy, night, theta, seed, workers or threads())
    linked = link_days(days, counts.shape[1], seed, workers=workers)
    cells = np.empty((days.shape[1], len(counts.n)), np.int64)
    for day, rows in enumerate(linked.order):
        cells[:, day * n.shape[1] : (day + 1) * n.shape[1]] = days[day][rows]
    return Recovered(
        cells=frozen(cells),
        costs=frozen(costs),
        bounds=frozen(bounds),
        gains=frozen(linked.gains),
        gain_bounds=frozen(linked.bounds),
        xy=counts.xy,
        slot_min=counts.slot_min,
        night=frozen(night),
        method=method,
        theta_m=theta_m,
        seed=seed,
        seconds=time.perf_counter() - began,
        machine=machine(),
    )


def _theta(method: str, theta_m: float | None) -> float:
    if method == "exact":
        if theta_m is not None:
            raise ParameterError(
                "theta_m has no meaning with method 'exact'; leave it out, or pass method='threshold'."
            )
        return 0.0
    if theta_m is None:
        raise ParameterError("method 'threshold' needs theta_m, the metres below which pairs are joined first.")
    if theta_m != 0:
        check_positive(theta_m=theta_m)
    return float(theta_m)


def _check(counts: Counts) -> None:
    """Refuse counts that no crowd of a fixed size leaves behind in whole days."""
    if QUARTER_MIN % counts.slot_min:
        raise ParameterError(f"slots of {counts.slot_min} min do not divide 6 hours; count in slots of 30, 60 or 90.")
    slots = DAY_MIN // counts.slot_min
    if counts.start_min:
        raise DataError(f"slot 0 begins {counts.start_min} min after midnight; give counts that begin at midnight.")
    if len(counts.n) % slots:
        raise DataError(f"{len(counts.n)} slots are not whole days of {slots}; drop or complete the last day.")
    mend = "call incrowd.attack.repair first"
    if counts.n.dtype.kind != "i":
        raise DataError(f"some counts are not whole; {mend}.")
    if (counts.n < 0).any():
        raise DataError(f"{int((counts.n < 0).sum())} counts are below 0; {mend}.")
    totals = counts.n.sum(axis=1)
    unequal = np.flatnonzero(totals != totals[0])
    if len(unequal):
        raise DataError(f"slot {unequal[0]} does not add up to as many people as slot 0; {mend}.")
    if not totals[0]:
        raise DataError("all counts are 0; there is nobody to recover.")
    if totals[0] * len(counts.n) > MOST_POINTS:
        raise DataError(
            f"{totals[0]:,} people in {len(counts.n):,} slots are more than {MOST_POINTS:,} points; "
            "give fewer days, or counts of a part of the people."
        )


def night_slots(night_h: tuple[float, float], slot_min: int, start_min: int = 0) -> Flags:
    """Whether each slot of a day begins by night, which may span midnight.

    >>> night_slots((22, 6), 360).tolist()
    [True, False, False, False]
    """
    check_hours(night_h=night_h)
    hour = (start_min + np.arange(max(DAY_MIN // slot_min, 1)) * slot_min) % DAY_MIN / 60
    return within_hours(hour, *night_h)


def _days(
    n: Ints, xy: Floats, night: Flags, theta: float, seed: int | None, workers: int
) -> tuple[NDArray[np.int32], Floats, Floats]:
    """Every day on its own: cells [day, row, slot], costs and bounds."""
    from incrowd.kernels.cpu.transport import recover_day

    users = int(n[0, 0].sum())
    most = MOST_BIDS * (users + 1000)

    def work(day: int) -> Day:
        prefer = _prefer(seed, day, len(night), users)
        # Read-only arrays are another type to the compiler, and would have it compile everything once more.
        recovered: Day = recover_day(n[day].copy(), xy.copy(), night, prefer, theta, most)
        return recovered

    cells = np.empty((len(n), users, len(night)), np.int32)
    costs, bounds = np.empty((2, len(n), len(night) - 1))
    for day, (rows, costs[day], bounds[day], bids) in enumerate(_in_turn(work, len(n), workers)):
        if (bids < 0).any():
            link = int(np.argmax(bids < 0))
            raise DataError(
                f"slots {link} and {link + 1} of day {day} cannot be linked in {most:,} bids; use coarser cells."
            )
        cells[day] = rows.T
    return cells, costs, bounds


def _in_turn(work: Any, days: int, workers: int) -> Iterator[Day]:
    """Results in the order of days; compiled kernels let go of the interpreter, so that threads are enough."""
    with Pool(workers) as pool:
        yield from track(pool.map(work, range(days)), "recovering days", days)


def _prefer(seed: int | None, day: int, slots: int, users: int) -> Ints:
    """Who comes first among equals at each link; nothing where the row decides."""
    if seed is None:
        return np.empty((0, users), np.int64)
    rng = np.random.default_rng([seed, day, 1])
    return rng.permuted(np.tile(np.arange(users), (slots - 1, 1)), axis=1)
