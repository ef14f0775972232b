"""One way to present a result: a Section with Tables and Panels, printed alike by terminal, HTML and Markdown.

A result makes its Section where it lives (`Result.section`). A Panel holds arrays, labels, a caption and the
alternative text of one figure; only `incrowd.report.draw` turns it into axes.
"""

from incrowd.show.panel import Bars, Cdf, Curve, Line, Lines, Map, Panel, Surface, curve, trend
from incrowd.show.section import Result, Section, Table, lined_up, markdown, section_of, text

__all__ = [
    "Bars",
    "Cdf",
    "Curve",
    "Line",
    "Lines",
    "Map",
    "Panel",
    "Result",
    "Section",
    "Surface",
    "Table",
    "curve",
    "lined_up",
    "markdown",
    "section_of",
    "text",
    "trend",
]
