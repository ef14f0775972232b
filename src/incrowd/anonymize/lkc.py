"""LKC: visits are suppressed until an attacker who knows a few of them finds a crowd; what that costs."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from incrowd.anonymize.base import Anonymizer, Strength, Wanted, release_visits
from incrowd.arrays import Flags, tally
from incrowd.data import Release, Visits
from incrowd.errors import ParameterError, check_choice, check_whole, public
from incrowd.measure.lkc import (
    Paths,
    SameTime,
    Sequences,
    Share,
    carriers_of,
    maximal_frequent,
    minimal_violating,
    paths_of,
    share_of,
)
from incrowd.measure.lkc.suppression import GREEDY, PATTERN, SCORES, Scores, suppression
from incrowd.plain import percent
from incrowd.progress import track
from incrowd.show import Line, Lines, Result, Section, Table

LIMIT_S = 60.0  # of each step of a run in a comparison
STEPS = 4  # that end at a limit: two searches, the choice of what to suppress, the search for what is left
MAY_KEEP_MORE = "The choice is greedy, so a harder setting may happen to keep more."
AXES = {
    "l": "visits an attacker may know, L",
    "k": "people who must share them, K",
    "c": "largest share of them with one sensitive value, C",
    "min_support": "people who make a pattern frequent, K'",
}
NAMES = {"l": "L", "k": "K", "c": "C", "min_support": "K'"}


@public
@dataclass(frozen=True)
class LKC(Anonymizer):
    """Suppress visits until nobody is singled out by l of them, and keep the patterns that many people share.

    A suppressed (cell, slot) pair is suppressed for everybody [mohammed2009, Sec. 4.2]. People whose visits are all
    suppressed stay, without rows: a file does not show them, its manifest counts them. The sensitive attribute is
    published, no other one is. `release.suppressed` lists the pairs in order.

    Args:
        l: Most visits of a person that an attacker may know.
        k: People who must share what is known.
        c: Largest share of these who may carry one sensitive value.
        sensitive: Name of the sensitive attribute of a person.
        values: A sensitive value that counts; repeatable. [default: all values]
        min_support: Sequences shared by this many people are worth keeping.
        scores: Mine the patterns once, or again after each suppression.
        same_time: What to do about two cells of a person in one slot: refuse them, or order them by cell.
        limit_s: Give up a search, or a step of the suppression, after this many seconds.
        limit_gib: Give up a search, or a step of the suppression, that needs more memory than this.

    Guarantee: an attacker who knows at most l visits of a person finds at least k people who share them, and at most a
    share c of these carry any one of the sensitive values that count (no bound without a sensitive attribute); for one
    release with one record per person.

    Example:
        incrowd anonymize lkc visits.parquet -o release --l 2 --k 5
        incrowd anonymize lkc visits.parquet -o release --l 2 --k 5 --c 0.5 --sensitive diagnosis --value AIDS

    >>> visits = Visits.from_arrays([1, 1, 2, 3], cell=[5, 6, 5, 6], slot=[0, 1, 0, 1])
    >>> LKC(l=2, k=2)(visits).suppressed
    [(5, 0)]
    """

    l: int = 2  # noqa: E741
    k: int = 2
    c: Share = 1.0
    sensitive: str | None = None
    values: Collection[Any] | None = None
    min_support: int = 2
    scores: Scores = "static"
    same_time: SameTime = "refuse"
    limit_s: float = 600
    limit_gib: float = 2

    @staticmethod
    def strengths(wanted: Wanted) -> Iterator[Strength]:
        """Against one, two and all of the visits an attacker knows."""
        for known in sorted({1, 2, wanted.points}):
            yield Strength(f"l={known}, k={wanted.k}", LKC(l=known, k=wanted.k, limit_s=LIMIT_S), "voted")

    @public
    def __call__(self, data: Visits, *, seed: int | None = 0, pseudonym_seed: int | None = None) -> Release:
        """The visits that are left, as a release.

        Args:
            data: Visits of people.
            seed: Changes nothing, because only the pseudonyms are random.
            pseudonym_seed: Seed of the pseudonyms, for tests; an audit fails a release that was made with one.
        """
        check_choice("scores", self.scores, SCORES)
        check_whole(l=self.l, k=self.k, min_support=self.min_support)
        if not isinstance(self.sensitive, str | None):
            raise ParameterError("sensitive must be the name of an attribute.")
        if isinstance(self.c, bool):
            raise ParameterError("c must be a share, not true or false.")
        paths = paths_of(data, self.same_time)
        violating, absent = self.violating(data, paths)
        done = suppression(violating, self.frequent(paths), self.scores, self.limit_s, self.limit_gib)
        values = (self.values,) if isinstance(self.values, str) else self.values
        counted = None if values is None else sorted(values, key=str)
        bounds = {"l": int(self.l), "k": int(self.k), "c": share_of(self.c)}
        return release_visits(
            replace(self, c=bounds["c"], values=counted),
            _without(data, ~np.isin(paths.items, done.items), absent),
            np.arange(len(data)),
            pseudonym_seed,
            keep=() if self.sensitive is None else (self.sensitive,),
            provenance={"suppressed": done.pairs, "suppression": done},
            claims={**bounds, "sensitive": self.sensitive, "values": counted},
        )

    def violating(self, visits: Visits, paths: Paths) -> tuple[Sequences, int]:
        """What has to be broken, and how many of the sensitive values nobody carries."""
        who = carriers_of(visits, self.c, self.sensitive, self.values)
        limits = {"limit_s": self.limit_s, "limit_gib": self.limit_gib}
        return minimal_violating(paths, who, self.l, self.k, self.c, **limits), who.absent

    def frequent(self, paths: Paths) -> Sequences:
        """What should be kept."""
        return maximal_frequent(paths, self.min_support, limit_s=self.limit_s, limit_gib=self.limit_gib)


def _without(visits: Visits, keep: Flags, absent: int) -> Visits:
    """The visits that are left, of the same users."""
    left = tally(keep, visits.offsets)
    ledger = visits.ledger.add(
        "lkc",
        read=visits.records,
        kept=int(left.sum()),
        dropped={"suppressed pair": int((~keep).sum())},
        notes={"users without a visit": int((left == 0).sum()), "sensitive values nobody carries": absent},
        users=(len(visits), len(visits)),
    )
    return replace(visits.only(keep), ledger=ledger)


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
        preserved = sorted(run.preserved_share for run in self.runs)
        gone = sorted(run.suppressed_visits for run in self.runs)
        synthetic = ["The sensitive attribute is synthetic."] if self.sensitive == "synthetic" else []
        return Section(
            question=f"What does LKC-privacy cost on {self.name}?",
            answer=f"Between {percent(preserved[0], 0)} and {percent(preserved[-1], 0)} of the frequent patterns "
            f"survive, and {percent(gone[0], 0)} to {percent(gone[-1], 0)} of the visits are suppressed.",
            number=percent(preserved[0], 0),
            number_of="of the patterns kept in the hardest setting",
            panels=[_panel(self, parameter) for parameter in AXES if len(self.along(parameter)) > 1],
            tables=[_table(self)],
            method=[f"{GREEDY} Scores are {self.scores}.", MAY_KEEP_MORE, PATTERN, *synthetic],
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
    done = suppression(violating, frequent[method.min_support], method.scores, method.limit_s, method.limit_gib)
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
