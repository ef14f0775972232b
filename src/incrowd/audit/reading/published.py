"""One published table as it stands, and what is said about it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Floats, Ints, Labels, distinct_rows, offsets_of, row_order
from incrowd.audit.reading.parquet import Footer
from incrowd.audit.reading.tables import Columns, codes_of
from incrowd.data import Groups
from incrowd.plain import several

MANIFEST = "manifest.json"
CELLS = "cells.csv"
ROUNDED_M = 0.001  # the place of a cell there
TIMES = ("slot", "t")  # where each noun keeps its time
MANKIND = 10**12  # no crowd is larger
BARE = "users without a visit"  # a note of ledgers
ROWS_AT_ONCE = 1 << 22
SEEDED, RANDOM = "seeded", "operating system"
FORMATS = {"incrowd-release/1": 1, "incrowd-release/2": 2}


class Boxes(NamedTuple):
    """Boxes before reshaping: the pseudonym and sides of each, and which of them is said to hold each sample."""

    row: Ints  # of each original sample: the published row, or -1
    box: Ints  # the same among these boxes
    group: Ints
    sides: Mapping[str, Ints]


@dataclass(frozen=True, eq=False, repr=False)
class Published:
    """One published table in file order, and what is said about it."""

    table: Columns
    metadata: str = ""  # text that the data file carries beside its values
    manifest: Mapping[str, Any] | None = None
    folder: Path | None = None
    file: Path | None = None
    clock: Mapping[str, Any] = field(default_factory=dict)
    plane: Mapping[str, Any] = field(default_factory=dict)
    claims: Mapping[str, Any] = field(default_factory=dict)
    nonsense: tuple[str, ...] = ()  # what is said of clock, plane and claims but has no meaning
    parameters: Mapping[str, Any] = field(default_factory=dict)
    ledger: tuple[Mapping[str, Any], ...] = ()
    pseudonyms: str | None = None  # where they come from, as stated
    cells: tuple[Ints, Floats] | None = None  # ids and centres
    members: Groups | None = None  # positions in the original behind each pseudonym, where known
    people: Ints | None = None  # behind each position of the original; one each where it is not known
    boxes: Boxes | None = None  # before reshaping, where the release knows them
    method: str | None = None  # that is said to have made it
    footer: Footer | None = None  # of a Parquet file
    faults: tuple[str, ...] = ()  # of the layout of the files
    link_faults: tuple[str, ...] = ()  # what is wrong with the link file itself
    held_out: frozenset[int] = frozenset()  # positions of people in the original who are in no release, by the link

    def __len__(self) -> int:
        return len(self.users)

    @property
    def noun(self) -> str:
        """Visits, Fingerprints, Traces or Counts, by the columns."""
        return self.table.noun

    @property
    def users(self) -> Labels:
        """Distinct pseudonyms in order of first appearance; "position" means the index here."""
        return self.table.users

    @property
    def format(self) -> int | None:
        """1 or 2 as the manifest states; None without a manifest or for another format."""
        stated = (self.manifest or {}).get("format")
        return FORMATS.get(stated) if isinstance(stated, str) else None

    @property
    def is_plain(self) -> bool:
        """Whether this is a table of any tool, which states nothing about itself."""
        return self.file is not None and self.manifest is None

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return len(self.table.code)

    @property
    def time(self) -> NDArray[Any]:
        """The time column, in file order."""
        return next(self.table.numbers[name] for name in TIMES if name in self.table.numbers)

    @cached_property
    def crowd(self) -> Ints:
        """People each pseudonym stands for; the fewest it says, if it says several numbers."""
        if "crowd" not in self.table.numbers:
            return np.ones(len(self), np.int64)
        fewest = np.full(len(self), np.iinfo(np.int64).max)
        stated = np.clip(self.table.numbers["crowd"], -MANKIND, MANKIND)
        np.minimum.at(fewest, self.table.code, stated.astype(np.int64))
        return fewest

    @property
    def bare(self) -> int:
        """Pseudonyms that lost every row and are not in the table, as the manifest or the ledger counts them."""
        noted = part_of(self.ledger[-1], "notes").get(BARE) if self.ledger else None
        if self.format == 2:
            noted = part_of(self.manifest or {}, "counts").get("bare")
        return noted if is_count(noted) else 0

    @property
    def untold(self) -> str:
        """How many pseudonyms have somebody behind them, where not all do: a link file may be short."""
        size = np.zeros(0) if self.members is None else np.diff(self.members.offsets)
        return (
            f"members are known for {(size > 0).sum():,} of {several(len(size), 'pseudonym')}"
            if (size == 0).any()
            else ""
        )

    @property
    def weight(self) -> Ints:
        """People behind each entry of the members; a user of the original may stand for several."""
        positions = np.zeros(0, np.int64) if self.members is None else self.members.positions
        return np.ones(len(positions), np.int64) if self.people is None else self.people[positions]

    def _is_sorted(self, names: list[str]) -> bool:
        """Whether rows ascend by pseudonym and these columns of whole numbers, without a repetition."""
        columns = [self.table.numbers[name] for name in names]
        if any(column.dtype.kind == "f" for column in columns):
            return False
        for start in range(0, max(self.rows - 1, 0), ROWS_AT_ONCE):
            part = slice(start, start + ROWS_AT_ONCE + 1)
            less, equal = ascend([self.table.code[part], *(column[part] for column in columns)])
            if less.any() or equal.any():
                return False
        return True

    def sets(self, extras: Iterable[str] = ()) -> tuple[Ints, dict[str, Ints]]:
        """Offsets and columns of the set of distinct rows of each pseudonym, by time, then the rest and some extras."""
        names = sorted((n for n in self.table.numbers if n != "crowd"), key=lambda n: (n not in TIMES, n))
        beside = {f"extra {name}": codes_of(self.table.extras[name]) for name in extras}
        if not beside and self._is_sorted(names):
            starts = np.searchsorted(self.table.code, np.arange(len(self) + 1))
            return starts, {name: self.table.numbers[name] for name in names}
        keys = [self.table.code, *(exact(self.table.numbers[name]) for name in names), *beside.values()]
        order = row_order(*keys)
        if order is not None:
            keys = [key[order] for key in keys]
        keep = distinct_rows(*keys)
        if not keep.all():
            keys = [key[keep] for key in keys]
        return offsets_of(keys[0], len(self)), dict(zip([*names, *beside], keys[1:], strict=True))


def ascend(keys: list[Ints]) -> tuple[Flags, Flags]:
    """Which rows come before the one above them, and which equal it."""
    less = np.zeros(len(keys[0]) - 1, np.bool_)
    equal = np.ones(len(less), np.bool_)
    for key in keys:
        less |= equal & (key[1:] < key[:-1])
        equal &= key[1:] == key[:-1]
    return less, equal


def exact(values: NDArray[Any]) -> Ints:
    """Integers that are equal where the values are equal, and ordered alike."""
    if values.dtype.kind != "f":
        return values.astype(np.int64, copy=False)
    bits: Ints = (values + 0.0).view(np.int64)  # -0.0 becomes 0.0
    return np.where(bits >= 0, bits, np.iinfo(np.int64).min - bits)


def part_of(manifest: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A part of the manifest that ought to be an object; empty where it is not."""
    value = manifest.get(name)
    return value if isinstance(value, dict) else {}


def is_count(value: Any) -> TypeGuard[int]:
    """Whether something said is a whole number from 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
