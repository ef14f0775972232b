"""What a paper says beside what the data say, as a table in the terminal."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from incrowd.papers.record import Reproduction, Statement

HEAD = ("where", "what", "theirs", "ours", "verdict")
WIDTHS = (12, 34, 19, 19, 18)


def told(found: "Reproduction") -> str:
    """Every statement, and how many agree."""
    said = found.statements
    lines = [*_lines(HEAD), *(line for one in said for line in statement_lines(one)), *count(found)]
    return "\n".join(lines)


def count(found: "Reproduction") -> Iterable[str]:
    """One line: how many statements have which verdict."""
    verdicts: list[str] = [said.verdict for said in found.statements]
    others = {"differ": "differs", "cannot be compared": "cannot be compared"}
    rest = "".join(f", {n} {words}" for words, kind in others.items() if (n := verdicts.count(kind)))
    agree = f"{verdicts.count('agrees')} of {len(verdicts)} statements agree{rest}"
    yield f"{found.paper}: {agree} ({found.spoken_of or f'{found.name}, {found.users:,} users'})"


def statement_lines(said: "Statement") -> list[str]:
    """One statement, and below it the reason where there is one."""
    row = _lines((said.where, said.what, said.theirs, said.ours, said.verdict))
    indent = " " * (WIDTHS[0] + 1)
    return row + [f"{indent}{line}" for line in wrap(f"({said.why})", sum(WIDTHS) - WIDTHS[0])] if said.why else row


def _lines(cells: Sequence[str]) -> list[str]:
    """One row; what is too long for its column goes on below."""
    columns = [wrap(cell, width) or [""] for cell, width in zip(cells, WIDTHS, strict=True)]
    rows = zip_longest(*columns, fillvalue="")
    return [" ".join(part.ljust(width) for part, width in zip(row, WIDTHS, strict=True)).rstrip() for row in rows]
