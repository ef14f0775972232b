"""Batches -> buckets of whole users in one unnamed temporary file -> Traces, a bucket at a time."""

import tempfile
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Ints, Labels, rows_by_code
from incrowd.data import Traces
from incrowd.read.parts import Parts, unordered
from incrowd.read.plane import Degrees
from incrowd.read.stream import Batch, Reading

_DTYPES = (np.int32, np.int64, np.float64, np.float64)


def spilled(reading: Reading, pieces: int) -> Parts:
    """Read a source into buckets and hand them out, once it is known whole."""
    buckets, clock, degrees = Buckets(pieces), Clock(), Degrees()
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
        at = 0
        for start, count in chunks:
            self._file.seek(start)
            for column in columns:
                self._file.readinto(column[at : at + count].data)
            at += count
        return columns


class Clock:
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
