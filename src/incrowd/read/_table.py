"""Any source -> Traces in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.data import Traces
from incrowd.data.traces import Order
from incrowd.errors import check_choice
from incrowd.read.layouts import AntennaAt, Column, Decimal, Layout
from incrowd.read.stream import RecordStream, opened
from incrowd.read.zero import warn_of_zero

_MEMORY_MB = 1024  # of the parser; what it reads is collected outside


def table(
    source: Any,
    columns: Mapping[str, Column] | None = None,
    time_zone: str | None = None,
    order: Order = "time",
    *,
    layout: str | Layout | None = None,
    attributes: Sequence[str] = (),
    bad_rows: str | Path | None = None,
    antennas: Any = None,
    time_format: str | None = None,
    decimal: Decimal | None = None,
    antenna_at: AntennaAt = "first",
) -> Traces:
    """Read CSV, TSV, Parquet or GPX (a path, list, glob or folder), or any data frame that speaks Arrow.

    Columns are found by common names unless given; numbers of more than seconds and dates are whole seconds in UTC,
    floored, and dates without offset are in `time_zone` (UTC); `time_format` (strptime) reads others than ISO 8601.
    `antennas` is a table of ids and places for records that carry a cell id; of an antenna listed at two places the
    first counts, or the last (`antenna_at`). `decimal` is the decimal sign of numbers in text: as detected if None.
    `bad_rows` is a file for the rows that cannot be read: every line of a text file is in a record, or there.

    >>> import pyarrow as pa
    >>> table(pa.table({"uid": ["a", "b"], "time": ["2024-01-01", "2024-01-02T08:00"], "y": [52, 52], "x": [5, 5]}))
    Traces(users=2, records=2)
    """
    check_choice("order", order, ("time", "log"))
    traces = opened(
        source,
        _MEMORY_MB,
        lambda reading: _collected(reading, order),
        columns=columns,
        time_zone=time_zone,
        layout=layout,
        attributes=attributes,
        bad_rows=bad_rows,
        antennas=antennas,
        time_format=time_format,
        decimal=decimal,
        antenna_at=antenna_at,
    )
    warn_of_zero(int(traces.at_zero.sum()))
    return traces


def _collected(reading: RecordStream, order: Order) -> Traces:
    chunks: list[list[Any]] = [[], [], [], []]
    for batch in reading.batches():
        # Copies: a view would keep every column of its batch alive.
        for chunk, column in zip(chunks, (batch.code, batch.t, batch.first, batch.second), strict=True):
            chunk.append(column.copy())
    if not reading.ordered:
        order = "log"
    rows = [_joined(chunks.pop()) for _ in range(4)]
    users = reading.users.labels()
    traces = Traces.from_codes(
        users, rows.pop(), rows.pop(), rows.pop(), rows.pop(), planar=bool(reading.planar), order=order
    )
    ledger = reading.ledger(dict(traces.ledger.steps[0].notes))
    return replace(traces, attributes=reading.attributes(), ledger=ledger)


def _joined(chunks: list[Any]) -> Any:
    whole = np.concatenate(chunks)
    chunks.clear()
    return whole
