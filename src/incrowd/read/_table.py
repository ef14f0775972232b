"""Any source -> checked batches of codes, UTC seconds and coordinates -> Traces in memory."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from zoneinfo import ZoneInfo

import numpy as np

from incrowd.arrays import Codes, Flags, Floats, Ints
from incrowd.clock import named_zone
from incrowd.data import Traces
from incrowd.data.table import Attributes, attributes_of
from incrowd.data.traces import AT_ZERO, Order, at_zero
from incrowd.errors import DataError, ParameterError, check_choice, public
from incrowd.ledger import Ledger
from incrowd.progress import tell
from incrowd.read import bad
from incrowd.read._towers import Antennas, antennas_of, check_at
from incrowd.read.arrow import Coder, TextLabels, Values
from incrowd.read.bad import BadRow
from incrowd.read.checks import Check, Exchanged, Seconds, constant, places_of, users_of, warn_of_zero
from incrowd.read.layouts import PLACES, AntennaAt, Column, Decimal, Layout, layout_of, wanted_columns, with_reading
from incrowd.read.sources.engine import RunningScan, check_format, on_lines, records_at_most, scans_of
from incrowd.read.sources.local import local
from incrowd.read.sources.scan import Request, Scan

if TYPE_CHECKING:
    import pyarrow as pa

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
    use: "Callable[[RecordStream], T]",
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


def _collected(reading: "RecordStream", order: Order) -> Traces:
    chunks: list[list[Any]] = [[], [], [], []]
    for batch in reading.batches():
        # Copies: a view would keep every column of its batch alive.
        for chunk, column in zip(chunks, (batch.code, batch.t, batch.first, batch.second), strict=True):
            chunk.append(column.copy())
    if not reading.ordered:
        order = "log"
    rows = [np.concatenate(chunks.pop()) for _ in range(4)]
    users = reading.users.labels()
    traces = Traces.from_codes(
        users, rows.pop(), rows.pop(), rows.pop(), rows.pop(), planar=bool(reading.planar), order=order
    )
    ledger = reading.ledger(dict(traces.ledger.steps[0].notes))
    return replace(traces, attributes=reading.attributes(), ledger=ledger)


@dataclass(frozen=True)
class Batch:
    """Good records, in the order of the source."""

    code: Codes
    t: Ints
    first: Floats  # longitude, or x
    second: Floats
    good: Flags | None = None  # which rows of the source these are, if not all that were looked at


@dataclass
class RecordStream:
    """One pass over a source."""

    source: Any
    request: Request
    zone: ZoneInfo | None
    memory_mb: int
    users: Coder = field(default_factory=Coder)
    values: dict[str, Values] = field(default_factory=dict)
    bad: list[BadRow] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    planar: bool | None = None
    saved: list[Mapping[str, Any]] = field(default_factory=list)  # what incrowd noted in each file; empty in others

    def __post_init__(self) -> None:
        self.seconds, self.exchanged = Seconds(self.zone, self.notes), Exchanged()

    def batches(self) -> Iterator[Batch]:
        """Every good record; the first bad one stops the run unless bad rows are set aside."""
        total = records_at_most(self.source, self.request.layout)
        for scan in scans_of(self.source, self.request):
            for batch in self.scanned(scan):
                tell("reading", self.kept, max(total, self.kept))
                if len(batch.code):
                    yield batch
        tell("reading", self.kept, self.kept)
        self.close(scan.place)

    def scanned(self, scan: Scan) -> Iterator[Batch]:
        """The good records of one scan; a batch may have none."""
        with scan:
            self._meet(scan)
            run, aside = RunningScan(scan, self.memory_mb), []
            for raw in run.batches():
                batch, dropped = self._checked(raw, run)
                aside += dropped
                if scan.decimal == ",":
                    self.notes["read with decimal commas"] += len(batch.code)
                self.kept += len(batch.code)
                yield batch
            self.bad += [*scan.aside, *on_lines(scan, aside, run.rejected)]

    def close(self, place: str) -> None:
        """Refuse a source without a good row, and warn of what is odd about the records read."""
        if not self.kept:
            raise bad.every(self.bad) if self.bad else DataError(f"{place} has no rows; check the export.")
        self.seconds.close()
        self.exchanged.close()

    @property
    def ordered(self) -> bool:
        """Whether no file was saved in log order."""
        return all(noted.get("ordered", True) for noted in self.saved)

    def ledger(self, notes: dict[str, int], users: int | None = None) -> Ledger:
        """What happened to every record of the source; the ledger of one saved file goes on, several cannot.

        `users` is how many there are, if other streams met some of them.
        """
        size = len(self.users) if users is None else users
        before = Ledger.from_dict(self.saved[0].get("ledger", [])) if len(self.saved) == 1 else Ledger()
        dropped = Counter(row.reason for row in self.bad)
        read = self.kept + len(self.bad)
        notes = {**self.notes, **notes}
        return before.add("read", read=read, kept=self.kept, dropped=dropped, notes=notes, users=(size, size))

    def attributes(self) -> Attributes:
        """The attributes asked for, one value or set of values per user."""
        size = len(self.users)
        return attributes_of({name: values.per_user(size) for name, values in self.values.items()}, size)

    def _meet(self, scan: Scan) -> None:
        if self.planar not in (None, scan.request.planar):
            raise DataError(f"{scan.place} is in other coordinates than the files before it; read them apart.")
        self.planar = scan.request.planar
        self.saved += [scan.saved] * max(1, len(scan.files))
        self.notes.update(scan.notes)
        for name in scan.request.attributes:
            self.values.setdefault(name, Values())

    def _checked(self, raw: "pa.RecordBatch", run: RunningScan) -> tuple[Batch, list[BadRow]]:
        scan = run.scan
        user, unfit = users_of(raw, scan)
        t, faults = self.seconds.of(raw, scan)
        first, second, off = places_of(raw, scan)
        checks = [*unfit, *faults, *off]
        wrong = np.logical_or.reduce([mask for _, _, mask in checks])
        aside, keep = self._aside(wrong, checks, raw, run) if wrong.any() else [], None
        if aside:
            import pyarrow as pa

            keep = ~wrong
            raw = raw.filter(pa.array(keep))
            user, t, first, second = user.filter(pa.array(keep)), t[keep], first[keep], second[keep]
        codes = (
            self.users.codes_as_written(user, raw["digits"]) if "digits" in raw.schema.names else self.users.codes(user)
        )
        for name in scan.request.attributes:
            self.values[name].add(codes, constant(raw, scan, name) if name in scan.constants else raw[name])
        zero = at_zero(first, second) & (not scan.request.planar)
        if zeros := int(zero.sum()):
            self.notes[AT_ZERO] += zeros
        if not (scan.request.planar or scan.request.antennas or scan.saved):
            self.exchanged.add(*((first[~zero], second[~zero]) if zeros else (first, second)))
        return Batch(codes, t, first, second, keep), aside

    def _aside(self, wrong: Flags, checks: list[Check], raw: "pa.RecordBatch", run: RunningScan) -> list[BadRow]:
        rows = np.flatnonzero(wrong)[: None if self.request.set_aside else 1]
        bad_rows = []
        for row, (file, number) in zip(rows.tolist(), run.positions(rows, raw), strict=True):
            noun, reason, mask = next(check for check in checks if check[2][row])
            place = str(run.scan.files[file]) if run.scan.files else run.scan.place
            column = run.scan.selection.names.get(noun, noun)
            bad_rows.append(BadRow(place, number, run.scan.unit, column, reason, such=int(mask.sum())))
        if not self.request.set_aside:
            raise on_lines(run.scan, bad_rows, [])[0].error()
        return bad_rows
