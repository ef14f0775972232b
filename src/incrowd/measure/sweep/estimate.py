"""How long a sweep will take, from trials of a few sizes of blocks with few samples."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np

from incrowd.arrays import Ints
from incrowd.data import Traces
from incrowd.discretize.slots import Start
from incrowd.errors import public
from incrowd.estimate import Estimate
from incrowd.kernels import compile_s
from incrowd.kernels.types import Whole
from incrowd.measure.sweep import tallied
from incrowd.measure.sweep.plan import Cache, Keep, Resolution, SweepPlan, folder_of
from incrowd.measure.sweep.records import SweepRecords, sweep_records
from incrowd.plain import several
from incrowd.read.plane import Box
from incrowd.show import Result, Section
from incrowd.threads import threads

_FEW = 4_000  # samples of a trial


class SweepOptions(TypedDict, total=False):
    """The options of `sweep`."""

    blocks: Sequence[int]
    minutes: Sequence[int]
    points: Sequence[int]
    samples: int
    seed: int
    keep: Keep
    box: Box | None
    keep_zero: bool
    start: Start | None
    time_zone: str | None


@dataclass(frozen=True, kw_only=True)
class SweepEstimate(Estimate, Result):
    """Seconds on this machine as busy as it is now, and bytes of memory on top of the traces."""

    bytes: int
    todo: int  # resolutions to compute
    cached: int  # resolutions that are in the cache already

    def section(self) -> Section:
        """How long the sweep will take."""
        cached = f"; {self.cached:,} more {'is' if self.cached == 1 else 'are'} in the cache" if self.cached else ""
        return Section(
            question="How long will the sweep take?",
            answer=f"{several(self.todo, 'resolution')}: {self.about} on top of the traces{cached}",
            data=self,
        )


@public
def sweep_estimate(
    traces: Traces, *, cache: str | Path | None = None, **options: Unpack[SweepOptions]
) -> SweepEstimate:
    """How much time and memory the same call of `sweep` will take: three sizes of blocks are tried.

    It takes a small part of the time of the sweep; the data are prepared in full, which is a part of its work.

    Args:
        traces: The trajectories, in time order.
        cache: Folder of finished resolutions, which take no time.
        blocks: Blocks along each side of the box.
        minutes: Minutes of a period.
        points: How many visits the attacker knows.
        samples: Draws for each resolution and number of known visits.
        seed: Seed of the draws.
        keep: What a person visits in a period: the block with most records (vote), or all of them (set).
        box: The box that blocks divide, as in `sweep`.
        keep_zero: Keep records at (0, 0), as in `sweep`.
        start: When the first period begins, as in `sweep`.
        time_zone: Zone of the periods. [default: UTC]

    >>> traces = Traces.from_arrays([1, 1, 2], [0, 3600, 0], x=[0.0, 9.0, 0.0], y=[0.0, 9.0, 0.0])
    >>> sweep_estimate(traces, blocks=[1, 2], minutes=[60], points=[1], samples=10).todo
    2
    """
    plan, compiling = SweepPlan(**options), compile_s("sweep")
    folder = folder_of(cache)
    began = time.perf_counter()
    records = sweep_records(traces, plan)
    finished = Cache(folder, records.digest if folder else "")
    prepared = time.perf_counter() - began
    todo = [r for r in plan.resolutions if finished.load(plan.asks(r)) is None]
    own = sum(column.nbytes for column in (records.t, records.x, records.y, records.offsets))
    seconds, held = _trials(records, plan, todo) if todo else (0.0, 0)
    cached = len(plan.resolutions) - len(todo)
    return SweepEstimate(
        seconds=prepared + seconds, bytes=own + held, compile_s=compiling, todo=len(todo), cached=cached
    )


def _trials(records: SweepRecords, plan: SweepPlan, todo: list[Resolution]) -> tuple[float, int]:
    """Seconds of all resolutions to do, and the bytes of those that are in memory together."""
    minutes, sizes = (sorted(set(values)) for values in zip(*todo, strict=True))
    # The first is not for its time: it counts the periods of a vote, and compiles what is not compiled yet.
    _trial(records, plan, sizes[0], minutes)
    trials = {b: _trial(records, plan, b, minutes) for b in {sizes[0], sizes[len(sizes) // 2], sizes[-1]}}
    dividing = {blocks: trial[0] for blocks, trial in trials.items()}
    asking = {blocks: trial[1] for blocks, trial in trials.items()}
    share = {blocks: sum(r.blocks == blocks for r in todo) / len(minutes) for blocks in sizes}
    seconds = sum(_between(dividing, blocks) + share[blocks] * _between(asking, blocks) for blocks in sizes)
    return seconds, max(trial[2] for trial in trials.values())


def _trial(records: SweepRecords, plan: SweepPlan, blocks: int, minutes: list[int]) -> tuple[float, float, int]:
    """Seconds to divide all records into these blocks, seconds to ask all periods side by side, and bytes held."""
    began = time.perf_counter()
    points = records.represent(blocks, tuple(minutes), plan.keep)
    divided = time.perf_counter() - began
    jobs = [(Resolution(m, blocks), *rows) for m, rows in zip(minutes, points, strict=True)]
    few = min(_FEW, plan.samples)
    single, many = (_asked(records, replace(plan, samples=samples), jobs) for samples in (1, few))
    largest = max(_bytes(records, plan, at, ids) for at, ids, _ in jobs)
    held = min(threads(), len(jobs)) * largest + sum(ids.nbytes + offsets.nbytes for _, ids, offsets in jobs)
    # The index is made as it will be; only what each sample takes is scaled.
    return divided, single + max(many - single, 0.0) * plan.samples / few, held


def _asked(records: SweepRecords, plan: SweepPlan, jobs: list[tuple[Resolution, Whole, Ints]]) -> float:
    began = time.perf_counter()
    with ThreadPoolExecutor(threads()) as pool:
        list(pool.map(lambda job: tallied(records, plan, *job), jobs))
    return time.perf_counter() - began


def _bytes(records: SweepRecords, plan: SweepPlan, at: Resolution, ids: Whole) -> int:
    """Lists of all possible points, or of those there are; their users, twice; and the draws."""
    possible = min(-(-records.minutes // at.minutes) * at.blocks**2, max(4 * len(ids), 1 << 16))
    return 20 * possible + 12 * len(ids) + 32 * plan.samples * max(plan.points)


def _between(known: dict[int, float], at: int) -> float:
    """Straight lines over the logarithm."""
    keys = sorted(known)
    return float(np.interp(np.log(at), np.log(keys), [known[key] for key in keys]))
