"""[gramaglia2015, Sec. 7]: Figures 7 to 11, what GLOVE leaves of the accuracy of the data."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from incrowd.data import Fingerprints
from incrowd.measure.accuracy import Accuracy
from incrowd.papers.gramaglia2015_data import Run, days_of, first_days, hide, some_users
from incrowd.papers.gramaglia2015_record import OTHER, Figure, Statement, apart, claim, share, size, thin
from incrowd.report.curves import Trend, trend
from incrowd.report.glove import EXTENT, accuracy_panels

DAYS = (1, 2, 4, 7, 10, 14)
SHARES = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0)
LIMITS_M = (80_000, 40_000, 20_000, 15_000, 10_000, 5000)
LIMITS_MIN = (1440, 720, 480, 360, 240, 120)
NO_LIMIT = 1 << 40
BEFORE = "boxes before reshaping, leftover merged"
CONVENTION = f"{EXTENT} Boxes are those before reshaping; a last group of too few is merged with its nearest."
FINE = (("2 km", "pos_extent", 2000), ("2 h", "time_extent", 120))


def figure_7(run: Run) -> Figure:
    """Accuracy of the samples of people hidden among two [gramaglia2015, Fig. 7]."""
    found = run.accuracy
    part = untouched(found)
    where, why = "Sec. 7", thin(run.users)
    return Figure(
        number="7",
        question=f"How accurate is what hides people among {run.k}?",
        answer=(
            f"{part:.0%} of the samples keep their place, {better(found, 'pos_extent', 2000):.0%} are known to 2 km or "
            f"better and {better(found, 'time_extent', 120):.0%} to 2 hours or better."
        ),
        panels=accuracy_panels({f"k = {run.k}": found}, setting=f"k = {run.k}, {BEFORE}", name="7"),
        statements=(
            share(where, "samples whose position is untouched, k = 2", (0.2, 0.4), part, why),
            share(where, "samples known to 30 min, k = 2", (0.2, 0.4), better(found, "time_extent", 30), why),
            share(where, "samples known to 2 km, k = 2", (0.7, 0.8), better(found, "pos_extent", 2000), why),
            share(where, "samples known to 2 h, k = 2", (0.7, 0.8), better(found, "time_extent", 120), why),
        ),
        convention=CONVENTION,
        users=run.users,
    )


def untouched(found: Accuracy) -> float:
    """Share of surviving samples published in a box no wider than they were."""
    return float((found.pos_stretch == 0).mean())


def better(found: Accuracy, name: str, limit: int) -> float:
    """Share of surviving samples whose measure is at most the limit."""
    return float((getattr(found, name) <= limit).mean())


PRINTED = {3: (0.25, 0.7, 0.5), 5: (0.15, 0.5, 0.2)}  # position untouched, known to 2 km, known to 2 h


def figure_8(runs: Sequence[Run]) -> Figure:
    """Accuracy for several k [gramaglia2015, Fig. 8]."""
    users = runs[0].users
    said: list[Statement] = []
    for run in runs:
        if run.k in PRINTED:
            found = run.accuracy
            ours = (untouched(found), *(better(found, name, limit) for _, name, limit in FINE))
            whats = ("samples whose position is untouched", *(f"samples known to {text}" for text, _, _ in FINE))
            said += [
                share("Sec. 7", f"{what}, k = {run.k}", (theirs, theirs), own, thin(users))
                for what, theirs, own in zip(whats, PRINTED[run.k], ours, strict=True)
            ]
    listed = ", ".join(str(run.k) for run in runs)
    told = "; ".join(f"{better(run.accuracy, 'pos_extent', 2000):.0%} for k = {run.k}" for run in runs)
    labels = {f"k = {run.k}": run.accuracy for run in runs}
    return Figure(
        number="8",
        question="What does a larger crowd cost?",
        answer=f"Samples known to 2 km or better: {told}.",
        panels=accuracy_panels(labels, setting=f"k = {listed}, {BEFORE}", name="8"),
        statements=tuple(said),
        convention=CONVENTION,
        users=users,
    )


def figure_9(
    runs: Sequence[Run], *, limits_m: Sequence[int] = LIMITS_M, limits_min: Sequence[int] = LIMITS_MIN
) -> Figure:
    """Accuracy against samples suppressed, by thresholds, for the first of the runs [gramaglia2015, Fig. 9, Table 2]."""
    first = runs[0]
    found = first.accuracy
    space = [(NO_LIMIT, NO_LIMIT), *((limit, 360) for limit in limits_m)]
    time = [(NO_LIMIT, NO_LIMIT), *((NO_LIMIT, limit) for limit in limits_min)]
    n = f"n = {found.original_samples:,} samples of {first.users:,} people, k = {first.k}, {BEFORE}"
    kept = suppressed(found, 15_000, 360)
    return Figure(
        number="9",
        question="What does suppressing the worst samples buy?",
        answer=(
            f"Without the {1 - kept.mean():.1%} of samples beyond 15 km or 6 h the mean extent falls from "
            f"{_km(found.pos_extent)} and {_minutes(found.time_extent)} to {_km(found.pos_extent[kept])} and "
            f"{_minutes(found.time_extent[kept])}."
        ),
        panels=(
            _against(found, "pos_extent", space, f"Extent in space ({n}); all but the first also without what is "
                     "longer than 6 h; the band holds the quartiles.", "9-space"),
            _against(found, "time_extent", time, f"Extent in time ({n}); the band holds the quartiles.", "9-time"),
        ),
        statements=(*_said_of_limits(first), *(said for run in runs for said in _table_2(run))),
        convention=f"{CONVENTION} A box wider or longer than a threshold is dropped for everybody in it.",
        users=first.users,
    )  # fmt: skip


def suppressed(found: Accuracy, limit_m: int, limit_min: int) -> NDArray[np.bool_]:
    """Which samples stay when what is wider or longer is dropped."""
    stay: NDArray[np.bool_] = (found.pos_extent <= limit_m) & (found.time_extent <= limit_min)
    return stay


def _against(found: Accuracy, name: str, limits: list[tuple[int, int]], caption: str, panel: str) -> Trend:
    stays = [(suppressed(found, *limit), limit) for limit in limits]
    some = [(stay, limit) for stay, limit in stays if stay.any()]
    in_space = name == "pos_extent"
    tags = [f"{limit[0] // 1000} km" if in_space else f"{limit[1] // 60} h" for _, limit in some]
    return trend(
        [getattr(found, name)[stay] / (1000 if in_space else 1) for stay, _ in some],
        name=panel,
        x="share of samples suppressed",
        y="position known to (km)" if in_space else "time known to (min)",
        at=tuple(float(1 - stay.mean()) for stay, _ in some),
        caption=caption,
        tags=("no limit", *tags[1:]),
    )


def _said_of_limits(run: Run) -> list[Statement]:
    found, where, why = run.accuracy, "Sec. 7.1", thin(run.users)
    both, late = suppressed(found, 20_000, 360), suppressed(found, NO_LIMIT, 360)
    before, after = float(found.time_extent.mean()), _mean(found.time_extent[late])
    return [
        claim(where, "mean extent in space without what exceeds 20 km or 6 h, k = 2", "over 5 to about 1 km, under 8%",
              f"{_km(found.pos_extent)} to {_km(found.pos_extent[both])}, {1 - both.mean():.1%}",
              bool(_mean(found.pos_extent[both]) <= 1500 and both.mean() > 0.92), why),
        claim(where, "mean extent in time without what exceeds 6 h, k = 2", "halved by 4%",
              f"{before:,.0f} to {after:,.0f} min, {1 - late.mean():.1%}",
              bool(after <= before / 2 and late.mean() > 0.91), why),
    ]  # fmt: skip


TABLE_2 = {2: (0.083, 1013.71, 60.21), 5: (0.083, 5129.9, 171.01)}  # deleted, metres, minutes


def _table_2(run: Run) -> list[Statement]:
    if run.k not in TABLE_2:
        return []
    deleted, metres, minutes = TABLE_2[run.k]
    found, why = run.accuracy, thin(run.users)
    kept = suppressed(found, 15_000, 360)
    what = f"samples deleted at 15 km and 6 h, k = {run.k}"
    same = "it equals that for k = 2 to the last digit, which cannot be"
    gone = float(1 - kept.mean())
    return [
        share("Table 2", what, (deleted, deleted), gone, why)
        if run.k == 2
        else apart("Table 2", what, f"{deleted:.0%}", same, ours=f"{gone:.0%}"),
        size("Table 2", f"mean position error (extent), k = {run.k}", metres, _mean(found.pos_extent[kept]), "m", why),
        size("Table 2", f"mean time error (extent), k = {run.k}", minutes, _mean(found.time_extent[kept]), "min", why),
    ]


def figure_10(fingerprints: Fingerprints, *, days: Sequence[int] = DAYS, k: int = 2) -> Figure:
    """Accuracy against the days the data span [gramaglia2015, Fig. 10]."""
    span = days_of(fingerprints)
    asked = sorted({*(d for d in days if d < span), span})
    runs = [hide(first_days(fingerprints, days=d), k=k) for d in asked]
    where = f"n = {runs[0].users:,} to {runs[-1].users:,} people, k = {k}, {BEFORE}; the band holds the quartiles"
    space, time = (_ratio(runs, name) for name in ("pos_extent", "time_extent"))
    theirs, what = "twice as accurate", "one day instead of two weeks"
    said = (
        claim("Sec. 7.3", what, theirs, f"x {space:.2g} in space, x {time:.2g} in time", min(space, time) > 1.5, OTHER)
        if asked[0] == 1 and span >= 14
        else apart("Sec. 7.3", what, theirs, f"the data span {span} days")
    )
    return Figure(
        number="10",
        question="Are shorter data easier to hide?",
        answer=(
            f"The first {_days(asked[0])} of {_days(span)} are known {space:.2g} times better in space and {time:.2g} "
            "times in time, on average over samples."
        ),
        panels=_trends(runs, asked, "days", "10", f"Mean and median extent in {{}} against days ({where})."),
        statements=(said,),
        convention=f"{CONVENTION} The first days are kept, and people with a sample in them.",
        users=len(fingerprints),
    )


def figure_11(fingerprints: Fingerprints, *, shares: Sequence[float] = SHARES, k: int = 2, seed: int = 0) -> Figure:
    """Accuracy against the share of people in the data [gramaglia2015, Fig. 11]."""
    sizes = sorted({round(part * len(fingerprints)) for part in shares if round(part * len(fingerprints)) >= k})
    runs = [hide(some_users(fingerprints, users=n, seed=seed), k=k) for n in sizes]
    where = f"n = {sizes[0]:,} to {sizes[-1]:,} people, k = {k}, {BEFORE}, seed {seed}; the band holds the quartiles"
    space, time = (1 / _ratio(runs, name) for name in ("pos_extent", "time_extent"))
    what = f"fewer people are harder to hide ({sizes[0]:,} of {sizes[-1]:,})"
    ours = f"x {space:.2g} in space, x {time:.2g} in time"
    return Figure(
        number="11",
        question="Are fewer people harder to hide?",
        answer=f"With {sizes[0]:,} of {sizes[-1]:,} people the mean extent is {space:.2g} times as large in space and "
        f"{time:.2g} times in time.",
        panels=_trends(runs, sizes, "people", "11", f"Mean and median extent in {{}} against people ({where})."),
        statements=(
            claim("Sec. 7.3", what, "coarser", ours, space > 1, OTHER)
            if len(sizes) > 1
            else apart("Sec. 7.3", what, "coarser", "needs more than one size"),
        ),
        convention=f"{CONVENTION} People are drawn at random, each smaller crowd from the next larger one.",
        users=len(fingerprints),
    )


def _trends(runs: Sequence[Run], at: Sequence[int], x: str, name: str, caption: str) -> tuple[Trend, Trend]:
    def drawn(key: str, scale: int, y: str, short: str) -> Trend:
        values = [getattr(run.accuracy, key) / scale for run in runs]
        return trend(values, name=f"{name}-{short}", x=x, y=y, at=tuple(map(float, at)), caption=caption.format(short))

    return drawn("pos_extent", 1000, "position known to (km)", "space"), drawn(
        "time_extent", 1, "time known to (min)", "time"
    )


def _ratio(runs: Sequence[Run], name: str) -> float:
    """How many times coarser the last run is than the first."""
    first, last = (run.accuracy.mean[name] for run in (runs[0], runs[-1]))
    return last / first


def _mean(values: NDArray[np.int64]) -> float:
    return float(values.mean()) if values.size else float("nan")


def _km(values: NDArray[np.int64]) -> str:
    return f"{_mean(values) / 1000:.1f} km"


def _minutes(values: NDArray[np.int64]) -> str:
    return f"{_mean(values):,.0f} min"


def _days(count: int) -> str:
    return "day" if count == 1 else f"{count} days"
