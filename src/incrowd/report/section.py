"""Section: one question of the report with its answer; `section(result)` knows one for every kind of result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

from incrowd.errors import ParameterError
from incrowd.report.references import cited


@dataclass(frozen=True)
class Drawing:
    """One figure; `alt` says in words what it shows."""

    svg: str
    caption: str
    alt: str


@dataclass(frozen=True)
class Grid:
    """One table."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    at: Mapping[tuple[int, int], Sequence[str | int]] = field(default_factory=dict)  # (row, column) -> in the data


@dataclass(frozen=True)
class Section:
    """A question, its answer in a sentence, the number that matters most, and what stands behind them."""

    question: str
    answer: str
    number: str = ""
    number_of: str = ""
    drawings: Sequence[Drawing] = ()
    tables: Sequence[Grid] = ()
    method: Sequence[str] = ()  # paragraphs: how it was computed, what it does not say
    data: Any = field(default=None)  # what the numbers were taken from, for the JSON beside them
    number_at: Sequence[str | int] = ()  # where in the data the number stands, if its text alone does not tell
    references: Sequence[str] = ()  # keys of papers, beyond those that method and captions cite as [key, Sec. 1]

    @property
    def papers(self) -> list[str]:
        """Keys of all papers that this section rests on."""
        texts = (*self.method, *(drawing.caption for drawing in self.drawings), *(grid.caption for grid in self.tables))
        return list(dict.fromkeys([*self.references, *(key for text in texts for key in cited(text))]))


@singledispatch
def section(result: object) -> Section:
    """The section that explains a result."""
    raise ParameterError(f"a report cannot show {type(result).__name__}; pass records that incrowd made.")
