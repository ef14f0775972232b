"""The times of a batch -> whole UTC seconds, and what was assumed of them."""

import warnings
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from incrowd.arrays import Ints
from incrowd.clock import FIRST, LAST, PER_SECOND, from_epoch, to_utc, unit_note, unit_of
from incrowd.errors import DataError, IncrowdWarning
from incrowd.read import bad
from incrowd.read.buffers import Mask, floats, missing, truth, values
from incrowd.read.checks import Check
from incrowd.read.sources.scan import Scan

if TYPE_CHECKING:
    import pyarrow as pa


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
        advice = "; pass time_zone=… (--time-zone) if they are in another zone" if self.zone is None else ""
        has = "has" if self.naive == 1 else "have"
        warnings.warn(
            f"{self.naive:,} of {self.naive + self.aware:,} times {has} no offset from UTC, and the others have one: "
            f"those without were read as {zone}{advice}.",
            IncrowdWarning,
            stacklevel=2,
        )

    def _from_epoch(self, column: "pa.Array", scan: Scan) -> tuple[Ints, Mask]:
        numbers = floats(column) if column.type == "double" else values(column, np.int64)
        if scan.saved:
            return from_epoch(numbers, "s")
        if self.unit is None and len(numbers):
            self.unit = unit_of(numbers)
            if self.unit is None:
                raise DataError(
                    f"the numbers in column {scan.selection.names['t']!r} of {scan.place} are no seconds, milli-, "
                    "micro- or nanoseconds since 1970; give one of these, or ISO 8601."
                )
        t, odd = from_epoch(numbers, self.unit or "s")
        self.notes[unit_note(self.unit or "s")] += int((~odd).sum())
        return t, odd
