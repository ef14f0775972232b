"""What a sweep asks: resolutions, known points, samples, a seed per cell; and the files of finished resolutions."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from incrowd.data.files import whole_file
from incrowd.discretize._blocks import check_blocks
from incrowd.discretize.slots import Start, slot_plan
from incrowd.errors import ParameterError, check_choice, check_seed, check_whole
from incrowd.measure.uniqueness.question import UniquenessQuestion
from incrowd.read.plane import Box

SPACE = (10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200)  # blocks each way [tan2017, Sec. 4.3]
TIME = (20, 30, 60, 80, 120, 240)  # minutes [tan2017, Sec. 4.2]
POINTS = (1, 2, 3, 4, 5, 6, 7)
SAMPLES = 150_000
Keep = Literal["vote", "set"]
FORMAT = 1  # another number forgets all files written before; raise it if the same data give other numbers
Tally = tuple[int, int, int]  # identified, samples, population


class Resolution(NamedTuple):
    """How long a period is, and how many blocks there are each way."""

    minutes: int
    blocks: int


@dataclass(frozen=True, kw_only=True)
class SweepPlan:
    """The options of a sweep, checked before any data are touched."""

    blocks: Sequence[int] = SPACE
    minutes: Sequence[int] = TIME
    points: Sequence[int] = POINTS
    samples: int = SAMPLES
    seed: int = 0
    keep: Keep = "vote"
    box: Box | None = None
    keep_zero: bool = False
    start: Start | None = None
    time_zone: str | None = None

    def __post_init__(self) -> None:
        check_choice("keep", self.keep, get_args(Keep))
        check_whole(samples=self.samples)
        check_seed(seed=self.seed)
        for name in ("blocks", "minutes", "points"):
            values = tuple(getattr(self, name))
            if not values or len(set(values)) < len(values):
                raise ParameterError(f"{name} must name at least one value and none of them twice.")
            for value in values:
                check_whole(**{name: value})
            object.__setattr__(self, name, tuple(map(int, values)))
        for size in self.blocks:
            check_blocks(size, self.keep, self.box)
        slot_plan(1, self.start, self.time_zone)

    @property
    def resolutions(self) -> list[Resolution]:
        """All of them, in the order of [tan2017, Alg. 1]."""
        return [Resolution(*pair) for pair in product(self.minutes, self.blocks)]

    def question(self, at: Resolution, points: int) -> UniquenessQuestion:
        """What is asked in one cell of the sweep."""
        seed = cell_seed(self.seed, blocks=at.blocks, minutes=at.minutes, points=points)
        return UniquenessQuestion(points=points, samples=self.samples, seed=seed)

    def asks(self, at: Resolution) -> dict[str, Any]:
        """All that decides the numbers of one resolution, but for the data."""
        drawn = {"points": list(self.points), "samples": int(self.samples), "seed": int(self.seed)}
        return {**at._asdict(), "keep": self.keep, **drawn}


def cell_seed(seed: int, *, blocks: int, minutes: int, points: int) -> int:
    """The seed with which `uniqueness` draws what one cell of a sweep drew; cells are independent of each other.

    >>> cell_seed(0, blocks=10, minutes=20, points=4)
    7295200450083196002
    """
    cell = np.random.SeedSequence(seed, spawn_key=(blocks, minutes, points))
    return int(cell.generate_state(1, np.uint64)[0])


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
