"""Visits -> what LKC-privacy costs as its parameters move: the experiments that [mohammed2009] left out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from incrowd.anonymize.lkc import LKC
from incrowd.arrays import tally
from incrowd.data import Visits
from incrowd.measure.sensitive import Share, share_of
from incrowd.measure.sequences import Paths, Sequences, paths_of
from incrowd.measure.suppression import suppression
from incrowd.progress import track


@dataclass(frozen=True)
class LkcRun:
    """One setting and what it cost; shares in [0, 1]."""

    varied: str  # the parameter that differs from the common setting
    l: int  # noqa: E741
    k: int
    c: float
    min_support: int
    violating: int
    suppressed_pairs: int
    suppressed_visits: float  # share of all visits; lower is better
    users_without_visit: int
    frequent_before: int
    frequent_after: int
    preserved_share: float  # of the maximal frequent sequences; higher is better


@dataclass(frozen=True)
class LkcCost:
    """Runs of LKC around a common setting, one parameter moved at a time."""

    name: str
    users: int
    visits: int
    pairs: int
    sensitive: str | None
    scores: str
    runs: tuple[LkcRun, ...]

    def along(self, parameter: str) -> list[LkcRun]:
        """The runs in which a parameter moved."""
        return [run for run in self.runs if run.varied == parameter]


def lkc_cost(
    visits: Visits,
    common: LKC,
    *,
    name: str = "the data",
    l: Sequence[int] = (1, 2, 3, 4),  # noqa: E741
    k: Sequence[int] = (2, 5, 10, 20),
    c: Sequence[Share] = (),
    min_support: Sequence[int] = (),
) -> LkcCost:
    """Suppress with the common setting, then with each value of each parameter in its place.

    >>> visits = Visits.from_arrays([1, 1, 2, 3], cell=[5, 6, 5, 6], slot=[0, 1, 0, 1])
    >>> [run.suppressed_visits for run in lkc_cost(visits, LKC(k=2), l=(1, 2), k=()).runs]
    [0.0, 0.5]
    """
    grid: dict[str, Sequence[Any]] = {"l": l, "k": k, "c": c, "min_support": min_support}
    settings = [(varied, replace(common, **{varied: value})) for varied, values in grid.items() for value in values]
    paths = paths_of(visits, common.same_time)
    frequent: dict[int, Sequences] = {}
    runs = tuple(_run(visits, paths, varied, method, frequent) for varied, method in track(settings, "suppressing"))
    return LkcCost(name, len(visits), visits.records, len(paths.cell), common.sensitive, common.scores, runs)


def _run(visits: Visits, paths: Paths, varied: str, method: LKC, frequent: dict[int, Sequences]) -> LkcRun:
    """One setting; patterns depend on min_support alone, so they are mined once for each."""
    if method.min_support not in frequent:
        frequent[method.min_support] = method.frequent(paths)
    violating, _ = method.violating(visits, paths)
    done = suppression(violating, frequent[method.min_support], scores=method.scores)
    left = tally(~np.isin(paths.items, done.items), paths.offsets)
    return LkcRun(
        varied=varied,
        l=method.l,
        k=method.k,
        c=float(share_of(method.c)),
        min_support=method.min_support,
        violating=len(violating),
        suppressed_pairs=len(done.items),
        suppressed_visits=1 - int(left.sum()) / visits.records,
        users_without_visit=int((left == 0).sum()),
        frequent_before=len(done.frequent_before),
        frequent_after=len(done.frequent_after),
        preserved_share=done.preserved_share,
    )
