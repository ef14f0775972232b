"""Panels: what one figure shows, as arrays and words; nothing here draws."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

STEPS = 100  # of a distribution: enough for a line; it shows the least, the largest and, of 101 or fewer, every value
Scale = Literal["linear", "log", "symlog"]


@dataclass(frozen=True)
class Line:
    """One line of a panel.

    Args:
        label: Its name in the legend.
        x: Where its points are; with `ticks` of the panel their places 0, 1, 2.
        y: The values there.
        low: Lower ends of a band around it, if it has one.
        high: Upper ends of that band.
        style: "line" with points on it, "points" alone, "hollow" points as a paper prints them, "step", or "area" down
            to 0.
        tags: Names of single points.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    style: Literal["line", "points", "hollow", "step", "area"] = "line"
    tags: Sequence[str] = ()

    def summary(self) -> str:
        """Its ends in words."""
        first, last = (f"{self.y[i]:.3g} at {self.x[i]:.4g}" for i in (0, -1))
        return f"{self.label}: {first if len(self.x) == 1 else f'{first} to {last}'}".removeprefix(": ")


@dataclass(frozen=True)
class Lines:
    """Several values of y against x.

    Args:
        name: Short name of the panel, as in `incrowd.plot` and in file names.
        x: Label of the axis, with its unit.
        y: Label of the axis, with its unit.
        lines: The lines.
        caption: What it shows, with the number of people.
        share: Whether y is a share, whose axis goes from 0 to 1.
        scale_x: Scale of the x axis.
        scale_y: Scale of the y axis.
        ticks: Names of the places 0, 1, 2 on the x axis, if x is no quantity.
        levels: Horizontal reference lines: label -> value.
        words: Alternative text; made from the lines if empty.
    """

    name: str
    x: str
    y: str
    lines: tuple[Line, ...]
    caption: str
    share: bool = True
    scale_x: Scale = "linear"
    scale_y: Scale = "linear"
    ticks: Sequence[str] = ()
    levels: Mapping[str, float] = field(default_factory=dict)
    words: str = ""

    @property
    def alt(self) -> str:
        """What the figure shows, for those who cannot see it."""
        lines = "; ".join(line.summary() for line in self.lines if len(line.y))
        return self.words or f"Lines of {self.y} against {self.x}: {lines or 'nothing to show'}."


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
    """Cumulative distributions of x.

    Args:
        name: Short name of the panel, as in `incrowd.plot` and in file names.
        x: Label of the axis, with its unit.
        of: What is counted, such as people.
        curves: The distributions.
        caption: What it shows, with the number of people.
        log: Whether the x axis is logarithmic.
    """

    name: str
    x: str
    of: str
    curves: tuple[Curve, ...]
    caption: str
    log: bool = False

    @property
    def alt(self) -> str:
        """What the figure shows, for those who cannot see it."""
        medians = "; ".join(f"{one.label}: median {one.at(0.5):.3g}" for one in self.curves if one.value)
        return f"Cumulative distribution of {self.x}: {medians or 'nothing to show'}."


@dataclass(frozen=True)
class Bars:
    """A bar for each label, or one for each label and series.

    Args:
        name: Short name of the panel, as in `incrowd.plot` and in file names.
        labels: Name of each group of bars.
        series: Name of a series -> its value for each label; one series needs no name.
        y: Label of the axis of values, with its unit.
        caption: What it shows, with the number of people.
        x: Label of the axis of groups, if they need one.
        share: Whether values are shares, whose axis goes from 0 to 1.
        lying: Whether bars lie, which leaves room for long labels.
    """

    name: str
    labels: tuple[str, ...]
    series: Mapping[str, Sequence[float]]
    y: str
    caption: str
    x: str = ""
    share: bool = False
    lying: bool = False

    @property
    def alt(self) -> str:
        """What the figure shows, for those who cannot see it."""
        form = ".2f" if self.share else ",.0f"
        texts = [
            f"{name} {', '.join(f'{label} {value:{form}}' for label, value in zip(self.labels, values, strict=True))}"
            for name, values in self.series.items()
        ]
        return f"Bars of {self.y}: {'; '.join(text.strip() for text in texts if text.strip()) or 'nothing to show'}."


@dataclass(frozen=True)
class Surface:
    """A value over two settings, as colours and lines of equal value.

    Args:
        name: Short name of the panel, as in `incrowd.plot` and in file names.
        x: Label of the axis of columns, with its unit.
        y: Label of the axis of rows, with its unit.
        columns: The settings along x.
        rows: The settings along y.
        value: A share for each row and column.
        of: What the share is of, beside the colours.
        caption: What it shows, with the number of people.
        words: Alternative text.
    """

    name: str
    x: str
    y: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    value: tuple[tuple[float, ...], ...]
    of: str
    caption: str
    words: str

    @property
    def alt(self) -> str:
        """What the figure shows, for those who cannot see it."""
        return self.words


@dataclass(frozen=True)
class Map:
    """A value for each square of a map, or for each of some places, north up; nan is left blank.

    Args:
        name: Short name of the panel, as in `incrowd.plot` and in file names.
        value: The value of each square, rows from south to north, columns from west to east; or of each place.
        cell_km: Side of a square.
        of: What the colours mean.
        caption: What it shows, with the number of people.
        words: Alternative text.
        least: Where the colours begin.
        most: Where the colours end; the largest value if None.
        log: Whether colours follow a logarithmic scale.
        steps: Shares at which the colour changes, instead of a scale.
        at_km: Kilometres east and north of each place, if values are not those of squares.
        outline: Lines to draw, each as kilometres east and north of the corner of the squares.
    """

    name: str
    value: NDArray[np.float64]
    cell_km: float
    of: str
    caption: str
    words: str
    least: float = 0.0
    most: float | None = None
    log: bool = False
    steps: Sequence[float] = ()
    at_km: NDArray[np.float64] | None = None
    outline: Sequence[NDArray[np.float64]] = ()

    @property
    def alt(self) -> str:
        """What the figure shows, for those who cannot see it."""
        return self.words

    @property
    def box_km(self) -> tuple[float, float, float, float]:
        """West, south, east and north of all squares or places and of the outline."""
        rows, columns = self.value.shape if self.at_km is None else (0, 0)
        corners = np.array([(0.0, 0.0), (columns * self.cell_km, rows * self.cell_km)])
        everything = np.concatenate([corners if self.at_km is None else self.at_km, *self.outline])
        if not len(everything):
            return (0.0, 0.0, 1.0, 1.0)
        (west, south), (east, north) = everything.min(axis=0), everything.max(axis=0)
        return float(west), float(south), float(east), float(north)


Panel = Lines | Cdf | Bars | Surface | Map


def step_words(steps: Sequence[float]) -> list[str]:
    """What each colour stands for.

    >>> step_words([0.01, 0.5])
    ['up to 1 %', '1 to 50 %', 'above 50 %']
    """
    ends = [f"{100 * step:g}" for step in steps]
    between = [f"{low} to {high} %" for low, high in pairwise(ends)]
    return [f"up to {ends[0]} %", *between, f"above {ends[-1]} %"]


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


def trend(
    name: str,
    x: str,
    y: str,
    at: Sequence[float],
    values: Sequence[NDArray[Any]],
    caption: str,
    *,
    tags: Sequence[str] = (),
) -> Lines:
    """Mean, median and a band between the quartiles of one array for each place; nan where an array is empty."""
    columns = [np.asarray(column) for column in values]
    means = [float(column.mean()) if column.size else math.nan for column in columns]
    quartiles = [np.quantile(c, (0.25, 0.5, 0.75)).tolist() if c.size else [math.nan] * 3 for c in columns]
    low, median, high = zip(*quartiles, strict=True)
    both = (Line("mean", at, means, tags=tags), Line("median", at, median, low, high))
    points = "; ".join(f"{a:.3g}: mean {b:.4g}, median {c:.4g}" for a, b, c in zip(at, means, median, strict=True))
    return Lines(name, x, y, both, caption, share=False, words=f"Lines of {y} against {x}, {points}.")
