"""A path, list, glob, folder or frame -> scans -> Arrow batches in file order, and the position of any row in them."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import Ints
from incrowd.clock import HOUR_S
from incrowd.errors import DataError, ParameterError
from incrowd.read import bad
from incrowd.read.arrow import values
from incrowd.read.bad import BadRow
from incrowd.read.files import different_ends, find_files, format_of, mixed_ends, records_of, size_of, unreadable
from incrowd.read.layouts import Layout, layout_of
from incrowd.read.sources.parquet import frame_scan, parquet_scans, rows_of
from incrowd.read.sources.scan import Request, Scan, quoted
from incrowd.read.sources.text import gpx_scans, text_scans
from incrowd.threads import threads

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

BATCH = 1_000_000
_LINE_BYTES = 25  # 7,1211018404,37.75,-122.39
_REASONS = {
    "CAST": bad.NUMBER,
    "MISSING COLUMNS": bad.FEW,
    "TOO MANY COLUMNS": bad.MANY,
    "UNQUOTED VALUE": bad.QUOTE,
    "INVALID ENCODING": bad.BYTES,
    "LINE SIZE OVER MAXIMUM": bad.LONG,
}
_DAYS = ("2024-03-01", "2024-03-02", "2024-04-01", "2023-03-01", "2023-12-31")
_LOST_S = (0, 4 * 60, 15 * HOUR_S + 4 * 60)  # of 15:04, where a format has no minutes or no time of day
_MOST_THREADS = 8  # each holds buffers of its own
_STATE = "reached an invalid state"  # the message of the engine if line ends change
_PHRASES = {
    "Error when converting": bad.NUMBER,
    "unterminated quote": bad.QUOTE,
    "Invalid unicode": bad.BYTES,
    "Maximum line size": bad.LONG,
}


def scans_of(source: Any, request: Request) -> Iterator[Scan]:
    """The scans that read a source from its first record to its last."""
    if not _is_paths(source):
        return iter([frame_scan(source, request)])
    files = find_files(source, request.layout)
    kind = format_of(files[0], request.layout)
    if kind == "gpx":
        return gpx_scans(files, request)
    return text_scans(files, request) if kind == "text" else parquet_scans(files, request)


def _is_paths(source: object) -> bool:
    """Whether a source names files rather than being a frame."""
    listed = source if isinstance(source, (list, tuple)) else [source]
    return all(isinstance(one, (str, Path)) for one in listed)


def records_at_most(source: Any, layout: str | Layout | None) -> float:
    """A bound on the records of a source, from what is known before reading it."""
    if not _is_paths(source):
        size = getattr(source, "num_rows", None)
        return float("inf") if size is None and not hasattr(source, "__len__") else size or len(source)
    shape = layout_of(layout)
    files = find_files(source, shape)
    if format_of(files[0], shape) == "parquet":
        return sum(rows_of(file) for file in files)
    return size_of(files) / _LINE_BYTES


def check_format(time_format: str) -> None:
    """Refuse a time format that the engine does not know or in which it does not read the times that it wrote."""
    import duckdb

    form = quoted(time_format)
    days = ", ".join(f"(TIMESTAMPTZ '{day} 15:04:00+00')" for day in _DAYS)
    lost = f"epoch(time) - epoch_us(try_strptime(strftime(time, {form}), {form})) // 1000000"
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("SET TimeZone='UTC'")
        try:
            query = f"SELECT DISTINCT {lost} FROM (VALUES {days}) AS days (time)"  # noqa: S608 - the format is quoted
            rows = connection.execute(query).fetchall()
        except (duckdb.Error, UnicodeError):  # the second of a sign beyond ASCII after a %
            rows = []
    if len(rows) != 1 or rows[0][0] not in _LOST_S:
        raise ParameterError(
            f"time_format {time_format!r} does not name the year, month and day of a time, or only half of its clock; "
            "write it like '%d/%m/%Y %H:%M:%S', with %p after %I."
        )


@dataclass
class RunningScan:
    """One scan under way."""

    scan: Scan
    memory_mb: int
    rows: int = 0
    rejected: list[BadRow] = field(default_factory=list)
    _starts: list[tuple[int, int]] = field(default_factory=list)  # first row of each file that has any, and the file

    def batches(self) -> Iterator["pa.RecordBatch"]:
        """Every record; a row that cannot be split into fields or numbers stops the run or is set aside."""
        import duckdb
        import pyarrow as pa

        connection = self._connect()
        try:
            for batch in connection.sql(self._sql()).to_arrow_reader(BATCH):
                self._note_files(batch)
                yield batch
                self.rows += batch.num_rows
            self.rejected = self._rejects(connection)
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            # The engine quotes the line it failed at: say where it is, not what it holds.
            raise self._explained(str(error)) from None
        finally:
            connection.close()

    def positions(self, rows: Ints, batch: "pa.RecordBatch") -> list[tuple[int, int]]:
        """File, by number, and record in it of some rows of the batch being read."""
        starts = np.array([start for start, _ in self._starts])
        run = np.searchsorted(starts, rows + self.rows, side="right") - 1
        within = rows + self.rows - starts[run]
        numbers = values(batch[self.scan.numbered], np.int64)[rows] if self.scan.numbered else within
        return [(self._starts[i][1], int(number)) for i, number in zip(run, numbers, strict=True)]

    def _note_files(self, batch: "pa.RecordBatch") -> None:
        if "file_index" not in batch.schema.names:
            self._starts = self._starts or [(0, 0)]
            return
        files = values(batch["file_index"], np.uint64)
        for row in np.flatnonzero(np.diff(files, prepend=files[:1] + 1)).tolist():
            if not self._starts or self._starts[-1][1] != files[row]:
                self._starts.append((self.rows + row, int(files[row])))

    def _connect(self) -> "duckdb.DuckDBPyConnection":
        import duckdb

        memory = f"{max(256, self.memory_mb // 2)}MB"
        connection = duckdb.connect(config={"threads": min(_MOST_THREADS, threads()), "memory_limit": memory})
        connection.execute(
            "SET TimeZone='UTC'; SET temp_directory=''; SET enable_progress_bar=false;"
            "SET enable_geoparquet_conversion=false;"
            "SET autoinstall_known_extensions=false; SET autoload_known_extensions=false"
        )
        if self.scan.frame is not None:
            connection.register("frame", self.scan.frame)
        return connection

    def _sql(self) -> str:
        chosen = [f'{expression} AS "{noun}"' for noun, expression in self.scan.selection.sql.items()]
        extra = ["file_index"] if len(self.scan.files) > 1 else []
        extra += [self.scan.numbered] if self.scan.numbered else []
        return f"SELECT {', '.join(chosen + extra)} FROM {self.scan.origin}"  # noqa: S608 - names are quoted

    def _rejects(self, connection: "duckdb.DuckDBPyConnection") -> list[BadRow]:
        if not (self.scan.request.set_aside and self.scan.header):
            return []
        errors = connection.execute(
            # A line that is too long has no column.
            "SELECT file_path, line, min(coalesce(column_idx, 0)), "
            "min_by(error_type::VARCHAR, coalesce(column_idx, 0)) "
            "FROM reject_errors JOIN reject_scans USING (scan_id, file_id) GROUP BY file_path, line ORDER BY ALL"
        ).fetchall()
        return [
            BadRow(self.scan.name(file), line, "line", self._column(column - 1), _REASONS.get(kind, bad.FEW))
            for file, line, column, kind in errors
        ]

    def _column(self, position: int) -> str:
        """A column of a text file, unless the row has more of them than the header."""
        return self.scan.header[position] if 0 <= position < len(self.scan.header) else ""

    def _explained(self, message: str) -> DataError:
        line, file = re.search(r"on Line: (\d+)", message), re.search(r"^\s*file = (.*)$", message, re.MULTILINE)
        name = self.scan.name(file.group(1)) if file else self.scan.place
        if line is None:
            odd = mixed_ends(Path(name), self.scan.request.layout.encoding) if _STATE in message else 0
            return different_ends(name, odd) if odd else unreadable(name)
        column, reason = re.search(r'converting column "c(\d+)"', message), None
        if counts := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message):
            reason = bad.FEW if int(counts.group(2)) < int(counts.group(1)) else bad.MANY
        reason = reason or next((why for phrase, why in _PHRASES.items() if phrase in message), bad.FEW)
        role = self._column(int(column.group(1))) if column else ""
        row = BadRow(name, int(line.group(1)), "line", role, reason)
        return next(iter(on_lines(self.scan, [], [row])), row).error()


def on_lines(scan: Scan, checked: list[BadRow], rejected: list[BadRow]) -> list[BadRow]:
    """Bad rows of text files, found by record or rejected by the engine, on the lines they are on, with their text."""
    if not scan.header:
        return checked
    by_file: dict[str, tuple[dict[int, BadRow], dict[int, BadRow]]] = defaultdict(lambda: ({}, {}))
    for side, rows in enumerate((checked, rejected)):
        for row in rows:
            by_file[row.file][side][row.number] = row
    return [row for file, sides in by_file.items() for row in _located(scan, file, *sides)]


def _located(scan: Scan, file: str, checked: dict[int, BadRow], rejected: dict[int, BadRow]) -> Iterator[BadRow]:
    request, record = scan.request, 0
    left = {id(row): row for row in (*checked.values(), *rejected.values())}
    unread = {row.number for row in scan.aside if row.file == file}
    records = records_of(Path(file), scan.delimiter, request.layout, header=request.header, without=unread)
    for counted, line, text in records:
        row = rejected.get(counted) or checked.get(record)
        record += counted not in rejected  # the engine counts only what it could read
        if row is not None and id(row) in left:
            del left[id(row)]
            yield replace(row, number=line, text=text)
        if not left:
            return
    yield from left.values()  # if the engine counts otherwise than we do, its number stays
