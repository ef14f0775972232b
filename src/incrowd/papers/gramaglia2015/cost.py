"""Runs of GLOVE on shards of people -> what dividing them costs in accuracy against the whole."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.anonymize.glove import Glove
from incrowd.arrays import Floats
from incrowd.data import Fingerprints
from incrowd.measure.glove.accuracy import accuracy
from incrowd.papers.gramaglia2015.data import BEFORE, FINE_M, FINE_MIN, LIMIT_M, LIMIT_MIN, Run
from incrowd.plain import percent
from incrowd.show import Cdf, Result, Section, Table, curve

WORST = (0.01, 0.02, 0.05, 0.1)
DEAR = 2  # times the median effort: an expensive person

EFFORT = (
    "A sample's effort is that of Eq. 1 from it to the box that hides it, a person's the mean over their samples; "
    "boxes before reshaping, leftover merged [gramaglia2015, Eqs. 1-9]."
)
LIMITS = (
    "The worst samples are those in the widest or longest boxes, 15 km weighing as much as 6 h; a box is dropped as a "
    "whole, so less may be deleted than asked. As options of Glove the limits delete the same."
)


@dataclass(frozen=True)
class Saving:
    """What stays when boxes beyond two limits are dropped, which are those with the worst samples."""

    asked: float  # share of samples that may go
    deleted: float  # that goes: boxes go whole
    people: int  # who lose a sample
    max_extent_m: int  # give these to Glove for the same effect
    max_extent_min: int
    mean_m: float
    median_m: float
    mean_min: float
    median_min: float


@dataclass(frozen=True)
class Price:
    """The cost of one k; an expensive person's mean effort is over twice the median."""

    k: int
    fine: float  # share of samples known to 2 km and 2 h
    expensive: int  # people
    half: int  # fewest people who bear half of all effort
    effort: Cdf
    savings: tuple[Saving, ...]  # the first is without suppression


@dataclass(frozen=True)
class HidingCost(Result):
    """What hiding everybody among k costs, for several k."""

    users: int
    samples: int
    prices: tuple[Price, ...]

    def section(self) -> Section:
        """What hiding everybody costs, by k and by person."""
        first = self.prices[0]
        none, least, most = first.savings[0], first.savings[1], first.savings[-1]
        costs = "; ".join(f"k = {price.k}: {_size(price.savings[0])}" for price in self.prices)
        return Section(
            question="How much detail does hiding everybody cost, and whose?",
            answer=(
                f"Mean extent of a sample by crowd: {costs}. Among {first.k}, {first.expensive:,} of {self.users:,} "
                f"people need more than twice the median effort, and {first.half:,} need half of all effort. Without "
                f"the worst {percent(least.asked, 0)} of samples, which {least.people:,} people have, {_size(none)} "
                f"become {_size(least)}; without the worst {percent(most.asked, 0)}, {_size(most)}."
            ),
            number=f"{first.expensive:,}",
            number_of=f"people are expensive to hide among {first.k}",
            panels=[_efforts(self)],
            tables=[_people(self), _suppression(self)],
            method=[EFFORT, LIMITS],
            data=self,
        )


def hiding_cost(runs: Sequence[Run], *, worst: Sequence[float] = WORST) -> HidingCost:
    """Summarise runs of one dataset, with the worst samples suppressed as in [gramaglia2015, Sec. 7.1]."""
    return HidingCost(runs[0].users, runs[0].accuracy.original_samples, tuple(_price(run, worst) for run in runs))


def _price(run: Run, worst: Sequence[float]) -> Price:
    errors = run.accuracy
    caption = f"Mean effort of a person (n = {run.users:,} people, k = {run.k}; 1 is 20 km and 8 h for every sample)."
    return Price(
        run.k,
        fine=float(((errors.pos_extent <= FINE_M) & (errors.time_extent <= FINE_MIN)).mean()),
        expensive=int((run.effort > DEAR * np.median(run.effort)).sum()),
        half=bearers(run.effort),
        effort=Cdf(f"effort-{run.k}", "mean effort", "people", (curve(f"k = {run.k}", run.effort),), caption),
        savings=tuple(without_worst(run, part) for part in (0.0, *worst)),
    )


def bearers(effort: Floats) -> int:
    """The fewest people who bear half of all effort.

    >>> bearers(np.array([0.1, 0.1, 0.3, 0.1]))
    1
    """
    dearest = np.sort(effort)[::-1].cumsum()
    return int(np.searchsorted(dearest, dearest[-1] / 2)) + 1 if dearest[-1] else 0


def without_worst(run: Run, share: float) -> Saving:
    """Lower both limits together, at 15 km to 6 h, until just no more than a share of the samples is lost."""
    errors = run.accuracy
    # In whole numbers, so that the limits do exactly what is said here.
    # The thresholds of Table 2, here only in their proportion.
    extent = np.maximum(errors.pos_extent * LIMIT_MIN, errors.time_extent * LIMIT_M)
    limit = int(np.quantile(extent, 1 - share, method="inverted_cdf"))
    stays = extent <= limit
    space, time = errors.pos_extent[stays], errors.time_extent[stays]
    sizes = (space.mean(), np.median(space), time.mean(), np.median(time))
    people = len(np.unique(run.owner[~stays]))
    return Saving(share, float(1 - stays.mean()), people, limit // LIMIT_MIN, limit // LIMIT_M, *map(float, sizes))


def _size(saving: Saving) -> str:
    return f"{saving.mean_m / 1000:.1f} km and {saving.mean_min:,.0f} min"


def _efforts(result: HidingCost) -> Cdf:
    curves = tuple(price.effort.curves[0] for price in result.prices)
    listed = ", ".join(str(price.k) for price in result.prices)
    caption = f"Mean effort of a person (n = {result.users:,} people, k = {listed}; 1 is 20 km and 8 h or more)."
    return Cdf("effort", "mean effort", "people", curves, caption)


def _people(result: HidingCost) -> Table:
    rows = [
        (
            f"{price.k}",
            f"{price.savings[0].mean_m:,.0f} ({price.savings[0].median_m:,.0f})",
            f"{price.savings[0].mean_min:,.0f} ({price.savings[0].median_min:,.0f})",
            percent(price.fine),
            f"{price.expensive:,} ({percent(price.expensive / result.users)})",
            f"{price.half:,} ({percent(price.half / result.users)})",
        )
        for price in result.prices
    ]
    head = (
        "k",
        "mean (median) m",
        "mean (median) min",
        "known to 2 km and 2 h",
        "expensive people",
        "people with half of the effort",
    )
    caption = f"Cost by k (n = {result.samples:,} samples of {result.users:,} people), nothing suppressed."
    return Table(head, rows, caption)


def _suppression(result: HidingCost) -> Table:
    rows = [
        (
            f"{price.k}",
            percent(saving.asked, 0),
            percent(saving.deleted),
            f"{saving.people:,}",
            f"{saving.max_extent_m:,} m, {saving.max_extent_min:,} min" if saving.asked else "none",
            f"{saving.mean_m:,.0f} ({saving.median_m:,.0f})",
            f"{saving.mean_min:,.0f} ({saving.median_min:,.0f})",
        )
        for price in result.prices
        for saving in price.savings
    ]
    head = ("k", "worst", "deleted", "people who lose some", "limits", "mean (median) m", "mean (median) min")
    return Table(head, rows, "What remains after the worst samples are dropped.")


PARTS = (2, 4, 8, 16)
SPLIT = (
    "People are halved again and again at the median of what spreads them most: where their most used cell lies, or "
    "how many samples they have. Each shard is hidden exactly and by itself, so the guarantee holds in each; the "
    "nearest person is not found if they are in another shard."
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
class ShardCost(Result):
    """What shards of several sizes cost; the first run is the whole."""

    k: int
    users: int
    samples: int
    runs: tuple[ShardRun, ...]

    def section(self) -> Section:
        """What dividing the people costs, beside hiding them at once."""
        whole, last = self.runs[0], self.runs[-1]
        if whole is last:
            answer = f"{self.users:,} people are too few to be divided; hidden at once they lose {_shard_size(whole)}."
        else:
            answer = (
                f"Hidden at once, {self.users:,} people lose {_shard_size(whole)} on average; in {last.shards:,} "
                f"shards {_shard_size(last)}, for {percent(last.pairs / whole.pairs, 0)} of the comparisons."
            )
        return Section(
            question="How much detail does dividing the people into shards cost?",
            answer=answer,
            number=f"{100 * (last.stretch / whole.stretch - 1):+.0f} %" if whole.stretch else "-",
            number_of="stretch in the smallest shards",
            tables=[_table(self)],
            method=[SPLIT],
            data=self,
        )


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
    errors = accuracy(release, fingerprints)
    space, time = errors.pos_extent, errors.time_extent
    sizes = (space.mean(), np.median(space), time.mean(), np.median(time)) if len(space) else (np.nan,) * 4
    beyond = float(((space > LIMIT_M) | (time > LIMIT_MIN)).mean()) if len(space) else float("nan")
    stretch = float(np.mean([cost for *_, cost in release.merges])) if release.merges else 0.0
    work = release.provenance["work"]["pairs"]
    mean_m, median_m, mean_min, median_min = map(float, sizes)
    shards = release.params["shards"]
    return ShardRun(shard_users, shards, work, stretch, mean_m, median_m, mean_min, median_min, beyond)


def _shard_size(run: ShardRun) -> str:
    return f"{run.mean_m / 1000:.1f} km and {run.mean_min:,.0f} min"


def _table(result: ShardCost) -> Table:
    rows = [
        (
            "everybody" if run.shard_users is None else f"{run.shard_users:,}",
            f"{run.shards:,}",
            percent(run.pairs / result.runs[0].pairs, 0),
            f"{run.stretch:.4f}",
            f"{run.mean_m:,.0f} ({run.median_m:,.0f})",
            f"{run.mean_min:,.0f} ({run.median_min:,.0f})",
            percent(run.beyond),
        )
        for run in result.runs
    ]
    head = ("people per shard", "shards", "pairs", "stretch", "mean (median) m", "mean (median) min", "> 15 km or 6 h")
    caption = f"Cost of shards (n = {result.samples:,} samples of {result.users:,} people, k = {result.k}, {BEFORE})."
    return Table(head, rows, caption)
