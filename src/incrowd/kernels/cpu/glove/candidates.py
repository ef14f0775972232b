"""Lists of the nearest, asked while fingerprints disappear: who is still the nearest, and which pair is next."""

import numpy as np
from numba import njit

from incrowd.arrays import Ints
from incrowd.kernels.cpu.glove.nearest import NEVER, NONE, compare


@njit(cache=True)
def head(row: int, ids: Ints, slot: Ints) -> int:
    """The place of the nearest living id in the list of a row, or the length of the list."""
    take: int = ids.shape[1]
    for at in range(take):
        if ids[row, at] < 0:
            return take
        if slot[ids[row, at]] >= 0:
            return at
    return take


@njit(cache=True)
def pick(active: Ints, slot: Ints, ids: Ints, over: Ints, under: Ints, whole: Ints, least: int) -> tuple[int, int]:
    """The row with the smallest (stretch, lo, hi), and its nearest living id; -1 where it must be scanned first.

    Rows come by rising id, so that the first of equals has the smaller one. A list with nobody alive bounds its row
    by its last entry: whoever is as near has a larger id than that, and one of at least `least`, the smallest of all.
    A list that held everybody has nobody left to find.
    """
    take = ids.shape[1]
    chosen, other, lo, best_over, best_under = NONE, NONE, NONE, NEVER, 1
    for row in active:
        at = head(row, ids, slot)
        if at == take and whole[row]:
            continue
        head_id = NONE if at == take else ids[row, at]
        bound = max(least, ids[row, take - 1] + 1) if at == take else head_id
        place = min(at, take - 1)
        sign = -1 if chosen == NONE else compare(over[row, place], under[row, place], best_over, best_under)
        if sign < 0 or (sign == 0 and bound < lo):
            chosen, other, lo, best_over, best_under = row, head_id, bound, over[row, place], under[row, place]
    return chosen, other


@njit(cache=True)
def heads(active: Ints, slot: Ints, ids: Ints) -> Ints:
    """The nearest living id of each active row; -1 where its list is used up."""
    first = np.full(len(active), NONE)
    for k in range(len(active)):
        at = head(active[k], ids, slot)
        if at < ids.shape[1]:
            first[k] = ids[active[k], at]
    return first
