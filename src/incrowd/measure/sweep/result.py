"""What a sweep asks, and the answer: uniqueness at every resolution, and which resolutions meet a target."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import isfinite, nan
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints
from incrowd.data.table import Frame
from incrowd.discretize._blocks import check_blocks
from incrowd.discretize.bounds import Bounds
from incrowd.discretize.slots import Start, slot_plan
from incrowd.errors import ParameterError, check_choice, check_seed, check_whole
from incrowd.ledger import Ledger
from incrowd.measure.sweep.section import section_of_sweep
from incrowd.measure.uniqueness.question import UniquenessQuestion, wilson
from incrowd.plain import size_m
from incrowd.read.plane import Box
from incrowd.show import Result, Section

SPACE = (10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200)  # blocks each way [tan2017, Sec. 4.3]
TIME = (20, 30, 60, 80, 120, 240)  # minutes [tan2017, Sec. 4.2]
POINTS = (1, 2, 3, 4, 5, 6, 7)
SAMPLES = 150_000
Keep = Literal["vote", "set"]
Tally = tuple[int, int, int]  # identified, samples, population
COLUMNS = (
    "blocks",
    "minutes",
    "points",
    "uniqueness",
    "low",
    "high",
    "population",
    "samples",
    "block_width_m",
    "block_height_m",
)


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


Tallies = dict[Resolution, list[Tally]]


class SweepSetting(NamedTuple):
    """One resolution: blocks each way, minutes of a period, and the share of people identified there."""

    blocks: int
    minutes: int
    uniqueness: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Result, Frame):
    """Share of people identified, in [0, 1], higher is riskier; one row per minutes, blocks and points.

    `low` and `high` are Wilson's 95 % interval of a cell alone. `population` is how many users have that many points;
    if there is none, no sample is drawn and the share is NaN. `block_width_m` (west-east) and `block_height_m`
    (south-north) are the size of a block in metres.
    """

    META: ClassVar[tuple[str, ...]] = ("users", "records", "seed", "keep", "time_zone")

    blocks: Ints
    minutes: Ints
    points: Ints
    uniqueness: Floats
    low: Floats
    high: Floats
    population: Ints
    samples: Ints
    users: int
    records: int
    seed: int = 0
    keep: str = "vote"
    box: tuple[float, float, float, float] | None = None  # as asked for; None for that of the data
    box_m: tuple[float, float] = (nan, nan)  # its sides west-east and south-north
    start: Any = None
    time_zone: str | None = None
    ledger: Ledger = field(default_factory=Ledger)

    def __post_init__(self) -> None:
        self._freeze()

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        return (
            f"Sweep({len(set(self.blocks.tolist()))} blocks x {len(set(self.minutes.tolist()))} minutes x "
            f"{len(set(self.points.tolist()))} points, users={self.users:,}, keep={self.keep!r}, seed={self.seed})"
        )

    to_arrow, to_pandas = Frame.to_arrow, Frame.to_pandas

    def section(self, target: float = 0.1) -> Section:
        """How coarse places and times must be, in one section.

        Args:
            target: Share of people identified for which the finest settings are listed.
        """
        return section_of_sweep(self, target)

    @property
    def block_width_m(self) -> Floats:
        """Metres of a block west-east, at the middle latitude of the box."""
        return self.box_m[0] / self.blocks

    @property
    def block_height_m(self) -> Floats:
        """Metres of a block south-north."""
        return self.box_m[1] / self.blocks

    def block_size(self, blocks: int) -> str:
        """How large one of so many blocks each way is, in words; a dash if the box is not known."""
        return size_m(self.box_m[0] / blocks, self.box_m[1] / blocks) if isfinite(self.box_m[0]) else "-"

    def named(self, blocks: int) -> str:
        """So many blocks each way, in words."""
        return f"{blocks} x {blocks} blocks of {self.block_size(blocks)}"

    def columns(self) -> dict[str, NDArray[Any]]:
        """One row per cell of the sweep."""
        return {name: getattr(self, name) for name in COLUMNS}

    def table(self) -> list[dict[str, Any]]:
        """The same as plain rows; None if a share is undefined."""
        lists = (getattr(self, name).tolist() for name in COLUMNS)
        return [dict(zip(COLUMNS, map(_plain, row), strict=True)) for row in zip(*lists, strict=True)]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        names = (*self.META, "box", "box_m")
        values = {name: getattr(self, name) for name in names}
        return {**values, "rows": self.table(), "ledger": self.ledger.to_dict()}

    def finest(self, target: float, *, points: int = 4, sure: bool = False) -> list[SweepSetting]:
        """The most useful settings with uniqueness <= target: no other that meets it is finer in space and in time.

        Finer means more blocks and fewer minutes. Neighbours of a setting that meets the target need not meet it,
        however much coarser: look at the whole surface too.

        Args:
            target: The largest share of people that may be identified.
            points: How many visits the attacker knows.
            sure: Whether the upper end of the interval must meet the target.
        """
        return self._extreme(target, points, sure, lambda a, b: a.blocks >= b.blocks and a.minutes <= b.minutes)

    def coarsest(self, target: float, *, points: int = 4, sure: bool = False) -> list[SweepSetting]:
        """Likewise the settings with uniqueness <= target that no other is coarser than.

        Args:
            target: The largest share of people that may be identified.
            points: How many visits the attacker knows.
            sure: Whether the upper end of the interval must meet the target.
        """
        return self._extreme(target, points, sure, lambda a, b: a.blocks <= b.blocks and a.minutes >= b.minutes)

    def at(self, points: int) -> list[SweepSetting]:
        """All settings for a number of known points that have a value, finest in time first.

        Args:
            points: How many visits the attacker knows.
        """
        rows = np.flatnonzero((self.points == points) & (self.samples > 0))
        columns = (self.blocks, self.minutes, self.uniqueness, self.low, self.high)
        return [SweepSetting(*(column[row].item() for column in columns)) for row in rows]

    def _extreme(
        self, target: float, points: int, sure: bool, before: Callable[[SweepSetting, SweepSetting], bool]
    ) -> list[SweepSetting]:
        if not 0 <= target <= 1:
            raise ParameterError(f"target must be a share from 0 to 1, got {target}.")
        known = sorted(set(self.points.tolist()))
        if points not in known:
            raise ParameterError(f"the sweep has no {points} points; choose from {', '.join(map(str, known))}.")
        meet = [setting for setting in self.at(points) if (setting.high if sure else setting.uniqueness) <= target]
        return [a for a in meet if not any(b is not a and before(b, a) for b in meet)]


def _plain(value: float) -> float | None:
    return value if isfinite(value) else None


def swept(plan: SweepPlan, answers: Tallies, size: tuple[int, int], bounds: Bounds, ledger: Ledger) -> Sweep:
    """The result of all counts; `size` is how many users and records there are."""
    rows = [
        (r.blocks, r.minutes, points, *tally)
        for r in plan.resolutions
        for points, tally in zip(plan.points, answers[r], strict=True)
    ]
    blocks, minutes, points, alone, samples, population = np.array(rows, np.int64).T.copy()
    share = np.divide(alone, samples, out=np.full(len(rows), np.nan), where=samples > 0)
    ends = [wilson(float(p), int(n)) if n else (np.nan, np.nan) for p, n in zip(share, samples, strict=True)]
    low, high = np.array(ends).T.copy()
    return Sweep(
        blocks=blocks,
        minutes=minutes,
        points=points,
        uniqueness=share,
        low=low,
        high=high,
        population=population,
        samples=samples,
        users=size[0],
        records=size[1],
        seed=plan.seed,
        keep=plan.keep,
        box=plan.box,
        box_m=bounds.sides_m,
        start=plan.start,
        time_zone=plan.time_zone,
        ledger=ledger,
    )
