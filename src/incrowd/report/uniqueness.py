"""Sections about singling out: uniqueness, its conventions, exposure, and what cutting changes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from incrowd.errors import ParameterError
from incrowd.measure import CutRisk, Exposure, Uniqueness
from incrowd.plain import percent
from incrowd.report.section import Drawing, Grid, Section, section
from incrowd.report.style import COLOURS, canvas, end_labels, key, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
TOLD = ("knowledge", "points", "short", "closeness_min", "tolerance_min", "block_min", "match", "seed")
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
    return headed(results, max(known, key=lambda r: (r.points, r.short == "drop"), default=results[-1]))


def headed(results: Sequence[Uniqueness], main: Uniqueness, *, of: str = "people") -> Section:
    """The section of several results with one of them as its headline."""
    known = [r for r in results if r.value is not None]
    drawings = [_curve(known)] if len({r.points for r in known}) > 1 else []
    drawings += [_closeness(known)] if len({r.closeness_min for r in known}) > 1 else []
    drawings += [_distribution(known)] if known else []
    drawn = (
        "Intervals are Wilson's, 95 %, over the draws." if any(_is_drawn(r) for r in results) else "Nothing was drawn."
    )
    return Section(
        question="How easily are people singled out?",
        answer=_sentence(main, of),
        number=percent(main.value),
        number_of=f"singled out by {main.points} points",
        drawings=drawings,
        tables=[_table(results)],
        method=[CONVENTION, f"The attacker knows {KNOWS[main.knowledge]}. {drawn}"],
        data=list(results),
        number_at=(results.index(main), "value"),
    )


def _is_drawn(result: Uniqueness) -> bool:
    return result.interval is not None and result.interval[0] < result.interval[1]


def _sentence(result: Uniqueness, of: str) -> str:
    if result.value is None:
        lack = "points that close in time" if result.knowledge == "close" else "points to know"
        return f"No trajectory has {result.points} {lack}, so the question has no answer here."
    low, high = result.interval or (result.value, result.value)
    span = f" (95 % interval {low:.1%} to {high:.1%})" if _is_drawn(result) else ""
    rule = "" if result.knowledge == "top" or not result.skipped else f"; {SHORT[result.short]}"
    return (
        f"An attacker who knows {result.points} {KNOWS[result.knowledge]} singles out {result.value:.1%} of "
        f"{result.population:,} {of}{span}{rule}."
    )


def _lines(results: Sequence[Uniqueness], x: str) -> list[tuple[str, list[Uniqueness]]]:
    """Results that differ in `x` alone make a line, named by what tells it from the others."""
    fixed = [name for name in ("label", *TOLD) if name != x]
    apart = [name for name in fixed if len({getattr(r, name) for r in results}) > 1] or ["knowledge"]
    named: dict[str, list[Uniqueness]] = {}
    for r in results:
        named.setdefault(", ".join(_word(r, name) for name in apart), []).append(r)
    return [(name, sorted(line, key=lambda r: getattr(r, x) or 0)) for name, line in named.items()]


def _word(result: Uniqueness, name: str) -> str:
    value = getattr(result, name)
    if name == "points":
        return f"{value} known"
    if name.endswith("_min"):
        return f"{name.removesuffix('_min')} {value} min"
    return str(value) if name in ("label", "knowledge", "short", "match") else f"{name} {value}"


def _curve(results: Sequence[Uniqueness]) -> Drawing:
    with canvas() as (figure, axes):
        lines = _lines(results, "points")
        _draw_lines(axes, [(name, [r.points for r in line], line) for name, line in lines])
        axes.set_xticks(sorted({r.points for r in results}))
        axes.set_xlabel("points the attacker knows")
        axes.set_ylabel("share singled out")
        drawing = svg(figure)
    caption = f"Uniqueness against known points; {_setting(results)}."
    return Drawing(drawing, caption, "Lines of uniqueness against known points: " + _values(results))


def _closeness(results: Sequence[Uniqueness]) -> Drawing:
    close = [r for r in results if r.closeness_min is not None]
    with canvas() as (figure, axes):
        lines = _lines(close, "closeness_min")
        _draw_lines(axes, [(name, [(r.closeness_min or 0) / 60 for r in line], line) for name, line in lines])
        axes.set_xlabel("mean time between known points, hours")
        axes.set_ylabel("share singled out")
        drawing = svg(figure)
    caption = f"Uniqueness against closeness in time [tan2017, Sec. 3.2]; {_setting(close)}."
    return Drawing(drawing, caption, "Lines of uniqueness against closeness: " + _values(close))


def _setting(results: Sequence[Uniqueness]) -> str:
    """What every caption carries: n, interval and convention."""
    low, high = min(r.population for r in results), max(r.population for r in results)
    people = f"n = {low:,}" if low == high else f"n = {low:,} to {high:,}"
    band = "bands are 95 % intervals" if any(map(_is_drawn, results)) else "nothing was drawn"
    return f"{people}, {band}, short trajectories: {', '.join(dict.fromkeys(r.short for r in results))}"


def _draw_lines(axes: "Axes", lines: Sequence[tuple[str, Sequence[float], Sequence[Uniqueness]]]) -> None:
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
    from matplotlib.ticker import MaxNLocator

    first = results[0]
    alike = [r for r in results if (r.label, r.short, r.knowledge) == (first.label, first.short, first.knowledge)]
    with canvas(height_in=2.8) as (figure, axes):
        axes.remove()
        left, right = figure.subplots(1, 2)
        for colour, (name, line) in zip(COLOURS * 9, _lines(alike, "seed"), strict=False):
            sizes = np.array(sorted(line[0].distribution))
            share = np.array([line[0].distribution[s] for s in sizes])
            small = sizes <= 10
            left.plot(sizes[small], share[small], color=colour, marker="o", markersize=3, label=name)
            right.plot(sizes[sizes > 0], share[sizes > 0], ".", color=colour, markersize=5)
        left.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        left.set_xlabel("crowd size, up to 10")
        left.set_ylabel("share of draws")
        right.set_xscale("log")
        right.set_yscale("log")
        right.set_xlabel("crowd size, all")
        key(left)
        drawing = svg(figure)
    caption = f"How many people share the known points; {_setting(alike)}."
    return Drawing(drawing, caption, "Distribution of crowd sizes: " + _values(alike))


def _values(results: Sequence[Uniqueness]) -> str:
    return "; ".join(f"{r.knowledge}, {r.short}, {r.points} points {r.value:.2f}" for r in results) + "."


def _table(results: Sequence[Uniqueness]) -> Grid:
    """One row per result; columns in which nothing differs and nothing was asked are left out."""
    varying = [name for name in ("label", *TOLD) if len({getattr(r, name) for r in results}) > 1]
    varying = [name for name in ("knowledge", "points", "short") if name not in varying] + varying
    rows = [
        (
            *(str(getattr(r, name)) for name in varying),
            "-" if r.value is None else f"{r.value:.4f}",
            f"{r.interval[0]:.4f} to {r.interval[1]:.4f}" if r.interval and _is_drawn(r) else "-",
            f"{r.population:,}",
            f"{r.skipped:,}",
            "every choice" if r.exact else f"{r.samples:,} samples" if r.samples else f"{r.repeats} per target",
        )
        for r in results
    ]
    return Grid((*varying, "uniqueness", "95 % interval", "targets", "skipped", "draws"), rows)


@section.register
def _exposure(result: Exposure) -> Section:
    shares = result.distribution
    worst = shares.get(1, 0.0)
    few = sum(share for points, share in shares.items() if 1 <= points <= result.max_points)
    rows = [(_points(n, result), f"{share:.2%}") for n, share in sorted(shares.items())]
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
        references=("song2014",),
    )


def _points(n: int, result: Exposure) -> str:
    bound = "" if result.exact[result.points == n].all() else " or fewer"
    return "never alone" if n == 0 else f"{n}{bound}"


@section.register
def _cut(result: CutRisk) -> Section:
    before, after = result.before["drop"], result.after["drop"]
    names = ("whole trajectories", "pieces", "fixed knowledge")
    sides = zip(names, (result.before, result.after, result.fixed_knowledge), strict=True)
    rows = [
        (
            name,
            short,
            percent(side[short].value),
            _span(side[short]),
            f"{side[short].population:,}",
            f"{side[short].skipped:,}",
        )
        for name, side in sides
        for short in ("drop", "all", "zero")
    ]
    return Section(
        question="Does cutting into windows hide people?",
        answer=(
            f"{result.points} {result.knowledge} points single out {percent(before.value)} of whole trajectories and "
            f"{percent(after.value)} of {result.pieces:,} pieces; who knew the points before the cut still succeeds on "
            f"{percent(result.fixed_knowledge['drop'].value)} of people."
        ),
        number=percent(after.value),
        number_of="of pieces singled out",
        tables=[Grid(("", "short", "uniqueness", "95 % interval", "targets", "skipped"), rows)],
        method=[result.reason, "Pieces are half-open in time; cutting removes nothing, it only severs pseudonyms."],
        data=result,
        number_at=("after", "drop", "value"),
        references=("song2014",),
    )


def _span(result: Uniqueness) -> str:
    return f"{result.interval[0]:.1%} to {result.interval[1]:.1%}" if result.interval and _is_drawn(result) else "-"
