"""How every figure looks: one palette, no chart junk, text as text."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import matplotlib as mpl
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK, MUTED, PALE = "#1f2933", "#616e7c", "#d9e2ec"
# Okabe and Ito's palette: told apart by colour-blind readers and in grey print.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#000000")
MAP = "cividis_r"

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
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}


@contextmanager
def canvas(width_in: float = 6.4, height_in: float = 3.2) -> Iterator[tuple[Figure, Axes]]:
    """A figure with one set of axes in the house style; no window, no global state."""
    with mpl.rc_context(RULES):
        figure = Figure(figsize=(width_in, height_in))
        yield figure, figure.add_subplot()


def svg(figure: Figure) -> str:
    """The figure as inline SVG, without what would differ from run to run."""
    stream = io.StringIO()
    with mpl.rc_context(RULES):
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    return text[text.index("<svg") :]


def end_labels(axes: Axes, ends: Sequence[tuple[float, float, str, str]], gap: float = 0.07) -> None:
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
