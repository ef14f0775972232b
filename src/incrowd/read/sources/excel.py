"""A sheet of an .xlsx workbook -> the same table as CSV, line by line as its rows are numbered."""

import csv
import datetime as dt
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from incrowd.data.release_folder import sha256_of
from incrowd.errors import DataError, MissingExtra, check_file
from incrowd.progress import tell

COPY = "copied sheet.csv"
_TOLD = 10_000  # rows between two messages of progress


def as_text(workbook: Path, folder: Path, sheet: str | None) -> tuple[Path, str]:
    """Write a sheet as CSV; its path, and the digest of the workbook."""
    check_file(workbook)
    if not workbook.is_file():
        raise DataError(f"{workbook} does not exist; check the path.")
    target = folder / COPY
    with target.open("x", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(_rows(workbook, sheet))
    return target, sha256_of(workbook)


def _rows(workbook: Path, sheet: str | None) -> Iterator[list[str]]:
    """The texts of every row from the first that has any; an empty row stays an empty line."""
    try:
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError as error:
        raise MissingExtra("workbooks need openpyxl; install it with: pip install 'incrowd[excel]'.") from error
    try:
        book = openpyxl.load_workbook(workbook, read_only=True, data_only=True, keep_links=False)
        try:
            pages = _sheet(book, sheet, workbook)
            # The size that a workbook notes may be wrong; without it, rows are read to the last.
            pages.reset_dimensions()
            yield from _texts(pages.iter_rows(values_only=True), f"{workbook}")
        finally:
            book.close()
    except (InvalidFileException, BadZipFile, KeyError, ValueError, OSError):
        # The cause is left out: it may quote a value.
        raise DataError(f"{workbook} is not a readable .xlsx workbook; save it again as .xlsx.") from None


def _sheet(book: Any, name: str | None, workbook: Path) -> Any:
    names = book.sheetnames
    if name is None and len(names) == 1:
        return book[names[0]]
    if name not in names:
        missing = "has several sheets" if name is None else f"has no sheet {name!r}"
        raise DataError(f"{workbook} {missing} ({', '.join(names)}); name one with table=NAME (--table NAME).")
    return book[name]


def _texts(rows: Iterable[tuple[Any, ...]], place: str) -> Iterator[list[str]]:
    width = 0
    for number, row in enumerate(rows, 1):
        texts = [_text(value) for value in row]
        while len(texts) > width and not texts[-1]:
            texts.pop()
        if width == 0:
            width = len(texts)
        texts += [""] * (width - len(texts))
        # A row of blanks is a blank line, which readers of CSV skip.
        yield texts if any(texts) else []
        if number % _TOLD == 0:
            tell("reading the workbook", number, 1 << 20)
    if not width:
        raise DataError(f"the sheet of {place} is empty; name another with table=NAME (--table NAME).")


def _text(value: Any) -> str:
    """A cell as CSV has it: ISO 8601 times, numbers with every digit, nothing for an empty cell."""
    if value is None:
        return ""
    if isinstance(value, dt.datetime):
        return value.isoformat(" ")
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return repr(value) if isinstance(value, float) else str(value)
