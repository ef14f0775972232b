"""Sections as text for a terminal and as Markdown."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap

from incrowd.show.section import Section, Table

LEAST = 24  # letters of a column that is wrapped
NUMERIC = re.compile(r"[-+]?[\d.,]*\d( ?%| ?\w{1,6})?|-|inf|")


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
