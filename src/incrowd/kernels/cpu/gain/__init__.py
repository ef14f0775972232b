"""The assignment of least information gain by an auction over all pairs, and the bound that certifies it."""

import numpy as np
from numba import njit

from incrowd.arrays import Floats, Ints, owners
from incrowd.kernels.cpu.gain.auction import auction
from incrowd.kernels.cpu.gain.costs import Costs, added, cheapest, cost, scratch, shared_cost
from incrowd.kernels.cpu.uniqueness import inverted
from incrowd.kernels.types import Histograms


def assign(a: Histograms, b: Histograms, costs: Costs | None = None) -> tuple[Ints, Floats]:
    """The histogram of b that each trajectory of a is joined with, -1 for those left over, and the prices found.

    The total is within 1e-9 bits per trajectory of the least; `bound` says how near it is. Here as below, `costs` are
    those of a and b, where they were made before.
    """
    chosen, prices = auction(costs or costs_of(a, b), np.repeat(np.arange(len(a.size)), a.size), _sizes(a, b))
    chosen[chosen == len(b.size)] = -1
    return chosen, prices


def bound(a: Histograms, b: Histograms, prices: Floats, costs: Costs | None = None) -> float:
    """sum_i min_j (c_ij + p_j) - sum_j p_j, which no assignment costs less than, whatever the prices."""
    size = _sizes(a, b)
    paid = size > 0
    least = _least(costs or costs_of(a, b), prices, size[-1] > 0)
    return float((a.size * least).sum() - (size[paid] * prices[paid]).sum())


def _sizes(a: Histograms, b: Histograms) -> Ints:
    return np.append(b.size, a.size.sum() - b.size.sum())


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


@njit(cache=True, nogil=True)
def _least(costs: Costs, prices: Floats, idle: bool) -> Floats:
    """min_j (c_ij + p_j) of each row over all columns; a column that shares nothing is the cheapest of its class."""
    lowest = cheapest(costs, prices)
    total, touched = scratch(costs)
    least = np.empty(len(costs.length))
    for row in range(len(least)):
        value = prices[-1] if idle else np.inf
        for kind in range(len(lowest)):
            # Columns that share a cell cost no more than this, and follow.
            value = min(value, cost(costs, row, kind) + lowest[kind])
        for t in range(added(costs, row, total, touched)):
            j = touched[t]
            value = min(value, shared_cost(costs, row, j, total[j]) + prices[j])
            total[j] = 0
        least[row] = value
    return least


def pair_gains(a: Histograms, b: Histograms, rows: Ints, columns: Ints, costs: Costs | None = None) -> Floats:
    """The gain of each pair of histograms named, in bits."""
    gains: Floats = _pair_gains(costs or costs_of(a, b), b, rows, columns)
    return gains


@njit(cache=True, nogil=True)
def _pair_gains(costs: Costs, b: Histograms, rows: Ints, columns: Ints) -> Floats:
    gains = np.empty(len(rows))
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
    return gains
