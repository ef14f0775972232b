"""[tan2017]: its tables and figures on any dataset beside what its text says; here points close in time (Sec. 3.2)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.clock import DAY_MIN
from incrowd.data import Traces, Visits
from incrowd.data.table import some_people
from incrowd.discretize import blocks as on_blocks
from incrowd.errors import public
from incrowd.ledger import Ledger
from incrowd.measure.sweep import sweep
from incrowd.measure.sweep.result import POINTS, SAMPLES, SPACE, TIME, Sweep
from incrowd.measure.uniqueness import uniqueness
from incrowd.measure.uniqueness.question import Uniqueness
from incrowd.papers.record import NEAR, Figure, Reproduction, Statement, apart, claim, size
from incrowd.papers.tan2017.records import (
    BLOCKS,
    KNOWN,
    QUICK_USERS,
    SLOT_MIN,
    TAXIS,
    Taxis,
    cleaned,
    figure_8_9,
    figure_10_12,
    figure_13,
    figure_14,
    synthetic,
    table_1,
    wide_box,
)
from incrowd.papers.tan2017.resolution import figure_3, figure_4, figures_1_2_5
from incrowd.papers.together import together
from incrowd.plain import percent
from incrowd.read.plane import Box
from incrowd.show import Line, Lines

QUICK_SAMPLES = 2_000
__all__ = [
    "figure_3",
    "figure_4",
    "figure_6_7",
    "figure_8_9",
    "figure_10_12",
    "figure_13",
    "figure_14",
    "figures_1_2_5",
    "reproduce",
    "table_1",
]
CLOSE_H = (0.5, 1, 2, 4.8, 6)
SIZES = (10, 50, 100, 200)
TOLERANCE_MIN = 10
CLOSE_SAMPLES = 20_000
RANDOM_H = 4.8  # 24 h / (4 + 1) [tan2017, Eq. 3]
DRAW = 0.01  # by which a share of so many samples may fall though the true one does not
STEADY_H = 2  # from here on uniqueness converges


@public
def reproduce(
    traces: Traces | None = None,
    *,
    name: str = "the data",
    quick: bool = False,
    full: bool = False,
    seed: int = 0,
    cache: str | Path | None = None,
    time_zone: str | None = None,
    box: Box | None = None,
    keep_zero: bool = False,
) -> Reproduction:
    """Table 1 and Figures 1 to 14 of the paper, each of its statements beside what these data say.

    Args:
        traces: Traces, in log order if disorder should be counted; synthetic taxis if None.
        name: What a report calls the data.
        quick: Take a few dozen vehicles and a few of the 462 combinations, which takes seconds.
        full: Make up as many vehicles as the paper has in each of its two cities.
        seed: Seed of every random choice.
        cache: Folder of finished resolutions, to go on after a stop.
        time_zone: Zone whose wall clock days and slots follow; UTC if None.
        box: West, south, east and north of the box that blocks divide, in degrees or metres; records outside leave
            before cleaning. If None, the box of the data without strays, as `measure.sweep` takes it.
        keep_zero: Keep records at (0, 0); otherwise they leave before cleaning, with a warning.
    """
    how: dict[str, Any] = {"quick": quick, "seed": seed, "cache": cache, "box": box}
    clean: dict[str, Any] = {"time_zone": time_zone, "box": box, "keep_zero": keep_zero}
    if traces is not None:
        given = some_people(traces, people=QUICK_USERS, seed=seed) if quick else traces
        made = {name: _drawn(cleaned(given, made_up=False, **clean), **how)}
    else:
        name, made = "synthetic taxis", {}
        for city in list(TAXIS)[: 1 if quick else None]:  # one after the other: only one is in memory
            taxis = cleaned(synthetic(city, quick=quick, full=full, seed=seed), made_up=True, like=city, **clean)
            made[f"as {city}"] = _drawn(taxis, **how)
    users, records = (sum(getattr(one, size) for one in made.values()) for size in ("users", "records"))
    sides = [dict(zip(made, figures, strict=True)) for figures in zip(*(m.figures for m in made.values()), strict=True)]
    others = tuple(other for one in made.values() for other in (one.sweep, one.ledger))
    joined = [together(side) for side in sides]
    figures = (*joined[:-2], figure_10_12(), *joined[-2:])  # in the order of the paper
    return Reproduction("tan2017", "Vehicles and resolutions", name, users, records, figures, others)


@dataclass(frozen=True)
class CityFigures:
    """What is kept of the taxis of one city: its figures, its sweep, and what cleaning did."""

    users: int
    records: int
    figures: tuple[Figure, ...]
    sweep: Sweep
    ledger: Ledger


def _drawn(taxis: Taxis, *, quick: bool, seed: int, cache: str | Path | None, box: Box | None) -> CityFigures:
    """The figures of one city."""
    samples = QUICK_SAMPLES if quick else SAMPLES
    space, time = (SPACE[::3], TIME[::5]) if quick else (SPACE, TIME)
    how: dict[str, Any] = {"points": POINTS, "samples": samples, "seed": seed, "time_zone": taxis.time_zone}
    how |= {"keep_zero": taxis.keep_zero, "cache": cache}
    own = sweep(taxis.traces, blocks=space, minutes=time, box=box, **how)
    wide = sweep(taxis.traces, blocks=[BLOCKS], minutes=[SLOT_MIN], box=wide_box(taxis.traces), **how)
    figures = (
        table_1(taxis, own),
        figures_1_2_5(taxis, own),
        figure_3(taxis, own, wide),
        figure_4(taxis, own),
        figure_6_7(taxis, sizes=SIZES[::2] if quick else SIZES, samples=min(samples, 20_000), seed=seed),
        figure_8_9(taxis),
        figure_13(taxis),
        figure_14(taxis),
    )
    tidy = taxis.traces
    return CityFigures(len(tidy), tidy.records, figures, own, tidy.ledger)


def figure_6_7(taxis: Taxis, *, sizes: Sequence[int] = SIZES, samples: int = CLOSE_SAMPLES, seed: int = 0) -> Figure:
    """Uniqueness from four points of one day, against their mean distance in time [tan2017, Fig. 6 and 7]."""
    box = wide_box(taxis.traces)
    wide: dict[str, Any] = {"slot_min": SLOT_MIN, "box": box, "keep_zero": taxis.keep_zero}
    visits = {n: on_blocks(taxis.traces, blocks=n, time_zone=taxis.time_zone, **wide) for n in sizes}
    risks = {n: [_close(one, hours, samples, seed) for hours in CLOSE_H] for n, one in visits.items()}
    main = BLOCKS if BLOCKS in sizes else max(sizes)
    usual = uniqueness(visits[main], points=KNOWN, samples=samples, seed=seed)
    lines = tuple(Line(f"{n} x {n}", *_points([value(risk) for risk in rows])) for n, rows in risks.items())
    values = [value(risk) for risk in risks[main]]
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
