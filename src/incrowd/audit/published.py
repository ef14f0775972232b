"""A Release, a release folder or a plain table -> one `Published`: read as it stands, nothing taken on trust."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints, Labels, distinct_rows, offsets_of, row_order
from incrowd.audit.said import claims_of, clock_of, plane_of
from incrowd.audit.tables import SUFFIXES, Columns, codes_of, metadata_of, numbers, read_table, split
from incrowd.data import Groups, Release
from incrowd.data.fingerprints import BOX
from incrowd.errors import DataError
from incrowd.plain import several

MANIFEST = "manifest.json"
CELLS = "cells.csv"
TIMES = ("slot", "t")  # where each noun keeps its time
MANKIND = 10**12  # no crowd is larger
SEEDED, RANDOM = "seeded", "operating system"


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

    def __len__(self) -> int:
        return len(self.users)

    @property
    def noun(self) -> str:
        """Visits, Fingerprints or Traces, by the columns."""
        return self.table.noun

    @property
    def users(self) -> Labels:
        """Distinct pseudonyms in order of first appearance; "position" means the index here."""
        return self.table.users

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
        said = np.clip(self.table.numbers["crowd"], -MANKIND, MANKIND)
        np.minimum.at(fewest, self.table.code, said.astype(np.int64))
        return fewest

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

    def sets(self, extras: Iterable[str] = ()) -> tuple[Ints, dict[str, Ints]]:
        """Offsets and columns of the set of distinct rows of each pseudonym, by time, then the rest and some extras."""
        names = sorted((n for n in self.table.numbers if n != "crowd"), key=lambda n: (n not in TIMES, n))
        beside = {f"extra {name}": codes_of(self.table.extras[name]) for name in extras}
        keys = [self.table.code, *(exact(self.table.numbers[name]) for name in names), *beside.values()]
        order = row_order(*keys)
        if order is not None:
            keys = [key[order] for key in keys]
        keep = distinct_rows(*keys)
        if not keep.all():
            keys = [key[keep] for key in keys]
        return offsets_of(keys[0], len(self)), dict(zip([*names, *beside], keys[1:], strict=True))


def exact(values: NDArray[Any]) -> Ints:
    """Integers that are equal where the values are equal, and ordered alike."""
    if values.dtype.kind != "f":
        return values.astype(np.int64, copy=False)
    bits: Ints = (values + 0.0).view(np.int64)  # -0.0 becomes 0.0
    return np.where(bits >= 0, bits, np.iinfo(np.int64).min - bits)


def published(release: Release | str | Path) -> Published:
    """Open what is to be checked."""
    if isinstance(release, Release):
        return _from_release(release)
    if not isinstance(release, (str, Path)):
        raise DataError(f"a {type(release).__name__} is no release; give a Release, its folder or a file.")
    path = Path(release)
    if path.is_dir():
        return _from_folder(path)
    if not path.is_file():
        raise DataError(f"there is no release at {path}; give a release folder, a Parquet or a CSV file.")
    table, metadata = read_table(path)
    return Published(split(table), metadata, file=path)


def _from_release(release: Release) -> Published:
    data = release.data
    table = release.to_arrow()
    columns = split(table.replace_schema_metadata(None), type(data).__name__)
    there = np.diff(data.offsets) > 0  # who lost every row is not in the table
    if len(columns.users) != there.sum():
        raise DataError(f"{int(there.sum()) - len(columns.users)} published pseudonyms have the same name.")
    slot_min, xy = getattr(data, "slot_min", None), getattr(data, "xy", None)
    grain = {"grain_s": slot_min * 60} if slot_min else {}
    clock = {name: getattr(data, name, None) for name in ("slot_min", "start", "time_zone")} | grain
    seeded = release.params.get("pseudonym_seed_given")
    claims, nonsense = claims_of(release.claims)
    return Published(
        columns,
        metadata_of(table.schema),
        clock=clock,
        plane={"crs": getattr(data, "crs", None), "cell_m": getattr(data, "cell_m", None)},
        claims=claims,
        nonsense=tuple(nonsense),
        parameters=dict(release.params),
        ledger=tuple(release.ledger.to_dict()),
        pseudonyms=None if seeded is None else SEEDED if seeded else RANDOM,
        cells=None if xy is None else (np.arange(len(xy)), xy),
        members=_groups(release.members, there),
        people=_column(release.provenance.get("people"), int(release.members.positions.max(initial=-1)) + 1),
        boxes=_boxes(release.provenance),
        method=release.params.get("method"),
    )


def _column(values: Any, least: int = 0) -> Ints | None:
    """A private column of whole numbers, where there is one that reaches far enough."""
    fits = isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind == "i" and len(values) >= least
    return values if fits else None


def _boxes(private: Mapping[str, Any]) -> Boxes | None:
    """What a release knows of its boxes beyond what it publishes, where that is a whole table."""
    said = private.get("boxes")
    columns = {name: _column(part_of(private, "boxes").get(name)) for name in ("group", *BOX)}
    row, box = _column(private.get("row")), _column(private.get("box"))
    if said is None or row is None or box is None or len(row) != len(box):
        return None
    known = {name: values for name, values in columns.items() if values is not None}
    whole = len(known) == len(columns) and len({len(values) for values in known.values()}) == 1
    return Boxes(row, box, known.pop("group"), known) if whole else None


def _groups(members: Groups, there: NDArray[np.bool_]) -> Groups:
    size = np.diff(members.offsets)
    offsets = np.concatenate([[0], np.cumsum(size[there])]).astype(np.int64)
    return Groups(offsets, members.positions[np.repeat(there, size)])


def _from_folder(folder: Path) -> Published:
    manifest = _manifest(folder / MANIFEST)
    file = _data_file(folder)
    table, metadata = read_table(file)
    if manifest is None:
        return Published(split(table), metadata, folder=folder, file=file, cells=_cells(folder / CELLS))
    clock, plane, claims = (_PARTS[name](part_of(manifest, name)) for name in _PARTS)
    steps = manifest.get("ledger")
    return replace(
        Published(split(table), metadata, manifest, folder, file, clock[0], plane[0], claims[0]),
        nonsense=(*clock[1], *plane[1], *claims[1]),
        parameters=part_of(manifest, "parameters"),
        ledger=tuple(steps) if isinstance(steps, list) and all(isinstance(s, dict) for s in steps) else (),
        pseudonyms=str(manifest.get("pseudonyms")),
        cells=_cells(folder / CELLS),
        method=manifest.get("method"),
    )


_PARTS = {"clock": clock_of, "plane": plane_of, "claims": claims_of}


def part_of(manifest: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A part of the manifest that ought to be an object; empty where it is not."""
    value = manifest.get(name)
    return value if isinstance(value, dict) else {}


def _manifest(path: Path) -> dict[str, Any] | None:
    if not path.exists():
        return None
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError):
        # The cause is left out: it may be thousands of levels deep.
        raise DataError(f"{path.name} is not readable JSON; check the copy of the release.") from None
    if not isinstance(manifest, dict):
        raise DataError(f"{path.name} does not hold an object; check the copy of the release.")
    return manifest


def _data_file(folder: Path) -> Path:
    ours = [folder / f"data{suffix}" for suffix in SUFFIXES if (folder / f"data{suffix}").is_file()]
    tables = ours or sorted(p for p in folder.iterdir() if p.suffix in SUFFIXES and p.name != CELLS)
    if not tables:
        raise DataError(f"{folder} holds no data.parquet or data.csv; give the folder of a release.")
    if len(tables) > 1 and not ours:
        raise DataError(f"{folder} holds {len(tables)} tables; name the file to check.")
    return tables[0]


def _cells(path: Path) -> tuple[Ints, Floats] | None:
    if not path.is_file():
        return None
    table, _ = read_table(path)
    if not {"cell", "x", "y"} <= set(table.column_names):
        raise DataError(f"{path.name} lacks the columns cell, x, y; check the copy of the release.")
    cell, x, y = (numbers(table[name], name) for name in ("cell", "x", "y"))
    if cell.dtype.kind == "f":
        raise DataError(f"{path.name} has cells that are no 64-bit whole numbers; check the copy of the release.")
    return cell, np.stack([x, y], axis=1).astype(np.float64)
