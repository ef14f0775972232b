import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from incrowd.kernels.cpu.matching import assign as compiled
from incrowd.kernels.cpu.matching import fill, lowest_prices
from incrowd.kernels.reference.matching import assign as plain


def listed(rows):
    """One list of (column, value) for each row."""
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    flat = np.array([pair for row in rows for pair in row], np.int64).reshape(-1, 2)
    return starts, flat[:, 0].copy(), flat[:, 1].copy()


def total(rows, chosen):
    return sum(dict(row).get(int(j), 0) for row, j in zip(rows, chosen, strict=True))


def test_the_greatest_total_is_not_the_best_of_each():
    """Both rows like column 0 best; row 1 loses 9 without it, row 0 only 1."""
    rows = [[(0, 10), (1, 9)], [(0, 10), (1, 1)]]
    for assign in (plain, compiled):
        assert assign(*listed(rows), np.array([1, 1]), 0).tolist() == [1, 0]


def test_surplus_rows_go_without():
    rows = [[(0, 5)], [(0, 7)], [(1, 1)]]
    assert compiled(*listed(rows), np.array([1, 1]), 1).tolist() == [-1, 0, 1]
    assert compiled(*listed([[(0, 5)], [(0, 7)], [(0, 6)]]), np.array([2]), 1).tolist() == [-1, 0, 0]


@st.composite
def markets(draw):
    columns = draw(st.integers(1, 5))
    places = draw(st.lists(st.integers(1, 2), min_size=columns, max_size=columns))
    spare = draw(st.integers(0, 2))
    value = st.integers(-(2**40), 2**40) if draw(st.booleans()) else st.integers(-2, 2)
    full = st.lists(value, min_size=columns, max_size=columns).map(lambda row: list(enumerate(row)))
    rows = draw(st.lists(full, min_size=sum(places) + spare, max_size=sum(places) + spare))
    some = draw(st.sets(st.integers(0, columns - 1)))
    own = [*np.repeat(np.arange(columns), places), *[0] * spare]  # one matching stays possible
    rows = [[pair for pair in row if pair[0] in some or pair[0] == j] for row, j in zip(rows, own, strict=True)]
    return rows, np.array(places), spare


@settings(deadline=None, max_examples=150)
@given(markets())
def test_compiled_is_as_good_as_plain_and_proves_it(market):
    rows, places, spare = market
    one, other = plain(*listed(rows), places, spare), compiled(*listed(rows), places, spare)
    assert total(rows, one) == total(rows, other)
    assert (np.bincount(other[other >= 0], minlength=len(places)) == places).all()
    prices = lowest_prices(*listed(rows), other, len(places)).tolist()
    offers = [max([v - prices[j] for j, v in row] + ([-prices[-1]] if spare else [])) for row in rows]
    paid = int((places * np.array(prices[:-1])).sum()) + spare * prices[-1]
    assert sum(offers) + paid == total(rows, other)


def test_large_values_shrink_the_factor_and_still_nearly_match():
    rng = np.random.default_rng(0)
    value = rng.integers(-(2**52), 2**52, (40, 40))
    rows = [list(enumerate(row.tolist())) for row in value]
    chosen = compiled(*listed(rows), np.ones(40, np.int64), 0)
    best = value[linear_sum_assignment(value.astype(float), maximize=True)].sum()
    assert total(rows, chosen) == pytest.approx(int(best), abs=40)


def test_pairs_are_joined_in_order_as_far_as_there_is_room():
    supply, places = np.array([2, 1]), np.array([1, 3])
    fill(np.array([0, 1, 0]), np.array([0, 0, 1]), supply, places)
    assert supply.tolist() == [0, 1] and places.tolist() == [0, 2]
