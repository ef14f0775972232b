"""One pass over a source: scans -> checked batches of codes, UTC seconds and coordinates, all accounted for."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import numpy as np

from incrowd.arrays import Codes, Floats, Ints
from incrowd.data.table import Attributes, attributes_of
from incrowd.data.traces import AT_ZERO, at_zero
from incrowd.errors import DataError
from incrowd.ledger import Ledger
from incrowd.progress import tell
from incrowd.read import bad
from incrowd.read.arrow import Coder, Mask, Values
from incrowd.read.bad import BadRow
from incrowd.read.checks import Check, Exchanged, Seconds, constant, places_of, users_of
from incrowd.read.sources.engine import RunningScan, on_lines, records_at_most, scans_of
from incrowd.read.sources.scan import Request, Scan

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Batch:
    """Good records, in the order of the source."""

    code: Codes
    t: Ints
    first: Floats  # longitude, or x
    second: Floats
    good: Mask | None = None  # which rows of the source these are, if not all that were looked at


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

    def _aside(self, wrong: Mask, checks: list[Check], raw: "pa.RecordBatch", run: RunningScan) -> list[BadRow]:
        rows = np.flatnonzero(wrong)
        rows = rows if self.request.set_aside else rows[:1]
        bad_rows = []
        for row, (file, number) in zip(rows.tolist(), run.positions(rows, raw), strict=True):
            noun, reason, mask = next(check for check in checks if check[2][row])
            place = str(run.scan.files[file]) if run.scan.files else run.scan.place
            column = run.scan.selection.names.get(noun, noun)
            bad_rows.append(BadRow(place, number, run.scan.unit, column, reason, such=int(mask.sum())))
        if not self.request.set_aside:
            raise on_lines(run.scan, bad_rows, [])[0].error()
        return bad_rows
