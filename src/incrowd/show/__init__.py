"""One way to present a result: a Section with Tables and Panels, printed alike by terminal, HTML and Markdown.

A result makes its Section where it lives (`Result.section`): one question with its answer. A Panel holds arrays,
labels, a caption and the alternative text of one figure; only `incrowd.report.draw` turns it into axes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.errors import MissingExtra, ParameterError
from incrowd.plain import plain
from incrowd.show.panel import Bars, Cdf, Curve, Line, Lines, Map, Panel, Surface, curve, trend

if TYPE_CHECKING:
    import pandas as pd  # noqa: TID251
    import pyarrow as pa

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

LEAST = 24  # letters of a column that is wrapped
NUMERIC = re.compile(r"[-+]?[\d.,]*\d( ?%| ?\w{1,6})?|-|inf|")


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


def text(section: Section, *, tables: bool = True) -> str:
    """The answer first, then the tables, then the settings in one line.

    >>> print(text(Section("How many?", "2 of 3 people.", tables=[Table(("k", "n"), [("1", "20")])], options="k = 1")))
    2 of 3 people.
    <BLANKLINE>
    k   n
    1  20
    <BLANKLINE>
    (k = 1)
    """
    parts = [section.answer]
    if tables:
        parts += [
            "\n".join([*([table.caption] if table.caption else []), *lined_up(table)]) for table in section.tables
        ]
    if section.options:
        parts.append(f"({section.options})")
    return ("\n\n" if tables else "\n").join(parts)


def lined_up(table: Table, width: int = 110) -> list[str]:
    """The lines of a table, numbers to the right and words to the left; the longest words are wrapped."""
    columns = list(zip(*([table.head, *table.rows]), strict=True))
    right = [all(NUMERIC.fullmatch(cell) for cell in column[1:]) for column in columns]
    wide = [max(map(len, column)) for column in columns]
    over, longest = sum(wide) + 2 * (len(wide) - 1) - width, max(range(len(wide)), key=wide.__getitem__)
    if over > 0:
        wide[longest] = min(wide[longest], max(wide[longest] - over, LEAST))
    return [line for row in (table.head, *table.rows) for line in _lines(row, wide, right)]


def _lines(row: Sequence[str], wide: Sequence[int], right: Sequence[bool]) -> Iterator[str]:
    wrapped = [wrap(cell, n) or [""] for cell, n in zip(row, wide, strict=True)]
    for parts in zip_longest(*wrapped, fillvalue=""):
        cells = [f"{cell:>{n}}" if last else f"{cell:<{n}}" for cell, n, last in zip(parts, wide, right, strict=True)]
        yield "  ".join(cells).rstrip()


def markdown(section: Section) -> str:
    """The section under its question as a heading; figures are named by their captions."""
    parts = [f"## {section.question}", section.answer]
    for table in section.tables:
        rows = [table.head, ["---"] * len(table.head), *table.rows]
        lines = [f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |" for row in rows]
        parts += [*([table.caption] if table.caption else []), "\n".join(lines)]
    parts += [f"Figure: {panel.caption}" for panel in section.panels]
    parts += section.method
    return "\n\n".join([*parts, *([f"({section.options})"] if section.options else [])]) + "\n"


class Result:
    """A record that explains itself: a section, a line for a terminal, a table for data frames, a mapping for JSON.

    A kind that can present several results in one section has a class method `together(results)`.
    """

    def section(self) -> Section:
        """The question it answers, with the answer, tables and panels."""
        raise NotImplementedError

    def to_dict(self) -> Any:
        """Plain values for JSON; arrays with a value for each person are left out if they are long."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self) if f.repr}  # type: ignore[arg-type]

    def columns(self) -> Mapping[str, Any]:
        """The flat table behind `to_arrow`: here one row with every single value."""
        record = self.to_dict()
        return {name: [value] for name, value in record.items() if value is None or np.isscalar(value)}

    def to_arrow(self) -> "pa.Table":
        """The result as an Arrow table: a row for each person or setting, or one row of single values."""
        import pyarrow as pa

        return pa.table({name: pa.array(values) for name, values in self.columns().items()})

    def to_pandas(self) -> "pd.DataFrame":
        """The same table as a pandas frame."""
        return in_pandas(self.to_arrow())

    def __str__(self) -> str:
        return text(self.section(), tables=False)

    def _repr_html_(self) -> str:
        """For a notebook: the answer, the tables and the settings."""
        section = self.section()
        options = f"<p><small>{escape(section.options)}</small></p>" if section.options else ""
        return f"<p>{escape(section.answer)}</p>{''.join(map(_html, section.tables))}{options}"


def in_pandas(table: "pa.Table") -> "pd.DataFrame":
    """The same table as a pandas frame."""
    try:
        return table.to_pandas()
    except ModuleNotFoundError as error:
        raise MissingExtra("to_pandas needs pandas; install it with: pip install pandas.") from error


def section_of(result: Any) -> Section:
    """The section that explains a result, or several results of one kind together."""
    if isinstance(result, Section):
        return result
    if isinstance(result, Result):
        return result.section()
    kinds = {type(one) for one in result} if isinstance(result, (list, tuple)) else set()
    if len(kinds) == 1 and hasattr(kind := kinds.pop(), "together"):
        return kind.together(result)  # type: ignore[no-any-return]
    raise ParameterError(f"a {type(result).__name__} cannot be shown; pass results that incrowd computed.")


def _html(table: Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.head)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
