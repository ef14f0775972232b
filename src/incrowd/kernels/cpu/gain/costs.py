"""Rows of information gains from the cells that two trajectories share."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Floats, Ints, owners
from incrowd.kernels.cpu import compiled, helper
from incrowd.kernels.cpu.uniqueness import inverted
from incrowd.kernels.types import Histograms

Ids = NDArray[np.int32]


class Costs(NamedTuple):
    """Histograms of the rows, columns by cell, and what a pair costs that shares no cell."""

    offsets: Ints  # row i owns cell and times [offsets[i]:offsets[i+1]]
    cell: Ints
    times: Ints
    starts: Ints  # cell k is visited by column[starts[k]:starts[k+1]], so many times
    column: Ids
    column_times: Ids
    h: Floats  # x log2 x
    bits: Floats  # entropy of each row
    length: Ints  # the place of the length of each row among the distinct lengths
    kind: Ints  # class of each column: those of one length and entropy
    even: Floats  # [distinct length, class]: a pair without a shared cell costs even + tilt * bits
    tilt: Floats
    records: Ints  # of both together
    group: Ints  # classes of one length are group[g]:group[g+1]
    least: Floats  # [distinct length, group]: the lowest `even` of the group


def costs_of(a: Histograms, b: Histograms) -> Costs:
    """What it takes to make a row of gains out of shared cells.

    With n = |f| + |g|, s = |f| / n, h(x) = x log2 x and phi(f, g) = h(f+g) - h(f) - h(g), Eq. 4 reads

        H(f+g) = log2 n - (1/n) sum_k h(f_k + g_k)
               = log2 n - (1/n) (sum_k h(f_k) + sum_k h(g_k) + sum_k phi(f_k, g_k))
               = Hb(s) + s H(f) + (1 - s) H(g) - (1/n) sum_k phi(f_k, g_k),
        G      = Hb(s) + (s - 1/2) (H(f) - H(g)) - (1/n) sum_k phi(f_k, g_k),

    as sum_k h(f_k) = |f| (log2 |f| - H(f)), with Hb the entropy of (s, 1 - s). phi is 0 where f or g is, so a pair
    without a shared cell costs Hb(s) + (s - 1/2) (H(f) - H(g)): exactly 1 where all lengths are equal, and otherwise
    a number that depends on the two lengths and entropies alone, which makes the classes of b.
    """
    length, bits = _lengths(a), _entropies(a)
    b_length, b_bits = _lengths(b), _entropies(b)
    lengths, place = np.unique(length, return_inverse=True)
    if len(lengths) == 1 and (b_length == lengths[0]).all():
        b_bits = np.zeros_like(b_bits)  # s = 1/2: one class
    pairs, kind = np.unique(np.column_stack([b_length, b_bits]), axis=0, return_inverse=True)
    n = lengths[:, None] + pairs[:, 0]
    share = np.divide(lengths[:, None], n, out=np.full(n.shape, 0.5), where=n > 0)
    tilt = share - 0.5
    cells = int(max(a.cell.max(initial=-1), b.cell.max(initial=-1))) + 1
    starts, postings = inverted(b.cell, b.offsets, cells)
    even = -(_h(share) + _h(1 - share)) - tilt * pairs[:, 1]
    group = np.flatnonzero(np.diff(pairs[:, 0], prepend=-1.0))
    order = np.argsort(b.cell, kind="stable")
    most = int(a.times.max(initial=0) + b.times.max(initial=0))
    return Costs(
        offsets=a.offsets,
        cell=a.cell,
        times=a.times,
        starts=starts,
        column=postings,
        column_times=b.times[order].astype(np.int32),
        h=_h(np.arange(most + 1)),
        bits=bits,
        length=place.astype(np.int64),
        kind=kind.astype(np.int64).ravel(),
        even=even,
        tilt=tilt,
        records=np.maximum(n, 1).astype(np.int64),
        group=np.append(group, len(pairs)),
        least=np.minimum.reduceat(even, group, axis=1) if len(group) else even,
    )


def _h(x: Ints | Floats) -> Floats:
    return np.asarray(x * np.log2(np.where(x > 0, x, 1)), np.float64)


def _lengths(histograms: Histograms) -> Ints:
    return np.bincount(owners(histograms.offsets), weights=histograms.times, minlength=len(histograms.size)).astype(
        np.int64
    )


def _entropies(histograms: Histograms) -> Floats:
    """Bits of each histogram; those with the same counts in any order come out equal to the last digit."""
    owner = owners(histograms.offsets)
    times = histograms.times[np.lexsort((histograms.times, owner))]
    length = _lengths(histograms)
    total = np.bincount(owner, weights=_h(times), minlength=len(length))
    return np.log2(np.maximum(length, 1)) - total / np.maximum(length, 1)


@helper
def cost(costs: Costs, row: int, kind: int) -> float:
    """The gain of a row with any column of a class that it shares no cell with."""
    at = costs.length[row]
    gain: float = costs.even[at, kind] + costs.tilt[at, kind] * costs.bits[row]
    return gain


@helper
def shared_cost(costs: Costs, row: int, column: int, total: float) -> float:
    """The gain of a row with a column, where phi over the cells they share adds up to the total."""
    kind = 0 if costs.even.shape[1] == 1 else costs.kind[column]
    gain: float = cost(costs, row, kind) - total / costs.records[costs.length[row], kind]
    return gain


def scratch(costs: Costs) -> tuple[Floats, Ids]:
    """Room for `added`: a sum for each column, all 0, and a list of columns."""
    columns = len(costs.kind)
    return np.zeros(columns), np.empty(columns, np.int32)


@helper
def added(costs: Costs, row: int, total: Floats, touched: Ids) -> int:
    """Add phi over shared cells to the total of each column that shares one; how many columns were touched."""
    n = 0
    h = costs.h
    for r in range(costs.offsets[row], costs.offsets[row + 1]):
        k, f = costs.cell[r], costs.times[r]
        for p in range(costs.starts[k], costs.starts[k + 1]):
            j, g = costs.column[p], costs.column_times[p]
            if total[j] == 0:
                touched[n] = j
                n += 1
            total[j] += h[f + g] - h[f] - h[g]  # above 0
    return n


def cheapest(costs: Costs, prices: Floats) -> Floats:
    """The lowest price in each class of columns."""
    lowest = np.full(costs.even.shape[1], np.inf)
    np.minimum.at(lowest, costs.kind, prices[: len(costs.kind)])
    return lowest


def pair_gains(a: Histograms, b: Histograms, rows: Ints, columns: Ints, costs: Costs | None = None) -> Floats:
    """The gain of each pair of histograms named, in bits."""
    gains = np.empty(len(rows))
    _find_gains(costs or costs_of(a, b), b, rows, columns, gains)
    return gains


@compiled
def _find_gains(costs: Costs, b: Histograms, rows: Ints, columns: Ints, gains: Floats) -> None:
    h = costs.h
    for i in range(len(rows)):
        row, j = rows[i], columns[i]
        at, end, total = b.offsets[j], b.offsets[j + 1], 0.0
        for r in range(costs.offsets[row], costs.offsets[row + 1]):
            while at < end and b.cell[at] < costs.cell[r]:
                at += 1
            if at < end and b.cell[at] == costs.cell[r]:
                f, g = costs.times[r], b.times[at]
                total += h[f + g] - h[f] - h[g]
        gains[i] = shared_cost(costs, row, j, total)
