"""Visits -> what LKC-privacy costs as its parameters move: the experiments that [mohammed2009] left out."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.anonymize.base import Strength, Wanted, release_visits
from incrowd.arrays import tally
from incrowd.data import Release, Visits
from incrowd.errors import ParameterError, check_choice, check_whole
from incrowd.measure.lkc.paths import Paths, Sequences, paths_of
from incrowd.measure.lkc.sensitive import Share, carriers_of, share_of
from incrowd.measure.lkc.sequences import maximal_frequent, minimal_violating
from incrowd.measure.lkc.suppression import SCORES, suppression
from incrowd.progress import track

LIMIT_S = 60.0  # of each half of a run in a comparison


@dataclass(frozen=True)
class LKC:
    """Suppress (cell, slot) pairs everywhere until no violating sequence is left [mohammed2009, Sec. 4.2].

    Users whose visits are all suppressed stay, without rows: a file does not show them, its manifest counts them.
    The sensitive attribute is published, no other one is. `release.suppressed` are the pairs in order.

    Guarantee: whoever knows at most l visits of a person finds at least k people who share them, and at most a share c
    of these carry any one of the sensitive values that count (no bound without a sensitive attribute); for one release
    of one record per person.

    >>> visits = Visits.from_arrays([1, 1, 2, 3], cell=[5, 6, 5, 6], slot=[0, 1, 0, 1])
    >>> LKC(l=2, k=2)(visits).suppressed
    [(5, 0)]
    """

    l: int = 2  # noqa: E741
    k: int = 2
    c: Share = 1.0
    sensitive: str | None = None
    values: Collection[Any] | None = None  # sensitive values that count; all when None
    min_support: int = 2
    scores: str = "static"
    same_time: str = "refuse"
    limit_s: float = 600
    limit_gib: float = 2

    @staticmethod
    def strengths(wanted: Wanted) -> Iterator[Strength]:
        """Against one, two and all of the visits an attacker knows."""
        for known in sorted({1, 2, wanted.points}):
            yield Strength(f"l={known}, k={wanted.k}", LKC(l=known, k=wanted.k, limit_s=LIMIT_S), "voted")

    def __call__(self, data: Visits, *, seed: int = 0, pseudonym_seed: int | None = None) -> Release:
        """Suppress; nothing but the pseudonyms is random, so `seed` changes nothing."""
        check_choice("scores", self.scores, SCORES)
        check_whole(l=self.l, k=self.k, min_support=self.min_support)
        if not isinstance(self.sensitive, str | None):
            raise ParameterError("sensitive must be the name of an attribute.")
        if isinstance(self.c, bool):
            raise ParameterError("c must be a share, not true or false.")
        paths = paths_of(data, self.same_time)
        violating, absent = self.violating(data, paths)
        done = suppression(violating, self.frequent(paths), scores=self.scores)
        gone = np.zeros(len(paths.cell), np.bool_)
        gone[done.items] = True
        return release_visits(
            self,
            _without(data, gone[paths.items], absent),
            np.arange(len(data)),
            pseudonym_seed,
            keep=() if self.sensitive is None else (self.sensitive,),
            provenance={"suppressed": done.pairs, "suppression": done},
            claims=self._claims(),
        )

    def violating(self, visits: Visits, paths: Paths) -> tuple[Sequences, int]:
        """What has to be broken, and how many of the sensitive values nobody carries."""
        who = carriers_of(visits, self.c, self.sensitive, self.values)
        limits = {"limit_s": self.limit_s, "limit_gib": self.limit_gib}
        return minimal_violating(paths, who, self.l, self.k, self.c, device="cpu", **limits), who.absent

    def frequent(self, paths: Paths) -> Sequences:
        """What should be kept."""
        return maximal_frequent(paths, self.min_support, limit_s=self.limit_s, limit_gib=self.limit_gib, device="cpu")

    def _claims(self) -> Mapping[str, Any]:
        claims = {"l": int(self.l), "k": int(self.k), "c": share_of(self.c), "sensitive": self.sensitive}
        values = (self.values,) if isinstance(self.values, str) else self.values
        return {**claims, "values": None if values is None else sorted(values, key=str)}


def _without(visits: Visits, gone: NDArray[np.bool_], absent: int) -> Visits:
    """The visits that are left, of the same users."""
    keep = ~gone
    left = tally(keep, visits.offsets)
    ledger = visits.ledger.add(
        "lkc",
        read=visits.records,
        kept=int(left.sum()),
        dropped={"suppressed pair": int(gone.sum())},
        notes={"users without a visit": int((left == 0).sum()), "sensitive values nobody carries": absent},
        users=(len(visits), len(visits)),
    )
    offsets = np.concatenate([[0], np.cumsum(left)]).astype(np.int64)
    return replace(visits, offsets=offsets, cell=visits.cell[keep], slot=visits.slot[keep], ledger=ledger)


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
