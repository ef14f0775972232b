"""[tan2017]: its tables and figures on any dataset, and what its text says beside what the data say."""

from typing import Any

from incrowd.data import Traces
from incrowd.data.table import some_people
from incrowd.errors import public
from incrowd.measure.sweep import sweep
from incrowd.measure.sweep.plan import POINTS, SAMPLES, SPACE, TIME
from incrowd.papers.record import Reproduction
from incrowd.papers.tan2017.close import SIZES, figure_6_7
from incrowd.papers.tan2017.records import (
    BLOCKS,
    QUICK_USERS,
    SLOT_MIN,
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
from incrowd.read.plane import Box

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


@public
def reproduce(
    traces: Traces | None = None,
    *,
    name: str = "the data",
    quick: bool = False,
    seed: int = 0,
    time_zone: str | None = None,
    box: Box | None = None,
    keep_zero: bool = False,
) -> Reproduction:
    """Table 1 and Figures 1 to 14 of the paper, each of its statements beside what these data say.

    Args:
        traces: Traces, in log order if disorder should be counted; synthetic taxis if None.
        name: What a report calls the data.
        quick: Take a few dozen vehicles and a few of the 462 combinations, which takes seconds.
        seed: Seed of every random choice.
        time_zone: Zone whose wall clock days and slots follow; UTC if None.
        box: West, south, east and north of the box that blocks divide, in degrees or metres; records outside leave
            before cleaning. If None, the box of the data without strays, as `measure.sweep` takes it.
        keep_zero: Keep records at (0, 0); otherwise they leave before cleaning, with a warning.
    """
    made_up = traces is None
    if traces is None:
        traces, name = synthetic(quick=quick, seed=seed), "synthetic taxis"
    elif quick:
        traces = some_people(traces, people=QUICK_USERS, seed=seed)
    taxis = cleaned(traces, made_up=made_up, time_zone=time_zone, box=box, keep_zero=keep_zero)
    samples = QUICK_SAMPLES if quick else SAMPLES
    space, time = (SPACE[::3], TIME[::5]) if quick else (SPACE, TIME)
    how: dict[str, Any] = {"points": POINTS, "samples": samples, "seed": seed, "time_zone": time_zone}
    how |= {"keep_zero": keep_zero}
    own = sweep(taxis.traces, blocks=space, minutes=time, box=box, **how)
    wide = sweep(taxis.traces, blocks=[BLOCKS], minutes=[SLOT_MIN], box=wide_box(taxis.traces), **how)
    figures = (
        table_1(taxis, own),
        figures_1_2_5(taxis, own),
        figure_3(taxis, own, wide),
        figure_4(taxis, own),
        figure_6_7(taxis, sizes=SIZES[::2] if quick else SIZES, samples=min(samples, 20_000), seed=seed),
        figure_8_9(taxis),
        figure_10_12(),
        figure_13(taxis),
        figure_14(taxis),
    )
    tidy = taxis.traces
    return Reproduction(
        "tan2017", "Vehicles and resolutions", name, len(tidy), tidy.records, figures, (own, tidy.ledger)
    )
