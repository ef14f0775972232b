"""A figure or table of a paper on other data, with what its text says beside what these data say."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from incrowd.data.files import whole_file
from incrowd.errors import public
from incrowd.plain import percent, several, to_json
from incrowd.progress import track
from incrowd.show import Panel, Result, Section, Table, section_of

Verdict = Literal["agrees", "differs", "cannot be compared"]
NEAR = 0.05  # shares agree within five points
FACTOR = 1.5  # sizes agree within this factor
WITHIN = f"within a factor of {FACTOR}"
FEW = 20_000  # the "few tens of thousands" of [gramaglia2015]
RULE = (
    f"Shares agree within {100 * NEAR:.0f} percentage points of what the text prints, sizes within a factor of "
    f"{FACTOR}, and claims if they hold."
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
    """One sentence of a paper, its number beside ours.

    Args:
        where: Section, figure or table of the paper.
        what: What is stated.
        theirs: As the paper prints it.
        ours: As these data have it.
        verdict: Whether both agree, by the rule of `RULE`.
        why: The reason if they do not, or how near they are.
    """

    where: str
    what: str
    theirs: str
    ours: str
    verdict: Verdict
    why: str = ""


@dataclass(frozen=True)
class Figure(Result):
    """One figure or table of a paper from other data, and the paper's statements about it.

    Args:
        paper: Key of the paper.
        number: 3 for Figure 3, or with what it is: Table 2.
        question: What the figure answers.
        answer: The answer of these data.
        panels: What is drawn.
        statements: What the text says, beside these data.
        convention: How it was counted.
        users: People or vehicles in the data.
    """

    paper: str
    number: str
    question: str
    answer: str
    panels: tuple[Panel, ...]
    statements: tuple[Statement, ...]
    convention: str
    users: int

    @property
    def name(self) -> str:
        """Figure 3, Figures 3 and 4, or Table 2."""
        return self.number if self.number.startswith(("Table", "Figures")) else f"Figure {self.number}"

    def section(self) -> Section:
        """The figure of these data, with the paper's statements about it."""
        return Section(
            question=f"{self.question} ({self.name})",
            answer=self.answer,
            number=agreement(self.statements),
            number_of="statements agree",
            panels=self.panels,
            tables=[statement_table(self.statements)] if self.statements else [],
            method=[self.convention, RULE, SOURCE[self.paper]],
            options=f"{self.paper}, {several(self.users, 'user')}",
            data=self,
            references=(self.paper,),
        )

    def columns(self) -> Mapping[str, Any]:
        """A row for each statement."""
        return statement_columns(self.statements)


@dataclass(frozen=True)
class Reproduction(Result):
    """All figures and tables of one paper from one dataset.

    Args:
        paper: Key of the paper.
        title: What it is about, in a few words.
        name: What the data are called.
        users: People or vehicles in the data.
        records: Records of the data.
        figures: Its figures and tables.
        others: Further results that a report shows.
        stated_of: What the statements are about, if that is not the data.
    """

    paper: str
    title: str
    name: str
    users: int
    records: int
    figures: tuple[Figure, ...]
    others: tuple[Any, ...] = ()
    stated_of: str = ""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Everything the text says, figure by figure."""
        return tuple(statement for figure in self.figures for statement in figure.statements)

    def section(self) -> Section:
        """How many statements of the paper hold for these data, and all of them in a table."""
        verdicts = [statement.verdict for statement in self.statements]
        differ, apart = verdicts.count("differs"), verdicts.count("cannot be compared")
        rest = (f", {differ:,} differ{'s' if differ == 1 else ''}" if differ else "") + (
            f", {apart:,} cannot be compared" if apart else ""
        )
        data = self.stated_of or f"{self.name}, {several(self.users, 'user')}"
        return Section(
            question=f"Do the statements of the paper hold for {self.name}? ({self.title})",
            answer=f"{self.paper}: {agreement(self.statements)} statements agree{rest} ({data})",
            number=agreement(self.statements),
            number_of="statements agree",
            tables=[statement_table(self.statements)],
            method=[RULE, SOURCE[self.paper]],
            data=self.statements,
            references=(self.paper,),
        )

    def columns(self) -> Mapping[str, Any]:
        """A row for each statement."""
        return statement_columns(self.statements)


@public
def save(reproduction: Reproduction, folder: str | Path) -> Path:
    """The folder, with a report and with each panel and further result as SVG and JSON; older files are replaced.

    Args:
        reproduction: What `reproduce` returned.
        folder: Where to write; it is made if it does not exist.
    """
    from incrowd.report.draw import image
    from incrowd.report.page import write

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    panels = [panel for figure in reproduction.figures for panel in figure.panels]
    for panel in track(panels, "drawing figures"):
        for suffix, text in (("json", to_json(panel, indent=1)), ("svg", image(panel))):
            _put(folder / f"figure-{panel.name}.{suffix}", text)
    sections = [section_of(other) for other in reproduction.others]
    for name, part in zip(_names(reproduction.others), sections, strict=True):
        _put(folder / f"{name}.json", to_json(part.data, indent=1))
        for number, panel in enumerate(part.panels, start=1):
            _put(folder / f"{name}-{number}.svg", image(panel))
    _put(folder / "statements.json", to_json(reproduction.statements, indent=1))
    title = f"{reproduction.title} on {reproduction.name}"
    write(folder / "report.html", *reproduction.figures, *sections, title=title, force=True)
    return folder


def _names(others: Iterable[Any]) -> list[str]:
    """Of the files of other results: sweep, lkc-cost, and sweep-2 of a second city."""
    names: list[str] = []
    for other in others:
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(other).__name__).lower()
        again = sum(re.fullmatch(rf"{name}(-\d+)?", known) is not None for known in names)
        names.append(f"{name}-{again + 1}" if again else name)
    return names


def _put(path: Path, text: str) -> None:
    with whole_file(path, force=True) as part:
        part.write_text(f"{text}\n", encoding="utf-8")


def share(where: str, what: str, theirs: tuple[float, float], ours: float, why: str) -> Statement:
    """A share the text prints, as one number or a range.

    >>> share("Sec. 7", "untouched", (0.2, 0.4), 0.43, OTHER).verdict
    'agrees'
    """
    low, high = theirs
    text = percent(low, 0) if low == high else f"{percent(low, 0)} to {percent(high, 0)}"
    if math.isnan(ours):
        return apart(where, what, text, UNDEFINED)
    return claim(where, what, text, percent(ours, 0), low - NEAR <= ours <= high + NEAR, why)


def size(where: str, what: str, theirs: float, ours: float, unit: str, why: str) -> Statement:
    """A size the text prints."""
    text, own = (f"{value:,.4g} {unit}".rstrip() for value in (theirs, ours))
    if math.isnan(ours):
        return apart(where, what, text, UNDEFINED)
    return sized(where, what, text, own, theirs / FACTOR <= ours <= theirs * FACTOR, why)


def sized(where: str, what: str, theirs: str, ours: str, near: bool, why: str) -> Statement:
    """A size as it is printed; one that agrees without being the same says how near that is.

    >>> size("Sec. 4", "places", 1700, 1500, "", OTHER).why
    'within a factor of 1.5'
    """
    if near and theirs != ours:
        return Statement(where, what, theirs, ours, "agrees", WITHIN)
    return claim(where, what, theirs, ours, near, why)


def claim(where: str, what: str, theirs: str, ours: str, holds: bool, why: str) -> Statement:
    """A sentence that holds or does not; `why` is stated if it does not."""
    return Statement(where, what, theirs, ours, "agrees" if holds else "differs", "" if holds else why)


def apart(where: str, what: str, theirs: str, why: str, ours: str = "-") -> Statement:
    """A sentence with which nothing here can be compared."""
    return Statement(where, what, theirs, ours, "cannot be compared", why)


def thin(users: int, worse: bool, theirs: str = "82,000") -> str:
    """Why accuracy differs from the paper's: the crowd, if ours is worse and the crowd small beside theirs.

    >>> thin(300, worse=False) == OTHER
    True
    """
    if users >= FEW or not worse:
        return OTHER
    return f"other people, and {users:,} of them instead of {theirs}: a thin crowd hides worse (Figure 11)"


def agreement(statements: Sequence[Statement]) -> str:
    """How many of them agree: 12 of 16."""
    return f"{sum(statement.verdict == 'agrees' for statement in statements):,} of {len(statements):,}"


def statement_table(statements: Iterable[Statement]) -> Table:
    """The statements as a table."""
    rows = [(s.where, s.what, s.theirs, s.ours, s.verdict, s.why) for s in statements]
    return Table(("where", "what", "theirs", "ours", "verdict", "why"), rows, "The paper's words beside these data.")


def statement_columns(statements: Sequence[Statement]) -> dict[str, list[str]]:
    """The statements by column, for data frames."""
    names = ("where", "what", "theirs", "ours", "verdict", "why")
    return {name: [getattr(statement, name) for statement in statements] for name in names}
