"""A map -> matplotlib axes: squares or dots in their colours, an outline, a key and a scale bar."""

from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.plain import several
from incrowd.report.style import INK, MAP, MUTED, PALE, RAMP, SUNK, round_ticks
from incrowd.show import Map
from incrowd.show.panel import step_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_SHAPES = 2_000  # squares or dots that a page holds as shapes; more are drawn as pixels


def draw_map(axes: "Axes", panel: Map) -> None:
    """Squares or dots in their colours, the outline, a key and a scale bar.

    Args:
        axes: To draw on.
        panel: What to draw.
    """
    from matplotlib.collections import LineCollection

    west, south, east, north = panel.box_km
    drawn = _draw_squares(axes, panel) if panel.at_km is None else _draw_dots(axes, panel)
    if panel.outline:
        axes.add_collection(LineCollection(list(panel.outline), colors=MUTED, linewidths=0.8))
    room = 0.02 * max(east - west, north - south, 0.1)
    axes.set(xlim=(west - room, east + room), ylim=(south - room, north + room), aspect="equal")
    if panel.steps:
        _step_key(axes, panel)
    else:
        scale = axes.figure.colorbar(drawn, ax=axes, label=panel.of, fraction=0.04, pad=0.02)
        if panel.log:
            round_ticks(scale.ax.yaxis, *scale.ax.get_ylim())
    _scale_bar(axes, west - room, east - west + 2 * room)


def _draw_squares(axes: "Axes", panel: Map) -> Any:
    """Squares as shapes, whose colours a page can turn for the dark; as pixels if they are many."""
    rows, columns = panel.value.shape
    if panel.steps and np.isfinite(panel.value).sum() <= MOST_SHAPES:
        return _draw_shapes(axes, panel)
    size = (0, panel.cell_km * columns, 0, panel.cell_km * rows)
    look: dict[str, Any] = {"origin": "lower", "extent": size, "interpolation": "nearest"}
    return axes.imshow(np.ma.masked_invalid(panel.value), **look, **_map_colours(panel))


def _draw_shapes(axes: "Axes", panel: Map) -> Any:
    from matplotlib.collections import PolyCollection

    row, column = np.nonzero(np.isfinite(panel.value))
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    squares = (np.stack([column, row], axis=1)[:, None] + corners) * panel.cell_km
    shapes = PolyCollection(squares, array=panel.value[row, column], linewidths=0.2, **_map_colours(panel))
    shapes.set_edgecolor("face")
    return axes.add_collection(shapes)


def _draw_dots(axes: "Axes", panel: Map) -> Any:
    """Dots as pixels if they are many: a page would hold each of them as a shape."""
    east, north = np.asarray(panel.at_km, np.float64).reshape(-1, 2).T
    size = float(np.clip(4000 / max(len(east), 1), 4, 60))
    edge: dict[str, Any] = {"edgecolors": MUTED, "linewidths": 0.4 if size > 10 else 0.0}
    many = len(east) > MOST_SHAPES
    return axes.scatter(east, north, s=size, c=panel.value, rasterized=many, **edge, **_map_colours(panel))


def _map_colours(panel: Map) -> dict[str, Any]:
    """Colours in steps, or along a scale; with no square to show a scale has two ends all the same."""
    from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm, Normalize

    if panel.steps:
        # A share on a step has the colour below it, as in the words of the key.
        bounds = [0, *np.nextafter(panel.steps, 1), 1.0 + 1e-9]
        return {"cmap": ListedColormap(RAMP), "norm": BoundaryNorm(bounds, len(RAMP))}
    most = float(np.ma.masked_invalid(panel.value).filled(0).max()) if panel.most is None else panel.most
    ends = (panel.least, max(most, panel.least + 1) if panel.log else most)
    return {"cmap": MAP, "norm": LogNorm(*ends) if panel.log else Normalize(*ends)}


def _step_key(axes: "Axes", panel: Map) -> None:
    """What each colour stands for, with the number of cells, beside the map."""
    from matplotlib.patches import Patch

    known = panel.value[np.isfinite(panel.value)]
    counts = np.bincount(np.searchsorted(panel.steps, known), minlength=len(RAMP))
    patches = [
        Patch(facecolor=colour, edgecolor=MUTED, linewidth=0.5, label=f"{words}: {several(int(count), 'cell')}")
        for colour, words, count in zip(RAMP, step_words(panel.steps), counts, strict=True)
    ]
    axes.set_facecolor(SUNK)
    axes.figure.legend(handles=patches, title=panel.of, loc="outside right center", alignment="left")


def _scale_bar(axes: "Axes", west_km: float, width_km: float) -> None:
    """A round length below the map, instead of ticks; a frame says where the map ends."""
    size = 10 ** np.floor(np.log10(width_km / 4))
    length = size * max(step for step in (1, 2, 5) if step * size <= width_km / 4)
    below: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "clip_on": False}
    axes.plot([west_km, west_km + length], [-0.03, -0.03], color=INK, linewidth=2, solid_capstyle="butt", **below)
    axes.annotate(
        f"{length:g} km, north is up",
        (west_km + length, -0.03),
        xycoords=below["transform"],
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        color=INK,
        annotation_clip=False,
    )
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[["top", "right"]].set_visible(True)
    axes.spines[:].set_color(PALE)
