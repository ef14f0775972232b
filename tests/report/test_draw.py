"""Panels on axes: what is drawn is what the panel holds."""

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from incrowd.report.draw import caption, draw, image
from incrowd.show import Bars, Cdf, Line, Lines, Map, Surface, curve

LINES = Lines(
    "plan",
    "window",
    "share",
    (
        Line("risk", (0, 1), (0.25, 0.75), (0.2, 0.7), (0.3, 0.8)),
        Line("theirs", (0, 1), (0.5, 0.5), style="hollow", tags=("a", "b")),
    ),
    "Caption.",
    ticks=("6 h", "12 h"),
    levels={"limit 10 %": 0.1},
)
SURFACE = Surface(
    "sweep", "blocks", "minutes", ("10", "20"), ("20", "60"), ((0.2, 0.9), (0.1, 0.6)), "share", "C.", "W."
)
BARS = Bars("stages", ("nights", "days"), {"": (0.5, 0.25)}, "share", "C.", share=True)
MAP = Map("map", np.array([[7.0, np.nan], [90.0, 8.0]]), 0.5, "people", "C.", "W.", least=5, log=True)
PANELS = {"lines": LINES, "cdf": Cdf("g", "gap", "people", (curve("k = 2", [1.0, 2.0]),), "C."), "bars": BARS}
STEPPED = Map(
    "risk-map", np.array([[0.0, 0.01], [0.5, np.nan]]), 0.5, "share", "C.", "W.", steps=(0.01, 0.05, 0.2, 0.5)
)
AT_KM, AROUND = np.array([(0.0, 0.0), (2.0, 1.0)]), np.array([(-1.0, 0.0), (3.0, 1.0)])
DOTS = replace(STEPPED, value=np.array([0.3, 0.9]), at_km=AT_KM, outline=(AROUND,))
PANELS |= {"surface": SURFACE, "map": MAP, "stepped": STEPPED, "dots": DOTS}


@pytest.mark.parametrize("panel", PANELS.values(), ids=PANELS)
def test_every_panel_becomes_an_image_and_fits_given_axes(panel):
    assert image(panel).startswith("<svg")
    axes = Figure().add_subplot()
    assert draw(panel, axes) is axes and axes.has_data()


def test_lines_bands_levels_and_ticks_are_those_of_the_panel():
    axes = draw(LINES)
    drawn = {line.get_label(): line for line in axes.lines}
    assert drawn["risk"].get_ydata().tolist() == [0.25, 0.75]
    assert drawn["theirs"].get_markerfacecolor() == "none" and drawn["theirs"].get_linestyle() == "None"
    assert list(drawn["limit 10 %"].get_ydata()) == [0.1, 0.1]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["6 h", "12 h"]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_ylim()[0]) == ("window", "share", 0)
    assert {"a", "b"} <= {text.get_text() for text in axes.texts}
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == (0.2, 0.8)


def test_the_interval_of_a_single_point_is_seen():
    axes = draw(Lines("n", "x", "y", (Line("risk", (1,), (0.25,), (0.2,), (0.3,)),), ""))
    assert [segment.tolist() for segment in axes.collections[1].get_segments()] == [[[1, 0.2], [1, 0.3]]]


def test_few_lines_are_named_where_they_end_and_many_in_a_legend():
    few = Lines("n", "x", "y", tuple(Line(f"line {i}", (1, 2), (0.1 * i, 0.2 * i)) for i in range(3)), "")
    assert [text.get_text() for text in draw(few).texts] == ["line 0", "line 1", "line 2"]
    many = Lines("n", "x", "y", tuple(Line(f"line {i}", (1, 2), (0.1 * i, 0.1 * i)) for i in range(7)), "")
    assert len(draw(many).figure.legends[0].get_texts()) == 7


def test_bars_carry_their_values():
    axes = draw(BARS)
    assert [bar.get_height() for bar in axes.patches] == [0.5, 0.25]
    assert [text.get_text() for text in axes.texts] == ["0.50", "0.25"]
    assert "nothing to show" in {text.get_text() for text in draw(Bars("n", (), {"": ()}, "records", "")).texts}


def test_blank_squares_stay_blank():
    squares = draw(MAP).images[0].get_array()
    assert squares.mask.tolist() == [[False, True], [False, False]]
    nothing = Map("map", np.full((2, 2), np.nan), 0.5, "people", "C.", "W.", least=5, log=True)
    assert image(nothing).startswith("<svg")


def test_a_share_has_the_colour_of_its_step():
    """A share on a step belongs to the words below it, as in the table: up to 1 %, 20 to 50 %."""
    axes = draw(STEPPED)
    squares = next(one for one in axes.collections if one.get_array() is not None)
    assert squares.norm(squares.get_array()).tolist() == [0, 0, 3]  # the blank one is not drawn
    words = [text.get_text() for text in axes.figure.legends[0].get_texts()]
    assert words == [
        "up to 1 %: 2 cells",
        "1 to 5 %: 0 cells",
        "5 to 20 %: 0 cells",
        "20 to 50 %: 1 cell",
        "above 50 %: 0 cells",
    ]


def test_places_are_dots_within_the_outline():
    axes = draw(DOTS)
    assert axes.collections[0].get_offsets().tolist() == AT_KM.tolist()
    assert axes.collections[1].get_segments()[0].tolist() == AROUND.tolist()
    assert axes.get_xlim()[0] < -1 and axes.get_xlim()[1] > 3
    assert image(replace(DOTS, value=np.zeros(0), at_km=np.zeros((0, 2)), outline=())).startswith("<svg")


def test_distributions_of_few_say_how_to_read_them():
    assert caption(PANELS["cdf"]) == "C. A line of 101 people or fewer shows the value of each."
    assert caption(BARS) == "C."


def test_drawing_changes_no_global_setting():
    before = dict(mpl.rcParams)
    image(LINES)
    assert dict(mpl.rcParams) == before
