"""[gramaglia2015, Sec. 7.3]: Figures 10 and 11, whether shorter data and larger crowds are easier to hide."""

from collections.abc import Sequence

from incrowd.data import Fingerprints
from incrowd.data.table import some_people
from incrowd.papers.gramaglia2015.data import BEFORE, CONVENTION, DAYS, Run, days_of, first_days, hide
from incrowd.papers.record import OTHER, Figure, apart, claim
from incrowd.show import Lines, trend

SHORTENED = (1, 2, 4, 7, 10, DAYS)
SHARES = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0)


def figure_10(fingerprints: Fingerprints, *, days: Sequence[int] = SHORTENED, k: int = 2) -> Figure:
    """Accuracy against the days the data span [gramaglia2015, Fig. 10]."""
    span = days_of(fingerprints)
    parts = {d: first_days(fingerprints, days=d) for d in sorted({*(d for d in days if d < span), span})}
    runs = {d: hide(part, k=k) for d, part in parts.items() if len(part) >= k or d == span}
    shortest = min(runs)
    space, time = _coarser(runs[shortest], runs[span])
    what, theirs = "one day instead of two weeks", "twice as accurate"
    if shortest == 1 and span >= DAYS:
        ours = f"x {space:.2g} in space, x {time:.2g} in time"
        statement = claim("Sec. 7.3", what, theirs, ours, min(space, time) > 1.5, OTHER)
    else:
        statement = apart("Sec. 7.3", what, theirs, f"the data span {span} days, {shortest} at the least")
    return Figure(
        paper="gramaglia2015",
        number="10",
        question="Are people easier to hide in data of fewer days?",
        answer=(
            f"Over the first {_days(shortest)} instead of {_days(span)} samples are known {space:.2g} times better in "
            f"space and {time:.2g} times in time, on average."
        ),
        panels=_trends(runs, "days", "10", f"k = {k}"),
        statements=(statement,),
        convention=f"{CONVENTION} The first days are kept, and people with a sample in them.",
        users=len(fingerprints),
    )


def figure_11(fingerprints: Fingerprints, *, shares: Sequence[float] = SHARES, k: int = 2, seed: int = 0) -> Figure:
    """Accuracy against the number of people in the data [gramaglia2015, Fig. 11]."""
    everybody = len(fingerprints)
    sizes = sorted({*(n for part in shares if k <= (n := round(part * everybody)) < everybody), everybody})
    runs = {n: hide(some_people(fingerprints, people=n, seed=seed), k=k) for n in sizes}
    space, time = (1 / times for times in _coarser(runs[sizes[0]], runs[everybody]))
    what, theirs = f"fewer people are harder to hide ({sizes[0]:,} of {everybody:,})", "coarser"
    if len(sizes) > 1:
        ours = f"x {space:.2g} in space, x {time:.2g} in time"
        statement = claim("Sec. 7.3", what, theirs, ours, min(space, time) > 1, OTHER)
    else:
        statement = apart("Sec. 7.3", what, theirs, "needs more than one size of crowd")
    return Figure(
        paper="gramaglia2015",
        number="11",
        question="Are fewer people harder to hide?",
        answer=(
            f"With {sizes[0]:,} of {everybody:,} people the mean extent is {space:.2g} times as large in space and "
            f"{time:.2g} times in time."
        ),
        panels=_trends(runs, "people", "11", f"k = {k}, seed {seed}"),
        statements=(statement,),
        convention=f"{CONVENTION} People are drawn at random, each smaller crowd from the next larger one.",
        users=everybody,
    )


def _trends(runs: dict[int, Run], x: str, name: str, setting: str) -> tuple[Lines, Lines]:
    people = [run.users for run in runs.values()]
    where = f"n = {min(people):,} to {max(people):,} people, {setting}, {BEFORE}; the band holds the quartiles"

    def drawn(key: str, scale: int, y: str, short: str) -> Lines:
        values = [getattr(run.accuracy, key) / scale for run in runs.values()]
        caption = f"Mean and median extent in {short} against {x} ({where})."
        return trend(f"{name}-{short}", x, y, tuple(map(float, runs)), values, caption)

    return (
        drawn("pos_extent", 1000, "position known to (km)", "space"),
        drawn("time_extent", 1, "time known to (min)", "time"),
    )


def _coarser(one: Run, two: Run) -> tuple[float, float]:
    """How many times as coarse the second run is, in space and time."""
    space, time = (two.accuracy.mean[name] / one.accuracy.mean[name] for name in ("pos_extent", "time_extent"))
    return space, time


def _days(count: int) -> str:
    return "day" if count == 1 else f"{count} days"
