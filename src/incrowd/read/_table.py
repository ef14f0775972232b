"""Any source -> checked batches of codes, UTC seconds and coordinates -> Traces in memory."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import numpy as np

from incrowd.clock import named_zone
from incrowd.data import Traces
from incrowd.data.traces import Order
from incrowd.errors import ParameterError, check_choice, public
from incrowd.read import bad
from incrowd.read._towers import Antennas, antennas_of, check_at
from incrowd.read.arrow import TextLabels
from incrowd.read.checks import warn_of_zero
from incrowd.read.layouts import PLACES, AntennaAt, Column, Decimal, Layout, layout_of, wanted_columns, with_reading
from incrowd.read.sources.engine import check_format
from incrowd.read.sources.local import local
from incrowd.read.sources.scan import Request
from incrowd.read.stream import RecordStream

T = TypeVar("T")
_MEMORY_MB = 1024  # of the parser; what it reads is collected outside


@public
@with_reading
def table(  # noqa: D417 - with_reading adds the others
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
    table: str | None = None,
    query: str | None = None,
) -> Traces:
    """Trajectories from files, a database, an object store, standard input, or any data frame that supports Arrow.

    Times become whole seconds in UTC, rounded down. Every line of a text file is in a record or in `bad_rows`.

    Args:
        source: A path, a list of paths, a glob, a folder (CSV, TSV, Parquet, GPX, Excel, DuckDB, SQLite), an address
            (postgresql://…, s3://…), "-" for standard input, or a data frame (pandas, polars, pyarrow).
        time_zone: Zone of times without an offset. [default: UTC]
        order: "time" sorts the records of each user by time; "log" keeps the order of the file, for `clean.order`.

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
        table=table,
        query=query,
    )
    warn_of_zero(int(traces.at_zero.sum()))
    return traces


def opened(
    source: Any,
    memory_mb: int,
    use: Callable[[RecordStream], T],
    *,
    table: str | None = None,
    query: str | None = None,
    **options: Any,
) -> T:
    """Check the options, read the source through `use`, and write what was set aside; options are as in `table`."""
    request, zone, target = request_of(**options)
    with local(source, table, query) as files:
        reading = RecordStream(files, request, zone, memory_mb)
        try:
            result = use(reading)
        except TextLabels:
            reading = RecordStream(files, replace(request, text_users=True), zone, memory_mb)
            result = use(reading)
        if target is not None:
            bad.write(target, reading.bad)
    return result


def request_of(
    *,
    columns: Mapping[str, Column] | None = None,
    time_zone: str | None = None,
    layout: str | Layout | None = None,
    attributes: Sequence[str] = (),
    bad_rows: str | Path | None = None,
    antennas: Any = None,
    time_format: str | None = None,
    decimal: str | None = None,
    antenna_at: AntennaAt = "first",
) -> tuple[Request, ZoneInfo | None, Path | None]:
    """What is wanted of a source, the zone of its naive times, and the file for bad rows, all checked."""
    shape, zone = layout_of(layout), named_zone(time_zone)
    if time_format is not None:
        check_format(time_format)
        shape = replace(shape, time_format=time_format)
    if decimal is not None:
        check_choice("decimal", decimal, (".", ","))
    target = None if bad_rows is None else Path(bad_rows)
    if target is not None:
        bad.check_target(target)
    named, where = _placed({**shape.columns, **wanted_columns(columns)}, antennas, antenna_at)
    request = Request(named, shape, tuple(attributes), target is not None, decimal=decimal or "", antennas=where)
    return request, zone, target


def _placed(
    columns: dict[str, Column], antennas: Any, antenna_at: AntennaAt
) -> tuple[dict[str, Column], Antennas | None]:
    """The columns of the records, and where their antennas are; given those, places are columns of their table."""
    if antennas is not None or antenna_at != "first":
        check_at(antenna_at, antennas)
    if antennas is None:
        if "cell" in columns:
            raise ParameterError("columns name an antenna id; pass antennas=TABLE (--antennas FILE) with their places.")
        return columns, None
    places = antennas_of(antennas, columns, antenna_at)
    return {noun: name for noun, name in columns.items() if noun not in PLACES}, places


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
