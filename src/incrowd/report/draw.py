"""Panels -> matplotlib axes and SVG; the only place that draws."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.report.draw_map import draw_map
from incrowd.report.style import (
    COLOURS,
    INK,
    MAP,
    MUTED,
    PALE,
    SMALL,
    canvas,
    end_labels,
    key,
    named_ticks,
    round_ticks,
    svg,
    tags,
    whole_ticks,
)
from incrowd.show import Bars, Cdf, Line, Lines, Map, Panel, Surface
from incrowd.show.panel import STEPS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CONTOURS = (0.1, 0.25, 0.5, 0.75, 0.9)
WIDTH_PT, COVERED_PT = 1.5, 2.0  # of a line, and more for one that a later one covers
MOST_END_LABELS = 5  # lines that are named where they end; more need a legend
HEIGHTS_IN: dict[type, float] = {Lines: 3.2, Cdf: 2.8, Bars: 2.6, Surface: 3.2, Map: 4.2}


def draw(panel: Panel, ax: "Axes | None" = None) -> "Axes":
    """The axes with the panel drawn on them.

    Args:
        panel: What to draw, from the section of a result.
        ax: Axes to draw on; a new figure in the house style if None.
    """
    if ax is None:
        with canvas(height_in=_height(panel)) as (_, ax):
            DRAWN[type(panel)](ax, panel)
        return ax
    DRAWN[type(panel)](ax, panel)
    return ax


def image(panel: Panel) -> str:
    """The panel as inline SVG."""
    return svg(draw(panel).figure)  # type: ignore[arg-type]


def caption(panel: Panel) -> str:
    """The caption, and how to read a distribution of few values."""
    if isinstance(panel, Cdf) and any(0 < one.n <= STEPS + 1 for one in panel.curves):
        return f"{panel.caption} A line of {STEPS + 1} {panel.of} or fewer shows the value of each."
    return panel.caption


def _height(panel: Panel) -> float:
    if isinstance(panel, Bars) and panel.lying:
        return 0.7 + 0.32 * max(len(panel.labels), 1)
    if isinstance(panel, Map):
        west, south, east, north = panel.box_km
        wide = 3.4 if panel.steps else HEIGHTS_IN[Map]  # the words of steps take more room than a scale
        return float(min(5.6, max(2.2, wide * (north - south) / max(east - west, 1e-9) + 0.4)))
    return HEIGHTS_IN[type(panel)]


def _draw_lines(axes: "Axes", panel: Lines) -> None:
    widths = _widths([dict(zip(line.x, line.y, strict=True)) if line.style == "line" else {} for line in panel.lines])
    for colour, line, width in zip(_colours(panel.lines), panel.lines, widths, strict=False):
        _draw_line(axes, line, colour, width)
    for style, (label, value) in zip(("--", ":", "-.") * 9, panel.levels.items(), strict=False):
        axes.axhline(value, color=MUTED, linewidth=1, linestyle=style, label=label)
    _scale(axes, panel)
    axes.set_xlabel(panel.x)
    axes.set_ylabel(panel.y)
    _name_lines(axes, panel)


def _draw_line(axes: "Axes", line: Line, colour: str, width: float) -> None:
    if line.style in ("step", "area"):
        if line.style == "area":
            axes.fill_between(line.x, line.y, step="mid", color=colour, alpha=0.85, linewidth=0, label=line.label)
        else:
            axes.step(line.x, line.y, where="post", color=colour, linewidth=width, label=line.label)
        return
    look: dict[str, Any] = {"marker": "o", "markersize": 2.5 + width, "color": colour, "label": line.label}
    look |= {"linewidth": width}
    look |= {"linestyle": "none"} if line.style != "line" else {}
    look |= {"markerfacecolor": "none"} if line.style == "hollow" else {}
    axes.plot(line.x, line.y, **look)
    if len(line.low):
        axes.fill_between(line.x, line.low, line.high, color=colour, alpha=0.2, linewidth=0)
        if len(line.x) == 1:  # a band needs two points
            axes.vlines(line.x, line.low, line.high, color=colour, alpha=0.4, linewidth=4)


def _scale(axes: "Axes", panel: Lines) -> None:
    for axis, scale in (("x", panel.scale_x), ("y", panel.scale_y)):
        if scale != "linear":
            how: dict[str, Any] = {"linthresh": 0.1, "linscale": 0.6} if scale == "symlog" else {}
            getattr(axes, f"set_{axis}scale")(scale, **how)
            round_ticks(getattr(axes, f"{axis}axis"), *getattr(axes, f"get_{axis}lim")())
    if panel.ticks:
        named_ticks(axes, range(len(panel.ticks)), panel.ticks)
    elif panel.scale_x == "linear" and all(float(x).is_integer() for line in panel.lines for x in line.x):
        axes.locator_params(axis="x", integer=True)
    if panel.share and panel.scale_y == "linear":
        axes.set_ylim(0, 1.04)
    elif panel.scale_y == "linear":
        axes.set_ylim(bottom=0)


def _name_lines(axes: "Axes", panel: Lines) -> None:
    """Few lines are named where they end, many in a legend; single points by their tags."""
    ends = [(line, line.y[-1]) for line in panel.lines if len(line.y) and math.isfinite(line.y[-1])]
    named = len(ends) > 1 or bool(panel.levels)
    few = len(ends) <= MOST_END_LABELS and not panel.levels and panel.scale_y == "linear"
    if named and few and all(line.style == "line" for line in panel.lines):
        top = axes.get_ylim()[1]
        colours = dict(zip(map(id, panel.lines), _colours(panel.lines), strict=False))
        end_labels(axes, [(line.x[-1], y, line.label, colours[id(line)]) for line, y in ends], gap=0.07 * top)
    elif named:
        key(axes)
    for colour, line in zip(_colours(panel.lines), panel.lines, strict=False):
        if line.tags:
            tags(axes, [(*point, colour) for point in zip(line.x, line.y, line.tags, strict=True)])


def _widths(lines: Sequence[Mapping[float, float]]) -> list[float]:
    """Of each line, more for each later one that covers a quarter of its points or more, so that both are seen."""
    ends = [y for line in lines for y in line.values() if math.isfinite(y)]
    near = 0.01 * (max(ends) - min(ends)) if ends else 0.0

    def covers(later: Mapping[float, float], line: Mapping[float, float]) -> bool:
        both = [x for x in line if x in later and abs(later[x] - line[x]) <= near]
        return 4 * len(both) >= len(line) > 0

    covered = (sum(covers(later, line) for later in lines[place + 1 :]) for place, line in enumerate(lines))
    return [WIDTH_PT + COVERED_PT * min(count, 3) for count in covered]


def _colours(lines: Sequence[Any]) -> Sequence[str]:
    return COLOURS * (1 + len(lines) // len(COLOURS))


def _draw_cdfs(axes: "Axes", panel: Cdf) -> None:
    seen = [np.log10(np.maximum(one.value, 1e-300)) if panel.log else np.array(one.value) for one in panel.curves]
    widths = _widths([dict(enumerate(values.tolist())) for values in seen])
    for colour, one, width in zip(_colours(panel.curves), panel.curves, widths, strict=False):
        value = np.array(one.value)
        here = np.isfinite(value) & ((value > 0) | (not panel.log))
        look: dict[str, Any] = {"where": "post", "color": colour, "linewidth": width, "label": one.label}
        axes.step(value[here], np.linspace(0, 1, len(value))[here], **look)
    if panel.log:
        axes.set_xscale("log")
        round_ticks(axes.xaxis, *axes.get_xlim())
    else:
        axes.set_xlim(left=0)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(panel.x)
    axes.set_ylabel(f"share of {panel.of}")
    if len(panel.curves) > 1:
        key(axes)


def _draw_bars(axes: "Axes", panel: Bars) -> None:
    if not panel.labels:
        axes.text(0.5, 0.5, "nothing to show", ha="center", va="center", color=MUTED)
        axes.set_axis_off()
        return
    places, width = np.arange(len(panel.labels)), 0.76 / len(panel.series)
    for number, (colour, (name, values)) in enumerate(zip(COLOURS, panel.series.items(), strict=False)):
        shift = width * (number - (len(panel.series) - 1) / 2)
        bar = axes.barh if panel.lying else axes.bar
        bar(places + shift, list(values), 0.9 * width, color=colour, label=name)
        if len(panel.series) == 1:
            _write_values(axes, panel, list(values))
    most = max(max(values, default=0) for values in panel.series.values())
    limits = (0, 1.1) if panel.share else (0, 1.15 * max(most, 1e-9))
    if panel.lying:
        axes.set_yticks(places, list(panel.labels), color=INK)
        axes.set(xlim=limits, xlabel=panel.y, ylabel=panel.x)
        whole_ticks(axes.xaxis)
        axes.invert_yaxis()
        axes.spines["left"].set_visible(False)
        axes.tick_params(left=False)
    else:
        named_ticks(axes, places.tolist(), panel.labels)
        whole_ticks(axes.yaxis)
        axes.set(ylim=limits, ylabel=panel.y, xlabel=panel.x)
    if len(panel.series) > 1:
        key(axes)


def _write_values(axes: "Axes", panel: Bars, values: Sequence[float]) -> None:
    for place, value in enumerate(values):
        words = f"{value:.2f}" if panel.share else f"{value:,.0f}"
        point, shift = ((value, place), (4, 0)) if panel.lying else ((place, value), (0, 3))
        sides: dict[str, Any] = {"va": "center"} if panel.lying else {"ha": "center"}
        axes.annotate(words, point, xytext=shift, textcoords="offset points", **sides)


def _draw_surface(axes: "Axes", panel: Surface) -> None:
    share = np.array(panel.value)
    places = range(len(panel.columns)), range(len(panel.rows))
    filled = axes.contourf(*places, share, levels=np.linspace(0, 1, 21), cmap=MAP)
    inside = [level for level in CONTOURS if share.min() < level < share.max()]
    if inside:
        ink = [INK if level < 0.5 else PALE for level in inside]  # the map is dark where the share is high
        lines = axes.contour(*places, share, levels=inside, colors=ink, linewidths=0.8)
        axes.clabel(lines, fmt=lambda level: f"{level:.0%}", fontsize=SMALL)
    axes.set_xticks(places[0], list(panel.columns), fontsize=SMALL, rotation=90 if len(panel.columns) > 6 else 0)
    axes.set_yticks(places[1], list(panel.rows), fontsize=SMALL)
    axes.set(xlabel=panel.x, ylabel=panel.y)
    axes.figure.colorbar(filled, ax=axes, label=panel.of, ticks=[0, 0.25, 0.5, 0.75, 1], fraction=0.05)


DRAWN: dict[type, Callable[["Axes", Any], None]] = {
    Lines: _draw_lines,
    Cdf: _draw_cdfs,
    Bars: _draw_bars,
    Surface: _draw_surface,
    Map: draw_map,
}
