"""[tan2017, Sec. 3.2]: Figures 6 and 7, points that lie close together in time."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from incrowd.clock import DAY_MIN
from incrowd.data import Visits
from incrowd.discretize import blocks as on_blocks
from incrowd.measure.uniqueness import uniqueness
from incrowd.measure.uniqueness.question import Uniqueness
from incrowd.papers.record import NEAR, Figure, Statement, apart, claim, size
from incrowd.papers.tan2017.records import BLOCKS, KNOWN, SLOT_MIN, Taxis, wide_box
from incrowd.plain import percent
from incrowd.show import Line, Lines

CLOSE_H = (0.5, 1, 2, 4.8, 6)
SIZES = (10, 50, 100, 200)
TOLERANCE_MIN = 10
SAMPLES = 20_000
RANDOM_H = 4.8  # 24 h / (4 + 1) [tan2017, Eq. 3]
DRAW = 0.01  # by which a share of so many samples may fall though the true one does not
STEADY_H = 2  # from here on uniqueness converges


def figure_6_7(taxis: Taxis, *, sizes: Sequence[int] = SIZES, samples: int = SAMPLES, seed: int = 0) -> Figure:
    """Uniqueness from four points of one day, against their mean distance in time [tan2017, Fig. 6 and 7]."""
    box = wide_box(taxis.traces)
    wide: dict[str, Any] = {"slot_min": SLOT_MIN, "box": box, "keep_zero": taxis.keep_zero}
    visits = {n: on_blocks(taxis.traces, blocks=n, time_zone=taxis.time_zone, **wide) for n in sizes}
    risks = {n: [_close(one, hours, samples, seed) for hours in CLOSE_H] for n, one in visits.items()}
    main = BLOCKS if BLOCKS in sizes else max(sizes)
    usual = uniqueness(visits[main], points=KNOWN, samples=samples, seed=seed)
    lines = tuple(Line(f"{n} x {n}", *_points([value(one) for one in rows])) for n, rows in risks.items())
    values = [value(one) for one in risks[main]]
    skipped = ", ".join(f"{one.skipped:,} at {hours:g} h" for one, hours in zip(risks[main], CLOSE_H, strict=True))
    return Figure(
        paper="tan2017",
        number="Figures 6 and 7",
        question="Are vehicles identified less often by points close in time?",
        answer=(
            f"At {main} x {main} blocks of 200 km, {KNOWN} points half an hour apart identify {percent(values[0])} of "
            f"vehicles, and two hours apart {percent(values[2])}."
        ),
        panels=(
            Lines(
                "6",
                "mean hours between points",
                "share identified",
                lines,
                f"Uniqueness from {KNOWN} points of one day (n = {len(taxis.traces):,} vehicles, {samples:,} samples "
                f"each, periods of {SLOT_MIN} min).",
            ),
        ),
        statements=(_expected(visits[main], samples, seed), *_statements(taxis, values, value(usual))),
        convention=(
            f"Points are of one day ({taxis.time_zone or 'UTC'}) and are that time apart on average, give or take "
            f"{TOLERANCE_MIN} min; vehicles without such points are left out ({skipped}). Blocks are parts of 200 km, "
            "as in the paper."
        ),
        users=len(taxis.traces),
    )


def value(risk: Uniqueness) -> float:
    """NaN where nobody could be asked."""
    return math.nan if risk.value is None else risk.value


def _close(visits: Visits, hours: float, samples: int, seed: int) -> Uniqueness:
    return uniqueness(
        visits,
        points=KNOWN,
        knowledge="close",
        closeness_min=hours * 60,
        tolerance_min=TOLERANCE_MIN,
        block_min=DAY_MIN,
        samples=samples,
        seed=seed,
    )


def _points(values: list[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    pairs = [(hours, one) for hours, one in zip(CLOSE_H, values, strict=True) if one == one]
    return tuple(hours for hours, _ in pairs), tuple(one for _, one in pairs)


def _statements(taxis: Taxis, values: list[float], usual: float) -> list[Statement]:
    known = dict(zip(CLOSE_H, values, strict=True))
    if not all(v == v for v in (*values, usual)):
        return [apart("Sec. 3.2", "uniqueness with closeness", "increases", "no vehicle has points that far apart")]
    shares = ", ".join(f"{hours:g} h {percent(one)}" for hours, one in known.items())
    grows, why = _grows(values), taxis.why if values[-1] <= values[0] else f"{taxis.why}; not at every step"
    steady = [one for hours, one in known.items() if hours >= STEADY_H]
    spread = max(steady) - min(steady)
    gap = known[RANDOM_H] - usual
    return [
        claim("Sec. 3.2", "uniqueness as closeness grows", "increases", shares, grows, why),
        claim("Sec. 3.2", "from 2 h on", "converges", f"within {percent(spread)}", spread < NEAR, taxis.why),
        claim("Sec. 3.2", "4.8 h against random points", "similar", f"{100 * gap:+.1f} %", abs(gap) < NEAR, taxis.why),
    ]


def _grows(values: Sequence[float]) -> bool:
    """Whether uniqueness rises from the first to the last, and no step falls by more than a draw may.

    >>> _grows([0.8, 0.9, 0.899]), _grows([0.8, 0.95, 0.85])
    (True, False)
    """
    return values[-1] > values[0] and all(later > earlier - DRAW for earlier, later in pairwise(values))


def _expected(visits: Visits, samples: int, seed: int) -> Statement:
    own = random_closeness_h(visits, samples=samples, seed=seed)
    return size(
        "Eq. 3", "closeness of four random points of a day", RANDOM_H, own, "h", "vehicles are not on duty all day"
    )


def random_closeness_h(visits: Visits, *, samples: int, seed: int) -> float:
    """Mean closeness of four random points of a day of a vehicle, days drawn uniformly; NaN when none has four.

    >>> day = Visits.from_arrays([1] * 4, cell=[0] * 4, slot=[0, 3, 6, 9], slot_min=60)
    >>> random_closeness_h(day, samples=5, seed=0)
    3.0
    """
    slot_min = visits.slot_min or SLOT_MIN
    day = visits.slot * slot_min // DAY_MIN
    _, first, count = np.unique(np.column_stack([visits.owner, day]), axis=0, return_index=True, return_counts=True)
    first, count = first[count >= KNOWN], count[count >= KNOWN]
    if not len(first):
        return math.nan
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, len(first), samples)
    ranks = np.array([rng.choice(size, KNOWN, replace=False) for size in count[drawn]])
    slots = visits.slot[first[drawn][:, None] + ranks]
    return float(np.ptp(slots, axis=1).mean() * slot_min / 60 / (KNOWN - 1))
