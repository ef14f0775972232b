"""A source -> records of whole users by block, checked and cleaned, and what is known of all of them."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import DataFrame, SparkSession

from incrowd.arrays import Ints, Labels
from incrowd.data import Traces
from incrowd.data.table import Attributes, attributes_of
from incrowd.data.traces import Order
from incrowd.errors import DataError, ParameterError
from incrowd.ledger import Ledger
from incrowd.plain import several
from incrowd.read import bad
from incrowd.read._parts import Parts, unordered
from incrowd.read._table import RecordStream
from incrowd.read.bad import BadRow
from incrowd.read.plane import Degrees
from incrowd.spark.blocks import Rows, about, batches_of, in_tasks
from incrowd.spark.session import MEMORY, RECORD_BYTES, Sent, blocks_for, check_session, kept, plain_errors, task_bytes
from incrowd.spark.source import FILE, KEY, ROW, Opened, open_source

if TYPE_CHECKING:
    import pyarrow as pa

Step = Callable[[Traces], Traces]
SCHEMA = "block int, user int, t long, first double, second double, about binary"
_MEMORY_MB = 512
_PLACES = 40  # bits of the number of a row in its file


@dataclass
class Read:
    """What the task of one block tells of the records it read."""

    block: int
    labels: Labels  # of the users that are left, in the order of their records
    places: Ints | None  # of the first record of each; None if the source has no order
    attributes: dict[str, list[Any]]  # of each of them
    met: int  # users before cleaning
    stream: RecordStream  # what it counted; without what it read
    bad: list[tuple[int, BadRow]]  # by place
    disorder: dict[str, int]
    cleaned: Ledger
    records: int = 0
    box: tuple[float, float, float, float] = (np.inf, np.inf, -np.inf, -np.inf)
    span: tuple[int, int] = (2**62, -(2**62))
    degrees: Degrees = field(default_factory=Degrees)


@dataclass(frozen=True)
class Records:
    """Records by block, in time order for each user; `parts` is what a discretizer knows of a source beforehand."""

    frame: DataFrame
    parts: Parts
    positions: dict[int, Ints]  # by block, of its users

    def pieces(self, work: Callable[[Ints, Traces], Any], schema: str) -> DataFrame:
        """One call of the work per block: positions of its users, and their traces; it yields batches."""
        spark, planar = self.frame.sparkSession, self.parts.planar
        sent = Sent(spark, self.positions)

        def task(rows: Rows) -> Iterator["pa.RecordBatch"]:
            block = int(rows["block"][0])
            if (rows["block"] != block).any():
                raise DataError("a task was given two blocks; leave spark.sql.adaptive.coalescePartitions.enabled off.")
            positions = sent.value[block]
            columns = rows["user"].astype(np.int64), rows["t"], rows["first"], rows["second"]
            made = Traces.from_codes(np.arange(len(positions)), *columns, planar=planar, order="time")
            return work(positions, made)  # type: ignore[no-any-return]

        return in_tasks(self.frame.where("about is null").drop("about"), task, schema)


def read_records(
    spark: SparkSession,
    source: Any,
    options: dict[str, Any],
    *,
    clean: Sequence[Step] = (),
    order: Order = "time",
    parts: int | None = None,
) -> Records:
    """Read, check and clean a source, each record sent once to the block of its user."""
    check_session(spark)
    if callable(clean) or not all(map(callable, clean)):
        raise ParameterError("clean takes a list of functions of Traces, such as [ic.clean.duplicates].")
    with plain_errors():
        opened = open_source(spark, source, options)
        count = parts or blocks_for(spark, opened.frame.count())
        grouped = opened.frame.repartition(count, KEY).drop(KEY)
        most = task_bytes(spark) // RECORD_BYTES
        frame = kept(in_tasks(grouped, _reader(opened, tuple(clean), order, most), SCHEMA))
        reads = about(frame)
    return _joined(frame, reads, opened)


def _reader(
    opened: Opened, clean: tuple[Step, ...], order: Order, most: int
) -> Callable[[Rows], Iterator["pa.RecordBatch"]]:
    """The work of a task: rows of whole users, no more than `most` -> their traces, and what is to be told of them."""
    scan, zone, unit, ordered, names = opened.scan, opened.zone, opened.unit, opened.has_order, opened.names
    if any(not note.get("ordered", True) for note in opened.saved) and not clean:
        raise unordered()
    if any(not note.get("ordered", True) for note in opened.saved):
        order = "log"

    def work(rows: Rows) -> Iterator["pa.RecordBatch"]:
        from pyspark import TaskContext

        context = TaskContext.get()
        block = context.partitionId() if context is not None else 0
        if (size := len(next(iter(rows.values())))) > most:
            raise DataError(
                f"a block has {size:,} records and a task memory for {most:,}; give more parts, or raise {MEMORY} if a "
                "single user has that many."
            )
        rows = {names.get(name, name): column for name, column in rows.items()}
        table, places = _in_order(rows) if ordered else (_table(rows), None)
        stream = RecordStream(None, scan.request, zone, _MEMORY_MB)
        stream.seconds.unit = unit
        reader = table.to_reader()
        del table
        code, t, first, second, good = _checked(stream, replace(scan, frame=reader))
        named = {name: values.per_user(len(stream.users)) for name, values in stream.values.items()}
        labels = stream.users.labels() if len(stream.users) else np.zeros(0, np.int64)
        if places is None:
            code, labels, named, by = _by_label(code, labels, named, t, first, second)
            t, first, second = t[by], first[by], second[by]
        users = np.arange(len(labels))
        traces = Traces.from_codes(users, code, t, first, second, planar=scan.request.planar, order=order)
        disorder = dict(traces.ledger.steps[0].notes)
        met, traces = len(labels), replace(traces, ledger=Ledger())
        for step in clean if met else ():
            traces = step(traces)
        if not traces.ordered:
            raise unordered()
        left = traces.users
        bad_rows = [(_place(row, scan.files), row) for row in stream.bad]
        starts = None if places is None else places[good][np.unique(code, return_index=True)[1]][left]
        stream.users, stream.values, stream.bad = type(stream.users)(), {}, []
        attributes = {name: [values[u] for u in left.tolist()] for name, values in named.items()}
        told = Read(block, labels[left], starts, attributes, met, stream, bad_rows, disorder, traces.ledger)
        _measure(told, traces)
        columns = dict(zip(("t", "first", "second"), (traces.t, *traces.coordinates), strict=True))
        owner = traces.owner.astype(np.int32)
        yield from batches_of(SCHEMA, {"block": np.full(len(owner), block, np.int32), "user": owner, **columns}, told)

    return work


def _table(rows: Rows) -> "pa.Table":
    import pyarrow as pa

    table = pa.table(dict(rows))
    rows.clear()  # of two copies one is enough
    return table


def _in_order(rows: Rows) -> tuple["pa.Table", Ints]:
    """The rows as they are in the files, and the place of each among all."""
    file = rows[FILE]
    if not isinstance(file, np.ndarray):
        raise DataError("Spark names a file by another path than the one it was given; give paths without links.")
    places = (file << _PLACES) | rows[ROW]
    order = np.argsort(places)
    return _table(rows).take(order), places[order]


def _checked(stream: RecordStream, scan: Any) -> tuple[Any, ...]:
    """The good records, and their rows among all."""
    chunks: list[list[Any]] = [[], [], [], [], []]
    rows = 0
    for batch in stream.scanned(scan):
        size = len(batch.code) if batch.good is None else len(batch.good)
        good = np.arange(size) if batch.good is None else np.flatnonzero(batch.good)
        for chunk, column in zip(chunks, (batch.code, batch.t, batch.first, batch.second, good + rows), strict=True):
            chunk.append(np.array(column))
        rows += size
    kinds = (np.int64, np.int64, np.float64, np.float64, np.int64)
    return tuple(np.concatenate([np.zeros(0, kind), *chunk]) for kind, chunk in zip(kinds, chunks, strict=True))


def _by_label(
    code: Ints, labels: Labels, named: dict[str, list[Any]], *columns: Any
) -> tuple[Ints, Labels, dict[str, list[Any]], Ints]:
    """The same without an order of rows: users by label, records by time, then place."""
    t, first, second = columns
    order = np.argsort(labels)
    rank = np.argsort(order)
    by = np.lexsort((second, first, t, rank[code])) if len(code) else code
    values = {name: [list_[u] for u in order.tolist()] for name, list_ in named.items()}
    return rank[code][by] if len(code) else code, labels[order], values, by


def _place(row: BadRow, files: tuple[Any, ...]) -> int:
    names = [str(file) for file in files]
    return (names.index(row.file) << _PLACES | row.number) if names else row.number


def _measure(read: Read, traces: Traces) -> None:
    """What a discretizer has to know of all records beforehand."""
    read.records = traces.records
    if not traces.records:
        return
    first, second = traces.coordinates
    read.box = (float(first.min()), float(second.min()), float(first.max()), float(second.max()))
    read.span = (int(traces.t.min()), int(traces.t.max()))
    if not traces.planar:
        read.degrees.add(first, second)


def _joined(frame: DataFrame, reads: list[Read], opened: Opened) -> Records:
    """Users numbered by their first record, or by label, and all that tasks told added up."""
    scan = opened.scan
    stream = RecordStream(None, scan.request, opened.zone, _MEMORY_MB)
    stream.planar, stream.saved = scan.request.planar, list(opened.saved)
    stream.bad = _bad_rows(reads, opened)
    degrees, disorder = Degrees(), Counter[str]()
    for read in reads:
        stream.kept += read.stream.kept
        stream.notes.update(read.stream.notes)
        stream.seconds.naive += read.stream.seconds.naive
        stream.seconds.aware += read.stream.seconds.aware
        stream.exchanged.merge(read.stream.exchanged)
        degrees.merge(read.degrees)
        disorder.update(read.disorder)
    stream.close(scan.place)
    ledger = stream.ledger(dict(disorder), sum(read.met for read in reads))
    for steps in zip(*(read.cleaned.steps for read in reads if read.met), strict=True):
        ledger = _added(ledger, steps)
    if opened.bad_rows is not None:
        bad.write(opened.bad_rows, stream.bad)
    records = sum(read.records for read in reads)
    if not records:
        raise DataError("no record is left; use less strict cleaning.")
    users, positions = _numbered(reads)
    west, south, east, north = np.array([read.box for read in reads]).T
    span = min(read.span[0] for read in reads), max(read.span[1] for read in reads)
    box = float(west.min()), float(south.min()), float(east.max()), float(north.max())
    middle = None if stream.planar else degrees.middle
    attributes = _attributes(reads, positions, len(users))
    parts = Parts(users, records, bool(stream.planar), box, middle, span, attributes, ledger, lambda: iter(()))
    return Records(frame, parts, positions)


def _bad_rows(reads: list[Read], opened: Opened) -> list[BadRow]:
    """Every bad row by place, if they are set aside; else the first one stops the run."""
    rows = sorted(((place, row) for read in reads for place, row in read.bad), key=lambda pair: pair[0])
    if not rows or opened.bad_rows is not None:
        return [row for _, row in rows]
    kept_rows = sum(read.stream.kept for read in reads)
    first = rows[0][1]
    such = sum(row.column == first.column and row.reason == first.reason for _, row in rows)
    if opened.has_order or not kept_rows:
        raise replace(first, such=such).error()
    raise DataError(
        f"{first.reason} in column {first.column!r} of the table ({several(such, 'such row')}); leave such rows out "
        "with a filter of Spark."
    )


def _added(ledger: Ledger, steps: tuple[Any, ...]) -> Ledger:
    """The ledger with one step of cleaning, as the blocks did it."""
    sums: dict[str, Counter[str]] = {name: Counter() for name in ("dropped", "created", "notes")}
    for step in steps:
        for name, counts in sums.items():
            for reason, n in getattr(step, name).items():
                counts[reason] += n
    users = tuple(sum(step.users[side] for step in steps) for side in range(2))
    read, left = sum(step.read for step in steps), sum(step.kept for step in steps)
    return ledger.add(steps[0].name, read=read, kept=left, users=users, **sums)


def _numbered(reads: list[Read]) -> tuple[Labels, dict[int, Ints]]:
    """All labels in order, and the positions of the users of each block."""
    there = [read for read in reads if len(read.labels)]
    labels = np.concatenate([read.labels for read in there])
    firsts = [read.places for read in there if read.places is not None]
    order = np.argsort(np.concatenate(firsts) if firsts else labels, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    ends = np.cumsum([len(read.labels) for read in there])
    return labels[order], {read.block: part for read, part in zip(there, np.split(rank, ends[:-1]), strict=True)}


def _attributes(reads: list[Read], positions: dict[int, Ints], users: int) -> Attributes:
    names = list(reads[0].attributes)
    values: dict[str, list[Any]] = {name: [None] * users for name in names}
    for read in reads:
        for name in names:
            for position, value in zip(positions.get(read.block, ()), read.attributes[name], strict=True):
                values[name][position] = value
    return attributes_of(values, users)
