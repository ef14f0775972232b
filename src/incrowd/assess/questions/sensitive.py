"""Visits with a sensitive attribute -> whose value a few known visits tell, by confidence."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, owners
from incrowd.data import Visits
from incrowd.errors import DataError, ParameterError
from incrowd.measure.choices import Subsets, Trajectories, blocks
from incrowd.measure.index import Index
from incrowd.measure.sensitive import Carriers, carriers_of, share_of
from incrowd.plain import Shown
from incrowd.progress import track

MOST_VISITS = 2  # known at once
MOST_SETS = 4_000_000  # of visits tried, of as many people as that allows


@dataclass(frozen=True)
class SensitiveInference(Shown):
    """Shares of the people with a sensitive value for whom it is inferred, in [0, 1], higher is riskier."""

    sensitive: str
    known_visits: int
    confidence: float
    carriers: int  # people with a value
    asked: int  # of these, drawn at random where trying everybody's visits takes too long
    inferred: Mapping[int, float]  # by so many known visits or fewer; 0 is without knowing any


def sensitive_inference(
    visits: Visits, *, sensitive: str, known_visits: int = 2, confidence: float = 0.8, seed: int = 0
) -> SensitiveInference:
    """Share of people with some set q of known visits such that Conf(q -> value) >= c [mohammed2009, Def. 3.1].

    Conf is the share of the people who made all of these visits that carry the person's own value; whoever is alone
    with them is inferred with confidence 1. Differs from LKC-privacy in asking for people, not for sequences.

    >>> visits = Visits.from_arrays([1, 2, 3], [5, 5, 6], [0, 0, 0], attributes={"ill": ["flu", "no", "no"]})
    >>> sensitive_inference(visits, sensitive="ill", known_visits=1).inferred[1]
    0.3333333333333333
    """
    check_known(known_visits)
    c = float(share_of(confidence))
    who = carriers_of(visits, 1.0, sensitive, None)
    carriers = np.flatnonzero(np.diff(who.offsets))
    if not len(carriers):
        raise DataError(f"nobody has a value of {sensitive!r}; give the attribute that is sensitive.")
    crowd = _Crowd(visits, who)
    asked = _asked(crowd.trajectories, carriers, known_visits, seed)
    found = crowd.common(asked, c)
    told = {0: float(found.mean())}
    for size in track(range(1, known_visits + 1), "inferring sensitive values"):
        open_still = np.flatnonzero(~found & (crowd.trajectories.sizes[asked] >= size))
        found[open_still] = crowd.told(asked[open_still], size, c)
        told[size] = float(found.mean())
    return SensitiveInference(sensitive, known_visits, c, len(carriers), len(asked), told)


def check_known(known_visits: int) -> None:
    """Refuse more visits than can be tried."""
    if isinstance(known_visits, bool) or known_visits not in range(1, MOST_VISITS + 1):
        raise ParameterError(f"known_visits must be 1 or {MOST_VISITS}, got {known_visits!r}.")


def _asked(crowd: Trajectories, carriers: Ints, size: int, seed: int) -> Ints:
    """Carriers in random order up to the most sets, at least one; in their order."""
    order = np.random.default_rng(seed).permutation(carriers)
    n = crowd.sizes[order].astype(np.float64)
    sets = np.cumsum(n if size == 1 else n * (n - 1) / 2)
    return np.sort(order[: max(int(np.searchsorted(sets, MOST_SETS, "right")), 1)])


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

    def told(self, which: Ints, size: int, c: float) -> NDArray[np.bool_]:
        """Whose value some set of that many own visits tells."""
        choices = Subsets(self.trajectories, size, "cpu")
        ends = np.append(0, np.cumsum(choices.total(which).astype(np.int64)))
        found = np.zeros(len(which), np.bool_)
        for part in track(list(blocks(int(ends[-1]), size + 1)), "trying visits"):
            number = np.arange(part.start, part.stop)
            at = np.searchsorted(ends, number, "right") - 1
            rows = choices.rows(which[at], number - ends[at])
            found[at[self._confident(rows, which[at], c)]] = True
        return found

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
