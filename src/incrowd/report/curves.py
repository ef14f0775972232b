"""Distributions and trends as small records, and how they are drawn."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from incrowd.report.section import Drawing
from incrowd.report.style import COLOURS, MUTED, SMALL, canvas, end_labels, key, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS = 100  # of a distribution: enough for a line; it shows the least, the largest and, of 101 or fewer, every value


@dataclass(frozen=True)
class Curve:
    """A distribution of n values: a share i / 100 of them is at most value[i]; inf stays, nan is left out."""

    label: str
    n: int
    value: tuple[float, ...]

    def at(self, share: float) -> float:
        """The value that this share does not exceed, to a hundredth; nan when there are none."""
        return self.value[round(share * STEPS)] if self.value else math.nan


@dataclass(frozen=True)
class Cdf:
    """One set of axes with cumulative distributions of x; `of` says what is counted."""

    name: str
    x: str
    of: str
    curves: tuple[Curve, ...]
    caption: str
    log: bool = False


@dataclass(frozen=True)
class Trend:
    """Mean, median and quartiles of y against x; `tags` name single points."""

    name: str
    x: str
    y: str
    at: tuple[float, ...]
    mean: tuple[float, ...]
    median: tuple[float, ...]
    quartiles: tuple[tuple[float, float], ...]
    caption: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Line:
    """One line of a panel; `theirs` marks points a paper prints, drawn hollow."""

    label: str
    at: tuple[float, ...]
    value: tuple[float, ...]
    theirs: bool = False


@dataclass(frozen=True)
class Lines:
    """Several values of y against x; shares have an axis from 0 to 1."""

    name: str
    x: str
    y: str
    lines: tuple[Line, ...]
    caption: str
    share: bool = True
    log: bool = False


def curve(label: str, values: ArrayLike) -> Curve:
    """The distribution of some values, without interpolation.

    >>> curve("ages", [1.0, 3.0, float("nan")]).at(0.5)
    1.0
    """
    known: NDArray[Any] = np.asarray(values)
    known = known[~np.isnan(known)]
    shares = np.linspace(0, 1, STEPS + 1)
    quantiles = np.quantile(known, shares, method="inverted_cdf").tolist() if known.size else []
    return Curve(label, known.size, tuple(quantiles))


def trend(values: Sequence[NDArray[Any]], **labels: Any) -> Trend:
    """Summarise one array per point; nan where an array is empty."""
    summary = [_summary(np.asarray(column)) for column in values]
    means, medians, quartiles = (tuple(part) for part in zip(*summary, strict=True))
    return Trend(mean=means, median=medians, quartiles=quartiles, **labels)


def _summary(values: NDArray[Any]) -> tuple[float, float, tuple[float, float]]:
    if not values.size:
        return math.nan, math.nan, (math.nan, math.nan)
    low, median, high = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
    return float(values.mean()), median, (low, high)


@lru_cache(maxsize=32)  # a page and the files beside it show the same
def drawing(panel: Cdf | Lines | Trend) -> Drawing:
    """The figure of a panel."""
    with canvas(height_in=2.8) as (figure, axes):
        if isinstance(panel, Cdf):
            _draw_cdfs(axes, panel)
        elif isinstance(panel, Lines):
            _draw_lines(axes, panel)
        else:
            _draw_trend(axes, panel)
        image = svg(figure)
    return Drawing(image, panel.caption + _of_few(panel), _in_words(panel))


def _of_few(panel: Cdf | Lines | Trend) -> str:
    if not isinstance(panel, Cdf) or not any(0 < one.n <= STEPS + 1 for one in panel.curves):
        return ""
    return f" A line of {STEPS + 1} {panel.of} or fewer shows the value of each."


def _in_words(panel: Cdf | Lines | Trend) -> str:
    if isinstance(panel, Cdf):
        points_text = "; ".join(f"{one.label}: median {one.at(0.5):.3g}" for one in panel.curves if one.value)
        return f"Cumulative distribution of {panel.x}: {points_text or 'nothing to show'}."
    if isinstance(panel, Lines):
        points_text = "; ".join(f"{one.label}: {_ends(one)}" for one in panel.lines if one.value)
        return f"Lines of {panel.y} against {panel.x}: {points_text or 'nothing to show'}."
    points = zip(panel.at, panel.mean, panel.median, strict=True)
    points_text = "; ".join(f"{x:.3g}: mean {mean:.4g}, median {median:.4g}" for x, mean, median in points)
    return f"Lines of {panel.y} against {panel.x}, {points_text}."


def _ends(line: Line) -> str:
    first, last = (f"{line.value[at]:.3g} at {line.at[at]:.4g}" for at in (0, -1))
    return first if len(line.at) == 1 else f"{first} to {last}"


def _draw_lines(axes: "Axes", panel: Lines) -> None:
    for colour, one in zip(COLOURS * 9, panel.lines, strict=False):
        style, fill = ("none", "none") if one.theirs else ("-", colour)
        axes.plot(
            one.at,
            one.value,
            marker="o",
            markersize=4,
            linestyle=style,
            markerfacecolor=fill,
            color=colour,
            label=one.label,
        )
    if panel.log:
        axes.set_xscale("log")
    elif all(float(x).is_integer() for one in panel.lines for x in one.at):
        axes.locator_params(axis="x", integer=True)
    axes.set_ylim(0, 1.04 if panel.share else None)
    axes.set_xlabel(panel.x)
    axes.set_ylabel(panel.y)
    if len(panel.lines) > 1:
        key(axes)


def _draw_cdfs(axes: "Axes", panel: Cdf) -> None:
    for colour, one in zip(COLOURS * 9, panel.curves, strict=False):
        value = np.array(one.value)
        here = np.isfinite(value) & ((value > 0) | (not panel.log))
        axes.step(value[here], np.linspace(0, 1, len(value))[here], where="post", color=colour, label=one.label)
    if panel.log:
        axes.set_xscale("log")
    else:
        axes.set_xlim(left=0)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(panel.x)
    axes.set_ylabel(f"share of {panel.of}")
    if len(panel.curves) > 1:
        key(axes)


def _draw_trend(axes: "Axes", panel: Trend) -> None:
    low, high = zip(*panel.quartiles, strict=True)
    axes.fill_between(panel.at, low, high, color=COLOURS[0], alpha=0.15, linewidth=0)
    axes.plot(panel.at, panel.mean, marker="o", markersize=4, color=COLOURS[1])
    axes.plot(panel.at, panel.median, marker="o", markersize=4, color=COLOURS[0])
    _tag(axes, panel)
    most = np.nanmax([*panel.mean, *high, 1e-9])
    axes.set_ylim(0, 1.08 * most)
    ends = ((panel.mean, "mean", COLOURS[1]), (panel.median, "median", COLOURS[0]))
    last = panel.at[-1]
    end_labels(axes, [(last, y[-1], text, colour) for y, text, colour in ends if y[-1] == y[-1]], gap=0.07 * most)
    axes.set_xlabel(panel.x)
    axes.set_ylabel(panel.y)


def _tag(axes: "Axes", panel: Trend) -> None:
    """Name the points, except those too close to the last named one to be read."""
    apart, last = 0.05 * (max(panel.at) - min(panel.at)), -math.inf
    for x, y, tag in zip(panel.at, panel.mean, panel.tags, strict=False):
        if x - last >= apart:
            # Right of the last point stand the names of the lines.
            side, shift = ("right", -3) if x == panel.at[-1] else ("left", 3)
            near = (shift, 5)
            axes.annotate(tag, (x, y), xytext=near, textcoords="offset points", ha=side, fontsize=SMALL, color=MUTED)
            last = x
