"""Sections about singling out: uniqueness, its conventions, exposure, and what cutting changes."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from incrowd.errors import ParameterError
from incrowd.measure import CutRisk, Exposure, Uniqueness
from incrowd.report.section import Drawing, Grid, Section, section
from incrowd.report.style import COLOURS, canvas, end_labels, svg

KNOWS = {
    "random": "random points of their trajectory",
    "consecutive": "points in a row of their trajectory",
    "top": "most visited places",
    "close": "points at a given mean distance in time",
}
SHORT = {
    "drop": "people with fewer points are left out",
    "all": "people with fewer points are asked with all they have",
    "zero": "people with fewer points count as safe",
}
CONVENTION = (
    "A person is singled out when nobody else has all the known points; the crowd size s counts the person, so s = 1 "
    "means alone. Whole dataset, no sampling of the crowd [song2014, Eq. 1]."
)


@section.register
def _uniqueness(result: Uniqueness) -> Section:
    return _several([result])


@section.register(list)
@section.register(tuple)
def _several(results: Sequence[Uniqueness]) -> Section:
    if not results or not all(isinstance(r, Uniqueness) for r in results):
        raise ParameterError("a report shows lists of uniqueness results only; pass other records one by one.")
    known = [r for r in results if r.value is not None]
    main = max(known, key=lambda r: (r.points, r.short == "drop"), default=results[-1])
    shares = sorted({r.points for r in known})
    drawings = [_curve(known)] if len(shares) > 1 else []
    drawings += [_closeness(known)] if len({r.closeness_min for r in known}) > 1 else []
    drawings += [_distribution(known)] if known else []
    return Section(
        question="How easily are people singled out?",
        answer=_sentence(main),
        number="-" if main.value is None else f"{main.value:.1%}",
        number_of=f"singled out by {main.points} points",
        drawings=drawings,
        tables=[_table(results)],
        method=[
            CONVENTION,
            f"The attacker knows {KNOWS[main.knowledge]}. Intervals are Wilson's, 95 %, over the draws.",
        ],
        data=list(results),
    )


def _sentence(result: Uniqueness) -> str:
    if result.value is None:
        return f"No trajectory has {result.points} points to know, so the question has no answer here."
    assert result.interval is not None
    low, high = result.interval
    return (
        f"An attacker who knows {result.points} {KNOWS[result.knowledge]} singles out {result.value:.1%} of "
        f"{result.population:,} people (95 % interval {low:.1%} to {high:.1%}); {SHORT[result.short]}."
    )


def _label(result: Uniqueness) -> str:
    return f"{result.knowledge}, {result.short}"


def _curve(results: Sequence[Uniqueness]) -> Drawing:
    with canvas() as (figure, axes):
        names = dict.fromkeys(map(_label, results))
        lines = [(name, sorted((r for r in results if _label(r) == name), key=lambda r: r.points)) for name in names]
        _draw_lines(axes, [(name, [r.points for r in line], line) for name, line in lines])
        axes.set_xticks(sorted({r.points for r in results}))
        axes.set_xlabel("points the attacker knows")
        axes.set_ylabel("share singled out")
        drawing = svg(figure)
    ends = sorted({r.population for r in results})
    caption = f"Uniqueness against known points, by kind of points and convention for short trajectories ({_n(ends)})."
    return Drawing(drawing, caption, "Lines of uniqueness against known points: " + _values(results))


def _closeness(results: Sequence[Uniqueness]) -> Drawing:
    close = sorted((r for r in results if r.closeness_min is not None), key=lambda r: r.closeness_min or 0)
    with canvas() as (figure, axes):
        lines = [(points, [r for r in close if r.points == points]) for points in sorted({r.points for r in close})]
        hours = [(f"{points} points", [(r.closeness_min or 0) / 60 for r in line], line) for points, line in lines]
        _draw_lines(axes, hours)
        axes.set_xlabel("mean time between known points, hours")
        axes.set_ylabel("share singled out")
        drawing = svg(figure)
    caption = f"Uniqueness against closeness in time ({_n(sorted({r.population for r in close}))}) [tan2017, Sec. 3.2]."
    return Drawing(drawing, caption, "Lines of uniqueness against closeness: " + _values(close))


def _draw_lines(axes: Axes, lines: Sequence[tuple[str, Sequence[float], Sequence[Uniqueness]]]) -> None:
    ends = []
    for colour, (label, x, line) in zip(COLOURS * 9, lines, strict=False):
        y = [r.value or 0.0 for r in line]
        low, high = zip(*(r.interval or (0.0, 0.0) for r in line), strict=True)
        axes.plot(x, y, color=colour, marker="o", markersize=4)
        axes.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
        ends.append((x[-1], y[-1], label, colour))
    axes.set_ylim(0, 1.02)
    end_labels(axes, ends)


def _distribution(results: Sequence[Uniqueness]) -> Drawing:
    """Crowd sizes as in song2014 figs 3 and 4: small crowds on a linear scale, all of them on a logarithmic one."""
    shown = {r.points: r for r in results if r.short == results[0].short and r.knowledge == results[0].knowledge}
    with canvas(6.4, 2.8) as (figure, axes):
        axes.remove()
        left, right = figure.subplots(1, 2)
        for colour, (points, result) in zip(COLOURS * 9, sorted(shown.items()), strict=False):
            sizes = np.array(sorted(result.distribution))
            share = np.array([result.distribution[s] for s in sizes])
            small = sizes <= 10
            left.plot(sizes[small], share[small], color=colour, marker="o", markersize=3)
            right.plot(sizes[sizes > 0], share[sizes > 0], ".", color=colour, markersize=3, label=f"{points} points")
        left.set_xlabel("crowd size s, up to 10")
        left.set_ylabel("share of draws")
        right.set_xscale("log")
        right.set_yscale("log")
        right.set_xlabel("crowd size s")
        right.legend(fontsize=8, markerscale=3, handletextpad=0.2)
        drawing = svg(figure)
    first = results[0]
    caption = f"How many people share the known points ({_n([first.population])}, convention '{first.short}')."
    return Drawing(drawing, caption, "Distribution of crowd sizes for each number of known points.")


def _n(populations: Sequence[int]) -> str:
    low, high = populations[0], populations[-1]
    return f"n = {low:,}" if low == high else f"n = {low:,} to {high:,}"


def _values(results: Sequence[Uniqueness]) -> str:
    return "; ".join(f"{_label(r)}, {r.points} points {r.value:.2f}" for r in results) + "."


def _table(results: Sequence[Uniqueness]) -> Grid:
    rows = [
        (
            f"{r.points} {r.knowledge}" + (f" ({r.closeness_min:g} min)" if r.closeness_min is not None else ""),
            r.short,
            "-" if r.value is None else f"{r.value:.4f}",
            "-" if r.interval is None else f"{r.interval[0]:.4f} to {r.interval[1]:.4f}",
            f"{r.population:,}",
            f"{r.skipped:,}",
            "exact" if r.exact else f"{r.seed}",
        )
        for r in results
    ]
    return Grid(("known", "short", "uniqueness", "95 % interval", "targets", "skipped", "seed"), rows)


@section.register
def _exposure(result: Exposure) -> Section:
    shares = result.distribution
    worst = shares.get(1, 0.0)
    few = sum(share for points, share in shares.items() if 1 <= points <= result.max_points)
    rows = [(_points(n, result.max_points), f"{share:.2%}") for n, share in sorted(shares.items())]
    return Section(
        question="Who is worst off?",
        answer=(
            f"{worst:.1%} of {len(result.points):,} people have a single point that nobody else has, {few:.1%} are "
            f"singled out by {result.max_points} well-chosen points of their own or fewer."
        ),
        number=f"{worst:.1%}",
        number_of="given away by one point",
        tables=[Grid(("fewest own points", "share of people"), rows)],
        method=[
            f"Every set of up to {result.max_points} own points was tried; beyond, the best found is an upper bound.",
            "Averages over random points hide these people: an attacker may know just the telling ones.",
        ],
        data=result,
    )


def _points(n: int, exact: int) -> str:
    return "never alone" if n == 0 else f"{n}" if n <= exact + 1 else f"{n} or fewer"


@section.register
def _cut(result: CutRisk) -> Section:
    before, after = result.before["drop"], result.after["drop"]
    sides = (
        ("whole trajectories", result.before),
        ("pieces", result.after),
        ("fixed knowledge", result.fixed_knowledge),
    )
    rows = [(name, *(_share(side[short]) for short in ("drop", "all", "zero"))) for name, side in sides]
    return Section(
        question="Does cutting into windows hide people?",
        answer=(
            f"{result.points} random points single out {_share(before)} of whole trajectories and {_share(after)} of "
            f"{result.pieces:,} pieces; somebody who knew the points before the cut still succeeds on "
            f"{_share(result.fixed_knowledge['drop'])} of people."
        ),
        number=_share(after),
        number_of="of pieces singled out",
        tables=[Grid(("", "drop", "all", "zero"), rows, "Uniqueness by convention for short trajectories.")],
        method=[result.reason, "Pieces are half-open in time; cutting removes nothing, it only severs pseudonyms."],
        data=result,
    )


def _share(result: Uniqueness) -> str:
    return "-" if result.value is None else f"{result.value:.1%}"
