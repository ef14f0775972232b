"""Section: one question with its answer, tables and panels; Table: rows of printed cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from incrowd.show.panel import Panel


@dataclass(frozen=True)
class Table:
    """One table of printed cells.

    Args:
        head: Names of the columns.
        rows: The cells, as many in each row as there are columns; "-" for a value that does not exist.
        caption: What the table shows, in one sentence.
        at: For cells whose text alone does not tell it, (row, column) -> where in the section's data the number is.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    at: Mapping[tuple[int, int], Sequence[str | int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Section:
    """A question, its answer in a sentence, the number that matters most, and what supports them.

    Args:
        question: As a person would ask it in a meeting.
        answer: One or two sentences, with the number of people.
        number: The number that matters most, as printed.
        number_of: What it counts, in a few words.
        panels: The figures.
        tables: The tables.
        method: Paragraphs that say how it was computed and what it does not say.
        options: The settings behind the answer, in one line.
        data: The record that the numbers were taken from, for the JSON beside them.
        number_at: Where in the data the number is, if its text alone does not tell.
        references: Keys of papers, beyond those that method and captions cite as [key, Sec. 1].
    """

    question: str
    answer: str
    number: str = ""
    number_of: str = ""
    panels: Sequence[Panel] = ()
    tables: Sequence[Table] = ()
    method: Sequence[str] = ()
    options: str = ""
    data: Any = None
    number_at: Sequence[str | int] = ()
    references: Sequence[str] = ()

    def panel(self, name: str) -> Panel | None:
        """The panel of that name, if this section has one."""
        return next((panel for panel in self.panels if panel.name == name), None)
