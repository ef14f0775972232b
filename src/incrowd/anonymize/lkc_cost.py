"""Visits -> what LKC-privacy costs as its parameters move: the experiments that [mohammed2009] left out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from incrowd.anonymize.lkc import LKC
from incrowd.data import Visits
from incrowd.measure.sensitive import Share
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
    runs = tuple(_run(visits, varied, method) for varied, method in track(settings, "suppressing"))
    pairs = len(set(zip(visits.cell.tolist(), visits.slot.tolist(), strict=True)))
    return LkcCost(name, len(visits), visits.records, pairs, common.sensitive, common.scores, runs)


def _run(visits: Visits, varied: str, method: LKC) -> LkcRun:
    release = method(visits)
    done, step = release.provenance["suppression"], release.ledger.steps[-1]
    return LkcRun(
        varied=varied,
        l=method.l,
        k=method.k,
        c=float(release.claims["c"]),
        min_support=method.min_support,
        violating=len(done.violating),
        suppressed_pairs=len(done.items),
        suppressed_visits=1 - step.kept / step.read,
        users_without_visit=step.notes["users without a visit"],
        frequent_before=len(done.frequent_before),
        frequent_after=len(done.frequent_after),
        preserved_share=done.preserved_share,
    )
