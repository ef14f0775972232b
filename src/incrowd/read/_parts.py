"""Batches -> buckets of whole users in one unnamed temporary file -> Traces, a bucket at a time."""

import tempfile
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Ints, Labels, rows_by_code
from incrowd.data import Traces
from incrowd.data.table import Attributes
from incrowd.errors import DataError, ParameterError, check_positive, public
from incrowd.ledger import Ledger
from incrowd.read._table import Batch, RecordStream, opened, table
from incrowd.read.checks import zero_warned_later
from incrowd.read.layouts import Reading, with_reading
from incrowd.read.plane import Degrees
from incrowd.read.sources.engine import records_at_most
from incrowd.read.sources.local import local

PIECE_RECORDS = 2_000_000
_MOST_PIECES = 1024
_RECORD_BYTES = 200  # of memory that a discretizer takes per record of a piece, columns and sorting together


@dataclass(frozen=True)
class Parts:
    """Whole users in time order, piece by piece, with what is known of them all beforehand."""

    users: Labels
    records: int
    planar: bool
    box: tuple[float, float, float, float]  # west, south, east, north in degrees, or the same in metres
    middle: tuple[int, int] | None  # the whole degrees of the median lon and lat; None in metres
    span: tuple[int, int]  # first and last UTC second
    attributes: Attributes
    ledger: Ledger
    pieces: Callable[[], Iterator[tuple[Ints, Traces]]]

    def __iter__(self) -> Iterator[tuple[Ints, Traces]]:
        """Positions of some users among `users`, and their traces."""
        return self.pieces()


@public
@with_reading
def parts(source: Any, *, time_zone: str | None = None, **reading: Unpack[Reading]) -> Parts:
    """Pieces of whole users, for data larger than memory.

    The labels of users, and all records of a single user, are always held in memory.

    Args:
        source: Traces, or what `incrowd.read.table` reads.
        time_zone: Zone of times without an offset. [default: UTC]

    >>> import pyarrow as pa
    >>> pieces = parts(pa.table({"user": ["a", "b", "a"], "t": [0, 0, 60], "lon": [5, 5, 6], "lat": [52, 52, 52]}))
    >>> pieces.users.tolist(), pieces.records, [traces for _, traces in pieces]
    (['a', 'b'], 3, [Traces(users=2, records=3)])
    """
    options: dict[str, Any] = {"time_zone": time_zone, **reading}
    memory_mb = options.pop("memory_mb", 1024)
    check_positive(memory_mb=memory_mb)
    if isinstance(source, Traces):
        placed = options.pop("antennas", None) is not None or options.pop("antenna_at", "first") != "first"
        if placed or any(options.values()):
            raise ParameterError("these options describe files and frames; Traces need none of them.")
        return of_traces(source)
    with local(source, options.pop("table", None), options.pop("query", None)) as files:
        # Half of the memory is for a piece, the other half for the parser and what is made of the pieces.
        pieces = records_at_most(files, reading.get("layout")) * _RECORD_BYTES / (memory_mb * 2**19)
        if pieces <= 1:
            with zero_warned_later():
                return of_traces(table(files, **options))
        count = ceil(min(pieces, _MOST_PIECES))
        return opened(files, memory_mb, lambda stream: spilled(stream, count), **options)


def of_traces(traces: Traces) -> Parts:
    """Traces in memory, cut by user."""
    if not traces.ordered:
        raise unordered()
    if not traces.records:
        raise DataError("no record is left; use less strict cleaning.")
    first, second = traces.coordinates
    box = (float(first.min()), float(second.min()), float(first.max()), float(second.max()))
    span = (int(traces.t.min()), int(traces.t.max()))

    def pieces() -> Iterator[tuple[Ints, Traces]]:
        # A cut wherever another PIECE_RECORDS rows are full; a single longer user stays whole.
        wanted = np.arange(PIECE_RECORDS, traces.records, PIECE_RECORDS)
        cuts = np.unique([0, *np.searchsorted(traces.offsets, wanted), len(traces)])
        for a, b in pairwise(cuts):
            yield np.arange(a, b), _users(traces, int(a), int(b))

    return Parts(
        traces.users,
        traces.records,
        traces.planar,
        box,
        _middle(traces),
        span,
        traces.attributes,
        traces.ledger,
        pieces,
    )


def _middle(traces: Traces) -> tuple[int, int] | None:
    if traces.planar:
        return None
    degrees = Degrees()
    for low in range(0, traces.records, PIECE_RECORDS):
        degrees.add(*(column[low : low + PIECE_RECORDS] for column in traces.coordinates))
    return degrees.middle


def unordered() -> DataError:
    """Log order is for `clean.order` only."""
    return DataError("these traces are in log order; call incrowd.clean.order, or read them with order='time'.")


def _users(traces: Traces, a: int, b: int) -> Traces:
    rows = slice(traces.offsets[a], traces.offsets[b])
    names = ("t", "x", "y") if traces.planar else ("t", "lon", "lat")
    return replace(
        traces,
        users=traces.users[a:b],
        offsets=traces.offsets[a : b + 1] - traces.offsets[a],
        **{name: getattr(traces, name)[rows] for name in names},
        attributes={name: value[a:b] for name, value in traces.attributes.items()},
    )


_DTYPES = (np.int32, np.int64, np.float64, np.float64)


def spilled(reading: RecordStream, pieces: int) -> Parts:
    """Read a source into buckets and hand them out, once it is known whole."""
    buckets, clock, degrees = Buckets(pieces), LogOrder(), Degrees()
    corners: list[tuple[float, float, float, float]] = []
    for batch in reading.batches():
        if not reading.ordered:
            raise unordered()
        buckets.add(batch)
        clock.add(batch.code, batch.t, len(reading.users))
        if not reading.planar:
            degrees.add(batch.first, batch.second)
        corners.append((batch.first.min(), batch.second.min(), batch.first.max(), batch.second.max()))
    west, south, east, north = np.array(corners).T
    users, planar = reading.users.labels(), bool(reading.planar)
    return Parts(
        users,
        reading.kept,
        planar,
        (float(west.min()), float(south.min()), float(east.max()), float(north.max())),
        None if planar else degrees.middle,
        (clock.first, clock.last),
        reading.attributes(),
        reading.ledger({"put in time order": clock.disorder}),
        lambda: buckets.traces(users, planar=planar),
    )


class Buckets:
    """User u goes to bucket u % count. The file has no name: it is gone with its last user, even after a crash."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the buckets
        weakref.finalize(self, self._file.close)
        self._chunks: list[list[tuple[int, int]]] = [[] for _ in range(count)]  # where, and how many records
        self._end = 0

    def add(self, batch: Batch) -> None:
        """Append the records of a batch to their buckets."""
        order, offsets = rows_by_code(batch.code % self.count, self.count)
        columns = [batch.code, batch.t, batch.first, batch.second]
        columns = [column.astype(kind, copy=False) for column, kind in zip(columns, _DTYPES, strict=True)]
        if order is not None:
            columns = [column[order] for column in columns]
        for bucket in np.flatnonzero(np.diff(offsets)):
            a, b = offsets[bucket : bucket + 2].tolist()
            self._chunks[bucket].append((self._end, b - a))
            self._end += sum(self._file.write(np.ascontiguousarray(column[a:b]).data) for column in columns)

    def traces(self, users: Labels, *, planar: bool) -> Iterator[tuple[Ints, Traces]]:
        """Positions and time-ordered traces of the users of each bucket."""
        for bucket, chunks in enumerate(self._chunks):
            if chunks:
                where = np.arange(bucket, len(users), self.count)
                code, t, first, second = self._read(chunks)
                code //= self.count
                yield where, Traces.from_codes(users[where], code, t, first, second, planar=planar, order="time")

    def _read(self, chunks: list[tuple[int, int]]) -> list[NDArray[Any]]:
        size = sum(count for _, count in chunks)
        columns = [np.empty(size, kind) for kind in _DTYPES]
        row = 0
        for start, count in chunks:
            self._file.seek(start)
            for column in columns:
                self._file.readinto(column[row : row + count].data)
            row += count
        return columns


class LogOrder:
    """Counts records that come before an earlier one of the same user, as they stream by."""

    def __init__(self) -> None:
        self.disorder = 0
        self.first, self.last = 2**62, -(2**62)
        self._latest = np.zeros(0, np.int64)  # of each user, as logged

    def add(self, code: Codes, t: Ints, users: int) -> None:
        """Take note of a batch."""
        before = -(2**62)
        if users > len(self._latest):
            grown = np.full(max(users, 2 * len(self._latest)), before)
            grown[: len(self._latest)] = self._latest
            self._latest = grown
        if t[0] < self.last or (t[1:] < t[:-1]).any():
            order, offsets = rows_by_code(code, users)
            self.disorder += _disorder(t if order is None else t[order], offsets, self._latest)
        self._latest[code] = t  # where a user comes twice, the later record stays
        self.first, self.last = min(self.first, int(t.min())), max(self.last, int(t.max()))


def _disorder(t: Ints, offsets: Ints, latest: Ints) -> int:
    there = np.flatnonzero(np.diff(offsets))
    before = np.empty_like(t)
    before[1:] = t[:-1]
    before[offsets[there]] = latest[there]
    return int((t < before).sum())
