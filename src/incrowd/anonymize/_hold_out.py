"""Data -> the people to publish and some who are held out: what an attack says of them, it says of people outside."""

from typing import TypeVar

import numpy as np

from incrowd.anonymize.base import random_order
from incrowd.data import UserTable
from incrowd.data.table import some_rows
from incrowd.errors import DataError, ParameterError, check_kind, check_share, public

MOST = 0.5  # share of people that may be held out
T = TypeVar("T", bound=UserTable)


@public
def hold_out(data: T, share: float, *, pseudonym_seed: int | None = None) -> tuple[T, T]:
    """The people to publish, and those held out at random, who are in no release; publish lists them in the link file.

    Args:
        data: Traces, visits or fingerprints, before a method is called with them.
        share: Share of people to hold out, above 0 and at most 0.5; at least one person is.
        pseudonym_seed: Seed of the draw, for tests; whoever knows it knows who is held out. [default: the operating
            system's entropy]

    >>> from incrowd import Visits
    >>> hold_out(Visits.from_arrays([1, 2, 3], cell=[5, 5, 5], slot=[0, 0, 0]), 0.1)
    (Visits(users=2, records=2), Visits(users=1, records=1))
    """
    check_kind("hold_out", data, UserTable)
    check_hold_out(share)
    people = max(int(share * len(data) + 0.5), 1)
    if people >= len(data):
        raise DataError(f"nobody of {len(data):,} would be left to publish; give more people, or hold nobody out.")
    out = np.zeros(len(data), np.bool_)
    out[random_order(len(data), pseudonym_seed)[:people]] = True
    rows = out[data.owner]
    return some_rows(data, ~rows, "hold out", "held out"), some_rows(data, rows, "hold out", "published")


def check_hold_out(share: float) -> None:
    """Refuse a share of people that cannot be held out."""
    check_share(share=share)
    if not 0 < share <= MOST:
        raise ParameterError(f"the share of people held out must be above 0 and at most {MOST}, got {share!r}.")
