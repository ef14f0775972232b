import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from incrowd.attack.gain import match_by_gain
from incrowd.attack.recover import link_days
from incrowd.errors import DataError
from incrowd.kernels.reference.gain import entropy


def letters(*rows):
    return np.array([[ord(c) - ord("a") for c in row] for row in rows])


def gain_table(a, b, cells):
    """Eq. 4 for each trajectory of a and of b."""
    f, g = ([np.bincount(row, minlength=cells) for row in side] for side in (a, b))
    return np.array([[entropy(x + y) - (entropy(x) + entropy(y)) / 2 for y in g] for x in f])


def bags(rows):
    return np.append(0, np.cumsum([len(row) for row in rows])), np.concatenate(rows)


def test_linking_the_identical_first_is_not_optimal():
    linked = link_days(np.stack([letters("aabb", "aaaa"), letters("abab", "bbbb")]), 2)
    assert linked.order.tolist() == [[0, 1], [1, 0]]
    assert linked.gains[0] == pytest.approx(0.6225562489) and linked.bounds[0] == pytest.approx(0.6225562489)


def test_links_are_composed():
    first = letters("aab", "ccd", "eef")
    days = np.stack([first, first[[2, 0, 1]], first[[1, 2, 0]]])
    linked = link_days(days, 6)
    assert linked.order.tolist() == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    np.testing.assert_allclose(linked.gains, 0, atol=1e-12)


def test_one_day_and_one_user():
    assert link_days(letters("ab", "cd")[None], 4).order.tolist() == [[0, 1]]
    alone = link_days(np.arange(6).reshape(3, 1, 2), 6)
    assert alone.order.tolist() == [[0], [0], [0]] and alone.gains.tolist() == [1, 1]


def test_cells_outside_are_refused():
    with pytest.raises(DataError, match="outside 0 to 1"):
        link_days(letters("ab", "cd")[None], 2)


days_of = st.tuples(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 9), st.integers(1, 8), st.integers(1, 5))


@settings(deadline=None, max_examples=80)
@given(days_of, st.none() | st.integers(0, 9))
def test_each_link_is_optimal(shape, seed):
    number, size, users, slots, cells = shape
    days = np.random.default_rng(number).integers(0, cells, (size, users, slots))
    linked = link_days(days, cells, seed)
    assert (np.sort(linked.order, axis=1) == np.arange(users)).all() and (linked.order[0] == np.arange(users)).all()
    for d in range(size - 1):
        table = gain_table(days[d], days[d + 1], cells)
        assert ((table > -1e-12) & (table < 1 + 1e-12)).all()
        total = table[linked.order[d], linked.order[d + 1]].sum()
        assert linked.gains[d] == pytest.approx(total, abs=1e-9)
        assert total == pytest.approx(table[linear_sum_assignment(table)].sum(), abs=1e-6)
        assert linked.gains[d] <= np.trace(table) + 1e-6  # than any other way to join them
        assert linked.bounds[d] <= linked.gains[d] + 1e-12 and linked.gains[d] <= linked.bounds[d] + 1e-7


@settings(deadline=None, max_examples=30)
@given(days_of)
def test_slot_order_and_names_of_cells_change_no_gain(shape):
    number, size, users, slots, cells = shape
    rng = np.random.default_rng(number)
    days = rng.integers(0, cells, (size, users, slots))
    other = rng.permutation(cells)[rng.permuted(days, axis=2)]
    np.testing.assert_allclose(link_days(other, cells).gains, link_days(days, cells).gains, atol=1e-7)
    np.testing.assert_allclose(link_days(days[::-1], cells).gains, link_days(days, cells).gains[::-1], atol=1e-7)


def test_static_people_gain_nothing():
    rng = np.random.default_rng(0)
    home = rng.integers(0, 5, 30)
    days = np.stack([np.repeat(rng.permutation(home)[:, None], 4, axis=1) for _ in range(3)])
    linked = link_days(days, 5, 0)
    assert linked.gains.tolist() == [0, 0]
    assert (days[np.arange(3)[:, None], linked.order, 0] == days[0, :, 0]).all()


def test_workers_change_nothing_and_seeds_break_ties():
    days = np.random.default_rng(1).integers(0, 3, (4, 60, 3))
    one, three = link_days(days, 3, 5, workers=1), link_days(days, 3, 5, workers=3)
    for mine, theirs in zip(one, three, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert (link_days(days, 3, 6).order != one.order).any()
    np.testing.assert_allclose(link_days(days, 3, 6).gains, one.gains, atol=1e-6)


def test_equals_without_a_seed_go_by_row():
    days = np.zeros((2, 9, 3), np.int64)
    assert link_days(days, 1).order[1].tolist() == list(range(9))
    assert link_days(days, 1, 0).order[1].tolist() != list(range(9))


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 9), st.integers(1, 5))
def test_sets_of_any_size_and_trajectories_of_any_length(number, left, right, cells):
    rng = np.random.default_rng(number)
    a, b = ([rng.integers(0, cells, rng.integers(1, 9)) for _ in range(size)] for size in (left, right))
    found = match_by_gain(*bags(a), *bags(b), None if number % 2 else rng)
    joined = np.flatnonzero(found.match >= 0)
    assert len(joined) == min(left, right) == len(set(found.match[joined]))
    table = gain_table(a, b, cells)
    np.testing.assert_allclose(found.gain[joined], table[joined, found.match[joined]], atol=1e-12)
    assert np.isnan(np.delete(found.gain, joined)).all()
    best = table[linear_sum_assignment(table)].sum()
    assert found.total == pytest.approx(best, abs=1e-7)
    assert found.bound <= best + 1e-9 and best <= found.bound + 1e-7


def test_trajectories_without_records_can_be_joined():
    found = match_by_gain(np.array([0, 0, 2]), np.array([1, 1]), np.array([0, 0]), np.array([], np.int64))
    assert found.match.tolist() in ([0, -1], [-1, 0]) and found.total == 0
