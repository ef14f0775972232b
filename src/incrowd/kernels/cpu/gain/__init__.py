"""The assignment of least information gain by an auction over all pairs, and the bound that certifies it.

Epsilon is scaled, and lists of candidates stay exact as prices rise.
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Floats, Ints
from incrowd.kernels.cpu import compiled, helper
from incrowd.kernels.cpu.gain.costs import (
    Costs,
    Ids,
    added,
    cheapest,
    cost,
    costs_of,
    pair_gains,
    scratch,
    shared_cost,
)
from incrowd.kernels.cpu.matching import reopened, sell
from incrowd.kernels.reference.matching import NOBODY
from incrowd.kernels.types import Histograms

__all__ = ["assign", "bound", "costs_of", "pair_gains"]

FIRST, LAST, STEP = 0.002, 1e-9, 8.0  # bits: how far from its best a row may be, at first, in the end, and between
TAKE = 24  # candidates kept for a row, 2 at least


class CheapestColumns(NamedTuple):
    """The cheapest columns of each row when its list was made; those off it that share a cell cost `rest` or more."""

    size: Ints
    column: Ids  # [row, TAKE]
    cost: Floats
    value: Floats  # cost and price at that time, in rising order
    rest: Floats
    total: Floats  # room for one row of costs
    touched: Ids


class Market(NamedTuple):
    """Columns for sale: as many places as trajectories have the histogram, the cheapest place first (a heap)."""

    starts: Ints
    price: Floats  # of each place
    holder: Ints  # who has it, or -1
    place: Ints  # of each bidder, or -1
    spent: Floats  # what the column costs the bidder who has it, without its price
    asked: Floats  # of each column, the price of its first place; the last one is to stay alone
    first: Ints  # columns of class k are ranked[first[k]:first[k+1]], a heap by `known`
    ranked: Ints
    known: Floats  # a price of the column at some time, so no more than now
    lowest: Floats  # no class of a group of classes had a lower price at some time


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
    costs, least = costs or costs_of(a, b), np.empty(len(a.size))
    _find_least(
        costs, prices, cheapest(costs, prices), float(prices[-1] if size[-1] > 0 else np.inf), *scratch(costs), least
    )
    return float((a.size * least).sum() - (size[paid] * prices[paid]).sum())


def _sizes(a: Histograms, b: Histograms) -> Ints:
    return np.append(b.size, a.size.sum() - b.size.sum())


@compiled
def _find_least(
    costs: Costs, prices: Floats, lowest: Floats, alone: float, total: Floats, touched: Ids, least: Floats
) -> None:
    """min_j (c_ij + p_j) of each row over all columns; a column that shares nothing is the cheapest of its class."""
    for row in range(len(least)):
        value = alone
        for kind in range(len(lowest)):
            # Columns that share a cell cost no more than this, and follow.
            value = min(value, cost(costs, row, kind) + lowest[kind])
        for t in range(added(costs, row, total, touched)):
            j = touched[t]
            value = min(value, shared_cost(costs, row, j, total[j]) + prices[j])
            total[j] = 0
        least[row] = value


def auction(costs: Costs, rows: Ints, size: Ints) -> tuple[Ints, Floats]:
    """The column of each bidder, where bidder i has the costs of rows[i], and the price of each column.

    Bidders go for what is cheapest to them, price included, and pay what makes it as dear as their second choice,
    and epsilon [Bertsekas 1988; with equal objects, Bertsekas and Castanon 1989]. Prices only rise, so a list of
    candidates stays exact as long as the best on it is no dearer than those left off were.
    """
    market = _opened(costs, len(rows), size)
    lists = _lists(costs)
    epsilon, waiting = FIRST, np.empty(len(rows), np.int64)
    while True:
        _round(costs, rows, market, lists, epsilon, waiting)
        if epsilon <= LAST:
            break
        epsilon = max(epsilon / STEP, LAST)
    column = np.repeat(np.arange(len(size)), size)[market.place]
    return column, market.asked


def _opened(costs: Costs, bidders: int, size: Ints) -> Market:
    starts = np.concatenate([[0], np.cumsum(size)])
    ranked = np.argsort(costs.kind, kind="stable")
    first = np.searchsorted(costs.kind[ranked], np.arange(costs.even.shape[1] + 1))
    asked = np.zeros(len(size))
    asked[size == 0] = np.inf  # nobody may stay alone
    return Market(
        starts,
        np.zeros(bidders),
        np.full(bidders, NOBODY),
        np.full(bidders, NOBODY),
        np.zeros(bidders),
        asked,
        first,
        ranked,
        np.zeros(len(ranked)),
        np.zeros(len(costs.group) - 1),
    )


def _lists(costs: Costs) -> CheapestColumns:
    rows = len(costs.bits)
    return CheapestColumns(
        np.zeros(rows, np.int64),
        np.empty((rows, TAKE), np.int32),
        np.empty((rows, TAKE)),
        np.empty((rows, TAKE)),
        np.full(rows, -np.inf),
        *scratch(costs),
    )


@compiled
def _round(costs: Costs, rows: Ints, market: Market, lists: CheapestColumns, epsilon: float, waiting: Ints) -> None:
    """Let everybody bid until everybody has a place within epsilon of the best.

    First whoever is not within the new epsilon lets go, and prices within a column fall.
    """
    for j in range(len(market.asked)):
        asked = market.asked[j]
        for s in range(market.starts[j], market.starts[j + 1]):
            bidder = market.holder[s]
            if bidder != NOBODY:
                column, _, best, second = _choices(costs, rows[bidder], market, lists)
                # Held at no more than this, the place stays within epsilon of the best, as other prices only rise.
                most = (second if column == j else best) + epsilon - market.spent[bidder]
                if asked <= most:
                    market.price[s] = min(market.price[s], most)
                    continue
                market.holder[s] = market.place[bidder] = NOBODY
            market.price[s] = asked
    n = reopened(market, waiting)
    while n > 0:
        n -= 1
        bidder = waiting[n]
        column, spent, best, second = _choices(costs, rows[bidder], market, lists)
        market.spent[bidder] = spent
        loser = sell(market, column, bidder, market.asked[column] + (second - best) + epsilon)
        if loser != NOBODY:
            waiting[n] = loser
            n += 1


@helper
def _choices(costs: Costs, row: int, market: Market, lists: CheapestColumns) -> tuple[int, float, float, float]:
    """The best column, its cost, its value, and the value of the second best, which may be too low but not too high."""
    while True:
        column, spent, best, second = _compared(costs, row, market, lists)
        rest = lists.rest[row]
        # Where the best is well below all that was left off, a bid up to there will do for now.
        if best <= rest and (second <= rest or best < rest):
            second = min(second, rest)
            return column, spent, best, second if second < np.inf else best  # there may be one column only
        _renew(costs, row, market, lists)


@helper
def _compared(costs: Costs, row: int, market: Market, lists: CheapestColumns) -> tuple[int, float, float, float]:
    """The best and the second best of the list, of staying alone, and of the two cheapest columns of each class."""
    asked = market.asked
    column, spent, best, second = len(asked) - 1, 0.0, asked[-1], np.inf
    for at in range(lists.size[row]):
        if lists.value[row, at] >= second:
            break  # it has not become cheaper, nor have those that follow
        value = lists.cost[row, at] + asked[lists.column[row, at]]
        if value < best:
            column, spent, best, second = lists.column[row, at], lists.cost[row, at], value, best
        elif value < second:
            second = value
    here = costs.length[row]
    for group in range(len(market.lowest)):
        first, last = costs.group[group], costs.group[group + 1]
        # Classes of one length have one tilt, and addition is monotone: no class of the group is cheaper than this.
        if costs.least[here, group] + costs.tilt[here, first] * costs.bits[row] + market.lowest[group] >= second:
            continue
        lowest = np.inf
        for kind in range(first, last):
            column, spent, best, second = _apart(costs, row, kind, market, column, spent, best, second)
            lowest = min(lowest, market.known[market.first[kind]])
        market.lowest[group] = lowest
    return column, spent, best, second


@helper
def _apart(
    costs: Costs, row: int, kind: int, market: Market, column: int, spent: float, best: float, second: float
) -> tuple[int, float, float, float]:
    """The best and the second best so far, and of the two cheapest columns of a class."""
    start, end = market.first[kind], market.first[kind + 1]
    apart = cost(costs, row, kind)
    if apart + market.known[start] >= second:
        return column, spent, best, second
    _refresh(market, start, end, start)
    for at in range(start, min(start + 3, end)):
        # Of three in a heap, the second and the third are the next two, in either order.
        if at > start:
            if apart + market.known[at] >= second:
                continue
            _refresh(market, start, end, at)
        j, value = market.ranked[at], apart + market.known[at]
        if value < best and j != column:
            column, spent, best, second = j, apart, value, best
        elif value < second and j != column:
            second = value
    return column, spent, best, second


@helper
def _refresh(market: Market, start: int, end: int, at: int) -> None:
    """Sink columns of a class, start:end, until the one at `at` is known by its price of now."""
    ranked, known = market.ranked, market.known
    while known[at] < market.asked[ranked[at]]:
        known[at] = market.asked[ranked[at]]
        here = at
        while True:
            child = start + 2 * (here - start) + 1
            if child + 1 < end and known[child + 1] < known[child]:
                child += 1
            if child >= end or known[here] <= known[child]:
                break
            ranked[here], ranked[child] = ranked[child], ranked[here]
            known[here], known[child] = known[child], known[here]
            here = child


@helper
def _renew(costs: Costs, row: int, market: Market, lists: CheapestColumns) -> None:
    """List the columns of least cost and price that share a cell with the row, the cheapest first."""
    column, spent, value = lists.column[row], lists.cost[row], lists.value[row]
    size, rest, last = 0, np.inf, len(column) - 1
    for t in range(added(costs, row, lists.total, lists.touched)):
        j = lists.touched[t]
        here = shared_cost(costs, row, j, lists.total[j])
        lists.total[j] = 0
        now = here + market.asked[j]
        if size <= last:
            size += 1
        else:
            rest = min(rest, max(now, value[last]))
            if now >= value[last]:
                continue
        at = size - 1
        while at > 0 and value[at - 1] > now:
            column[at], spent[at], value[at] = column[at - 1], spent[at - 1], value[at - 1]
            at -= 1
        column[at], spent[at], value[at] = j, here, now
    lists.size[row], lists.rest[row] = size, rest
