"""Nouns -> Arrow tables and files, and back."""

import base64
import glob
import hashlib
import json
import os
import platform
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from incrowd.columns import labels
from incrowd.data.counts import Counts
from incrowd.data.fingerprints import BOX, Fingerprints
from incrowd.data.release import Release
from incrowd.data.table import Frame, attributes_of
from incrowd.data.traces import Traces
from incrowd.data.visits import Visits
from incrowd.errors import DataError, ParameterError, check_file, public
from incrowd.ledger import Ledger

if TYPE_CHECKING:
    import pyarrow as pa

KEY = b"incrowd"
PAGES = (".html", ".md")
PRIVATE = 0o600  # for its owner alone


def to_arrow(noun: Frame) -> "pa.Table":
    """The flat table of a noun; its parameters, cell centres and ledger travel in the metadata."""
    import pyarrow as pa

    data = noun.data if isinstance(noun, Release) else noun
    meta: dict[str, Any] = {"noun": type(data).__name__, **{name: getattr(data, name) for name in data.META}}
    # A release lists the places of its cells apart, and only of those it still shows.
    if isinstance(noun, (Visits, Counts)) and noun.xy is not None:
        meta["xy"] = base64.b64encode(np.ascontiguousarray(noun.xy, "<f8").tobytes()).decode()
    if not isinstance(noun, Release):
        meta["ledger"] = noun.ledger.to_dict()
    columns = {name: _to_arrow_column(name, column) for name, column in noun.columns().items()}
    return pa.table(columns).replace_schema_metadata({KEY: json.dumps(meta, default=int)})


def _to_arrow_column(name: str, column: NDArray[Any]) -> "pa.Array":
    import pyarrow as pa

    try:
        if column.dtype.kind == "O":
            return pa.array([sorted(v) if isinstance(v, frozenset) else v for v in column])
        return pa.array(column)
    except (pa.ArrowException, TypeError):
        # The cause is left out: it quotes the value.
        raise DataError(f"attribute {name!r} mixes kinds of values; use one kind, such as text.") from None


def save(noun: Frame, path: Path, *, force: bool = False) -> Path:
    """Write the flat table as Parquet, or as CSV when the name ends in .csv."""
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    check_table(path, force=force)
    with whole_file(path, force=force) as part:
        table = to_arrow(noun)
        if path.suffix == ".csv":
            _refuse_sets(table.schema)
            pc.write_csv(table, part)
        else:
            pq.write_table(table, part, compression="zstd")
    return path


def _refuse_sets(schema: "pa.Schema") -> None:
    for field in schema:
        if field.type.num_fields:
            raise ParameterError(f"CSV cannot hold the sets in {field.name!r}; end the name in .parquet.")


@contextmanager
def whole_file(path: Path, *, force: bool) -> Iterator[Path]:
    """A temporary name beside `path` that becomes `path` only when the block ends well."""
    refuse_existing(path, force=force)
    for leftover in left_by_killed_runs(path, "part"):
        leftover.unlink(missing_ok=True)
    part = temporary(path, "part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def temporary(path: Path, kind: str) -> Path:
    """A temporary name of this kind beside `path`, with the host and the process that use it."""
    return path.with_name(f".{path.name}.{_host()}.{os.getpid()}.{kind}")


def is_temporary(name: str) -> bool:
    """Whether a name is that of a file or folder which is not whole: its run goes on, or was killed.

    >>> is_temporary(temporary(Path("out/release"), "part").name), is_temporary("release.part")
    (True, False)
    """
    return name.startswith(".") and name.endswith(".part")


def left_by_killed_runs(path: Path, kind: str) -> list[Path]:
    """Temporary files or folders of this kind beside `path` made on this host by a process that is gone.

    Whether a process of another host still runs cannot be known here, so its files stay.
    """
    leftovers, host = [], _host()
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*.{kind}"):
        maker, _, pid = leftover.name.removeprefix(f".{path.name}.").removesuffix(f".{kind}").rpartition(".")
        if host and maker == host and pid.isdecimal() and not _is_alive(int(pid)):
            leftovers.append(leftover)
    return leftovers


def _host() -> str:
    """The name of this host as a part of a file name, without dots; a digest follows a changed name."""
    name = platform.node()
    text = re.sub("[^A-Za-z0-9-]", "-", name)[:24]
    return text if text == name else f"{text}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's process
    return True


def check_table(path: Path, *, force: bool) -> None:
    """Say before any work that a table cannot be written there."""
    if path.suffix not in (".parquet", ".csv"):
        raise ParameterError(f"cannot tell the format of {path.name}; end its name in .parquet or .csv.")
    refuse_existing(path, force=force)


def refuse_existing(path: Path, *, force: bool) -> None:
    """Say before any work that an output cannot be written."""
    if path.exists() and not force:
        raise ParameterError(f"{path} exists; choose another name or pass --force (force=True).")
    if not path.parent.is_dir():
        raise ParameterError(f"the folder {path.parent} does not exist; make it first.")


def refuse_page(path: Path, *, force: bool) -> None:
    """Say before any work that a page cannot be written."""
    if path.suffix.lower() not in PAGES:
        raise ParameterError(f"{path.name} is no page; choose a name that ends in {' or '.join(PAGES)}.")
    refuse_existing(path, force=force)


@public
def saved(path: str | Path) -> Traces | Visits | Fingerprints | Counts:
    """The noun that was saved as Parquet: Traces, Visits, Fingerprints or Counts.

    Args:
        path: The Parquet file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved(Visits.from_arrays([1, 2], [0, 1], [5, 5]).save(Path(folder) / "visits.parquet"))
    Visits(users=2, records=2)
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_file(Path(path))
    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise no_parquet(Path(path)) from error
    meta = noted(table.schema.metadata, Path(path).name)
    if not meta:
        raise DataError(f"{Path(path).name} was not saved by incrowd; read it with incrowd.read.table.")
    ledger = Ledger.from_dict(meta.get("ledger", []))
    noun = rebuilt(table, meta, Path(path).name)
    return replace(noun, ledger=ledger) if ledger.steps else noun


def rebuilt(table: "pa.Table", meta: dict[str, Any], file: str) -> Traces | Visits | Fingerprints | Counts:
    """The noun of a flat table and what describes it as a whole."""
    try:
        noun: Traces | Visits | Fingerprints | Counts = _REBUILD[meta["noun"]](table, meta)
    except (ValueError, LookupError, TypeError):
        # The cause is left out: it may quote a value.
        raise undescribed(file) from None
    return noun


def noted(metadata: Mapping[bytes, bytes] | None, file: str) -> dict[str, Any]:
    """What incrowd noted in a file of its own; nothing in others."""
    if not metadata or KEY not in metadata:
        return {}
    try:
        meta: dict[str, Any] = json.loads(metadata[KEY])
        Ledger.from_dict(meta.get("ledger", []))
        known = meta["noun"] in _REBUILD
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise undescribed(file) from None
    if not known:
        raise DataError(f"{file} holds the result {meta['noun']!r}, not data; open it with pandas, polars or pyarrow.")
    return meta


def no_parquet(path: Path) -> DataError:
    """A file that is no Parquet, or only a part of one."""
    return DataError(f"{path.name} is not a readable Parquet file; check the path and the copy.")


def undescribed(file: str) -> DataError:
    """A file of incrowd whose description is damaged."""
    return DataError(f"the description that incrowd saved in {file} is damaged; save the file again.")


def _traces(table: "pa.Table", meta: dict[str, Any]) -> Traces:
    places = ("x", "y") if meta["planar"] else ("lon", "lat")
    columns, attributes = _split(table, ("user", "t", *places))
    order = "time" if meta["ordered"] else "log"
    if table.num_rows:
        return Traces.from_arrays(**columns, attributes=attributes, order=order)  # type: ignore[arg-type]
    empty = Traces.from_codes(
        labels(columns.pop("user")), np.zeros(0, np.int64), *columns.values(), planar=meta["planar"], order="time"
    )
    return replace(empty, attributes=attributes_of(attributes, 0))


def _visits(table: "pa.Table", meta: dict[str, Any]) -> Visits:
    columns, attributes = _split(table, ("user", "cell", "slot"))
    given = {"slot_min": meta["slot_min"], "start": meta["start"], "xy": _centres(meta)}
    visits = Visits.from_arrays(**columns, **given, attributes=attributes)
    return replace(visits, crs=meta["crs"], time_zone=meta.get("time_zone"), cell_m=meta.get("cell_m"))


def _fingerprints(table: "pa.Table", meta: dict[str, Any]) -> Fingerprints:
    columns, attributes = _split(table, ("user", *BOX))
    crowd = attributes.pop("crowd")
    more = {"crowd": crowd, "start": meta["start"], "attributes": attributes}
    prints = Fingerprints.from_arrays(**columns, **more, collapse=False)
    return replace(prints, crs=meta["crs"], time_zone=meta.get("time_zone"))


def _counts(table: "pa.Table", meta: dict[str, Any]) -> Counts:
    columns, _ = _split(table, ("slot", "cell", "n"))
    n = np.zeros(meta["shape"], columns["n"].dtype)
    n[columns["slot"], columns["cell"]] = columns["n"]
    return Counts.from_arrays(n, _centres(meta), slot_min=meta["slot_min"], start_min=meta["start_min"])  # type: ignore[arg-type]


_REBUILD: dict[str, Callable[["pa.Table", dict[str, Any]], Any]] = {
    "Traces": _traces,
    "Visits": _visits,
    "Fingerprints": _fingerprints,
    "Counts": _counts,
}


def _centres(meta: dict[str, Any]) -> NDArray[Any] | None:
    return np.frombuffer(base64.b64decode(meta["xy"]), "<f8").reshape(-1, 2) if "xy" in meta else None


def _split(table: "pa.Table", names: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """The named columns as arrays; of each other one the value at the first row of each user."""
    columns = {name: table[name].to_numpy() for name in names}
    if "user" not in columns:
        return columns, {}
    first = np.sort(np.unique(columns["user"], return_index=True)[1])
    others = [name for name in table.column_names if name not in names]
    return columns, {name: table[name].take(first).to_pylist() for name in others}
