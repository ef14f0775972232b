"""LKC: visits are suppressed until an attacker who knows a few of them finds a crowd."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.anonymize.base import Anonymizer, Strength, Wanted, release_visits
from incrowd.arrays import tally
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
from incrowd.measure.lkc.suppression import SCORES, Scores, suppression

LIMIT_S = 60.0  # of each half of a run in a comparison


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
        limit_s: Give up a search after this many seconds.
        limit_gib: Give up a search that needs more memory than this.

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
    def __call__(self, data: Visits, *, seed: int = 0, pseudonym_seed: int | None = None) -> Release:
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
        return minimal_violating(paths, who, self.l, self.k, self.c, **limits), who.absent

    def frequent(self, paths: Paths) -> Sequences:
        """What should be kept."""
        return maximal_frequent(paths, self.min_support, limit_s=self.limit_s, limit_gib=self.limit_gib)

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
