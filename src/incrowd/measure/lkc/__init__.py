"""Visits -> sequences of visits that break LKC-privacy, and those worth keeping; who carries which sensitive value."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np

from incrowd.arrays import Ints, distinct_rows, row_order, tally
from incrowd.data import Visits
from incrowd.errors import DataError, ParameterError, check_choice, check_kind, check_positive, check_whole, public
from incrowd.kernels import Watch, kernel
from incrowd.kernels.types import Items

Share = float | Fraction | tuple[int, int]
Pair = tuple[int, int]  # cell, slot
SameTime = Literal["refuse", "order"]


@dataclass(frozen=True, eq=False, repr=False)
class Carriers:
    """User u carries the sensitive values codes[offsets[u]:offsets[u+1]], numbered; only those that count."""

    offsets: Ints
    codes: Items
    absent: int  # values asked for that nobody carries


def share_of(c: Share) -> float | Fraction:
    """A share above 0 and at most 1: a float, a Fraction, or numerator and denominator."""
    try:
        share = Fraction(*c) if isinstance(c, tuple) else c if isinstance(c, Fraction) else float(c + 0)
    except (TypeError, ValueError, ZeroDivisionError) as error:
        raise ParameterError("c must be a number, a Fraction, or a pair of whole numbers.") from error
    if not 0 < share <= 1:
        raise ParameterError(f"c must be in (0, 1], got {c}.")
    return share


def carriers_of(visits: Visits, c: Share, sensitive: str | None, values: Collection[Any] | None) -> Carriers:
    """The values of the attribute `sensitive` that count: those in `values`, or all there are; None is no value."""
    if sensitive is None:
        if share_of(c) < 1 or values is not None:
            raise ParameterError("c and values need a sensitive attribute; pass its name as sensitive=.")
        return Carriers(np.zeros(len(visits) + 1, np.int64), np.zeros(0, np.int32), 0)
    if sensitive not in visits.attributes:
        known = ", ".join(sorted(visits.attributes)) or "none"
        raise ParameterError(f"visits have no attribute {sensitive!r} (they have: {known}); pass one of them.")
    counted = _counted(values)
    codes: dict[Any, int] = {}
    carried = [
        [codes.setdefault(v, len(codes)) for v in _held(held) if counted is None or v in counted]
        for held in visits.attributes[sensitive]
    ]
    offsets = np.concatenate([[0], np.cumsum([len(mine) for mine in carried])]).astype(np.int64)
    flat = np.array([code for mine in carried for code in mine], np.int32)
    return Carriers(offsets, flat, len((counted or set()) - codes.keys()))


def heavy(who: Carriers, allowed: Ints, k: int) -> Carriers:
    """Without the values too rare to break C: a crowd of n >= k may hold allowed[n] >= allowed[k] of each."""
    often = np.bincount(who.codes) > allowed[min(k, len(allowed) - 1)]
    keep = often[who.codes]
    offsets = np.concatenate([[0], np.cumsum(tally(keep, who.offsets))])
    renumbered = (np.cumsum(often) - 1)[who.codes[keep]].astype(np.int32)
    return Carriers(offsets, renumbered, who.absent)


def _counted(values: Collection[Any] | None) -> set[Any] | None:
    if values is None:
        return None
    try:
        counted = {values} if isinstance(values, str) else set(values) if isinstance(values, Collection) else None
    except TypeError:
        counted = None
    if not counted:
        raise ParameterError("values must list at least one sensitive value, as a list or a set; or leave it out.")
    return counted


def _held(value: Any) -> Iterable[Any]:
    several = value if isinstance(value, frozenset) else (value,)
    return (v for v in several if v is not None and v == v)


def allowed_counts(c: Share, users: int) -> Ints:
    """For n = 0..users, how many of n records may share a value: the most whose quotient count / n is at most c.

    A float c is compared with the rounded quotient, so that 29 of 100 are 0.29; a Fraction exactly.

    >>> allowed_counts(0.29, 100)[100], allowed_counts(Fraction(1, 3), 3).tolist()
    (np.int64(29), [0, 0, 0, 1])
    """
    share = share_of(c)
    if isinstance(share, Fraction):
        return np.array([n * share.numerator // share.denominator for n in range(users + 1)], np.int64)
    n = np.arange(1, users + 1)
    most = np.floor(share * n).astype(np.int64)
    most += (most + 1) / n <= share
    most -= most / n > share
    return np.concatenate([[0], most])


@dataclass(frozen=True, eq=False, repr=False)
class Sequences:
    """Sequence j is the pairs items[starts[j]:starts[j+1]]; pair p is (cell[p], slot[p]), by slot, then cell."""

    starts: Ints
    items: Items
    cell: Ints
    slot: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __repr__(self) -> str:
        return f"Sequences({len(self):,}, pairs={len(self.cell):,})"

    def to_list(self) -> list[tuple[Pair, ...]]:
        """Tuples of (cell, slot), by length, then slots, then cells."""
        pairs = list(zip(self.cell.tolist(), self.slot.tolist(), strict=True))
        sizes = np.diff(self.starts)
        listed: list[tuple[Pair, ...]] = []
        for size in np.unique(sizes).tolist():
            rows = self.items[self.starts[:-1][sizes == size][:, None] + np.arange(size)]
            order = np.lexsort((*self.cell[rows].T[::-1], *self.slot[rows].T[::-1]))
            listed += [tuple(pairs[p] for p in row) for row in rows[order].tolist()]
        return listed

    def without(self, gone: Items) -> "Sequences":
        """Those that hold none of some pairs."""
        hit = np.isin(self.items, gone)
        keep = np.add.reduceat(hit, self.starts[:-1]) == 0 if len(self) else np.zeros(0, np.bool_)
        sizes = np.diff(self.starts)
        starts = np.concatenate([[0], np.cumsum(sizes[keep])])
        return Sequences(starts, self.items[np.repeat(keep, sizes)], self.cell, self.slot)

    def to_dict(self) -> dict[str, Any]:
        """Counts, for JSON: the sequences themselves are the data."""
        return {"sequences": len(self), "pairs": len(np.unique(self.items))}


@dataclass(frozen=True, eq=False, repr=False)
class Paths:
    """The path of each user as numbered pairs, rising."""

    items: Items
    offsets: Ints
    cell: Ints
    slot: Ints

    def sequences(self, starts: Ints, items: Items) -> Sequences:
        """Sequences over the same pairs."""
        return Sequences(starts, items, self.cell, self.slot)


@public
def frequent_sequences(
    visits: Visits,
    min_support: int,
    *,
    same_time: SameTime = "refuse",
    limit_s: float = 600,
    limit_gib: float = 2,
) -> list[tuple[Pair, ...]]:
    """The longest sequences of visits that many people share: those worth keeping in a release.

    They are shared by at least min_support people, and no longer sequence is [mohammed2009, Def. 3.2]. Their number
    can explode on long, regular paths; the search then ends at a limit with an error.

    Args:
        visits: The visits; one cell for each person and slot, unless same_time says otherwise.
        min_support: How many people must share a sequence.
        same_time: What becomes of a person in two cells in one slot: refuse such visits, or order the cells by number.
        limit_s: Give up the search after this many seconds.
        limit_gib: Give up the search if it holds more memory than this.

    >>> frequent_sequences(Visits.from_arrays([1, 1, 2, 2, 3], cell=[5, 6, 5, 6, 7], slot=[0, 1, 0, 1, 0]), 2)
    [((5, 0), (6, 1))]
    """
    paths = paths_of(visits, same_time)
    return maximal_frequent(paths, min_support, limit_s=limit_s, limit_gib=limit_gib).to_list()


def maximal_frequent(paths: Paths, min_support: int, *, limit_s: float, limit_gib: float) -> Sequences:
    """Paths -> their maximal frequent sequences, as arrays."""
    check_whole(min_support=min_support)
    limits = watch("the search for frequent sequences", "raise min_support", limit_s, limit_gib)
    return paths.sequences(*kernel("lkc").maximal_sets(paths.items, paths.offsets, min_support, limits))


@public
def violating_sequences(
    visits: Visits,
    l: int,  # noqa: E741
    k: int,
    c: Share = 1.0,
    sensitive: str | None = None,
    values: Collection[Any] | None = None,
    *,
    same_time: SameTime = "refuse",
    limit_s: float = 600,
    limit_gib: float = 2,
) -> list[tuple[Pair, ...]]:
    """The shortest sequences of visits that break LKC-privacy; fewer is safer, and none means that it holds.

    Fewer than k people share such visits, or more than a share c of them have one sensitive value; no part of a
    minimal one does so [mohammed2009, Def. 3.1, 4.1].
    Differs from [mohammed2009, Alg. 1], which runs past l and, from l = 4 on, returns sequences that are not minimal.

    Args:
        visits: The visits; one cell for each person and slot, unless same_time says otherwise.
        l: Most visits of a person that an attacker may know.
        k: People who must share them.
        c: Largest share of these people that may have one sensitive value: a float, a Fraction, or a pair of whole
            numbers.
        sensitive: Name of the sensitive attribute, if there is one.
        values: Sensitive values that count. [default: all]
        same_time: What becomes of a person in two cells in one slot: refuse such visits, or order the cells by number.
        limit_s: Give up the search after this many seconds.
        limit_gib: Give up the search if it holds more memory than this.

    >>> violating_sequences(Visits.from_arrays([1, 1, 2, 3], cell=[5, 6, 5, 6], slot=[0, 1, 0, 1]), l=2, k=2)
    [((5, 0), (6, 1))]
    """
    paths, who = paths_of(visits, same_time), carriers_of(visits, c, sensitive, values)
    return minimal_violating(paths, who, l, k, c, limit_s=limit_s, limit_gib=limit_gib).to_list()


def minimal_violating(
    paths: Paths,
    who: Carriers,
    l: int,  # noqa: E741
    k: int,
    c: Share,
    *,
    limit_s: float,
    limit_gib: float,
) -> Sequences:
    """Paths and who carries what -> their minimal violating sequences, as arrays."""
    check_whole(l=l, k=k)
    l, k = int(l), int(k)  # noqa: E741
    search = kernel("lkc").violating_sets
    limits = watch("the search for violating sequences", "lower l", limit_s, limit_gib)
    allowed = allowed_counts(c, len(paths.offsets) - 1)
    who = heavy(who, allowed, k)
    return paths.sequences(*stacked(search(paths.items, paths.offsets, who.offsets, who.codes, l, k, allowed, limits)))


def paths_of(visits: Visits, same_time: SameTime = "refuse") -> Paths:
    """Number the distinct pairs by slot, then cell; with one cell per slot, a subsequence is a subset.

    [mohammed2009, Sec. 3] orders a path by time alone; `same_time="order"` orders cells within a slot too.
    """
    check_choice("same_time", same_time, get_args(SameTime))
    check_kind("LKC-privacy", visits, Visits)
    if same_time == "refuse":
        _refuse_same_time(visits)
    order = row_order(visits.slot, visits.cell)
    order = np.arange(visits.records) if order is None else order
    cell, slot = visits.cell[order], visits.slot[order]
    first = distinct_rows(slot, cell)
    items = np.empty(visits.records, np.int32)
    items[order] = np.cumsum(first) - 1
    return Paths(items, visits.offsets, cell[first], slot[first])


def _refuse_same_time(visits: Visits) -> None:
    users = np.unique(visits.owner[visits.again])
    if len(users):
        raise DataError(
            f"{len(users):,} users are in two cells in one slot, the first at position {users[0]}; keep one cell per "
            "slot (keep='vote' or shorter slots when discretizing; incrowd discretize --keep vote, --slot-min) or pass "
            "same_time='order' (--same-time order)."
        )


def watch(what: str, advice: str, limit_s: float, limit_gib: float) -> Watch:
    """The limits under which sequences are searched."""
    check_positive(limit_s=limit_s, limit_gib=limit_gib)
    return Watch(what=what, advice=f"{advice}, use coarser cells and slots", limit_s=limit_s, limit_gib=limit_gib)


def stacked(matrices: list[Items]) -> tuple[Ints, Items]:
    """Starts and items of sets given as one matrix per length."""
    sizes = np.concatenate([np.full(len(rows), rows.shape[1]) for rows in matrices])
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), np.concatenate([rows.ravel() for rows in matrices])


def pairs_of(items: Items, cell: Ints, slot: Ints) -> list[Pair]:
    """(cell, slot) of some items."""
    return list(zip(cell[items].tolist(), slot[items].tolist(), strict=True))
