"""Section about resolution: uniqueness over space and time, and the finest settings that keep it low."""

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Floats
from incrowd.measure.sweep.result import Sweep, SweepSetting
from incrowd.plain import percent, several
from incrowd.report.section import Drawing, Grid, Section, section
from incrowd.report.style import INK, MAP, PALE, SMALL, canvas, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.contour import ContourSet

TARGETS = (0.05, 0.1, 0.2, 0.5)
LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)
KEPT = {
    "vote": "one point per person and period, the block with most records",
    "set": "every block of a period is a point",
}


@section.register
def _sweep(result: Sweep) -> Section:
    main = _main_points(result)
    settings = result.at(main)
    drawn = [n for n in (2, 4, 6) if _drawable(result, n)] or [main]
    drawings = [_relief(result, main), _contours(result, drawn)] if _drawable(result, main) else []
    return Section(
        question="How coarse must places and times be?",
        answer=_sentence(result, main, settings),
        number=percent(max((setting.uniqueness for setting in settings), default=None)),
        number_of=f"singled out by {main} points at the riskiest setting",
        drawings=drawings,
        tables=[_targets(result, main), _values(result, main)],
        method=_method(result),
        data=result,
    )


def _method(result: Sweep) -> list[str]:
    blocks = (
        f"Places are blocks of one box{_box(result)}, as many each way as said; times are periods from the start on "
        f"[tan2017, Sec. 4.2-4.4]. Representation '{result.keep}': {KEPT[result.keep]}."
    )
    draws = (
        "People are drawn uniformly among those with enough points (convention 'drop'), then points of theirs; "
        f"{_samples(result)} independent samples per cell, seed {result.seed}. Intervals are Wilson's, 95 %, and "
        "hold for one cell each, not for all of them together."
    )
    caveat = (
        "Coarser is not always safer: larger blocks or longer periods may move a vote or drop people from the average, "
        "so that a setting meets a target only where it was measured."
    )
    return [blocks, draws, caveat]


def _box(result: Sweep) -> str:
    """Its size, and how many records it leaves out."""
    last = result.ledger.steps[-1] if result.ledger.steps else None
    lost = [f"{n:,} {reason}" for reason, n in last.dropped.items() if n] if last else []
    without = f", without {' and '.join(lost)} of {several(last.read, 'record')}" if last and lost else ""
    return f" around the data ({result.block_size(1)}{without})" if isfinite(result.box_m[0]) else " around the data"


def _main_points(result: Sweep) -> int:
    """Four, as in the paper, where they were asked for."""
    known = sorted(set(result.points.tolist()))
    return 4 if 4 in known else known[-1]


def _sentence(result: Sweep, points: int, settings: list[SweepSetting]) -> str:
    if not settings:
        return f"Nobody has {points} points at any setting, so the question has no answer here."
    low, high = min(s.uniqueness for s in settings), max(s.uniqueness for s in settings)
    span = f"Between {low:.1%} and {high:.1%} of samples are singled out by {points} random points"
    reached = next((target for target in TARGETS if result.finest(target, points=points)), None)
    if reached is None:
        return f"{span}; no setting brings it to {TARGETS[-1]:.0%} or less."
    finest = _settings(result, result.finest(reached, points=points))
    return f"{span}. The finest settings with at most {reached:.0%}: {finest}."


def _settings(result: Sweep, settings: list[SweepSetting]) -> str:
    return "; ".join(f"{result.named(s.blocks)} and {s.minutes} min" for s in settings) or "none"


def _setting(setting: SweepSetting) -> str:
    return f"{setting.blocks} x {setting.blocks} blocks and {setting.minutes} min"


def _drawable(result: Sweep, points: int) -> bool:
    """Whether there are at least two settings each way, all with a value."""
    here = result.points == points
    several = min(len(set(axis[here].tolist())) for axis in (result.blocks, result.minutes)) > 1
    return several and not np.isnan(result.uniqueness[here]).any()


def _surface(result: Sweep, points: int) -> tuple[list[int], list[int], Floats]:
    """Blocks, minutes and uniqueness[minutes, blocks]."""
    here = result.points == points
    blocks, minutes = sorted(set(result.blocks[here].tolist())), sorted(set(result.minutes[here].tolist()))
    share = np.empty((len(minutes), len(blocks)))
    rows, columns = np.searchsorted(minutes, result.minutes[here]), np.searchsorted(blocks, result.blocks[here])
    share[rows, columns] = result.uniqueness[here]
    return blocks, minutes, share


def _relief(result: Sweep, points: int) -> Drawing:
    """The surface of tan2017 fig. 1, settings side by side at equal distance."""
    blocks, minutes, share = _surface(result, points)
    with canvas(height_in=4.0) as (figure, axes):
        axes.remove()
        relief = figure.add_subplot(projection="3d")
        x, y = np.meshgrid(range(len(blocks)), range(len(minutes)))
        relief.plot_surface(x, y, share, cmap=MAP, vmin=0, vmax=1, edgecolor=PALE, linewidth=0.4, shade=False)
        relief.set_xticks(range(len(blocks)), list(map(str, blocks)), fontsize=SMALL)
        relief.set_yticks(range(len(minutes)), list(map(str, minutes)), fontsize=SMALL)
        relief.set_zlim(0, 1)
        relief.set_xlabel("blocks each way")
        relief.set_ylabel("minutes of a period")
        relief.set_zlabel("share singled out")
        relief.view_init(elev=28, azim=-125)
        drawing = svg(figure)
    caption = f"Uniqueness from {points} points over space and time ({_conventions(result, [points])})."
    return Drawing(drawing, caption, f"Surface of uniqueness: {_ends(result, points)}")


def _contours(result: Sweep, drawn: list[int]) -> Drawing:
    """Contour maps for several numbers of points, as tan2017 fig. 5."""
    with canvas(7.0, 3.0) as (figure, axes):
        axes.remove()
        panels = figure.subplots(1, len(drawn), sharey=True, squeeze=False)[0]
        for panel, points in zip(panels, drawn, strict=True):
            filled = _draw_contour(panel, result, points)
        figure.colorbar(filled, ax=panels, label="share singled out", ticks=[0, 0.25, 0.5, 0.75, 1], fraction=0.05)
        panels[0].set_ylabel("minutes of a period")
        drawing = svg(figure)
    listed = ", ".join(map(str, drawn))
    caption = f"Lines of equal uniqueness for {listed} known points ({_conventions(result, drawn)})."
    return Drawing(drawing, caption, "Contour maps of uniqueness: " + " ".join(_ends(result, n) for n in drawn))


def _draw_contour(axes: "Axes", result: Sweep, points: int) -> "ContourSet":
    blocks, minutes, share = _surface(result, points)
    filled = axes.contourf(range(len(blocks)), range(len(minutes)), share, levels=np.linspace(0, 1, 21), cmap=MAP)
    inside = [level for level in LEVELS if share.min() < level < share.max()]
    if inside:
        ink = [INK if level < 0.5 else PALE for level in inside]  # the map is dark where the share is high
        lines = axes.contour(range(len(blocks)), range(len(minutes)), share, levels=inside, colors=ink, linewidths=0.8)
        axes.clabel(lines, fmt=lambda level: f"{level:.0%}", fontsize=SMALL)
    axes.set_xticks(range(len(blocks)), list(map(str, blocks)), fontsize=SMALL, rotation=90)
    axes.set_yticks(range(len(minutes)), list(map(str, minutes)), fontsize=SMALL)
    axes.set_title(f"{points} points", fontsize=10)
    axes.set_xlabel("blocks each way")
    return filled


def _ends(result: Sweep, points: int) -> str:
    settings = result.at(points)
    low, high = (pick(settings, key=lambda s: s.uniqueness) for pick in (min, max))
    return (
        f"{points} points, from {low.uniqueness:.2f} at {_setting(low)} to {high.uniqueness:.2f} at {_setting(high)}."
    )


def _conventions(result: Sweep, drawn: list[int]) -> str:
    people = result.population[np.isin(result.points, drawn) & (result.samples > 0)]
    n = f"{people.min():,}" if people.min() == people.max() else f"{people.min():,} to {people.max():,}"
    half = float(np.nanmax((result.high - result.low)[np.isin(result.points, drawn)])) / 2
    return (
        f"n = {n} people with enough points, {_samples(result)} samples per cell, 95 % intervals within "
        f"{half:.4f} each way, representation '{result.keep}', convention 'drop'"
    )


def _samples(result: Sweep) -> str:
    return f"{int(result.samples.max()):,}"


def _targets(result: Sweep, points: int) -> Grid:
    rows = [
        (
            f"{target:.0%}",
            _settings(result, result.finest(target, points=points)),
            _settings(result, result.finest(target, points=points, sure=True)),
            _settings(result, result.coarsest(target, points=points)),
        )
        for target in TARGETS
    ]
    head = ("at most", "finest settings", "finest by the upper end of the interval", "coarsest settings")
    return Grid(head, rows, f"Settings whose uniqueness from {points} points meets a target.")


def _values(result: Sweep, points: int) -> Grid:
    rows = [
        (
            str(s.minutes),
            str(s.blocks),
            result.block_size(s.blocks),
            f"{s.uniqueness:.4f}",
            f"{s.low:.4f} to {s.high:.4f}",
        )
        for s in result.at(points)
    ]
    head = ("minutes", "blocks", "size of a block (west-east x south-north)", "uniqueness", "95 % interval")
    return Grid(head, rows, f"All settings for {points} points.")
