"""Published counts, suppressed, rounded or noisy -> whole counts that add up to the same crowd in every slot."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Ints
from incrowd.data import Counts
from incrowd.data.counts import MOST_PEOPLE
from incrowd.errors import DataError, ParameterError, check_whole, public
from incrowd.progress import track

DIGITS = 12  # of the largest count of a slot; a published decimal has fewer, a float not many more
_TENS = 300
_ROOM = 2**63 - 1


@public
def repair(counts: Counts, *, users: int | None = None) -> Counts:
    """Counts that add up to the same number of people in every slot, made from published ones, for `attack.recover`.

    Negative counts become 0 and every slot is scaled to the same crowd; shares are rounded by largest remainder, ties
    to the lowest cell. An empty slot copies the last one that is not, slots before the first such one copy that. Exact
    counts come back as they are.

    Args:
        counts: Published counts: suppressed, rounded or noisy.
        users: How many people were counted. [default: the median total of the slots that publish anything, negative
            counts included, because noise cancels in a sum]

    >>> repair(Counts.from_arrays([[3, -2, 1]], xy=[[0, 0], [1, 0], [2, 0]]), users=6).n.tolist()
    [[5, 0, 1]]
    """
    if users is not None:
        check_whole(users=users)
        if users > MOST_PEOPLE:
            raise ParameterError(f"users must be at most {MOST_PEOPLE:,}, got {users:,}.")
    units = _in_units(counts.n)
    positive = np.maximum(units, 0)
    totals = positive.sum(axis=1)
    if not totals.any():
        raise DataError("no count is above 0; there is nothing to repair or to recover from.")
    crowd = _crowd(counts.n) if users is None else int(users)
    n = np.empty(counts.shape, np.int64)
    for slot in track(range(len(n)), "repairing counts"):
        if totals[slot]:
            n[slot] = _apportioned(positive[slot], int(totals[slot]), crowd)
    empty = totals == 0
    n = n[_last_filled(empty)]
    notes = {
        "negative counts set to 0": (counts.n < 0).sum(),
        "counts changed by scaling and rounding": ((n != np.maximum(counts.n, 0)) & ~empty[:, None]).sum(),
        "slots scaled": (counts.n.sum(axis=1) != crowd)[~empty].sum(),
        "empty slots copied from another": empty.sum(),
    }
    ledger = counts.ledger.add("repair", read=n.size, kept=n.size, notes=notes)
    return replace(counts, n=n, ledger=ledger)


def _in_units(n: NDArray[Any]) -> Ints:
    """Whole counts as they are; others in units, slot by slot, fine enough to hold their decimals: ties are exact."""
    if n.dtype.kind == "i":
        return n
    most = n.max(axis=1)
    place = DIGITS - 1 - np.floor(np.log10(np.where(most > 0, most, 1.0)))
    # In two steps, as the unit of the least count is beyond what a float holds.
    first = np.minimum(place, _TENS)
    scaled: Ints = np.rint(np.maximum(n, 0) * (10.0**first)[:, None] * (10.0 ** (place - first))[:, None]).astype(
        np.int64
    )
    return scaled


def _crowd(n: NDArray[Any]) -> int:
    """The median total of the slots with a count above 0, at least 1."""
    totals = n.sum(axis=1)[(n > 0).any(axis=1)]
    return max(round(float(np.median(totals))), 1)


def _apportioned(shares: Ints, total: int, users: int) -> Ints:
    """Largest remainder: shares * users / total rounded so that they add up to users."""
    if total * users > _ROOM:
        parts: NDArray[Any] = shares.astype(object) * users  # whole numbers of any length
    else:
        parts = shares * users
    quota, rest = parts // total, parts % total
    missing = users - int(quota.sum())
    quota[np.argsort(-rest, kind="stable")[:missing]] += 1
    whole: Ints = quota.astype(np.int64)
    return whole


def _last_filled(empty: Flags) -> Ints:
    """For each slot itself, the last one before it that is not empty, or else the first."""
    filled = np.where(empty, -1, np.arange(len(empty)))
    last = np.maximum.accumulate(filled)
    last[last < 0] = np.argmin(empty)
    return last
