"""Pairs of greatest total among listed candidates by an auction in whole numbers: epsilon scaling, prices that rise."""

from typing import Any, NamedTuple

import numpy as np

from incrowd.arrays import Ints
from incrowd.kernels.cpu import compiled, helper
from incrowd.kernels.reference.matching import NOBODY

STEP = 8  # by which epsilon falls
FIRST = 2048  # the first epsilon is this part of the range of values
ROOM = 2**61  # no value or price grows beyond
ROUNDS = 300  # of the search for prices
HEADROOM = 128  # times the range of values that prices may reach


class Offers(NamedTuple):
    """Candidates of each row; the last column of the market is to go without, of which there are `spare` places."""

    starts: Ints
    column: Ints
    value: Ints
    idle: int  # what it is worth to take one of the places without a partner
    step: int  # what a row raises a price by that has no second choice


class Stock(NamedTuple):
    """Places of each column, the cheapest first (a heap), who holds them, and the place of each row."""

    starts: Ints
    price: Ints
    holder: Ints
    place: Ints  # of each row, -1 for none
    asked: Ints  # of each column, the price of its cheapest place


def assign(starts: Ints, column: Ints, value: Ints, places: Ints, spare: int) -> Ints:
    """The column of each row, -1 for none, of greatest total; within rows / factor of it if so many are too large.

    Some matching of the candidates must fill all places. Rows bid what makes their best column worth as much to them
    as their second best [Bertsekas 1988].
    """
    rows, low, high = len(starts) - 1, int(value.min(initial=0)), int(value.max(initial=0))
    wide = high - low + 1
    factor = max(min(rows + 1, ROOM // (HEADROOM * max(wide, abs(low), abs(high)))), 1)
    offers = Offers(starts, column, value * factor, low * factor, wide * factor)
    sizes = np.append(places, spare)
    ends = np.append(0, np.cumsum(sizes))
    market = Stock(
        ends,
        np.zeros(ends[-1], np.int64),
        np.full(ends[-1], NOBODY),
        np.full(rows, NOBODY),
        np.where(sizes > 0, 0, ROOM),
    )
    epsilon, waiting = max(wide * factor // FIRST, 1), np.empty(rows, np.int64)
    while True:
        _round(offers, market, epsilon, waiting)
        if epsilon == 1:
            break
        epsilon = max(epsilon // STEP, 1)
    chosen = np.repeat(np.arange(len(sizes)), sizes)[market.place]
    return np.where(chosen == len(places), NOBODY, chosen)


def lowest_prices(starts: Ints, column: Ints, value: Ints, chosen: Ints, columns: int) -> Ints:
    """The lowest prices of columns, and of going without, at which nobody prefers another candidate to the chosen one.

    They are longest paths from one column to the next, which exist if the total is the greatest; where it is not
    quite, the search ends after some rounds, and the prices still give a bound. To go without is worth 0.
    """
    prices = np.zeros(columns + 1, np.int64)
    _raise_prices(starts, column, value, chosen, prices)
    return prices


@compiled
def _raise_prices(starts: Ints, column: Ints, value: Ints, chosen: Ints, prices: Ints) -> None:
    columns = len(prices) - 1
    for _ in range(ROUNDS):
        changed = False
        for i in range(len(chosen)):
            own, worth = columns, np.int64(0)
            for k in range(starts[i], starts[i + 1]):
                if column[k] == chosen[i]:
                    own, worth = column[k], value[k]
            base = prices[own] - worth
            if columns != own and base > prices[columns]:
                prices[columns], changed = base, True
            for k in range(starts[i], starts[i + 1]):
                if base + value[k] > prices[column[k]]:
                    prices[column[k]], changed = base + value[k], True
        if not changed:
            break


@compiled
def _round(offers: Offers, market: Stock, epsilon: int, waiting: Ints) -> None:
    """Let everybody bid until everybody has a place within epsilon of the best.

    First whoever is not within the new epsilon lets go, and prices within a column fall.
    """
    for j in range(len(market.asked)):
        asked = market.asked[j]
        for s in range(market.starts[j], market.starts[j + 1]):
            row = market.holder[s]
            if row != NOBODY:
                column, best, second = _choices(offers, market, row)
                # Held at no more than this, the place stays within epsilon of the best, as other prices only rise.
                most = _worth(offers, row, j, len(market.asked) - 1) - (second if column == j else best) + epsilon
                if asked <= most:
                    market.price[s] = min(market.price[s], most)
                    continue
                market.holder[s] = market.place[row] = NOBODY
            market.price[s] = asked
    n = reopened(market, waiting)
    while n > 0:
        n -= 1
        row = waiting[n]
        column, best, second = _choices(offers, market, row)
        loser = sell(market, column, row, market.asked[column] + (best - second) + epsilon)
        if loser != NOBODY:
            waiting[n] = loser
            n += 1


@helper
def _worth(offers: Offers, row: int, column: int, idle: int) -> int:
    if column == idle:
        return int(offers.idle)
    k = offers.starts[row]
    while offers.column[k] != column:
        k += 1
    return int(offers.value[k])


@helper
def _choices(offers: Offers, market: Stock, row: int) -> tuple[int, int, int]:
    """The best column, what is left of its value after the price, and the same of the second best."""
    asked, idle = market.asked, len(market.asked) - 1
    column, best, second = NOBODY, -ROOM, -ROOM
    if market.starts[idle] < market.starts[idle + 1]:
        column, best = idle, offers.idle - asked[idle]
    for k in range(offers.starts[row], offers.starts[row + 1]):
        left = offers.value[k] - asked[offers.column[k]]
        if left > best:
            column, best, second = offers.column[k], left, best
        elif left > second:
            second = left
    return column, best, second if second > -ROOM else best - offers.step


@compiled
def fill(row: Ints, column: Ints, supply: Ints, places: Ints) -> None:
    """Join pairs in this order as far as both have room; what is left of supply and places is left in them."""
    for k in range(len(row)):
        many = min(supply[row[k]], places[column[k]])
        supply[row[k]] -= many
        places[column[k]] -= many


@helper
def reopened(market: Any, waiting: Ints) -> int:
    """Put the places of any such market in order, and list who has none, the last first; how many they are."""
    for j in range(len(market.asked)):
        for s in range(market.starts[j + 1] - 1, market.starts[j] - 1, -1):
            sink(market, market.starts[j], market.starts[j + 1], s)
    n = 0
    for bidder in range(len(market.place) - 1, -1, -1):
        if market.place[bidder] == NOBODY:
            waiting[n] = bidder
            n += 1
    return n


@helper
def sell(market: Any, column: int, bidder: int, price: float) -> int:
    """Give the cheapest place of a column of any such market to a bidder; who had it before, or -1."""
    start, end = market.starts[column], market.starts[column + 1]
    loser: int = market.holder[start]
    if loser != NOBODY:
        market.place[loser] = NOBODY
    market.holder[start], market.price[start], market.place[bidder] = bidder, price, start
    sink(market, start, end, start)
    market.asked[column] = market.price[start]
    return loser


@helper
def sink(market: Any, start: int, end: int, at: int) -> None:
    """Restore the order of the places start:end, of which the one at `at` may have become dearer."""
    price, holder = market.price, market.holder
    while True:
        child = start + 2 * (at - start) + 1
        if child + 1 < end and price[child + 1] < price[child]:
            child += 1
        if child >= end or price[at] <= price[child]:
            return
        price[at], price[child] = price[child], price[at]
        holder[at], holder[child] = holder[child], holder[at]
        for s in (at, child):
            if holder[s] != NOBODY:
                market.place[holder[s]] = s
        at = child
