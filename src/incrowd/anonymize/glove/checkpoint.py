"""A long run survives being killed: its merges and lists go to a file, whole or not at all."""

import hashlib
import os
import time
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.anonymize.glove.herd import Herd, NearestLists
from incrowd.arrays import Ints
from incrowd.data.files import whole_file
from incrowd.errors import DataError, ParameterError, check_file, check_positive
from incrowd.measure.glove.stretch import CornerTable
from incrowd.plain import to_json

PRIVATE = 0o600
FORMAT = 2  # of the file; another one is refused
# What numpy raises at a file that is empty, cut short, or something else.
UNREADABLE = (OSError, ValueError, KeyError, EOFError, TypeError, NotImplementedError, zipfile.BadZipFile, zlib.error)


class Saved:
    """The file a run is kept in; without a path nothing is kept."""

    def __init__(self, path: Path | None, key: str, every_s: float) -> None:
        self.path, self.key, self.every_s = path, key, every_s
        self.last = time.monotonic()

    def load(self, lists: NearestLists) -> Ints:
        """Fill the lists as they were; the merges until then, in order."""
        if self.path is None or not self.path.exists():
            return np.zeros((0, 2), np.int64)
        check_file(self.path)
        try:
            with self.path.open("rb") as file, np.load(file) as kept:
                if str(kept["key"]) != self.key:
                    raise DataError(
                        f"{self.path.name} is the checkpoint of other data or parameters; give another file."
                    )
                for name in ("ids", "over", "under", "whole", "work"):
                    getattr(lists, name)[...] = kept[name]
                pairs: Ints = kept["pairs"]
                return pairs
        except UNREADABLE as error:
            raise DataError(f"{self.path.name} is not a checkpoint of GLOVE; give another file.") from error

    def keep(self, herd: Herd, lists: NearestLists, *, now: bool = False) -> None:
        """Write the file, unless the last time is not long ago."""
        if self.path is None or not (now or time.monotonic() - self.last >= self.every_s):
            return
        merged = np.array([merge[:2] for merge in herd.merges], np.int64).reshape(-1, 2)
        pairs = herd.matched if herd.k == 2 else merged
        state = {name: getattr(lists, name) for name in ("ids", "over", "under", "whole", "work")}
        with whole_file(self.path, force=True) as part:
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE)
            with os.fdopen(descriptor, "wb") as file:
                np.savez(file, key=np.array(self.key), pairs=pairs, **state)
                file.flush()
                os.fsync(file.fileno())
        self.last = time.monotonic()


def checkpoint_file(checkpoint: str | Path | None, every_s: float) -> Path | None:
    """The file to keep a run in, once it can be written and the seconds between two writes make sense."""
    if every_s != 0:  # 0 writes whenever there is something new
        check_positive(checkpoint_s=every_s)
    if checkpoint is None:
        return None
    if not isinstance(checkpoint, (str, Path)) or not Path(checkpoint).name:
        raise ParameterError(f"checkpoint must be the name of a file, got {checkpoint!r}.")
    path = Path(checkpoint)
    if not path.parent.is_dir():
        raise ParameterError(f"the folder {path.parent} does not exist; make it first.")
    if path.is_dir():
        raise DataError(f"{path.name} is not a checkpoint of GLOVE; give another file.")
    if not os.access(path.parent, os.W_OK):
        raise ParameterError(f"no checkpoint can be written to {path}; name a file in a folder you may write to.")
    return path


def content_key(laid: CornerTable, parameters: Mapping[str, Any]) -> str:
    """What a checkpoint belongs to: a hash of the data and of all that changes the result."""
    # Equal numbers in other units are other data.
    unit = {"format": FORMAT, "scale": list(laid.scale), "unit_m": laid.unit_m}
    digest = hashlib.sha256(to_json({**parameters, **unit}).encode())
    for array in (laid.corners, laid.offsets, laid.people):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def shard_files(path: Path | None, shards: int) -> list[Path | None]:
    """The file of each shard; the first has the name that was given."""
    return [path and path.with_name(f"{path.name}.{n}" if n else path.name) for n in range(shards)]


def forget(checkpoint: str | Path | None, *, shards: int = 1) -> None:
    """Remove the files of a run whose release is safe on disk; they hold who was merged with whom."""
    for file in shard_files(None if checkpoint is None else Path(checkpoint), shards):
        if file is not None:
            file.unlink(missing_ok=True)
