"""The section about several methods on the same people: what each protects against what it costs."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from incrowd.assess.compare import LINKS
from incrowd.assess.compare.attacker import KNOWS
from incrowd.assess.compare.comparison import NOTHING, Comparison, Row
from incrowd.assess.compare.loss import MEANS
from incrowd.plain import several
from incrowd.report.section import Drawing, Grid, Section, section
from incrowd.report.style import COLOURS, INK, MUTED, canvas, key, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HUES, MARKS = COLOURS[:-1], "os^Dv"  # the last colour is too near to the ink of the data as they are
PROTECTS = (
    "method",
    "setting",
    "reaches the target",
    "on the frontier",
    "singled out",
    "in a small crowd",
    "least crowd",
    "median crowd",
    "found",
    "linked",
    "rejoined",
)
COSTS = (
    "method",
    "setting",
    "loss",
    "position off, m",
    "time off, min",
    "samples kept",
    "steps kept",
    "made up",
    "note",
)
KNOWN = frozenset(
    (
        "singled_out",
        "below_k",
        "found",
        "expected_hit",
        "agree_in_all",
        "crowd_least",
        "crowd_median",
        "linked",
        "rejoined",
    )
)
FRONTIER = (
    "On the frontier are the settings that no other beats: none loses as little and protects as many, and does one of "
    "both better."
)
LIMITS = (
    "One draw of known samples per person: a setting that reaches the target here may fail for another draw, unless "
    "its guarantee says otherwise. A crowd thinned to fewer people hides everybody worse than the whole would."
)


@section.register
def _comparison(result: Comparison) -> Section:
    best = result.cheapest
    return Section(
        question=f"Which method is cheapest for {result.target}?",
        answer=result.verdict,
        number="none" if best is None else f"{best.loss:.3f}",
        number_of="loss of the cheapest setting" if best else "setting reaches the target",
        drawings=[_figure(result)],
        tables=[*grids(result), *_problems(result)],
        method=[KNOWS.format(points=result.points), MEANS, LINKS, FRONTIER, LIMITS, _grain(result)],
        data=result,
    )


def grids(result: Comparison) -> list[Grid]:
    """Every setting that ran: what it protects, and what it costs."""
    ran = [row for row in result.rows if not row.problem]
    size = f"n = {result.who}, {several(result.samples, 'sample')}, seed {result.seed}"
    extra = sorted({name for row in ran for name in row.privacy} - KNOWN)
    words = "linked: hit@1, for boxes and the data as they are 1 / crowd; rejoined: only where something was cut"
    return [
        Grid(
            (*PROTECTS, *extra),
            [_protection(row, row in result.frontier, extra) for row in ran],
            f"What every setting protects ({size}; {words}).",
        ),
        Grid(COSTS, [_cost(row) for row in ran], f"What every setting costs ({size})."),
    ]


def _named(row: Row) -> tuple[str, str]:
    return ("as they are", "") if row.method == NOTHING else (row.method, row.setting)


def _protection(row: Row, unbeaten: bool, extra: list[str]) -> tuple[str, ...]:
    risk = row.privacy
    return (
        *_named(row),
        "yes" if row.meets else "no",
        "yes" if unbeaten else "no",
        number(risk["singled_out"], ".1%"),
        number(risk["below_k"], ".1%"),
        number(risk["crowd_least"], ",.0f"),
        number(risk["crowd_median"], ",.0f"),
        number(risk["found"], ".1%"),
        number(risk.get("linked"), ".1%"),
        number(risk.get("rejoined"), ".1%"),
        *(number(risk.get(name), ".3g") for name in extra),
    )


def _cost(row: Row) -> tuple[str, ...]:
    cost = row.utility
    return (
        *_named(row),
        number(cost["loss"], ".3f"),
        number(cost["position_m"], ",.0f"),
        number(cost["time_min"], ",.0f"),
        number(cost["kept"], ".1%"),
        number(cost["steps"], ".1%"),
        number(cost["made_up"], ".1%"),
        row.note,
    )


def number(value: float | None, form: str) -> str:
    """A number in its form; a dash where there is none.

    >>> number(0.25, ".0%"), number(None, ".0%")
    ('25%', '-')
    """
    return "-" if value is None else format(value, form)


def _problems(result: Comparison) -> list[Grid]:
    failed = [(row.method, row.setting, row.problem) for row in result.rows if row.problem]
    return [Grid(("method", "setting", "why"), failed, "Settings that could not run.")] if failed else []


def _grain(result: Comparison) -> str:
    return (
        f"cut and lkc are given visits to cells of {result.cell_m:,} m in slots of {result.slot_min} min (lkc the cell "
        "with most samples of each slot), the others samples of 100 m and 1 min or their centres."
    )


def _figure(result: Comparison) -> Drawing:
    ran = [row for row in result.rows if not row.problem]
    with canvas(height_in=5.6) as (figure, axes):
        axes.remove()
        upper, lower = figure.subplots(2, 1, sharex=True)
        _draw_frontier(upper, result)
        _draw(upper, ran, result.target.measure)
        _draw(lower, ran, "crowd_median")
        upper.set_ylim(-0.03, 1.03)
        upper.set_ylabel(f"share of people\n{result.target.words}")
        upper.set_xlabel("")
        lower.set_yscale("log")
        lower.set_ylabel("people in the median crowd")
        key(upper)
        drawing = svg(figure)
    points = "; ".join(
        f"{row}: loss {row.loss:.2f}, {result.target.distance(row.privacy):.0%} {result.target.words}, median "
        f"crowd {number(row.privacy['crowd_median'], ',.0f')}{', on the frontier' if row in result.frontier else ''}"
        for row in ran
    )
    caption = (
        f"Protection against loss (n = {several(result.people, 'person', 'people')}, "
        f"{several(result.points, 'known sample')} each); filled marks reach the target ({result.target}), the dashed "
        "line is the frontier: no setting lies below it."
    )
    return Drawing(drawing, caption, f"Two scatter plots against the loss. {points}.")


def looks(methods: Iterable[str]) -> dict[str, tuple[str, str]]:
    """A colour and a mark for each method; ink for the data as they are.

    >>> looks(["none", "cut"])
    {'none': ('#1f2933', 'o'), 'cut': ('#0072b2', 'o')}
    """
    named = [method for method in dict.fromkeys(methods) if method != NOTHING]
    looks = {method: (HUES[i % len(HUES)], MARKS[i // len(HUES) % len(MARKS)]) for i, method in enumerate(named)}
    return {NOTHING: (INK, MARKS[0]), **looks}


def _draw_frontier(axes: "Axes", result: Comparison) -> None:
    """Steps down from setting to setting: what lies above and right of them is beaten."""
    at = [(row.loss, result.target.distance(row.privacy)) for row in result.frontier]
    (first, _), (_, last) = at[0], at[-1]
    x, y = [first, *(x for x, _ in at), 1.0], [1.0, *(y for _, y in at), last]
    axes.plot(x, y, color=MUTED, linewidth=1, linestyle="--", drawstyle="steps-post", label="frontier")


def _draw(axes: "Axes", rows: list[Row], name: str) -> None:
    """The settings of a method in the order of their loss, joined by a line."""
    for method, (colour, mark) in looks(row.method for row in rows).items():
        mine = sorted((row for row in rows if row.method == method), key=lambda row: row.loss)
        seen = [(row.loss, float(height), row) for row in mine if (height := row.privacy[name]) is not None]
        axes.plot([x for x, _, _ in seen], [y for _, y, _ in seen], color=colour, linewidth=0.8, alpha=0.6)
        label = "as they are" if method == NOTHING else method
        for place, (x, y, row) in enumerate(seen):
            face, named = colour if row.meets else "white", None if place else label
            axes.plot([x], [y], mark, color=colour, markerfacecolor=face, label=named, linestyle="none")
    axes.set_xlim(-0.03, 1.03)
    axes.set_xlabel("loss")
    axes.axhline(1 if name == "crowd_median" else 0, color=MUTED, linewidth=0.5)
