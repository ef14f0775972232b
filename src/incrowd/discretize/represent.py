"""Records of users in cells and slots -> the visits that stand for them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints, distinct_rows
from incrowd.discretize.slots import Keep


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


def _winners(runs: _CellRuns) -> NDArray[np.bool_]:
    """True at the one run that stands for its user and slot."""
    new = distinct_rows(runs.code, runs.slot)
    starts, group = np.flatnonzero(new), np.cumsum(new) - 1
    if not len(starts):
        return new
    best = runs.size == np.maximum.reduceat(runs.size, starts)[group]
    rank = np.arange(len(best)) if runs.first is None else runs.first  # runs of a group are by cell
    rank = np.where(best, rank, np.iinfo(np.int64).max)
    won: NDArray[np.bool_] = rank == np.minimum.reduceat(rank, starts)[group]
    return won
