"""How every figure looks: one palette, no chart junk, text as text, ticks that can be read.

matplotlib is loaded by the first drawing.
"""

import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cycler import cycler

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

INK, MUTED, PALE, SUNK = "#1f2933", "#616e7c", "#d9e2ec", "#f2f5f8"
# Okabe and Ito's palette: told apart by colour-blind readers and in grey print.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#000000")
MAP = "cividis_r"
RAMP = ("#fdf0d5", "#f9c97f", "#e98f3c", "#b8500f", "#662506")  # of risk; lightness 95 to 24, also in grey print
WIDTH_IN = 5.2  # fills a phone at one pixel per point, so that nothing set in SMALL or more shrinks below it
SMALL = 9  # points; the smallest text
ROOM = 56  # letters of names side by side below a figure
STEPS: tuple[tuple[float, ...], ...] = ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 5, 7), (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8))
MOST_DECADES = 6  # that are written out; beyond, powers of ten are shorter

RULES = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "svg.fonttype": "none",
    "svg.hashsalt": "incrowd",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.prop_cycle": cycler(color=COLOURS),
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "axes.formatter.min_exponent": 5,  # 300, not 3 x 10^2
    "legend.frameon": False,
    "legend.fontsize": SMALL,
    "figure.constrained_layout.use": True,
}


@contextmanager
def canvas(width_in: float = WIDTH_IN, height_in: float = 3.2) -> Iterator["tuple[Figure, Axes]"]:
    """A figure with one set of axes in the house style; no window, no global state."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(RULES):
        figure = Figure(figsize=(width_in, height_in))
        yield figure, figure.add_subplot()


def svg(figure: "Figure") -> str:
    """The figure as inline SVG, without what would differ from run to run."""
    import matplotlib as mpl

    stream = io.StringIO()
    with mpl.rc_context(RULES):
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    return re.sub(r'<g id="[^"]*"', "<g", text[text.index("<svg") :])  # names that would repeat on a page


def pdf(figure: "Figure") -> bytes:
    """The figure as PDF with text as text, without what would differ from run to run."""
    import matplotlib as mpl

    stream = io.BytesIO()
    with mpl.rc_context({**RULES, "pdf.fonttype": 42}):
        figure.savefig(stream, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None})
    return stream.getvalue()


def key(axes: "Axes") -> None:
    """Name the colours above the figure, where no line runs and no width is lost; as many side by side as fit."""
    handles, labels = axes.get_legend_handles_labels()
    longest = max(map(len, labels), default=1)
    axes.figure.legend(
        handles,
        labels,
        loc="outside upper left",
        ncols=max(1, int(12 * WIDTH_IN / (longest + 5))),  # about twelve letters to the inch
        columnspacing=1.2,
        handlelength=1.2,
        handletextpad=0.4,
    )


def end_labels(axes: "Axes", ends: Sequence[tuple[float, float, str, str]], gap: float = 0.07) -> None:
    """Name each line (x, y, text, colour) where it ends, instead of a legend; labels keep their distance."""
    ordered = sorted(ends, key=lambda end: end[1])
    heights: list[float] = []
    for _, y, _, _ in ordered:
        heights.append(max(y, heights[-1] + gap) if heights else y)
    over = max(heights[-1] - ordered[-1][1], 0) / 2
    for (x, _, text, colour), height in zip(ordered, heights, strict=True):
        axes.annotate(
            text,
            (x, height - over),
            xytext=(6, 0),
            textcoords="offset points",
            color=colour,
            va="center",
            annotation_clip=False,
        )


def tags(axes: "Axes", points: Sequence[tuple[float, float, str, str]], apart_pt: float = 14) -> None:
    """Name points (x, y, text, colour), except those too close to a named one; set scales and limits first."""
    named: list[tuple[float, float]] = []
    for x, y, text, colour in points:
        at = axes.transData.transform((x, y)) * 72 / axes.figure.dpi
        if all(abs(at[0] - a) > apart_pt + 3 * len(text) or abs(at[1] - b) > apart_pt for a, b in named):
            axes.annotate(text, (x, y), xytext=(3, 4), textcoords="offset points", fontsize=SMALL, color=colour)
            named.append((at[0], at[1]))


def round_ticks(axis: "Axis", low: float, high: float) -> None:
    """Few plain numbers along a logarithmic axis, such as 0.5, 1, 2 and 5, instead of powers of ten at every step."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

    if not 0 < low < high < math.inf or math.log10(high / low) > MOST_DECADES:
        return
    ticks = next((found for steps in STEPS if 3 <= len(found := _between(low, high, steps)) < 8), [low, high])
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _plain(value)))
    axis.set_minor_formatter(NullFormatter())


def _between(low: float, high: float, steps: Sequence[float]) -> list[float]:
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    every = (step * 10.0**decade for decade in decades for step in steps)
    return [tick for tick in every if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]


def _plain(value: float) -> str:
    return f"{value:,.6g}" if abs(value) < 1 else f"{value:,.10g}"


def whole_ticks(axis: "Axis") -> None:
    """Few numbers with their thousands apart: 10,000 and 20,000 do not run together."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))


def named_ticks(axes: "Axes", places: Sequence[float], names: Sequence[str]) -> None:
    """Names along the x axis, aslant if they would run together side by side."""
    aslant = sum(map(len, names)) + 2 * len(names) > ROOM
    turn: dict[str, Any] = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if aslant else {}
    axes.set_xticks(list(places), list(names), **turn)
