"""A Release, a release folder or a plain table -> one `Published`: read as it stands, nothing taken on trust."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.arrays import Flags, Floats, Ints
from incrowd.audit.reading.batches import SUFFIXES, metadata_of, pa_table, source_of
from incrowd.audit.reading.published import CELLS, MANIFEST, RANDOM, SEEDED, Boxes, Published, part_of
from incrowd.audit.reading.stated import claims_of, clock_of, plane_of
from incrowd.audit.reading.tables import Columns, columns_of, numbers
from incrowd.data import Counts, Groups, Release
from incrowd.data.fingerprints import BOX
from incrowd.errors import DataError, check_file
from incrowd.plain import several

LARGEST = 1 << 24  # bytes of a manifest


def published(release: Release | str | Path, called: Mapping[str, str] | None = None) -> Published:
    """Open what is to be checked; `called` names the columns of a table of another tool."""
    if isinstance(release, Release):
        return _from_release(release)
    if not isinstance(release, (str, Path)):
        raise DataError(f"a {type(release).__name__} is not a release; give a Release, its folder or a file.")
    path = Path(release).absolute()
    if path.is_dir():
        return _from_folder(path, called)
    check_file(path)
    if not path.is_file():
        raise DataError(f"there is no release at {release}; give a release folder, a Parquet or a CSV file.")
    return _plain_table(path, called)


def _plain_table(path: Path, called: Mapping[str, str] | None, folder: Path | None = None) -> Published:
    source = source_of(path)
    table = columns_of(source.names, source.batches, called=_there(called, source.names))
    return Published(table, source.metadata, folder=folder, file=path, footer=source.footer)


def _there(called: Mapping[str, str] | None, names: list[str]) -> dict[str, str]:
    """The columns that were named and are there; none if the original was meant."""
    named = {ours: theirs for ours, theirs in (called or {}).items() if theirs in names}
    return named if len(named) == len(called or {}) else {}


def _from_release(release: Release) -> Published:
    data = release.data
    if isinstance(data, Counts):
        return _from_counts(release, data)
    if len(release.members) != len(data):
        raise DataError(f"members has {len(release.members):,} lists for {several(len(data), 'pseudonym')}.")
    table = release.to_arrow()
    columns = columns_of(table.column_names, table.to_batches(), noun=type(data).__name__)
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


def _from_counts(release: Release, data: Counts) -> Published:
    import pyarrow as pa

    slot, cell = (index.ravel() for index in np.indices(data.shape))
    table = Columns(
        "Counts", slot[:0], slot.astype(np.int32) * 0, {"cell": cell, "slot": slot, "n": data.n.ravel()}, pa.table({})
    )
    claims, nonsense = claims_of(release.claims)
    return Published(
        table,
        clock={"slot_min": data.slot_min, "start_min": data.start_min, "grain_s": data.slot_min * 60},
        claims=claims,
        nonsense=tuple(nonsense),
        parameters=dict(release.params),
        cells=(np.arange(len(data.xy)), data.xy),
        method=release.params.get("method"),
    )


def _column(values: Any, least: int = 0) -> Ints | None:
    """A private column of whole numbers, where there is one that reaches far enough."""
    fits = isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind == "i" and len(values) >= least
    return values if fits else None


def _boxes(private: Mapping[str, Any]) -> Boxes | None:
    """What a release knows of its boxes beyond what it publishes, where that is a whole table."""
    stated = private.get("boxes")
    columns = {name: _column(part_of(private, "boxes").get(name)) for name in ("group", *BOX)}
    row, box = _column(private.get("row")), _column(private.get("box"))
    if stated is None or row is None or box is None or len(row) != len(box):
        return None
    known = {name: values for name, values in columns.items() if values is not None}
    whole = len(known) == len(columns) and len({len(values) for values in known.values()}) == 1
    return Boxes(row, box, known.pop("group"), known) if whole else None


def _groups(members: Groups, there: Flags) -> Groups:
    size = np.diff(members.offsets)
    offsets = np.concatenate([[0], np.cumsum(size[there])]).astype(np.int64)
    return Groups(offsets, members.positions[np.repeat(there, size)])


def _from_folder(folder: Path, called: Mapping[str, str] | None) -> Published:
    manifest = _manifest(folder / MANIFEST)
    file = _data_file(folder)
    if manifest is None:
        return replace(_plain_table(file, called, folder), cells=_cells(folder / CELLS))
    source = source_of(file, strict=True)
    table = columns_of(source.names, source.batches)
    clock, plane, claims = (_PARTS[name](part_of(manifest, name)) for name in _PARTS)
    steps, stated = manifest.get("ledger"), manifest.get("pseudonyms")
    return Published(
        table,
        source.metadata,
        manifest,
        folder,
        file,
        clock[0],
        plane[0],
        claims[0],
        nonsense=(*clock[1], *plane[1], *claims[1]),
        parameters=part_of(manifest, "parameters"),
        ledger=tuple(steps) if isinstance(steps, list) and all(isinstance(s, dict) for s in steps) else (),
        pseudonyms=None if stated is None and table.noun == "Counts" else str(stated),
        cells=_cells(folder / CELLS),
        method=manifest.get("method") if isinstance(manifest.get("method"), str) else None,
        footer=source.footer,
        faults=tuple(source.faults),
    )


_PARTS = {"clock": clock_of, "plane": plane_of, "claims": claims_of}


def _manifest(path: Path) -> dict[str, Any] | None:
    if not path.exists():
        return None
    check_file(path)
    if path.stat().st_size > LARGEST:
        raise DataError(f"{path.name} is larger than any manifest; check the copy of the release.")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_distinct)
    except (ValueError, OSError, RecursionError):
        # The cause is left out: it may be thousands of levels deep.
        raise DataError(f"{path.name} is not readable JSON; check the copy of the release.") from None
    if not isinstance(manifest, dict):
        raise DataError(f"{path.name} does not hold an object; check the copy of the release.")
    return manifest


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys come once each: of two, every reader would take the one it likes."""
    held = dict(pairs)
    if len(held) < len(pairs):
        raise DataError(f"{MANIFEST} names a key twice; check the copy of the release.")
    return held


def _data_file(folder: Path) -> Path:
    ours = [folder / f"data{suffix}" for suffix in SUFFIXES if (folder / f"data{suffix}").is_file()]
    tables = ours or sorted(p for p in folder.iterdir() if p.suffix in SUFFIXES and p.name != CELLS and p.is_file())
    if not tables:
        raise DataError(f"{folder} holds no data.parquet or data.csv; give the folder of a release.")
    if len(tables) > 1 and not ours:
        raise DataError(f"{folder} holds {len(tables)} tables; name the file to check.")
    return tables[0]


def _cells(path: Path) -> tuple[Ints, Floats] | None:
    check_file(path)
    if not path.is_file():
        return None
    source = source_of(path, strict=True)
    if source.names != ["cell", "x", "y"]:
        raise DataError(f"{path.name} must have the columns cell, x, y and no other; check the copy of the release.")
    table = pa_table(source)
    cell, x, y = (numbers(table[name], name) for name in ("cell", "x", "y"))
    if cell.dtype.kind == "f":
        raise DataError(f"{path.name} has cells that are no 64-bit whole numbers; check the copy of the release.")
    return cell, np.stack([x, y], axis=1).astype(np.float64)
