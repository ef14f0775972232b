"""Ticks that can be read: plain round numbers, and names that do not run together."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

ROOM = 56  # letters of names side by side below a figure
STEPS: tuple[tuple[float, ...], ...] = ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 5, 7), (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8))
MOST_DECADES = 6  # that are written out; beyond, powers of ten are shorter


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
