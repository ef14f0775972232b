"""Visits -> what LKC-privacy costs as its parameters move: the experiments that [mohammed2009] left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from incrowd.anonymize.lkc import LKC
from incrowd.arrays import tally
from incrowd.data import Visits
from incrowd.errors import public
from incrowd.measure.lkc import Paths, Sequences, Share, paths_of, share_of
from incrowd.measure.lkc.suppression import GREEDY, PATTERN, suppression
from incrowd.plain import percent
from incrowd.progress import track
from incrowd.show import Line, Lines, Result, Section, Table

AXES = {
    "l": "visits an attacker may know, L",
    "k": "people who must share them, K",
    "c": "largest share of them with one sensitive value, C",
    "min_support": "people who make a pattern frequent, K'",
}
NAMES = {"l": "L", "k": "K", "c": "C", "min_support": "K'"}


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
class LkcCost(Result):
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

    def section(self) -> Section:
        """How many patterns survive, and how many visits are suppressed, against each parameter that moved."""
        kept = sorted(run.preserved_share for run in self.runs)
        gone = sorted(run.suppressed_visits for run in self.runs)
        return Section(
            question=f"What does LKC-privacy cost on {self.name}?",
            answer=f"Between {percent(kept[0], 0)} and {percent(kept[-1], 0)} of the frequent patterns survive, and "
            f"{percent(gone[0], 0)} to {percent(gone[-1], 0)} of the visits are suppressed.",
            number=percent(kept[0], 0),
            number_of="of the patterns kept in the hardest setting",
            panels=[_panel(self, parameter) for parameter in AXES if len(self.along(parameter)) > 1],
            tables=[_table(self)],
            method=[
                f"{GREEDY} Scores are {self.scores}.",
                "The choice is greedy, so a harder setting may happen to keep more.",
                PATTERN,
                *(["The sensitive attribute is synthetic."] if self.sensitive == "synthetic" else []),
            ],
            options=f"{self.users:,} records of people, {self.visits:,} visits, scores {self.scores}",
            data=self,
            references=("mohammed2009",),
        )

    def columns(self) -> Mapping[str, Any]:
        """A row for each run."""
        return {field.name: [getattr(run, field.name) for run in self.runs] for field in fields(LkcRun)}


@public
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
    """What LKC-privacy costs: the common setting, with each value of each parameter in its place.

    Args:
        visits: Visits of people.
        common: The setting from which one parameter differs in each run.
        name: What the data are called in the result.
        l: Values of `l` to try.
        k: Values of `k` to try.
        c: Values of `c` to try.
        min_support: Values of `min_support` to try.

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


def _panel(cost: LkcCost, parameter: str) -> Lines:
    runs = sorted(cost.along(parameter), key=lambda run: float(getattr(run, parameter)))
    x = [float(getattr(run, parameter)) for run in runs]
    lines = (
        Line("patterns kept", x, [run.preserved_share for run in runs]),
        Line("visits suppressed", x, [run.suppressed_visits for run in runs]),
    )
    fixed = ", ".join(f"{name} = {getattr(runs[0], key)}" for key, name in NAMES.items() if key != parameter)
    caption = f"Cost against {AXES[parameter]} (n = {cost.users:,} records, {fixed})."
    points = "; ".join(
        f"{getattr(run, parameter)}: {run.preserved_share:.2f} kept, {run.suppressed_visits:.2f} suppressed"
        for run in runs
    )
    words = f"Two lines against {AXES[parameter]}: {points}."
    return Lines(f"lkc-{parameter.replace('_', '-')}", AXES[parameter], "share", lines, caption, words=words)


def _table(cost: LkcCost) -> Table:
    suppressed = ("pairs suppressed", "visits suppressed", "people without visits")
    head = ("varied", "L", "K", "C", "K'", "violating", *suppressed, "patterns", "kept")
    rows = [
        (
            NAMES.get(run.varied, run.varied),
            str(run.l),
            str(run.k),
            f"{run.c:g}",
            str(run.min_support),
            f"{run.violating:,}",
            f"{run.suppressed_pairs:,} of {cost.pairs:,}",
            percent(run.suppressed_visits),
            f"{run.users_without_visit:,}",
            f"{run.frequent_before:,}",
            percent(run.preserved_share),
        )
        for run in cost.runs
    ]
    return Table(head, rows, "Every run.")
