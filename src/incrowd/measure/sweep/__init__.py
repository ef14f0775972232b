"""Traces -> uniqueness at every resolution of space and time, for every number of known points; how long that takes."""

import time
from collections.abc import Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np

from incrowd.arrays import Ints
from incrowd.data import Traces
from incrowd.discretize.slots import Start
from incrowd.errors import public
from incrowd.estimate import Estimate, memory
from incrowd.kernels import compile_s
from incrowd.kernels.types import Whole
from incrowd.measure.sweep.records import Cache, SweepRecords, folder_of, sweep_records
from incrowd.measure.sweep.result import (
    POINTS,
    SAMPLES,
    SPACE,
    TIME,
    Keep,
    Resolution,
    Sweep,
    SweepPlan,
    Tallies,
    Tally,
    swept,
)
from incrowd.measure.uniqueness import CrowdCounter, ask_about
from incrowd.measure.uniqueness.choices import Subsets, Trajectories
from incrowd.measure.uniqueness.index import Axis, Index
from incrowd.measure.uniqueness.question import UniquenessQuestion
from incrowd.plain import several
from incrowd.progress import tell
from incrowd.read.plane import Box
from incrowd.show import Result, Section
from incrowd.threads import Pool, threads

_FEW = 12_000  # samples of a trial


@public
def sweep(
    traces: Traces,
    *,
    blocks: Sequence[int] = SPACE,
    minutes: Sequence[int] = TIME,
    points: Sequence[int] = POINTS,
    samples: int = SAMPLES,
    seed: int = 0,
    keep: Keep = "vote",
    box: Box | None = None,
    keep_zero: bool = False,
    start: Start | None = None,
    time_zone: str | None = None,
    cache: str | Path | None = None,
) -> Sweep:
    """Share of people who are identified by a few known visits, at every resolution of space and time.

    One box for all, people drawn uniformly [tan2017, Alg. 1].

    Every cell draws on its own (`cell_seed`) what `uniqueness` would of `discretize.blocks`. Differs from
    [tan2017, Alg. 1]: the points known are points of the data as matched.

    Args:
        traces: The trajectories, in time order.
        blocks: Blocks along each side of the box.
        minutes: Minutes of a period.
        points: How many visits the attacker knows.
        samples: Draws for each resolution and number of known visits.
        seed: Seed of the draws; the same seed gives the same numbers.
        keep: What a person visits in a period: the block with most records (vote), or all of them (set).
        box: (west, south, east, north) in degrees, or in metres if the coordinates are. [default: that of the data,
            without the strays that stretch a side, with a warning, as `discretize.blocks` does]
        keep_zero: Keep records at (0, 0); they leave if not, whatever the box, with a warning.
        start: When the first period begins. [default: midnight of the first day]
        time_zone: Zone of the periods. [default: UTC]
        cache: Folder of finished resolutions, to go on after a stop.

    >>> traces = Traces.from_arrays([1, 1, 2], [0, 3600, 0], x=[0.0, 9.0, 0.0], y=[0.0, 9.0, 0.0])
    >>> sweep(traces, blocks=[1, 2], minutes=[60], points=[2], samples=10).uniqueness.tolist()
    [1.0, 1.0]
    """
    plan = SweepPlan(
        blocks=blocks,
        minutes=minutes,
        points=points,
        samples=samples,
        seed=seed,
        keep=keep,
        box=box,
        keep_zero=keep_zero,
        start=start,
        time_zone=time_zone,
    )
    folder = folder_of(cache)
    records = sweep_records(traces, plan)
    finished = Cache(folder, records.digest if folder else "")
    answers = {r: tallies for r in plan.resolutions if (tallies := finished.load(plan.asks(r))) is not None}
    tell("sweep", len(answers), len(plan.resolutions))
    for size in plan.blocks:
        todo = [r for r in sorted(plan.resolutions) if r.blocks == size and r not in answers]  # the longest work first
        if todo:
            _fill(answers, records, plan, finished, todo)
    extent = len(records.offsets) - 1, len(records.t)
    return swept(plan, answers, extent, records.bounds, records.ledger)


def _fill(answers: Tallies, records: SweepRecords, plan: SweepPlan, finished: Cache, todo: list[Resolution]) -> None:
    """Compute the resolutions of one size of blocks; each is kept as soon as it is done."""
    points = records.represent(todo[0].blocks, tuple(r.minutes for r in todo), plan.keep)

    def work(resolution: Resolution, ids: Whole, offsets: Ints) -> list[Tally]:
        tallies = tallied(records, plan, resolution, ids, offsets)
        finished.keep(plan.asks(resolution), tallies)
        return tallies

    with Pool(threads()) as pool:
        jobs = {pool.submit(work, r, *rows): r for r, rows in zip(todo, points, strict=True)}
        try:
            for job in as_completed(jobs):
                answers[jobs[job]] = job.result()
                tell("sweep", len(answers), len(plan.resolutions))
        finally:
            pool.shutdown(cancel_futures=True)


def tallied(records: SweepRecords, plan: SweepPlan, at: Resolution, ids: Whole, offsets: Ints) -> list[Tally]:
    """The counts of one resolution, for every number of known points."""
    cells, slots = Axis(0, at.blocks**2, None), Axis(0, -(-records.minutes // at.minutes), None)
    index = Index.listed(ids, offsets, cells, slots)
    return [tally_of(index, Trajectories.over(offsets), plan.question(at, points)) for points in plan.points]


def tally_of(index: CrowdCounter, crowd: Trajectories, question: UniquenessQuestion) -> Tally:
    """How many of the samples are identified, of how many, and of how many people they are drawn."""
    answer = ask_about(index, crowd, Subsets(crowd, question.points), question)
    sizes = np.zeros(0) if answer.crowd_sizes is None else answer.crowd_sizes
    return int((sizes == 1).sum()), len(sizes), answer.population


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
    """Seconds on this machine if it is idle, and bytes of memory on top of the traces."""

    bytes: int
    traces_bytes: int  # of the traces themselves, which are in memory too
    todo: int  # resolutions to compute
    cached: int  # resolutions that are in the cache already

    def section(self) -> Section:
        """How long the sweep will take."""
        cached = f"; {self.cached:,} more {'is' if self.cached == 1 else 'are'} in the cache" if self.cached else ""
        return Section(
            question="How long will the sweep take?",
            answer=f"{several(self.todo, 'resolution')}: {self.about} on top of the {memory(self.traces_bytes)} of the "
            f"traces{cached}",
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
    began = time.process_time()
    records = sweep_records(traces, plan)
    finished = Cache(folder, records.digest if folder else "")
    prepared = time.process_time() - began
    todo = [r for r in plan.resolutions if finished.load(plan.asks(r)) is None]
    own = sum(column.nbytes for column in (records.t, records.x, records.y, records.offsets))
    seconds, held = _trials(records, plan, todo) if todo else (0.0, 0)
    cached = len(plan.resolutions) - len(todo)
    return SweepEstimate(
        seconds=prepared + seconds,
        bytes=own + held,
        traces_bytes=sum(column.nbytes for column in (traces.offsets, traces.t, *traces.coordinates)),
        compile_s=compiling,
        todo=len(todo),
        cached=cached,
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
    began = time.process_time()
    points = records.represent(blocks, tuple(minutes), plan.keep)
    divided = (time.process_time() - began) / threads()
    jobs = [(Resolution(m, blocks), *rows) for m, rows in zip(minutes, points, strict=True)]
    few = min(_FEW, plan.samples)
    single, many = (_asked(records, replace(plan, samples=samples), jobs) for samples in (1, few))
    largest = max(_bytes(records, plan, at, ids) for at, ids, _ in jobs)
    held = min(threads(), len(jobs)) * largest + sum(ids.nbytes + offsets.nbytes for _, ids, offsets in jobs)
    # The index is made as it will be; only what each sample takes is scaled.
    return divided, single + max(many - single, 0.0) * plan.samples / few, held


def _asked(records: SweepRecords, plan: SweepPlan, jobs: list[tuple[Resolution, Whole, Ints]]) -> float:
    """CPU seconds over the threads that share the work; the wall clock would count what else the machine does."""
    began = time.process_time()
    with Pool(threads()) as pool:
        list(pool.map(lambda job: tallied(records, plan, *job), jobs))
    return (time.process_time() - began) / threads()


def _bytes(records: SweepRecords, plan: SweepPlan, at: Resolution, ids: Whole) -> int:
    """Lists of all possible points, or of those there are; their users, twice; and the draws."""
    possible = min(-(-records.minutes // at.minutes) * at.blocks**2, max(4 * len(ids), 1 << 16))
    return 20 * possible + 12 * len(ids) + 32 * plan.samples * max(plan.points)


def _between(known: dict[int, float], at: int) -> float:
    """Straight lines over the logarithm."""
    keys = sorted(known)
    return float(np.interp(np.log(at), np.log(keys), [known[key] for key in keys]))
