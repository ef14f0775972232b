"""[gramaglia2015, Sec. 7]: Figures 7 to 11, what GLOVE leaves of the accuracy, of shorter data and fewer people too."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from incrowd.data import Fingerprints
from incrowd.data.table import some_people
from incrowd.measure.glove.accuracy import Accuracy
from incrowd.measure.glove.section import accuracy_panels
from incrowd.papers.gramaglia2015.data import BEFORE, CONVENTION, DAYS, FINE_M, FINE_MIN, Run, days_of, first_days, hide
from incrowd.papers.record import FACTOR, FEW, OTHER, Figure, Statement, apart, claim, share, size, sized, thin
from incrowd.plain import percent
from incrowd.show import Lines, trend

LIMITS_M = (80_000, 40_000, 20_000, 15_000, 10_000, 5000)
LIMITS_MIN = (1440, 720, 480, 360, 240, 120)
NO_LIMIT = 1 << 40
FALL_FROM_M, FALL_TO_M = 5000, 1000  # mean extent in space without and with limits [gramaglia2015, Sec. 7.1]
BAND = "the band holds the quartiles"
FINE = (("2 km", "pos_extent", FINE_M), ("2 h", "time_extent", FINE_MIN))
SHORTENED = (1, 2, 4, 7, 10, DAYS)
SHARES = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0)


def figure_7(run: Run) -> Figure:
    """Accuracy of the samples of people hidden among two [gramaglia2015, Fig. 7]."""
    errors = run.accuracy
    part = untouched(errors)
    return Figure(
        paper="gramaglia2015",
        number="7",
        question=f"How accurate are the data after hiding people in groups of {run.k}?",
        answer=(
            f"{percent(part, 0)} of the samples keep their place, "
            f"{percent(better(errors, 'pos_extent', 2000), 0)} are known to 2 km or better and "
            f"{percent(better(errors, 'time_extent', 120), 0)} to 2 hours or better."
        ),
        panels=accuracy_panels({f"k = {run.k}": errors}, setting=f"k = {run.k}, {BEFORE}", name="7"),
        statements=(
            _known(run, "samples whose position is untouched", (0.2, 0.4), part),
            _known(run, "samples known to 30 min", (0.2, 0.4), better(errors, "time_extent", 30)),
            _known(run, "samples known to 2 km", (0.7, 0.8), better(errors, "pos_extent", FINE_M)),
            _known(run, "samples known to 2 h", (0.7, 0.8), better(errors, "time_extent", FINE_MIN)),
        ),
        convention=CONVENTION,
        users=run.users,
    )


def _known(run: Run, what: str, theirs: tuple[float, float], ours: float) -> Statement:
    """A share of samples of which more is better."""
    return share("Sec. 7", f"{what}, k = {run.k}", theirs, ours, thin(run.users, worse=ours < theirs[0]))


def untouched(errors: Accuracy) -> float:
    """Share of surviving samples published in a box no wider than they were."""
    return float((errors.pos_stretch == 0).mean())


def better(errors: Accuracy, name: str, limit: int) -> float:
    """Share of surviving samples whose measure is at most the limit."""
    return float((getattr(errors, name) <= limit).mean())


PRINTED = {3: (0.25, 0.7, 0.5), 5: (0.15, 0.5, 0.2)}  # position untouched, known to 2 km, known to 2 h


def figure_8(runs: Sequence[Run]) -> Figure:
    """Accuracy for several k [gramaglia2015, Fig. 8]."""
    users = runs[0].users
    statements: list[Statement] = []
    for run in runs:
        if run.k in PRINTED:
            errors = run.accuracy
            ours = (untouched(errors), *(better(errors, name, limit) for _, name, limit in FINE))
            whats = ("samples whose position is untouched", *(f"samples known to {text}" for text, _, _ in FINE))
            statements += [
                _known(run, what, (theirs, theirs), own)
                for what, theirs, own in zip(whats, PRINTED[run.k], ours, strict=True)
            ]
    listed = ", ".join(str(run.k) for run in runs)
    shares = "; ".join(f"{percent(better(run.accuracy, 'pos_extent', 2000), 0)} for k = {run.k}" for run in runs)
    labels = {f"k = {run.k}": run.accuracy for run in runs}
    return Figure(
        paper="gramaglia2015",
        number="8",
        question="How much accuracy do larger groups cost?",
        answer=f"Samples known to 2 km or better: {shares}.",
        panels=accuracy_panels(labels, setting=f"k = {listed}, {BEFORE}", name="8"),
        statements=tuple(statements),
        convention=CONVENTION,
        users=users,
    )


def figure_9(
    runs: Sequence[Run], *, limits_m: Sequence[int] = LIMITS_M, limits_min: Sequence[int] = LIMITS_MIN
) -> Figure:
    """Accuracy of the first run against samples suppressed by thresholds [gramaglia2015, Fig. 9 and Table 2]."""
    first, errors = runs[0], runs[0].accuracy
    stays = suppressed(errors, 15_000, 360)
    n = f"n = {errors.original_samples:,} samples of {first.users:,} people, k = {first.k}, {BEFORE}"
    late = "all but the first point also without what is longer than 6 h"
    return Figure(
        paper="gramaglia2015",
        number="9",
        question="How much accuracy is gained by removing the worst samples?",
        answer=(
            f"Without the {percent(1 - stays.mean())} of samples beyond 15 km or 6 h the mean extent falls from "
            f"{_km(errors.pos_extent)} and {_minutes(errors.time_extent)} to {_km(errors.pos_extent[stays])} and "
            f"{_minutes(errors.time_extent[stays])}."
        ),
        panels=(
            _against(errors, [(limit, 360) for limit in limits_m], f"Extent in space ({n}; {late}; {BAND}).", True),
            _against(errors, [(NO_LIMIT, limit) for limit in limits_min], f"Extent in time ({n}; {BAND}).", False),
        ),
        statements=(*_limits(first), *(statement for run in runs for statement in _table_2(run))),
        convention=f"{CONVENTION} A box wider or longer than a threshold is dropped for everybody in it.",
        users=first.users,
    )


def suppressed(errors: Accuracy, limit_m: int, limit_min: int) -> NDArray[np.bool_]:
    """Which samples stay when what is wider or longer is dropped."""
    stay: NDArray[np.bool_] = (errors.pos_extent <= limit_m) & (errors.time_extent <= limit_min)
    return stay


def _against(errors: Accuracy, limits: list[tuple[int, int]], caption: str, in_space: bool) -> Lines:
    """One point without limits, and one for each that leaves something."""
    stays = [(suppressed(errors, *limit), limit) for limit in [(NO_LIMIT, NO_LIMIT), *limits]]
    occupied = [(stay, limit) for stay, limit in stays if stay.any()]
    tags = [f"{limit[0] // 1000} km" if in_space else f"{limit[1] // 60} h" for _, limit in occupied]
    extent = errors.pos_extent / 1000 if in_space else errors.time_extent
    return trend(
        "9-space" if in_space else "9-time",
        "share of samples suppressed",
        "position known to (km)" if in_space else "time known to (min)",
        [float(1 - stay.mean()) for stay, _ in occupied],
        [extent[stay] for stay, _ in occupied],
        caption,
        tags=("no limit", *tags[1:]),
    )


def _limits(run: Run) -> list[Statement]:
    errors, where = run.accuracy, "Sec. 7.1"
    both, late = suppressed(errors, 20_000, 360), suppressed(errors, NO_LIMIT, 360)
    wide, narrowed, few_gone = _mean(errors.pos_extent), _mean(errors.pos_extent[both]), both.mean() >= 0.92
    near = bool(wide > FALL_FROM_M / FACTOR and narrowed <= FALL_TO_M * FACTOR and few_gone)
    halved = bool(2 * _mean(errors.time_extent[late]) <= errors.time_extent.mean() and late.mean() >= 0.92)
    # What is accurate to begin with has no tail to cut: then nothing is worse than in the paper.
    fell = thin(run.users, worse=not (narrowed <= FALL_TO_M * FACTOR and few_gone))
    space = f"{_km(errors.pos_extent)} to {_km(errors.pos_extent[both])}, {percent(1 - both.mean())} gone"
    time = f"{_minutes(errors.time_extent)} to {_minutes(errors.time_extent[late])}, {percent(1 - late.mean())} gone"
    # Too much goes, or there is no long tail.
    no_tail = f"{OTHER}: little of the extent is in the longest boxes"
    whole = thin(run.users, worse=True) if late.mean() < 0.92 else no_tail
    return [
        sized(where, "mean extent in space at 20 km and 6 h, k = 2", "> 5 to ~1 km, < 8 % gone", space, near, fell),
        claim(where, "mean extent in time at 6 h, k = 2", "halved, 4 % gone", time, halved, whole),
    ]


SAME = "printed as for k = 2 to the last digit, which is implausible"
FEW_LEFT = "most samples are beyond the thresholds here, so few are left to average"
AGAINST = f"{OTHER}; Figure 11 shows it against the number of people"
TABLE_2 = {2: (0.083, 1013.71, 60.21), 5: (0.083, 5129.9, 171.01)}  # deleted, metres, minutes


def _table_2(run: Run) -> list[Statement]:
    if run.k not in TABLE_2:
        return []
    theirs, where = TABLE_2[run.k], "Table 2"
    stays = suppressed(run.accuracy, 15_000, 360)
    space, time = (_mean(values[stays]) for values in (run.accuracy.pos_extent, run.accuracy.time_extent))
    gone = float(1 - stays.mean())
    why = thin(run.users, worse=gone > theirs[0])
    statements = [share(where, f"deleted at 15 km and 6 h, k = {run.k}", (theirs[0], theirs[0]), gone, why)]
    for what, unit, value, own in (("position", "m", theirs[1], space), ("time", "min", theirs[2], time)):
        why = AGAINST if what == "time" and run.users < FEW else thin(run.users, worse=own > value)
        statements.append(size(where, f"mean {what} error (extent), k = {run.k}", value, own, unit, why))
    odd = [SAME if run.k > 2 else "", *[FEW_LEFT if gone > 0.5 else ""] * 2]
    return [
        apart(s.where, s.what, s.theirs, note, ours=s.ours) if note else s
        for s, note in zip(statements, odd, strict=True)
    ]


def _mean(values: NDArray[np.int64]) -> float:
    return float(values.mean()) if values.size else float("nan")


def _km(values: NDArray[np.int64]) -> str:
    return f"{_mean(values) / 1000:.1f} km"


def _minutes(values: NDArray[np.int64]) -> str:
    return f"{_mean(values):,.0f} min"


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
