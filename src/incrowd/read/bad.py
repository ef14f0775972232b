"""Rows that cannot be read: one sentence for the first, or a file of them all."""

import csv
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from incrowd.data.files import PRIVATE, whole_file
from incrowd.errors import DataError, ParameterError, named

FEW, MANY = "too few fields", "too many fields"
QUOTE, BYTES, LONG = "a quote that does not close", "bytes that are not text", "a line over 2 MB"
NUMBER, USER, TIME = "no number", "no user", "no time, or none in ISO 8601"
UNIT = "a time in another unit than the first rows"
YEARS = "a time outside the years 1 to 9999"
LAT, LON, METRE = "a latitude outside [-90, 90]", "a longitude outside [-180, 180]", "no finite number"
POINT, NULL = "no point", "a null character"
CELL, ANTENNA = "no antenna id", "an antenna id that is not in the table of antennas"
FORMAT = "no time, or none in the time format given"
_SWAPPED = "check that lon and lat are not swapped"
_SIGN = "repair it, give the decimal sign if it is another one (decimal=',' or '.', --decimal)"
_ADVICE = {
    NUMBER: _SIGN,
    METRE: _SIGN,
    LAT: _SWAPPED,
    LON: f"{_SWAPPED}, nor counted from 0 to 360",
    ANTENNA: "list every antenna there",
    TIME: "repair it, say how times are written with time_format='%d/%m/%Y %H:%M:%S' (--time-format)",
}


@dataclass(frozen=True)
class BadRow:
    """Where a row cannot be read and why; `text` is the row itself and goes to no message."""

    file: str
    number: int
    unit: str  # "line" from 1, or "row" from 0
    column: str
    reason: str
    text: str = ""
    such: int = 1  # rows met with it that have the same fault

    def error(self) -> DataError:
        """The sentence that stops a run."""
        column = f" in column {self.column!r}" if self.column else ""
        among = f" ({self.such:,} such rows so far)" if self.such > 1 else ""
        advice = _ADVICE.get(self.reason, "repair it")
        if self.reason in (LAT, LON) and self.column.strip().lower() in ("x", "y"):
            advice += "; if x and y are metres, pass columns={'x': 'x', 'y': 'y'} (--column x=x --column y=y)"
        return DataError(
            f"{self.reason}{column} at {self.unit} {self.number} of {self.file}{among}; {advice}, "
            "or set such rows aside with bad_rows=PATH (--bad-rows FILE)."
        )


def every(rows: Sequence[BadRow]) -> DataError:
    """The sentence for a source without any good row."""
    first = min((row for row in rows if row.file == rows[0].file), key=lambda row: row.number)
    column = f" in column {first.column!r}" if first.column else ""
    return DataError(
        f"no row of {first.file} can be read ({len(rows):,} row{'s' * (len(rows) != 1)}, all bad), the first because "
        f"of {first.reason}{column} at {first.unit} {first.number}; check which column is which (--column), the "
        "decimal sign (--decimal) and how times are written (--time-format)."
    )


def check_target(path: Path) -> None:
    """Refuse, before any work, a side file that could not be written."""
    if path.exists():
        raise ParameterError(f"{path} exists; choose another name for bad_rows.")
    if not path.parent.is_dir():
        raise ParameterError(f"the folder {path.parent} for bad_rows does not exist; make it first.")


def write(path: Path, rows: Iterable[BadRow]) -> None:
    """One line per bad row, in a file that only its owner can read: it holds the rows themselves."""
    with whole_file(path, force=False) as part:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            out = csv.writer(stream)
            out.writerow(["file", "position", "number", "column", "reason", "text"])
            out.writerows([named(row.file), row.unit, row.number, row.column, row.reason, row.text] for row in rows)
