"""Runs of GLOVE on shards of people -> what dividing them costs in accuracy against the whole."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.anonymize.glove import Glove
from incrowd.data import Fingerprints
from incrowd.measure.accuracy import accuracy
from incrowd.papers.gramaglia2015.data import BEFORE
from incrowd.report.section import Grid, Section, section

PARTS = (2, 4, 8, 16)
LIMIT_M, LIMIT_MIN = 15_000, 360
SPLIT = (
    "People are halved again and again at the median of what spreads them most: where their most used cell lies, or "
    "how many samples they have. Each shard is hidden exactly and by itself, so that the guarantee holds in each; "
    "whoever would have been nearest in another shard is not found."
)


@dataclass(frozen=True)
class ShardRun:
    """One run; `shard_users` is None for everybody at once."""

    shard_users: int | None
    shards: int
    pairs: int  # of fingerprints that were looked at
    stretch: float  # mean over the merges
    mean_m: float
    median_m: float
    mean_min: float
    median_min: float
    beyond: float  # share of samples in boxes beyond 15 km or 6 h


@dataclass(frozen=True)
class ShardCost:
    """What shards of several sizes cost; the first run is the whole."""

    k: int
    users: int
    samples: int
    runs: tuple[ShardRun, ...]


def shard_cost(fingerprints: Fingerprints, *, k: int = 2, parts: Sequence[int] = PARTS) -> ShardCost:
    """Hide the same people at once, and in so many shards or a few more, as far as these hold 2 k people.

    >>> crowd = Fingerprints.from_arrays(np.arange(8), x=np.arange(8) * 100, y=[0] * 8, t=[0] * 8)
    >>> [run.shards for run in shard_cost(crowd, parts=[2, 4]).runs]
    [1, 2]
    """
    users = len(fingerprints)
    sizes = [-(-users // n) for n in parts if -(-users // n) >= 2 * k]
    runs = tuple(_run(fingerprints, k, size) for size in (None, *sizes))
    return ShardCost(k, users, fingerprints.records, runs)


def _run(fingerprints: Fingerprints, k: int, shard_users: int | None) -> ShardRun:
    release = Glove(k=k, shard_users=shard_users)(fingerprints)
    found = accuracy(release, fingerprints)
    space, time = found.pos_extent, found.time_extent
    sizes = (space.mean(), np.median(space), time.mean(), np.median(time)) if len(space) else (np.nan,) * 4
    beyond = float(((space > LIMIT_M) | (time > LIMIT_MIN)).mean()) if len(space) else float("nan")
    stretch = float(np.mean([cost for *_, cost in release.merges])) if release.merges else 0.0
    work = release.provenance["work"]["pairs"]
    mean_m, median_m, mean_min, median_min = map(float, sizes)
    shards = release.params["shards"]
    return ShardRun(shard_users, shards, work, stretch, mean_m, median_m, mean_min, median_min, beyond)


@section.register
def _shards(result: ShardCost) -> Section:
    whole, last = result.runs[0], result.runs[-1]
    if whole is last:
        answer = f"{result.users:,} people are too few to be divided; hidden at once they cost {_size(whole)}."
    else:
        answer = (
            f"Hidden at once, {result.users:,} people cost {_size(whole)} on average; in {last.shards:,} shards "
            f"{_size(last)}, for {last.pairs / whole.pairs:.0%} of the comparisons."
        )
    return Section(
        question="What does dividing the people into shards cost?",
        answer=answer,
        number=f"{last.stretch / whole.stretch - 1:+.0%}" if whole.stretch else "-",
        number_of="stretch in the smallest shards",
        tables=[_table(result)],
        method=[SPLIT],
        data=result,
    )


def _size(run: ShardRun) -> str:
    return f"{run.mean_m / 1000:.1f} km and {run.mean_min:,.0f} min"


def _table(result: ShardCost) -> Grid:
    rows = [
        (
            "everybody" if run.shard_users is None else f"{run.shard_users:,}",
            f"{run.shards:,}",
            f"{run.pairs / result.runs[0].pairs:.0%}",
            f"{run.stretch:.4f}",
            f"{run.mean_m:,.0f} ({run.median_m:,.0f})",
            f"{run.mean_min:,.0f} ({run.median_min:,.0f})",
            f"{run.beyond:.1%}",
        )
        for run in result.runs
    ]
    head = ("people per shard", "shards", "pairs", "stretch", "mean (median) m", "mean (median) min", "> 15 km or 6 h")
    caption = f"Cost of shards (n = {result.samples:,} samples of {result.users:,} people, k = {result.k}, {BEFORE})."
    return Grid(head, rows, caption)
