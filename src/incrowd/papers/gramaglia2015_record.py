"""[gramaglia2015]: a figure of the paper on other data, with what the text says beside what these data say."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from incrowd.report.curves import Cdf, Trend, drawing
from incrowd.report.section import Grid, Section, section

Verdict = Literal["agrees", "differs", "cannot be compared"]
NEAR = 0.05  # shares agree within five points
FACTOR = 1.5  # sizes agree within this factor
FEW = 20_000  # the paper's "few tens of thousands"
RULE = (
    f"Shares agree within {NEAR:.0%} of what the text prints, sizes within a factor of {FACTOR}, and claims when they "
    "hold. The paper's data (d4d-civ: 82,000 people, d4d-sen: 320,000, two weeks each) are not public."
)
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

    number: str
    question: str
    answer: str
    panels: tuple[Cdf | Trend, ...]
    statements: tuple[Statement, ...]
    convention: str
    users: int


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


def thin(users: int) -> str:
    """Why accuracy differs from the paper's: the crowd, where it is small."""
    if users >= FEW:
        return OTHER
    return f"other people, and {users:,} of them instead of 82,000: a thin crowd hides worse (Figure 11)"


def statement_grid(statements: Iterable[Statement]) -> Grid:
    """The statements as a table."""
    rows = [(s.where, s.what, s.theirs, s.ours, s.verdict, s.why) for s in statements]
    return Grid(("where", "what", "theirs", "ours", "verdict", "why"), rows, "The paper's words beside these data.")


@section.register
def _figure(result: Figure) -> Section:
    agree = sum(s.verdict == "agrees" for s in result.statements)
    return Section(
        question=f"{result.question} (Figure {result.number})",
        answer=result.answer,
        number=f"{agree} of {len(result.statements)}",
        number_of="statements agree",
        drawings=[drawing(panel) for panel in result.panels],
        tables=[statement_grid(result.statements)] if result.statements else [],
        method=[result.convention, RULE],
        data=result,
    )
