"""The loop behind every discretizer: pieces of whole users -> the rows of one table, each record accounted for."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Flags, Floats, Ints, Labels, distinct_rows, narrow, numbered
from incrowd.data import Traces, Visits
from incrowd.data.table import Attributes, kept_attributes
from incrowd.data.traces import AT_ZERO
from incrowd.discretize.bounds import Bounds
from incrowd.discretize.slots import Clock, Keep
from incrowd.errors import DataError
from incrowd.ledger import Ledger
from incrowd.progress import tell
from incrowd.read._parts import Parts
from incrowd.read.checks import warn_of_zero

NOWHERE = -1
EARLY, LATE = "before the start", "after the end"  # reasons in ledgers
SAME, MINORITY = "same cell and slot", "minority cell in its time slot"


class Located(NamedTuple):
    """The cell of each record, or NOWHERE; `codes` turns cells of this piece into names that hold for all pieces."""

    cell: Ints
    codes: Callable[[Ints], Ints] | None = None


Locate = Callable[[Traces], Located]
Whole = NDArray[np.integer[Any]]  # of 32 or 64 bits
Fill = Callable[[Ints, Whole, Whole], Whole]  # (visits per user, slot, cell) -> one cell per user and slot


@dataclass(frozen=True)
class Rows:
    """Visits of all pieces; `cell` counts the sorted `codes` if there are any."""

    users: Labels
    offsets: Ints
    cell: Ints
    slot: Ints
    codes: Ints
    attributes: Attributes
    ledger: Ledger

    def visits(self, clock: Clock, xy: Floats, crs: str | None) -> Visits:
        """As Visits on this clock."""
        rows = self.users, self.offsets, self.cell, self.slot
        return Visits(
            *rows, xy, clock.slot_min, clock.start, crs, self.attributes, self.ledger, time_zone=clock.time_zone
        )


def collect(
    data: Parts,
    locate: Locate,
    clock: Clock,
    *,
    step: str,
    keep: Keep = "set",
    outside: str = "outside",
    slots: int | None = None,
    fill: Fill | None = None,
    bounds: Bounds | None = None,
) -> Rows:
    """Locate, represent and gather all pieces; records before slot 0, from `slots` on and NOWHERE are counted out.

    Records at (0, 0) stay, with a warning, unless `bounds` decide the size of cells: then `bounds.keep_zero` decides.
    """
    pieces: list[Piece] = []
    total = Losses(lost=dict.fromkeys((AT_ZERO, EARLY, LATE, outside, SAME, MINORITY), 0))
    for positions, traces in data:
        tell(f"discretizing ({step})", total.read, data.records)
        keep_zero = bounds is None or bounds.keep_zero
        piece, losses = discretized(
            positions, traces, locate, clock, keep=keep, outside=outside, slots=slots, keep_zero=keep_zero
        )
        pieces.append(piece)
        total.add(losses)
    tell(f"discretizing ({step})", total.read, data.records)
    if bounds is None:
        warn_of_zero(total.zeros)
    else:
        bounds.warn(at_zero=total.zeros, outside=total.lost[outside])
    visits = sum(len(piece.cell) for piece in pieces)
    total.check_left(visits)
    if fill is not None and slots is not None:
        pieces = [piece.filled(fill, slots) for piece in pieces]
    created = sum(len(piece.cell) for piece in pieces) - visits
    return _joined(data, pieces, step, total, {"interpolated": created} if fill else {})


@dataclass
class Losses:
    """What becomes of the records of some pieces that are no visit of their own; those of pieces add up."""

    lost: dict[str, int] = field(default_factory=dict)
    read: int = 0
    zeros: int = 0  # records at (0, 0), lost or not

    def add(self, other: "Losses") -> None:
        """Count those of other pieces too."""
        self.lost = {reason: self.lost.get(reason, 0) + other.lost.get(reason, 0) for reason in self.lost | other.lost}
        self.read, self.zeros = self.read + other.read, self.zeros + other.zeros

    def check_left(self, visits: int) -> None:
        """Refuse data of which nothing is left."""
        if not visits:
            reasons = ", ".join(f"{n:,} {reason}" for reason, n in self.lost.items() if n)
            raise DataError(f"no record is left ({reasons}); check start and the places given.")

    def ledger(
        self, before: Ledger, step: str, *, kept: int, users: tuple[int, int], created: dict[str, int] | None = None
    ) -> Ledger:
        """The ledger with this step."""
        dropped = {reason: n for reason, n in self.lost.items() if n}
        return before.add(step, read=self.read, kept=kept, dropped=dropped, created=created or {}, users=users)


def discretized(
    positions: Ints,
    traces: Traces,
    locate: Locate,
    clock: Clock,
    *,
    keep: Keep = "set",
    outside: str = "outside",
    slots: int | None = None,
    keep_zero: bool = True,
) -> "tuple[Piece, Losses]":
    """The visits of the users of one piece, at their positions, and the records that are none."""
    where, slot, code = locate(traces), clock(traces.t), traces.owner
    zero, cell = traces.at_zero, where.cell
    losses = Losses(dict.fromkeys((AT_ZERO, EARLY, LATE, outside), 0), traces.records, int(zero.sum()))
    if keep_zero:
        zero[:] = False
    late = slot >= slots if slots is not None else np.False_
    reasons = {AT_ZERO: zero, EARLY: slot < 0, LATE: late, outside: cell == NOWHERE}
    inside = _inside(reasons, losses.lost)
    if not inside.all():
        code, slot, cell = code[inside], slot[inside], cell[inside]
    chosen = represent(code, slot, cell, keep)
    losses.lost |= {SAME: chosen.same, MINORITY: chosen.minority}
    return Piece.of(positions, chosen.code, chosen.slot, chosen.cell, where.codes), losses


def _inside(reasons: dict[str, Flags], lost: dict[str, int]) -> Flags:
    """Which records no reason holds for; the others are counted once each, by the first that does."""
    inside = np.ones(len(next(iter(reasons.values()))), np.bool_)
    for reason, out in reasons.items():
        out = out & inside
        lost[reason] += int(out.sum())
        inside &= ~out
    return inside


@dataclass(frozen=True)
class Piece:
    """Visits of some users; in 32 bits if they suffice, as every piece waits for the last."""

    positions: Ints
    counts: Ints  # visits of each user
    cell: Whole
    slot: Whole
    codes: Ints  # what each cell stands for, empty when cells stand for themselves

    @classmethod
    def of(cls, positions: Ints, code: Ints, slot: Ints, cell: Ints, codes: Callable[[Ints], Ints] | None) -> "Piece":
        """From visits by user, slot and cell, as `represent` has them."""
        counts = np.bincount(code, minlength=len(positions))
        names = cell[:0]
        if codes is not None:
            distinct, cell = numbered(cell)
            names = codes(distinct)
        return cls(positions, counts, narrow(cell), narrow(slot), names)

    def filled(self, fill: Fill, slots: int) -> "Piece":
        """One visit for every user and slot."""
        there = self.counts > 0
        cell = fill(self.counts[there], self.slot, self.cell)
        slot = np.tile(np.arange(slots, dtype=np.int32), int(there.sum()))
        return replace(self, counts=np.where(there, slots, 0), cell=narrow(cell), slot=slot)


def _joined(data: Parts, pieces: list[Piece], step: str, losses: Losses, created: dict[str, int]) -> Rows:
    """One table in the order of the users of the source; users with no visit leave."""
    counts = np.zeros(len(data.users), np.int64)
    for piece in pieces:
        counts[piece.positions] = piece.counts
    ends = np.cumsum(counts)
    codes = np.unique(np.concatenate([piece.codes for piece in pieces]))
    cell, slot = np.empty(ends[-1], np.int64), np.empty(ends[-1], np.int64)
    for piece in _emptied(pieces):
        rows = _rows_of(piece, ends - counts)
        cell[rows] = np.searchsorted(codes, piece.codes)[piece.cell] if len(codes) else piece.cell
        slot[rows] = piece.slot
    stay = counts > 0
    offsets = np.concatenate([[0], ends[stay]])
    users = (len(counts), int(stay.sum()))
    ledger = losses.ledger(data.ledger, step, kept=len(cell), users=users, created=created)
    return Rows(data.users[stay], offsets, cell, slot, codes, kept_attributes(data.attributes, stay), ledger)


def _emptied(pieces: list[Piece]) -> Iterator[Piece]:
    """Each piece once, dropped before the next: pieces and table are never in memory together."""
    pieces.reverse()
    while pieces:
        yield pieces.pop()


def _rows_of(piece: Piece, begins: Ints) -> slice | Ints:
    """Where the rows of a piece go: one run when its users are neighbours, else row by row."""
    positions, counts = piece.positions, piece.counts
    if (np.diff(positions) == 1).all():
        begin = int(begins[positions[0]])
        return slice(begin, begin + len(piece.cell))
    local = np.cumsum(counts) - counts
    return np.repeat(begins[positions] - local, counts) + np.arange(len(piece.cell))


class Chosen(NamedTuple):
    """Visits by user, slot and cell, and how many records they left behind."""

    code: Ints
    slot: Ints
    cell: Ints
    same: int  # records in the cell and slot of a visit that stands for them
    minority: int  # records in another cell than the one that won their slot


def represent(code: Ints, slot: Ints, cell: Ints, keep: Keep) -> Chosen:
    """Visits of records in time order; all three columns count from 0.

    "set": every cell of a slot. "vote": the cell with most records, ties to the smallest id; "vote_first": ties to
    the cell of the earliest record [tan2017, Sec. 4.5].
    """
    runs = _runs(code, slot, cell, firsts=keep == "vote_first")
    if keep == "set":
        return Chosen(runs.code, runs.slot, runs.cell, len(code) - len(runs.code), 0)
    won = _winners(runs)
    voters = int(runs.size[won].sum())
    winners = (runs.code[won], runs.slot[won], runs.cell[won])
    return Chosen(*winners, same=voters - len(winners[0]), minority=len(code) - voters)


class _CellRuns(NamedTuple):
    code: Ints
    slot: Ints
    cell: Ints
    size: Ints  # records in each run of equal (code, slot, cell)
    first: Ints | None  # row of the earliest of them


def _runs(code: Ints, slot: Ints, cell: Ints, *, firsts: bool) -> _CellRuns:
    records = len(code)
    below = _bits(cell)
    middle = _bits(slot)
    order = None
    if _bits(code) + middle + below > 63:
        order = np.lexsort((cell, slot, code))
        columns = code[order], slot[order], cell[order]
        starts = np.flatnonzero(distinct_rows(*columns))
        code, slot, cell = (column[starts] for column in columns)
    else:
        # One integer sorts like the three; the records are nearly in order, which a stable sort is quick at.
        packed = (((code << middle) | slot) << below) | cell
        if firsts:
            order = np.argsort(packed, kind="stable")
            packed = packed[order]
        else:
            packed.sort(kind="stable")
        starts = np.flatnonzero(distinct_rows(packed))
        packed = packed[starts]
        cell = packed & ((1 << below) - 1)
        packed >>= below
        code, slot = packed >> middle, packed & ((1 << middle) - 1)
    size = np.diff(starts, append=records)
    return _CellRuns(code, slot, cell, size, order[starts] if firsts and order is not None else None)


def _bits(column: Ints) -> int:
    return int(column.max(initial=0)).bit_length()


def _winners(runs: _CellRuns) -> Flags:
    """True at the one run that stands for its user and slot."""
    new = distinct_rows(runs.code, runs.slot)
    starts, group = np.flatnonzero(new), np.cumsum(new) - 1
    if not len(starts):
        return new
    best = runs.size == np.maximum.reduceat(runs.size, starts)[group]
    rank = np.arange(len(best)) if runs.first is None else runs.first  # runs of a group are by cell
    rank = np.where(best, rank, np.iinfo(np.int64).max)
    won: Flags = rank == np.minimum.reduceat(rank, starts)[group]
    return won
