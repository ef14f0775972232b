"""Recovered trajectories -> the original each is compared with: similarities from lists of who was where."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Ints
from incrowd.kernels.cpu import compiled, helper
from incrowd.kernels.types import Cells
from incrowd.threads import in_blocks

TAKE = 8  # candidates kept for a trajectory
BLOCK = 4096  # trajectories whose lists are made in one go
NONE = -1

Ids = NDArray[np.int32]
Flags = NDArray[np.bool_]


class Where(NamedTuple):
    """Who was in cell c in slot t, present[starts[t, c]:starts[t, c + 1]], and who came there after slot 0.

    A trajectory that stays meets those present at first, then those who come; nobody is met in every slot anew.
    """

    starts: Ints
    present: Ids  # [., 2]: the user, and the slot in which it is elsewhere again
    came: Ints  # whoever came to c in slots t to u - 1 is arrived[came[c, t]:came[c, u]]
    arrived: Ids  # [., 3]: the user, the slot in which it came, and the one in which it is elsewhere again


class MostSimilar(NamedTuple):
    """The most similar originals of each trajectory, the lowest first among equals; `more` where there were others."""

    original: Ids  # [user, TAKE], -1 after the last
    slots: Ids
    more: Flags


def similarity(z: Cells, y: Cells) -> Ints:
    """How many slots each trajectory of z spends in the same cell as each of y."""
    shared: Ints = _similarity(*_where_and_rows(z, y))
    return shared


def pair_globally(z: Cells, y: Cells) -> Ints:
    """The original of each recovered trajectory: again and again the most similar pair among those left.

    Ties go to the lowest (recovered, original); what is similar to nobody is paired in order.
    """
    return _rest_in_order(_pair_globally(*_prepared(z, y)))


def pair_in_order(z: Cells, y: Cells) -> Ints:
    """Each recovered trajectory in turn takes the most similar original left; ties to the lowest."""
    match: Ints = _pair_in_order(*_prepared(z, y))
    return match


def _prepared(z: Cells, y: Cells) -> tuple[Where, Ids, MostSimilar]:
    where, rows = _where_and_rows(z, y)
    users = len(rows)
    lists = MostSimilar(np.empty((users, TAKE), np.int32), np.empty((users, TAKE), np.int32), np.zeros(users, np.bool_))
    in_blocks(lambda part: _list(where, rows, lists, part.start, part.stop), users, block=BLOCK)
    return where, rows, lists


def _where_and_rows(z: Cells, y: Cells) -> tuple[Where, Ids]:
    cells = int(max(z.max(initial=0), y.max(initial=0))) + 1
    return _where(np.ascontiguousarray(y.T, np.int32), cells), np.ascontiguousarray(z, np.int32)


def _rest_in_order(match: Ints) -> Ints:
    match[match < 0] = np.setdiff1d(np.arange(len(match)), match)
    return match


@compiled
def _where(y: Ids, cells: int) -> Where:
    """By counting sort, the last slot first; y holds a row per slot."""
    slots, users = y.shape
    starts, came = _ends(y, cells)
    present, arrived = np.empty((slots * users, 2), np.int32), np.empty((came[-1, -1], 3), np.int32)
    leaves = np.full(users, slots, np.int32)
    for t in range(slots - 1, -1, -1):
        for j in range(users - 1, -1, -1):  # lists are filled from behind, so that ends become starts
            c = y[t, j]
            starts[t, c] -= 1
            present[starts[t, c], 0], present[starts[t, c], 1] = j, leaves[j]
            if t > 0 and y[t - 1, j] != c:
                came[c, t] -= 1
                at = came[c, t]
                arrived[at, 0], arrived[at, 1], arrived[at, 2] = j, t, leaves[j]
                leaves[j] = t
    return Where(starts, present, came, arrived)


@helper
def _ends(y: Ids, cells: int) -> tuple[Ints, Ints]:
    """Where the list of each slot and cell ends, and that of each cell and slot."""
    slots, users = y.shape
    starts, came = np.zeros((slots, cells + 1), np.int64), np.zeros((cells, slots + 1), np.int64)
    for t in range(slots):
        for j in range(users):
            starts[t, y[t, j]] += 1
            came[y[t, j], t] += t > 0 and y[t - 1, j] != y[t, j]
        starts[t] = t * users + np.cumsum(starts[t])
    total = 0
    for c in range(cells):
        came[c] = total + np.cumsum(came[c])
        total = came[c, slots]
    return starts, came


@compiled
def _list(where: Where, z: Ids, lists: MostSimilar, first: int, last: int) -> None:
    """Make the lists of some trajectories while everybody is free."""
    users = len(z)
    taken, count, touched = np.zeros(users, np.bool_), np.zeros(users, np.int32), np.empty(users, np.int32)
    for i in range(first, last):
        _renew(where, z, lists, i, taken, count, touched)


@helper
def _renew(where: Where, z: Ids, lists: MostSimilar, i: int, taken: Flags, count: Ids, touched: Ids) -> None:
    """List the free originals most similar to trajectory i; count is 0 before and after."""
    n = _count(where, z[i], count, touched)
    _keep_best(lists, i, taken, count, touched[:n])


@helper
def _count(where: Where, row: Ids, count: Ids, touched: Ids) -> int:
    """Add up the slots that each original shares with a trajectory; how many originals were touched."""
    n, t = 0, 0
    while t < len(row):
        c, leaves = row[t], t + 1
        while leaves < len(row) and row[leaves] == c:
            leaves += 1
        for p in range(where.starts[t, c], where.starts[t, c + 1]):
            n = _met(where.present[p, 0], min(leaves, where.present[p, 1]) - t, count, touched, n)
        for p in range(where.came[c, t + 1], where.came[c, leaves]):
            n = _met(where.arrived[p, 0], min(leaves, where.arrived[p, 2]) - where.arrived[p, 1], count, touched, n)
        t = leaves
    return n


@helper
def _met(j: int, slots: int, count: Ids, touched: Ids, n: int) -> int:
    """Add slots to the count of an original, which is noted if it is a new one."""
    if count[j] == 0:
        touched[n] = j
        n += 1
    count[j] += slots
    return n


@compiled
def _similarity(where: Where, z: Ids) -> Ints:
    users = len(z)
    shared, count, touched = np.zeros((users, users), np.int64), np.zeros(users, np.int32), np.empty(users, np.int32)
    for i in range(users):
        for j in touched[: _count(where, z[i], count, touched)]:
            shared[i, j], count[j] = count[j], 0
    return shared


@helper
def _keep_best(lists: MostSimilar, i: int, taken: Flags, count: Ids, touched: Ids) -> None:
    original, slots = lists.original[i], lists.slots[i]
    original[:], slots[:] = NONE, 0
    lists.more[i] = False
    last = len(slots) - 1
    for j in touched:
        same = count[j]
        count[j] = 0
        if taken[j]:
            continue
        lists.more[i] |= slots[last] > 0
        if same < slots[last] or (same == slots[last] and j > original[last]):
            continue
        at = last
        while at > 0 and (same > slots[at - 1] or (same == slots[at - 1] and j < original[at - 1])):
            original[at], slots[at] = original[at - 1], slots[at - 1]
            at -= 1
        original[at], slots[at] = j, same


@helper
def _best(where: Where, z: Ids, lists: MostSimilar, i: int, taken: Flags, count: Ids, touched: Ids) -> tuple[int, int]:
    """The free original most similar to trajectory i, and in how many slots; -1 and 0 for none."""
    while True:
        for at in range(lists.original.shape[1]):
            j = lists.original[i, at]
            if j == NONE:
                return NONE, 0
            if not taken[j]:
                return j, lists.slots[i, at]
        if not lists.more[i]:
            return NONE, 0
        _renew(where, z, lists, i, taken, count, touched)


@compiled
def _pair_globally(where: Where, z: Ids, lists: MostSimilar) -> Ints:
    """From the highest similarity down: whoever finds its best taken comes again at what is left to it."""
    users, slots = z.shape
    taken, count, touched = np.zeros(users, np.bool_), np.zeros(users, np.int32), np.empty(users, np.int32)
    match, reach = np.full(users, NONE), lists.slots[:, 0].copy()
    for same in range(slots, 0, -1):
        for i in range(users):
            if reach[i] != same:
                continue
            j, reach[i] = _best(where, z, lists, i, taken, count, touched)
            if reach[i] == same:
                match[i], taken[j], reach[i] = j, True, 0
    return match


@compiled
def _pair_in_order(where: Where, z: Ids, lists: MostSimilar) -> Ints:
    users = len(z)
    taken, count, touched = np.zeros(users, np.bool_), np.zeros(users, np.int32), np.empty(users, np.int32)
    match, lowest = np.full(users, NONE), 0
    for i in range(users):
        j, _ = _best(where, z, lists, i, taken, count, touched)
        while taken[lowest]:
            lowest += 1
        match[i] = lowest if j == NONE else j
        taken[match[i]] = True
    return match
