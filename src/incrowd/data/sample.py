"""Some rows or some people of Traces, Visits or Fingerprints, with a ledger that accounts for the others."""

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import drawn
from incrowd.data.table import UserTable

DRAWN = "drawn"  # the step of the ledger in which a draw leaves people out
T = TypeVar("T", bound=UserTable)


def some_people(table: T, *, people: int, seed: int) -> T:
    """So many people drawn at random, in their order; all if there are no more.

    >>> from incrowd.data import Visits
    >>> some_people(Visits.from_arrays([1, 2, 3], cell=[0, 0, 0], slot=[0, 1, 2]), people=2, seed=0)
    Visits(users=2, records=2)
    """
    if len(table) <= people:
        return table
    return some_rows(table, drawn(len(table), people, seed)[table.owner], DRAWN, "person not drawn")


def some_rows(table: T, keep: NDArray[np.bool_], step: str, why: str) -> T:
    """The rows kept, of the people who have one; why the others left is in the ledger.

    >>> from incrowd.data import Visits
    >>> some_rows(Visits.from_arrays([1, 2, 2], cell=[0, 0, 0], slot=[0, 1, 2]), np.array([0, 1, 0]) > 0, "odd", "even")
    Visits(users=1, records=1)
    """
    left = table.where(keep, table.ledger)
    gone, people = {why: table.records - left.records}, (len(table), len(left))
    ledger = table.ledger.add(step, read=table.records, kept=left.records, dropped=gone, users=people)
    return replace(left, ledger=ledger)  # type: ignore[call-arg]
