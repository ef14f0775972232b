"""Rows by user: their order, where each user begins, which are kept, who was drawn."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Labels = NDArray[Any]  # int64 or str, one per user
Codes = NDArray[np.signedinteger[Any]]  # positions of users; 32 bits are enough for most


def row_order(*keys: Ints) -> Ints | None:
    """Stable order by the keys, most significant first; None when the rows are in order already."""
    packed = pack(keys)
    if packed is not None:
        if (packed[1:] >= packed[:-1]).all():
            return None
        return np.argsort(packed, kind="stable")
    return np.lexsort(keys[::-1])


def in_order(values: Ints) -> Ints:
    """The same array, sorted in place unless it is in order already, which is soon seen."""
    if (values[1:] < values[:-1]).any():
        values.sort()
    return values


def pack(keys: tuple[Ints, ...]) -> Ints | None:
    """One int64 that sorts like the keys, where their ranges fit into 63 bits."""
    if len(keys[0]) == 0:
        return keys[0]
    lows = [int(key.min()) for key in keys]
    spans = [int(key.max()) - low + 1 for key, low in zip(keys, lows, strict=True)]
    room = 1
    for span in spans:
        room *= span
    if room > np.iinfo(np.int64).max:
        return None
    packed = keys[0] - lows[0]
    for key, low, span in zip(keys[1:], lows[1:], spans[1:], strict=True):
        packed = packed * span + (key - low)
    return packed


def positions_of(values: Labels, among: Labels) -> Ints:
    """Where each value stands among distinct labels, -1 if it is not among them; 007 is 7 if labels are numbers.

    >>> positions_of(np.array(["007", "9"]), np.array([5, 7])).tolist()
    [1, -1]
    """
    if among.dtype.kind == "i" != values.dtype.kind:
        try:
            values = values.astype(np.int64)
        except (ValueError, OverflowError):  # some are not such numbers: all can only be compared as text
            among = among.astype(np.str_)
    if values.dtype.kind != among.dtype.kind:
        values = values.astype(np.str_)
    order = np.argsort(among)
    place = order[np.minimum(np.searchsorted(among, values, sorter=order), len(among) - 1)]
    return np.where(among[place] == values, place, -1)


def drawn(total: int, some: int, seed: int) -> Flags:
    """Which of `total` were drawn; all if `some` is not less.

    >>> int(drawn(5, 2, seed=0).sum()), int(drawn(5, 9, seed=0).sum())
    (2, 5)
    """
    chosen = np.zeros(total, np.bool_)
    chosen[np.random.default_rng(seed).permutation(total)[:some]] = True
    return chosen


def distinct_rows(*keys: NDArray[Any]) -> Flags:
    """True at the first of each run of equal rows; the rows are in order."""
    keep = np.zeros(len(keys[0]), np.bool_)
    keep[:1] = True
    for key in keys:
        keep[1:] |= key[1:] != key[:-1]
    return keep


def offsets_of(codes: Codes, users: int) -> Ints:
    """Where the rows of each user begin, and the end of the last; codes are in order."""
    offsets = np.zeros(users + 1, np.int64)
    np.cumsum(np.bincount(codes, minlength=users), out=offsets[1:])
    return offsets


def rows_by_code(codes: Codes, users: int) -> tuple[Ints | None, Ints]:
    """Stable order that groups rows by user (None when they are grouped already), and the offsets.

    A counting sort: codes are dense, so no row is compared with another.
    """
    if (codes[1:] >= codes[:-1]).all():
        return None, offsets_of(codes, users)
    from scipy.sparse import coo_array

    size = len(codes)
    index = np.int32 if max(size, users) < 2**31 else np.int64
    row, column = codes.astype(index, copy=False), np.arange(size, dtype=index)
    grouped = coo_array((np.ones(size, np.bool_), (row, column)), shape=(users, size)).tocsr()
    # numpy would widen narrow positions anew for every column taken by them.
    return grouped.indices.astype(np.int64), grouped.indptr.astype(np.int64)


def owners(offsets: Ints) -> Ints:
    """The position of the user behind each row."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def rows_of(offsets: Ints, users: Ints) -> tuple[Ints, Ints]:
    """Where each of some users begins, and the end of the last, once their rows are put one after the other; the rows.

    >>> rows_of(np.array([0, 2, 3]), np.array([1, 0]))
    (array([0, 1, 3]), array([2, 0, 1]))
    """
    sizes = np.diff(offsets)[users]
    starts = np.append(0, np.cumsum(sizes))
    return starts, np.repeat(offsets[users] - starts[:-1], sizes) + np.arange(starts[-1])


def runs(offsets: Ints, rows: int) -> Iterator[slice]:
    """Users that follow each other, as many at a time as have so many rows together; one who has more is alone.

    >>> list(runs(np.array([0, 2, 3, 9, 10]), 4))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    low = 0
    while low < len(offsets) - 1:
        high = max(int(np.searchsorted(offsets, offsets[low] + rows, "right")) - 1, low + 1)
        yield slice(low, high)
        low = high


def tally(flags: Flags, offsets: Ints) -> Ints:
    """How many rows of each user are flagged."""
    total = np.zeros(len(flags) + 1, np.int64)
    np.cumsum(flags, out=total[1:])
    return np.diff(total[offsets])


def numbered(keys: Ints) -> tuple[Ints, Ints]:
    """The sorted distinct keys, and the rank of each key among them; keys count from 0."""
    top = int(keys.max(initial=-1)) + 1
    if top > 2**20 + 8 * len(keys):
        distinct, rank = np.unique(keys, return_inverse=True)
        return distinct, rank
    seen = np.zeros(top, np.bool_)
    seen[keys] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[keys]


def narrow(column: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """The same numbers from 0 on, in 32 bits if they suffice."""
    fits = int(column.max(initial=0)) < 2**31
    return column.astype(np.int32) if fits else column


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view
