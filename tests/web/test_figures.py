"""Figures take every colour from the page, so that no line vanishes and both themes can be read."""

import re
from pathlib import Path

import incrowd.web
from incrowd.report.style import COLOURS
from incrowd.show import Line, Lines
from incrowd.web.figures import figure, in_percent

STATIC = Path(incrowd.web.__file__).parent / "static"


def test_every_line_has_a_colour_of_the_page():
    lines = tuple(Line(f"line {number}", (0, 1, 2), (0.1 * number, 0.2, 0.3)) for number in range(len(COLOURS)))
    svg = figure(Lines("many", "x", "y", lines, "A caption."))
    painted = set(re.findall(r'(?:fill|stroke)="([^"]*)"', svg))
    assert {f"var(--line-{place})" for place in range(1, len(COLOURS) + 1)} <= painted
    assert {colour for colour in painted if not colour.startswith("var(--")} == {"none"}


def test_names_in_a_figure_begin_with_that_of_its_panel():
    svg = figure(Lines("one", "x", "y", (Line("a", (0, 1), (0, 1)),), "A caption."))
    named, asked = set(re.findall(r'\bid="([^"]*)"', svg)), set(re.findall(r'(?:href="#|url\(#)([^")]*)', svg))
    assert asked
    assert asked <= named
    assert all(name.startswith("one-") for name in named)


def test_both_themes_define_every_colour():
    style = (STATIC / "studio.css").read_text()
    for place in range(1, len(COLOURS) + 1):
        assert style.count(f"--line-{place}:") == 2


def test_shares_are_drawn_in_percent_with_their_band_and_limit():
    line = Line("a", (1, 2), (0.1, 0.5), low=(0.0, 0.4), high=(0.2, 0.6))
    panel = in_percent(Lines("one", "x", "share", (line,), "A caption.", levels={"limit 9.1 %": 0.091}))
    assert (panel.lines[0].y, panel.lines[0].low, panel.lines[0].high) == ([10, 50], [0, 40], [20, 60])
    assert panel.levels == {"limit 9.1 %": 9.1}
    assert ">share, %<" in figure(panel)
