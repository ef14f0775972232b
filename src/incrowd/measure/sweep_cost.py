"""What a sweep will cost, from a few resolutions asked with few samples."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np

from incrowd.arrays import Ints
from incrowd.data import Traces
from incrowd.discretize.plane import Box
from incrowd.discretize.slots import Start
from incrowd.kernels.reference.sweeping import Whole
from incrowd.measure.sweep import tallied
from incrowd.measure.sweep_cache import Cache, folder_of
from incrowd.measure.sweep_ground import Ground, ground_of
from incrowd.measure.sweep_plan import Plan, Resolution

_FEW = 4_000  # samples of a trial


class Options(TypedDict, total=False):
    """The options of `sweep`."""

    blocks: Sequence[int]
    minutes: Sequence[int]
    points: Sequence[int]
    samples: int
    seed: int
    keep: str
    box: Box | None
    start: Start | None
    time_zone: str | None
    device: str


@dataclass(frozen=True)
class SweepCost:
    """Seconds on this machine as busy as it is now, and bytes of memory on top of the traces."""

    seconds: float
    bytes: int
    todo: int  # resolutions to compute
    cached: int  # resolutions that are in the cache already

    def __str__(self) -> str:
        return (
            f"about {max(self.seconds, 1):,.0f} s and {self.bytes / 1e9:.1f} GB on top of the traces for "
            f"{self.todo:,} resolutions; {self.cached:,} more are in the cache"
        )


def sweep_cost(traces: Traces, *, cache: str | Path | None = None, **options: Unpack[Options]) -> SweepCost:
    """What the same call of `sweep` will cost: the corners of the plan are tried and the rest lies between them.

    Takes a small part of the time of the sweep; the data are prepared in full, which is a part of its cost.

    >>> traces = Traces.from_arrays([1, 1, 2], [0, 3600, 0], x=[0.0, 9.0, 0.0], y=[0.0, 9.0, 0.0])
    >>> sweep_cost(traces, blocks=[1, 2], minutes=[60], points=[1], samples=10).todo
    2
    """
    plan = Plan(**options)
    folder = folder_of(cache)
    began = time.perf_counter()
    ground = ground_of(traces, plan.box, plan.start, plan.time_zone)
    kept = Cache(folder, ground.digest if folder else "")
    prepared = time.perf_counter() - began
    todo = [r for r in plan.resolutions if kept.load(plan.asks(r)) is None]
    own = sum(column.nbytes for column in (ground.t, ground.x, ground.y, ground.offsets))
    seconds, held = _trials(ground, plan, todo) if todo else (0.0, 0)
    return SweepCost(prepared + seconds, own + held, len(todo), len(plan.resolutions) - len(todo))


def _trials(ground: Ground, plan: Plan, todo: list[Resolution]) -> tuple[float, int]:
    """Seconds of all resolutions to do, and the bytes of those that are in memory together."""
    minutes, sizes = (sorted(set(values)) for values in zip(*todo, strict=True))
    cores = min(os.cpu_count() or 1, len(minutes))
    began = time.perf_counter()
    ground.represent(1, tuple(minutes), plan.keep, plan.device)  # counts the periods of a vote, once for all blocks
    counted = time.perf_counter() - began
    asked: dict[Resolution, float] = {}
    divided: dict[int, float] = {}
    held = 0
    for blocks in _ends_and_middle(sizes):
        began = time.perf_counter()
        points = ground.represent(blocks, tuple(minutes), plan.keep, plan.device)
        divided[blocks] = time.perf_counter() - began
        for m in _ends_and_middle(minutes):
            at = Resolution(m, blocks)
            asked[at] = _trial(ground, plan, at, *points[minutes.index(m)])
        one = max(_bytes(ground, plan, Resolution(m, blocks), ids) for m, (ids, _) in zip(minutes, points, strict=True))
        held = max(held, cores * one + sum(ids.nbytes + offsets.nbytes for ids, offsets in points))
    seconds = sum(_between(divided, blocks) for blocks in sizes)
    return counted + seconds + sum(_at(asked, resolution) for resolution in todo) / cores, held


def _ends_and_middle(values: list[int]) -> list[int]:
    return sorted({values[0], values[len(values) // 2], values[-1]})


def _trial(ground: Ground, plan: Plan, at: Resolution, ids: Whole, offsets: Ints) -> float:
    """Seconds of one resolution: the index as it is, the samples by proportion."""
    few = min(_FEW, plan.samples)
    seconds = []
    for samples in (1, 1, few):  # the first also compiles what is not compiled yet
        began = time.perf_counter()
        tallied(ground, replace(plan, samples=samples), at, ids, offsets)
        seconds.append(time.perf_counter() - began)
    return seconds[1] + max(seconds[2] - seconds[1], 0.0) * plan.samples / few


def _bytes(ground: Ground, plan: Plan, at: Resolution, ids: Whole) -> int:
    """Lists of all possible points, or of those there are; their users, twice; and the draws."""
    possible = min(-(-ground.minutes // at.minutes) * at.blocks**2, max(4 * len(ids), 1 << 16))
    return 12 * possible + 12 * len(ids) + 32 * plan.samples * max(plan.points)


def _at(known: dict[Resolution, float], at: Resolution) -> float:
    """By the length of a period at each size of blocks tried, then by the size of blocks."""
    sizes = {r.blocks for r in known}
    by_size = {b: _between({r.minutes: s for r, s in known.items() if r.blocks == b}, at.minutes) for b in sizes}
    return _between(by_size, at.blocks)


def _between(known: dict[int, float], at: int) -> float:
    """Straight lines over the logarithm."""
    keys = sorted(known)
    return float(np.interp(np.log(at), np.log(keys), [known[key] for key in keys]))
