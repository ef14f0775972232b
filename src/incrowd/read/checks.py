"""A batch of a scan -> checked users, times and places, and warnings of what is odd about them."""

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from incrowd.arrays import Flags, Floats, Ints
from incrowd.clock import FIRST, LAST, PER_SECOND, from_epoch, to_utc, unit_note, unit_of
from incrowd.errors import DataError, IncrowdWarning
from incrowd.plain import several
from incrowd.read import bad
from incrowd.read.arrow import TextLabels, floats, missing, to_arrow, truth, values
from incrowd.read.sources.scan import Scan

if TYPE_CHECKING:
    import pyarrow as pa

Check = tuple[str, str, Flags]  # column, reason, where

FAR = 10  # times the size of where the others are
_SAMPLE = 4096  # places of each side of each batch
_MOST = 16 * _SAMPLE
_SMALL = 0.01  # degrees: places that are closer are one town
_later: ContextVar[bool] = ContextVar("later", default=False)


def users_of(raw: "pa.RecordBatch", scan: Scan) -> tuple["pa.Array", list[Check]]:
    """The user of each record, and what is wrong with it."""
    user = constant(raw, scan, "user") if "user" in scan.constants else raw["user"]
    absent = missing(user)
    if "digits" in raw.schema.names and user.null_count:
        digits = raw["digits"]
        if (values(digits, np.uint8)[absent & ~missing(digits)] > 0).any():
            raise TextLabels
    return user, [("user", bad.USER, absent), *_nulls(user)]


def _nulls(user: "pa.Array") -> list[Check]:
    """Where a label holds a null character, which numpy and many formats drop: two users would become one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_string(user.type) or not len(user):
        return []
    starts = np.frombuffer(user.buffers()[1], np.int32)[[user.offset, user.offset + len(user)]]
    characters = np.frombuffer(user.buffers()[2] or b"", np.uint8)[slice(*starts)]
    if characters.min(initial=1) > 0:
        return []
    return [("user", bad.NULL, truth(pc.match_substring(user, "\0").fill_null(False)))]


def constant(raw: "pa.RecordBatch", scan: Scan, noun: str) -> "pa.Array":
    """The value that the path of its file gives each record."""
    import pyarrow as pa

    known = pa.array(scan.constants[noun])
    return known.take(raw["file_index"] if len(scan.files) > 1 else to_arrow(np.zeros(raw.num_rows, np.int64)))


def places_of(raw: "pa.RecordBatch", scan: Scan) -> tuple[Floats, Floats, list[Check]]:
    """Both coordinates of each record, and what is wrong with them."""
    if scan.request.antennas is not None:
        first, second = scan.request.antennas.places(raw["cell"])
        absent = missing(raw["cell"])
        return first, second, [("cell", bad.CELL, absent), ("cell", bad.ANTENNA, np.isnan(first) & ~absent)]
    if "point" in raw.schema.names:
        from incrowd.read.sources.parquet import points

        lon, lat = points(raw["point"])
        return lon, lat, [("point", bad.POINT, np.isnan(lon)), *_degrees(lon, lat)]
    names = ("x", "y") if scan.request.planar else ("lon", "lat")
    first, second = (floats(raw[name]) for name in names)
    if scan.request.planar:
        return first, second, [(n, bad.METRE, ~np.isfinite(v)) for n, v in zip(names, (first, second), strict=True)]
    return first, second, _degrees(first, second)


def _degrees(lon: Floats, lat: Floats) -> list[Check]:
    checks = []
    for noun, column, limit, reason in (("lat", lat, 90, bad.LAT), ("lon", lon, 180, bad.LON)):
        outside = ~(np.abs(column) <= limit)
        # A missing number fails the same comparison; telling them apart is needed only then.
        if outside.any():
            none = np.isnan(column)
            checks += [(noun, bad.NUMBER, none), (noun, reason, outside & ~none)]
    return checks


@dataclass
class Seconds:
    """Reads the times of one source; `notes` are those of its ledger."""

    zone: ZoneInfo | None
    notes: Counter[str]
    unit: str | None = None
    naive: int = 0  # dates that were read without an offset, and with one
    aware: int = 0

    def of(self, raw: "pa.RecordBatch", scan: Scan) -> tuple[Ints, list[Check]]:
        """Seconds, and what is wrong with them."""
        column = raw["t"]
        absent = missing(column)
        if scan.selection.epoch:
            t, odd = self._from_epoch(column, scan)
            return t, [("t", bad.NUMBER if scan.header else bad.TIME, absent), ("t", bad.UNIT, odd)]
        unit = getattr(column.type, "unit", "us")
        t = np.floor_divide(values(column, np.int64), PER_SECOND[unit])
        outside = (t < FIRST) | (t > LAST)
        aware = truth(raw["aware"]) if scan.selection.aware is None else np.full(len(t), scan.selection.aware)
        good = ~absent & ~outside
        naive = good & ~aware
        self.naive, self.aware = self.naive + int(naive.sum()), self.aware + int((good & aware).sum())
        if self.zone is not None and naive.any():
            t = np.where(outside, 0, t)
            t[naive], notes = to_utc(t[naive], self.zone)
            self.notes.update(notes)
        none = bad.FORMAT if scan.request.layout.time_format else bad.TIME
        return t, [("t", none, absent), ("t", bad.YEARS, outside & ~absent)]

    def close(self) -> None:
        """Say what was assumed where only some of the times have an offset."""
        if not (self.naive and self.aware):
            return
        zone = "UTC" if self.zone is None else self.zone.key
        self.notes[f"times without an offset, read as {zone}"] += self.naive
        advice = "; pass time_zone=NAME (--time-zone NAME) if they are in another zone" if self.zone is None else ""
        has = "has" if self.naive == 1 else "have"
        warnings.warn(
            f"{self.naive:,} of {self.naive + self.aware:,} times {has} no offset from UTC, and the others have one: "
            f"those without were read as {zone}{advice}.",
            IncrowdWarning,
            stacklevel=2,
        )

    def _from_epoch(self, column: "pa.Array", scan: Scan) -> tuple[Ints, Flags]:
        numbers = floats(column) if column.type == "double" else values(column, np.int64)
        if scan.saved:
            return from_epoch(numbers, "s")
        if self.unit is None and len(numbers):
            self.unit = unit_of(numbers)
            if self.unit is None:
                raise DataError(
                    f"the numbers in column {scan.selection.names['t']!r} of {scan.place} are not seconds, "
                    "milliseconds, microseconds or nanoseconds since 1970; give one of these, or ISO 8601."
                )
        t, odd = from_epoch(numbers, self.unit or "s")
        self.notes[unit_note(self.unit or "s")] += int((~odd).sum())
        return t, odd


@dataclass
class Exchanged:
    """Looks for records among which the two are exchanged, as in one of several files.

    To exchange longitude and latitude is to mirror a place in the line on which they are equal. Places that are
    compact are on one side of it. Records on the other side are reported if the mirror puts them among those of the
    larger side (their box, and its width around it), at least ten times the diagonal of that box away from where they
    are. The box is that of the middle 98 %, but no further from the middle half than this is wide: strays do not
    stretch it. Where every record is exchanged there is nothing to compare with, and no warning.
    """

    count: list[int] = field(default_factory=lambda: [0, 0])
    sample: list[Floats] = field(default_factory=lambda: [np.zeros((0, 2)), np.zeros((0, 2))])

    def add(self, lon: Floats, lat: Floats) -> None:
        """Take note of a batch."""
        above = lon > lat
        for side, many in enumerate((len(lon) - int(above.sum()), int(above.sum()))):
            if not many:
                continue
            rows = slice(None) if many == len(lon) else np.flatnonzero(above == bool(side))
            step = -(-many // _SAMPLE)
            places = np.column_stack((lon[rows][::step], lat[rows][::step]))
            self.count[side] += many
            known = np.concatenate([self.sample[side], places])
            self.sample[side] = known[:: -(-len(known) // _MOST)]

    def merge(self, other: "Exchanged") -> None:
        """Take note of what another one looked at."""
        for side in range(2):
            self.count[side] += other.count[side]
            known = np.concatenate([self.sample[side], other.sample[side]])
            self.sample[side] = known[:: -(-len(known) // _MOST) or 1]

    @property
    def records(self) -> int:
        """About how many records are reported; exactly, of few."""
        if not min(self.count):
            return 0
        side = int(self.count[1] > self.count[0])
        others, places = self.sample[side], self.sample[1 - side]
        first, lower, middle, upper, last = np.quantile(others, (0.01, 0.25, 0.5, 0.75, 0.99), axis=0)
        half = np.maximum(upper - lower, _SMALL)
        low, high = np.maximum(first, lower - half), np.minimum(last, upper + half)
        size = np.maximum(high - low, _SMALL)
        diagonal = np.hypot(size[0] * np.cos(np.radians(middle[1])), size[1])
        mirrored = places[:, ::-1]
        among = ((mirrored >= low - size) & (mirrored <= high + size)).all(axis=1)
        far = np.hypot(*(mirrored - places).T) >= FAR * diagonal
        share = float((among & far).mean())
        return max(1, round(share * self.count[1 - side])) if share else 0

    def close(self) -> None:
        """Warn of them."""
        if records := self.records:
            warnings.warn(
                f"lon and lat may be exchanged in {records:,} of {sum(self.count):,} records: exchanged, they are "
                "among the other records, and as they are, far from them; check which column is which in each file "
                "(--column lon=NAME --column lat=NAME).",
                IncrowdWarning,
                stacklevel=2,
            )


def warn_of_zero(count: int) -> None:
    """Warn that so many records at (0, 0) are kept as any other place; the same words wherever they are."""
    if count and not _later.get():
        records, them = (several(count, "record"), "them") if count > 1 else ("1 record", "it")
        warnings.warn(
            f"{records} {'are' if count > 1 else 'is'} at (0, 0), which is often written if a device has no position; "
            f"incrowd clean --drop-zero (incrowd.clean.outside) removes {them}.",
            IncrowdWarning,
            stacklevel=3,
        )


@contextmanager
def zero_warned_later() -> Iterator[None]:
    """Read without that warning, for a step that reports such records itself."""
    token = _later.set(True)
    try:
        yield
    finally:
        _later.reset(token)
