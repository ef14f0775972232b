"""Finished resolutions of a sweep, one small file each: an interrupted sweep goes on, a repeated one is free."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incrowd.data.files import whole_file
from incrowd.errors import ParameterError

FORMAT = 1  # another number forgets all files written before; raise it if the same data give other numbers

Tally = tuple[int, int, int]  # identified, samples, population


@dataclass(frozen=True)
class Cache:
    """Files named by a hash of the data and the question; a file that is not exactly what was written is not believed.

    Without a folder nothing is kept. The files hold counts only: no place, no time, no user.
    """

    folder: Path | None
    data: str  # hash of the data

    def key(self, asks: dict[str, Any]) -> str:
        """What a resolution is filed under."""
        return _digest({"format": FORMAT, "data": self.data, **asks})

    def load(self, asks: dict[str, Any]) -> list[Tally] | None:
        """The numbers of one resolution, None if they have to be computed."""
        if self.folder is None:
            return None
        key = self.key(asks)
        try:
            entry = json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
            intact = entry.pop("digest") == _digest(entry) and entry["key"] == key
            return [(hits, samples, population) for hits, samples, population in entry["tallies"]] if intact else None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def keep(self, asks: dict[str, Any], tallies: list[Tally]) -> None:
        """File the numbers of one resolution, whole or not at all."""
        if self.folder is None:
            return
        key = self.key(asks)
        entry: dict[str, Any] = {"key": key, "asks": asks, "tallies": [list(tally) for tally in tallies]}
        entry["digest"] = _digest(entry)
        with whole_file(self.folder / f"{key}.json", force=True) as part:
            part.write_text(json.dumps(entry), encoding="utf-8")


def folder_of(cache: str | Path | None) -> Path | None:
    """The folder of a cache, made if it is missing."""
    if cache is None:
        return None
    folder = Path(cache)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(f"cache {folder} is not a folder and cannot be made one; give another path.") from error
    return folder


def _digest(value: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
