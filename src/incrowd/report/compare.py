"""The section about several methods on the same people: what each protects against what it costs."""

from matplotlib.axes import Axes

from incrowd.assess.attacker import KNOWS
from incrowd.assess.compare import NOTHING, Comparison, Row
from incrowd.assess.loss import MEANS
from incrowd.report.section import Drawing, Grid, Section, section
from incrowd.report.style import COLOURS, INK, MUTED, canvas, key, svg

COLOUR = {
    "glove": COLOURS[0],
    "w4m": COLOURS[1],
    "cut": COLOURS[2],
    "generalize": COLOURS[3],
    "lkc": COLOURS[4],
    NOTHING: INK,
}
HEAD = (
    "method",
    "setting",
    "singled out",
    "in a small crowd",
    "least crowd",
    "median crowd",
    "found",
    "loss",
    "position off, m",
    "time off, min",
    "samples kept",
    "steps kept",
    "made up",
    "reaches the target",
)
KNOWN = frozenset(("singled_out", "below_k", "found", "agree_in_all", "crowd_least", "crowd_median"))
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
        tables=[comparison_grid(result), *_problems(result)],
        method=[KNOWS.format(points=result.points), MEANS, LIMITS, _grain(result)],
        data=result,
    )


def comparison_grid(result: Comparison) -> Grid:
    """Every setting that ran."""
    ran = [row for row in result.rows if not row.problem]
    drawn = f" of {result.of_people:,}, drawn at random" if result.people < result.of_people else ""
    caption = f"Every setting (n = {result.people:,} people{drawn}, {result.samples:,} samples, seed {result.seed})."
    extra = sorted({name for row in ran for name in row.privacy} - KNOWN)
    return Grid((*HEAD, *extra), [_cells(row, extra) for row in ran], caption)


def _cells(row: Row, extra: list[str]) -> tuple[str, ...]:
    risk, cost = row.privacy, row.utility
    return (
        "as they are" if row.method == NOTHING else row.method,
        "" if row.method == NOTHING else row.setting,
        number(risk["singled_out"], ".1%"),
        number(risk["below_k"], ".1%"),
        number(risk["crowd_least"], ",.0f"),
        number(risk["crowd_median"], ",.0f"),
        number(risk["found"], ".1%"),
        number(cost["loss"], ".3f"),
        number(cost["position_m"], ",.0f"),
        number(cost["time_min"], ",.0f"),
        number(cost["kept"], ".1%"),
        number(cost["steps"], ".1%"),
        number(cost["made_up"], ".1%"),
        "yes" if row.meets else "no",
        *(number(risk.get(name), ".3g") for name in extra),
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
        _draw(upper, ran, "singled_out")
        _draw(lower, ran, "crowd_median")
        upper.set_ylim(-0.03, 1.03)
        upper.set_ylabel("share of people singled out")
        upper.set_xlabel("")
        lower.set_yscale("log")
        lower.set_ylabel("people in the median crowd")
        key(upper)
        drawing = svg(figure)
    told = "; ".join(
        f"{row}: loss {row.loss:.2f}, {number(row.privacy['singled_out'], '.0%')} singled out, median crowd "
        f"{number(row.privacy['crowd_median'], ',.0f')}"
        for row in ran
    )
    caption = (
        f"Protection against loss (n = {result.people:,} people, {result.points} known samples each); filled marks "
        f"reach the target ({result.target})."
    )
    return Drawing(drawing, caption, f"Two scatter plots against the loss. {told}.")


def _draw(axes: Axes, rows: list[Row], name: str) -> None:
    """The settings of a method in the order of their loss, joined by a line."""
    for method, colour in COLOUR.items():
        mine = sorted((row for row in rows if row.method == method), key=lambda row: row.loss)
        seen = [(row.loss, float(height), row) for row in mine if (height := row.privacy[name]) is not None]
        axes.plot([x for x, _, _ in seen], [y for _, y, _ in seen], color=colour, linewidth=0.8, alpha=0.6)
        label = "as they are" if method == NOTHING else method
        for place, (x, y, row) in enumerate(seen):
            face, named = colour if row.meets else "white", None if place else label
            axes.plot([x], [y], "o", color=colour, markerfacecolor=face, label=named, linestyle="none")
    axes.set_xlim(-0.03, 1.03)
    axes.set_xlabel("loss")
    axes.axhline(0 if name == "singled_out" else 1, color=MUTED, linewidth=0.5)
