"""Sections about recovery from published counts: what was recovered, at what cost, and how much of it is true."""

import numpy as np

from incrowd.attack.recover.result import Recovered
from incrowd.attack.recover.score import RecoveryScore
from incrowd.plain import several
from incrowd.report.curves import Cdf, curve, drawing
from incrowd.report.section import Drawing, Grid, Section, section
from incrowd.report.style import COLOURS, canvas, key, svg

STAGES = {"night": "nights", "day": "days", "whole": "all days linked"}
MM = 1e-3  # metres: a smaller gap is rounding
PARAMS = ("method", "theta_m", "seed", "slot_min")
ATTACK = (
    "Each slot is linked with the next by the assignment of least total distance between predicted and published "
    "places: by night people stay, by day they keep their velocity; days are linked by the least information gain. "
    "Nothing but the counts and the places of the cells is used [xu2017, Sec. 4]."
)
BOUND = (
    "The lower bound is the dual value of the optimal assignment, so that the gap says by how much a better link could "
    "be cheaper at most; a cheap link is not a true one."
)
SHORTCUT = (
    "Differs from that: pairs nearer than theta_m are joined first, the nearest before the others, and only the rest "
    "at the optimum, the shortcut of [xu2017, Sec. 4.3]; the gap says what it costs at most."
)
PAIRED = (
    "Recovered trajectories have no names: each is compared with one original. Nights and days are paired anew, day "
    "by day, and their shares averaged [xu2017, Eqs. 5 and 6]."
)
UNIQUE = "A trajectory is unique at k when no other one has the same set of k most visited cells."


@section.register
def _recovered(result: Recovered) -> Section:
    users, slots = result.cells.shape
    shortcut = [SHORTCUT] if result.method == "threshold" else []
    moved = float((result.cells[:, 1:] != result.cells[:, :-1]).mean()) if slots > 1 else 0.0
    return Section(
        question="What can be recovered from the published counts?",
        answer=(
            f"{users:,} trajectories over {several(result.days, 'day')}, everybody counted; they change cell in "
            f"{moved:.1%} of the slots. {_certified(result)}"
        ),
        number=f"{users:,}",
        number_of="trajectories recovered",
        tables=[_costs(result)],
        method=[ATTACK, *shortcut, BOUND, f"Parameters: {_params(result)}."],
        data={name: getattr(result, name) for name in (*PARAMS, "costs", "bounds", "gains", "gain_bounds")},
    )


def _certified(result: Recovered) -> str:
    if result.method == "threshold":
        return f"The shortcut makes a link of two slots dearer than its optimum by {result.gap:.2g} m at most."
    gap = "below 1 mm" if result.gap < MM else f"{result.gap:.2g} m at most"
    return f"Every link of two slots is proven cheapest (gap {gap})."


def _params(result: Recovered) -> str:
    values = {name: getattr(result, name) for name in PARAMS}
    return ", ".join(f"{name} = {value}" for name, value in values.items() if value is not None)


def _costs(result: Recovered) -> Grid:
    """One row per day: what its links cost, how far from optimal they can be, and the link to the next day."""
    gains = [f"{gain:,.2f}" for gain in result.gains] + [""]
    rows = [
        (
            str(day + 1),
            f"{cost.sum() / 1000:,.3f}",
            f"{bound.sum() / 1000:,.3f}",
            f"{(cost - bound).max(initial=0):.2g}",
            gain,
        )
        for day, (cost, bound, gain) in enumerate(zip(result.costs, result.bounds, gains, strict=True))
    ]
    head = ("day", "cost (km)", "lower bound (km)", "largest gap of a link (m)", "gain to the next day (bits)")
    return Grid(head, rows, "Total cost of the links of each day, with its certificate.")


@section.register
def _score(result: RecoveryScore) -> Section:
    top = result.uniqueness.get(2, float("nan"))
    return Section(
        question="How much of it is true?",
        answer=(
            f"{result.accuracy:.1%} of the points of {result.users:,} people are in the right cell "
            f"({result.stages['night']:.1%} within a night, {result.stages['day']:.1%} within a day); {result.far:.1%} "
            f"are more than 1 km off. Their two most visited cells single out {top:.1%} of the recovered trajectories."
        ),
        number=f"{result.accuracy:.1%}",
        number_of="of points recovered",
        drawings=[_stages(result), drawing(_error_panel(result)), _uniqueness(result)],
        tables=[_uniqueness_table(result)],
        method=[PAIRED, UNIQUE],
        data={"score": result},
    )


def _stages(result: RecoveryScore) -> Drawing:
    shares = [result.stages[stage] for stage in STAGES]
    with canvas(height_in=2.6) as (figure, axes):
        axes.bar(range(len(shares)), shares, color=COLOURS[0], width=0.6)
        axes.set_xticks(range(len(shares)), [f"#{i} {name}" for i, name in enumerate(STAGES.values(), 1)])
        for at, share in enumerate(shares):
            axes.annotate(f"{share:.2f}", (at, share), xytext=(0, 3), textcoords="offset points", ha="center")
        axes.set_ylim(0, 1.1)
        axes.set_ylabel("share of points recovered")
        image = svg(figure)
    bars = ", ".join(f"{name} {share:.2f}" for name, share in zip(STAGES.values(), shares, strict=True))
    return Drawing(image, f"Accuracy by stage ({_n(result)}).", f"Bars of accuracy by stage: {bars}.")


def _error_panel(result: RecoveryScore) -> Cdf:
    caption = f"Recovery error ({_n(result)}); {result.accuracy:.1%} are exact."
    return Cdf("recovery-error", "error (km)", "points", (curve("points", result.errors / 1000),), caption)


def _uniqueness(result: RecoveryScore) -> Drawing:
    both = {"recovered": result.uniqueness, "original": result.original_uniqueness["set"]}
    with canvas(height_in=2.6) as (figure, axes):
        for side, (colour, (name, shares)) in enumerate(zip(COLOURS, both.items(), strict=False)):
            at = np.array(list(shares)) + 0.38 * (side - 0.5)
            axes.bar(at, list(shares.values()), width=0.36, color=colour, label=name)
        axes.set_ylim(0, 1.02)
        axes.set_xticks(list(result.uniqueness))
        axes.set_xlabel("most visited cells known")
        axes.set_ylabel("share of people singled out")
        key(axes)
        image = svg(figure)
    bars = "; ".join(
        f"{name} {', '.join(f'{k}: {share:.2f}' for k, share in shares.items())}" for name, shares in both.items()
    )
    caption = f"Uniqueness of the top k cells as a set, recovered beside original (n = {result.users:,} people)."
    return Drawing(image, caption, f"Bars of uniqueness by k: {bars}.")


def _uniqueness_table(result: RecoveryScore) -> Grid:
    rows = [
        (rule, str(k), f"{share:.4f}", f"{result.original_uniqueness[rule][k]:.4f}")
        for rule, shares in result.uniqueness_by.items()
        for k, share in shares.items()
    ]
    return Grid(("match", "top k", "recovered", "original"), rows, "Share singled out by the top k cells.")


def _n(result: RecoveryScore) -> str:
    return f"n = {result.users:,} people in {result.slots:,} slots, pairing '{result.pairing}'"
