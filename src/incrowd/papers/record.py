"""A figure or table of a paper on other data, with what its text says beside what these data say."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from incrowd.data.files import whole_file
from incrowd.plain import to_json
from incrowd.report.curves import Cdf, Lines, Trend, drawing
from incrowd.report.page import write
from incrowd.report.section import Grid, Section, section

Verdict = Literal["agrees", "differs", "cannot be compared"]
NEAR = 0.05  # shares agree within five points
FACTOR = 1.5  # sizes agree within this factor
FEW = 20_000  # the "few tens of thousands" of [gramaglia2015]
RULE = (
    f"Shares agree within {100 * NEAR:.0f} points of what the text prints, sizes within a factor of {FACTOR}, and "
    "claims when they hold."
)
# What the papers measured on, as far as they say.
SOURCE = {
    "gramaglia2015": "The paper's data (d4d-civ: 82,000 people, d4d-sen: 320,000, two weeks each) are not public.",
    "mohammed2009": "The paper prints a running example of eight patients and no experiment.",
    "song2014": "The paper's data (633,798 people at 1,700 antennas, one week) are not published.",
    "tan2017": "The paper's data (13,798 taxis of Shenzhen, 13,899 of Shanghai, nine and ten days) are not published.",
    "xu2017": "The paper's data (100,000 people of an operator, 15,500 of an application, in one city) are not public.",
}
OTHER = "other people and places than the paper's"
UNDEFINED = "undefined for these data"


@dataclass(frozen=True)
class Statement:
    """One sentence of the paper: theirs beside ours."""

    where: str
    what: str
    theirs: str
    ours: str
    verdict: Verdict
    why: str = ""


@dataclass(frozen=True)
class Figure:
    """One figure of the paper drawn from other data, and what the text says of it."""

    paper: str  # its key
    number: str  # with what it is: "3" for Figure 3, "Table 2"
    question: str
    answer: str
    panels: tuple[Cdf | Lines | Trend, ...]
    statements: tuple[Statement, ...]
    convention: str
    users: int

    @property
    def name(self) -> str:
        """Figure 3, Figures 3 and 4, or Table 2."""
        return self.number if self.number.startswith(("Table", "Figures")) else f"Figure {self.number}"


@dataclass(frozen=True)
class Reproduction:
    """All figures and tables of one paper from one dataset; `others` are further results a report can show."""

    paper: str
    title: str
    name: str  # of the data
    users: int
    records: int
    figures: tuple[Figure, ...]
    others: tuple[Any, ...] = ()
    spoken_of: str = ""  # what the statements are about, where that is not the data

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Everything the text says, figure by figure."""
        return tuple(statement for figure in self.figures for statement in figure.statements)


def save(reproduction: Reproduction, folder: str | Path) -> Path:
    """Write a report, and each panel and other result as SVG and JSON beside it; older ones are replaced."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for panel in (panel for figure in reproduction.figures for panel in figure.panels):
        for suffix, text in (("json", to_json(panel, indent=1)), ("svg", drawing(panel).svg)):
            _put(folder / f"figure-{panel.name}.{suffix}", text)
    sections = [section(other) for other in reproduction.others]
    for name, part in zip(_names(reproduction.others), sections, strict=True):
        _put(folder / f"{name}.json", to_json(part.data, indent=1))
        for number, figure in enumerate(part.drawings, start=1):
            _put(folder / f"{name}-{number}.svg", figure.svg)
    _put(folder / "statements.json", to_json(reproduction.statements, indent=1))
    write(
        folder / "report.html",
        *reproduction.figures,
        *sections,
        title=f"{reproduction.title} on {reproduction.name}",
        force=True,
    )
    return folder


def _names(others: Iterable[Any]) -> list[str]:
    """Of the files of other results: sweep, lkc-cost."""
    return [re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(other).__name__).lower() for other in others]


def _put(path: Path, text: str) -> None:
    with whole_file(path, force=True) as part:
        part.write_text(f"{text}\n", encoding="utf-8")


def share(where: str, what: str, theirs: tuple[float, float], ours: float, why: str) -> Statement:
    """A share the text prints, as one number or a range.

    >>> share("Sec. 7", "untouched", (0.2, 0.4), 0.43, OTHER).verdict
    'agrees'
    """
    low, high = theirs
    text = f"{low:.0%}" if low == high else f"{low:.0%} to {high:.0%}"
    if math.isnan(ours):
        return apart(where, what, text, UNDEFINED)
    return claim(where, what, text, f"{ours:.0%}", low - NEAR <= ours <= high + NEAR, why)


def size(where: str, what: str, theirs: float, ours: float, unit: str, why: str) -> Statement:
    """A size the text prints."""
    text, own = (f"{value:,.4g} {unit}".rstrip() for value in (theirs, ours))
    if math.isnan(ours):
        return apart(where, what, text, UNDEFINED)
    return claim(where, what, text, own, theirs / FACTOR <= ours <= theirs * FACTOR, why)


def claim(where: str, what: str, theirs: str, ours: str, holds: bool, why: str) -> Statement:
    """A sentence that holds or does not; `why` is said when it does not."""
    return Statement(where, what, theirs, ours, "agrees" if holds else "differs", "" if holds else why)


def apart(where: str, what: str, theirs: str, why: str, ours: str = "-") -> Statement:
    """A sentence with which nothing here can be compared."""
    return Statement(where, what, theirs, ours, "cannot be compared", why)


def thin(users: int, worse: bool, theirs: str = "82,000") -> str:
    """Why accuracy differs from the paper's: the crowd, where ours is the worse and the crowd small beside theirs.

    >>> thin(300, worse=False) == OTHER
    True
    """
    if users >= FEW or not worse:
        return OTHER
    return f"other people, and {users:,} of them instead of {theirs}: a thin crowd hides worse (Figure 11)"


def statement_grid(statements: Iterable[Statement]) -> Grid:
    """The statements as a table."""
    rows = [(s.where, s.what, s.theirs, s.ours, s.verdict, s.why) for s in statements]
    return Grid(("where", "what", "theirs", "ours", "verdict", "why"), rows, "The paper's words beside these data.")


@section.register
def _figure(result: Figure) -> Section:
    agree = sum(s.verdict == "agrees" for s in result.statements)
    return Section(
        question=f"{result.question} ({result.name})",
        answer=result.answer,
        number=f"{agree} of {len(result.statements)}",
        number_of="statements agree",
        drawings=[drawing(panel) for panel in result.panels],
        tables=[statement_grid(result.statements)] if result.statements else [],
        method=[result.convention, RULE, SOURCE[result.paper]],
        data=result,
        references=(result.paper,),
    )
