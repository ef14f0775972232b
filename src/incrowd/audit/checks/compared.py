"""What a comparison of a release with its original needs and yields."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Ints

APART = "the release and the original are not in the same plane."
Numbers = NDArray[np.int64] | NDArray[np.float64]


class Space(NamedTuple):
    """Boxes in space and time, half-open; a point is a box of no extent and one unit of time."""

    owner: Ints  # pseudonym of a published box, person of an original sample
    low: tuple[Numbers, ...]  # t, then x and y
    high: tuple[Numbers, ...]


class Compared(NamedTuple):
    """How a release relates to its original."""

    pairs: int  # published rows times members
    missing: int  # pairs without a sample of the member
    first: int  # the first row with one, -1 for none
    orphans: int  # rows whose pseudonym has no member
    held: Flags  # per published row: whether it holds a sample of every member
    covered: Flags  # per original record: whether published rows of its person hold it, together if need be
    person: NDArray[Any]  # of each original record, in order
    lost: Ints  # records that are not covered, as sizes of sets of such that the release could not tell apart
    touched: Flags | None = None  # per published row: whether samples of members in it reach every face


class Silence(str):
    """Why a release is not compared, without a fault of its own."""

    __slots__ = ()


class Unlinked(NamedTuple):
    """What a comparison without a link shows."""

    faults: list[str]
    evidence: str
    absent: int | None = None  # original records that no published row can show; None if that is not known


def packed(left: list[NDArray[Any]], right: list[NDArray[Any]]) -> tuple[Ints, Ints]:
    """Rows of two tables as one number each, equal if the rows are, and in the order of the first column.

    >>> packed([np.array([1, 5])], [np.array([5, 9])])
    (array([0, 4]), array([4, 8]))
    """
    mine, theirs = np.zeros(len(left[0]), np.int64), np.zeros(len(right[0]), np.int64)
    room = 1
    for p, o in zip(left, right, strict=True):
        low, high = min(int(p.min()), int(o.min())), max(int(p.max()), int(o.max()))
        ours, others, width = p.astype(np.int64) - low, o.astype(np.int64) - low, high - low + 1
        if width * room >= 2**62:
            (mine, theirs), room = _ranked(mine, theirs)
            (ours, others), width = _ranked(p, o)
        mine, theirs, room = mine * width + ours, theirs * width + others, room * width
    return mine, theirs


def _ranked(left: NDArray[Any], right: NDArray[Any]) -> tuple[tuple[Ints, Ints], int]:
    distinct, rank = np.unique(np.concatenate([left, right]), return_inverse=True)
    return (rank[: len(left)], rank[len(left) :]), len(distinct)
