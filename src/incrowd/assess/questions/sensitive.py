"""Visits with a sensitive attribute -> whose value can be inferred from a few known visits, by confidence."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, owners
from incrowd.data import Visits
from incrowd.errors import DataError
from incrowd.measure.lkc.sensitive import Carriers, carriers_of, share_of
from incrowd.measure.uniqueness.choices import Subsets, Trajectories, blocks
from incrowd.measure.uniqueness.index import Index
from incrowd.plain import percent, several
from incrowd.progress import track
from incrowd.show import Result, Section, Table

MOST_PAIRS = 30_000_000  # of visits tried, shared out among everybody
CONFIDENCE = (
    "A value is inferred if, for some set of known visits, at least this share of the people who made all of them has "
    "the person's own value [mohammed2009, Def. 3.1]; the value of a person who is alone with them is inferred."
)


@dataclass(frozen=True)
class SensitiveInference(Result):
    """Shares of the people with a sensitive value for whom it is inferred, in [0, 1], higher is riskier."""

    sensitive: str
    known_visits: int
    confidence: float
    values: tuple[str, ...] | None  # those that count; None for all
    carriers: int  # people with such a value, all of whom are asked
    inferred: Mapping[int, float]  # by so many known visits or fewer; 0 is without knowing any
    undecided: int  # people of whose pairs of visits only some were tried, in vain: they may be inferred too
    of: str = "people"  # or published trajectories

    @property
    def at_most(self) -> float:
        """The share that is inferred if everybody is who is undecided."""
        return self.inferred[self.known_visits] + self.undecided / self.carriers

    def section(self) -> Section:
        """For how many people the value is inferred, by the number of known visits."""
        visits = several(self.known_visits, "known visit")
        inferred = f"{round(self.inferred[self.known_visits] * self.carriers):,} of {self.carriers:,}"
        undecided = (
            f" For {self.undecided:,} more, not every pair of visits was tried; they are counted as inferred."
            if self.undecided
            else ""
        )
        return Section(
            question=f"Can {self.sensitive} be inferred?",
            answer=f"The value of {percent(self.inferred[self.known_visits])} of {self.of} ({inferred}) can be "
            f"inferred from up to {visits}, and of {percent(self.inferred[0])} without knowing any visit.{undecided}",
            number=percent(self.at_most),
            number_of=f"inferred from up to {visits}{', at most' if self.undecided else ''}",
            tables=[
                Table(
                    ("known visits, at most", f"share of {self.of}"),
                    [(str(count), percent(share)) for count, share in sorted(self.inferred.items())],
                )
            ],
            method=[CONFIDENCE, "The attacker may know just the informative visits; an average one knows less."],
            options=f"confidence {percent(self.confidence, 0)}; values that count: "
            + ("all" if self.values is None else ", ".join(self.values)),
            data={**vars(self), "at_most": self.at_most},
            number_at=("at_most",),
        )


def sensitive_inference(
    visits: Visits,
    *,
    sensitive: str,
    values: Collection[Any] | None = None,
    known_visits: int = 2,
    confidence: float = 0.8,
    seed: int = 0,
    of: str = "people",
) -> SensitiveInference:
    """Share of people with some set q of known visits such that Conf(q -> value) >= c [mohammed2009, Def. 3.1].

    Conf is the share of the people who made all of these visits that have the person's own value, one of `values` if
    given; the value of who is alone with them is inferred with confidence 1. Everybody is asked with no visit and with
    each one, long trajectories with pairs drawn at random. Differs from LKC-privacy: people are asked, not sequences.

    >>> visits = Visits.from_arrays([1, 2, 3], [5, 5, 6], [0, 0, 0], attributes={"ill": ["flu", "no", "no"]})
    >>> sensitive_inference(visits, sensitive="ill", known_visits=1).inferred[1]
    0.3333333333333333
    """
    c = float(share_of(confidence))
    who = carriers_of(visits, 1.0, sensitive, values)
    carriers = np.flatnonzero(np.diff(who.offsets))
    if not len(carriers):
        raise DataError(f"nobody has a value of {sensitive!r} that counts; name the attribute that is sensitive.")
    crowd = _Crowd(visits, who)
    inferred = crowd.common(carriers, c)
    shares, undecided = {0: float(inferred.mean())}, 0
    for size in track(range(1, known_visits + 1), "inferring sensitive values"):
        left = np.flatnonzero(~inferred & (crowd.trajectories.sizes[carriers] >= size))
        inferred[left], whole = crowd.inferred(carriers[left], size, c, seed)
        shares[size], undecided = float(inferred.mean()), int((~inferred[left] & ~whole).sum())
    named = None if values is None else tuple(sorted(map(str, {values} if isinstance(values, str) else values)))
    return SensitiveInference(sensitive, known_visits, c, named, len(carriers), shares, undecided, of)


def _most_each(sets: Ints, in_all: int) -> int:
    """The most sets of one person that may be tried so that all together stay below their limit, at least one.

    >>> _most_each(np.array([3, 100, 50]), 43), _most_each(np.array([3, 4]), 43)
    (20, 4)
    """
    rising = np.sort(sets)
    room = np.maximum(in_all - (np.cumsum(rising) - rising), 0) // np.arange(len(sets), 0, -1)
    short = np.flatnonzero(rising > room)
    return max(int(room[short[0]] if len(short) else rising[-1]), 1)


class _Crowd:
    """Every value is one more visit, in a slot after all others, so that the index counts who made q and carries it."""

    def __init__(self, visits: Visits, who: Carriers) -> None:
        user = np.concatenate([visits.owner, owners(who.offsets)])
        cell = np.concatenate([visits.cell, who.codes])
        last = int(visits.slot.max()) + 1
        slot = np.concatenate([visits.slot, np.full(len(who.codes), last)])
        cell, slot, offsets = Visits.grouped(user, cell, slot, len(visits))
        self.values = np.diff(who.offsets)
        self.first_value = offsets[1:] - self.values
        self.trajectories = Trajectories(offsets[:-1], np.diff(visits.offsets), np.arange(len(visits)))
        self.index = Index.build(replace(visits, cell=cell, slot=slot, offsets=offsets))

    def common(self, which: Ints, c: float) -> NDArray[np.bool_]:
        """Whose value so large a share of all people carries that nothing needs to be known."""
        return self._confident(np.zeros((len(which), 0), np.int64), which, c)

    def inferred(self, which: Ints, size: int, c: float, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """For whom some set of that many own visits is enough, and for whom all sets were tried."""
        choices, rng = Subsets(self.trajectories, size), np.random.default_rng(seed)
        total = choices.total(which).astype(np.int64)
        most = int(total.max(initial=0)) if size == 1 or not len(which) else _most_each(total, MOST_PAIRS)
        ends = np.append(0, np.cumsum(np.minimum(total, most)))
        inferred = np.zeros(len(which), np.bool_)
        for part in track(list(blocks(int(ends[-1]), size + 1)), "trying visits"):
            number = np.arange(part.start, part.stop)
            at = np.searchsorted(ends, number, "right") - 1
            number = np.where(total[at] > most, rng.integers(0, total[at]), number - ends[at])
            rows = choices.rows(which[at], number)
            inferred[at[self._confident(rows, which[at], c)]] = True
        return inferred, total <= most

    def _confident(self, rows: Ints, own: Ints, c: float) -> NDArray[np.bool_]:
        """Whether those who made the visits at rows mostly carry a value of their owner."""
        crowd = self.index.crowd(rows, own) if rows.shape[1] else np.full(len(rows), self.index.users)
        sure = np.zeros(len(rows), np.bool_)
        for place in range(int(self.values[own].max(initial=0))):
            has = np.flatnonzero(self.values[own] > place)
            value = self.first_value[own[has]][:, None] + place
            carry = self.index.crowd(np.concatenate([rows[has], value], axis=1), own[has])
            sure[has] |= carry / crowd[has] >= c
        return sure
