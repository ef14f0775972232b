"""Ticks can be read: a few plain numbers, and names that do not run together."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from incrowd.report.draw import draw
from incrowd.report.style import named_ticks, round_ticks
from incrowd.show import Bars, Cdf, Line, Lines, Map, curve


def texts(axis):
    axis.figure.canvas.draw()
    return [label.get_text() for label in axis.get_majorticklabels()]


def overlap(axis):
    """Whether two labels of an axis are on top of each other."""
    axis.figure.canvas.draw()
    boxes = [
        label.get_window_extent()
        for label in [*axis.get_majorticklabels(), *axis.get_minorticklabels()]
        if label.get_text()
    ]
    return any(one.overlaps(other) for place, one in enumerate(boxes) for other in boxes[place + 1 :])


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.4, 7, ["0.5", "1", "2", "5"]),
        (1, 1000, ["1", "10", "100", "1,000"]),
        (120, 520, ["200", "300", "500"]),
        (2.1, 2.9, ["2.1", "2.9"]),
        (0.01, 1, ["0.01", "0.1", "1"]),
    ],
)
def test_logarithmic_axes_have_a_few_round_numbers(low, high, expected):
    axes = Figure().add_subplot()
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    round_ticks(axes.xaxis, low, high)
    assert texts(axes.xaxis) == expected and not overlap(axes.xaxis)


WEIGHTS = Cdf("t", "tail weight", "people", (curve("both", [0.4, 0.6, 1.3, 2.5, 7.0]),), "C.", log=True)
MANY = Lines(
    "p", "window", "share", (Line("a", range(10), [0.1] * 10),), "C.", ticks=[f"{k} hours long" for k in range(10)]
)
LARGE = Bars(
    "l", ("towers: minority cell in its time slot, or somewhere else",), {"": (19_537,)}, "records", "C.", lying=True
)


@pytest.mark.parametrize("panel", [WEIGHTS, MANY, LARGE], ids=["log", "names", "records"])
def test_no_two_labels_are_on_top_of_each_other(panel):
    axes = draw(panel)
    assert len(texts(axes.xaxis)) > 2
    if panel is MANY:
        assert {label.get_rotation() for label in axes.get_xticklabels()} == {35}  # aslant boxes always overlap
    else:
        assert not overlap(axes.xaxis)


def test_short_names_stay_level():
    axes = Figure().add_subplot()
    named_ticks(axes, [0, 1], ["6 h", "12 h"])
    assert {label.get_rotation() for label in axes.get_xticklabels()} == {0}


def test_a_line_that_another_covers_is_wider():
    """Of three lines the first two are one but for a point; the third is elsewhere."""
    ys = ((0.5, 0.6, 0.7), (0.5, 0.6, 0.9), (0.1, 0.2, 0.3))
    first, second, third = draw(
        Lines("n", "x", "y", tuple(Line(str(k), (1, 2, 3), y) for k, y in enumerate(ys)), "")
    ).lines
    assert first.get_linewidth() > second.get_linewidth() == third.get_linewidth()
    gaps = tuple(curve(name, [1.0, 2.0, 3.0]) for name in "ab")
    below, above = draw(Cdf("g", "gap", "people", gaps, "")).lines
    assert below.get_linewidth() > above.get_linewidth()
    apart = curve("a", [1.0, 2.0, 1e6]), curve("b", [3.0, 6.0, 1e6])  # near each other only if the scale were linear
    lines = draw(Cdf("g", "gap", "people", (*apart, curve("c", [9.0, 18.0, 2e6])), "", log=True)).lines
    assert len({line.get_linewidth() for line in lines}) == 2 and lines[1].get_linewidth() == lines[2].get_linewidth()


def test_the_scale_of_a_map_has_plain_numbers():
    axes = draw(Map("map", np.array([[5.0, 120.0]]), 1.0, "people seen", "C.", "W.", least=5, log=True))
    assert texts(axes.figure.axes[1].yaxis) == ["10", "30", "100"]
