import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from incrowd.kernels.cpu.transport import auction as cpu
from incrowd.kernels.cpu.transport import link
from incrowd.kernels.cpu.transport.sites import by_place, site_at, sites_of
from incrowd.kernels.reference import transport as reference

SOME = settings(deadline=None, max_examples=60)
MOST_BIDS = 10**7


@st.composite
def links(draw):
    """Predicted points, towers and counts: on a lattice, with ties and co-located towers, or in general position."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    towers, users = draw(st.sampled_from([1, 2, 5, 40, 120])), draw(st.sampled_from([1, 2, 7, 60, 200]))
    side = draw(st.sampled_from([2, 6, None]))
    place = (
        (lambda n: rng.uniform(0, 9000, (n, 2))) if side is None else lambda n: 100.0 * rng.integers(0, side, (n, 2))
    )
    xy = place(towers)
    still = rng.random(users) < draw(st.sampled_from([0.0, 0.5, 1.0]))
    points = np.where(still[:, None], xy[rng.integers(0, towers, users)], place(users))
    counts = np.bincount(rng.integers(0, draw(st.integers(1, towers)), users), minlength=towers)
    return points, xy, counts, rng.permutation(users)


def linked(points, xy, counts, prefer=None, theta=0.0, last=None, max_bids=MOST_BIDS):
    points, xy, counts = np.asarray(points, float), np.asarray(xy, float), np.asarray(counts)
    nobody, first = np.full(len(points), -1), np.zeros(len(points), np.int64)
    order = np.arange(len(points)) if prefer is None else prefer
    sites = sites_of(xy[:, 0].copy(), xy[:, 1].copy())
    x, y = points.T.copy()
    return link(x, y, nobody, first if last is None else last, order, sites, counts, theta, max_bids)


@SOME
@given(links())
def test_the_total_is_the_dense_optimum_and_proved(case):
    points, xy, counts, prefer = case
    towers, cost, bound, _ = linked(points, xy, counts, prefer)
    _, best = reference.link(points, xy, counts, prefer)
    np.testing.assert_array_equal(np.bincount(towers, minlength=len(xy)), counts)
    assert cost == pytest.approx(np.linalg.norm(points - xy[towers], axis=1).sum(), rel=1e-12)
    assert cost == pytest.approx(best, rel=1e-9, abs=1e-6 * len(points))
    assert bound <= cost <= bound + 1e-5 * len(points)


@SOME
@given(links(), st.sampled_from([0.0, 90.0, 101.0, 150.0, 2000.0, 1e6]))
def test_the_shortcut_joins_the_same_pairs_as_the_reference(case, theta):
    points, xy, counts, prefer = case
    towers, cost, bound, _ = linked(points, xy, counts, prefer, theta)
    expected, least = reference.link(points, xy, counts, prefer, theta)
    early, _ = reference.greedy(reference.distances(points, xy), counts, prefer, theta)
    np.testing.assert_array_equal(np.bincount(towers, minlength=len(xy)), counts)
    # Equal points are interchangeable, so that pairs are compared as pairs of places.
    assert cost == pytest.approx(least, rel=1e-9, abs=1e-6 * len(points))
    _, optimum = reference.link(points, xy, counts, prefer)
    assert optimum - 1e-5 * len(points) <= bound <= min(optimum * (1 + 1e-9) + 1e-6, cost)
    if theta > 1e5:
        # Towers at one place may be swapped, since everybody keeps the own one.
        np.testing.assert_array_equal(xy[towers], xy[expected])
        np.testing.assert_array_equal(xy[towers], xy[early])


@SOME
@given(links())
def test_a_threshold_never_helps_and_a_tiny_one_never_hurts(case):
    points, xy, counts, _ = case
    best = linked(points, xy, counts)[1]
    cost = reference.distances(points, xy)
    smallest = cost[cost > 0].min(initial=1e9)
    assert linked(points, xy, counts, theta=smallest)[1] == pytest.approx(best, rel=1e-9, abs=1e-6 * len(points))
    assert linked(points, xy, counts, theta=400.0)[1] >= best - 1e-6 * len(points)


@SOME
@given(links(), st.integers(0, 2**32))
def test_the_bound_holds_for_any_prices(case, seed):
    points, xy, counts, _ = case
    rng = np.random.default_rng(seed)
    open_ = np.flatnonzero(counts)
    price = rng.uniform(-500, 500, len(open_))
    supply = np.ones(len(points), np.int64)
    x, y = points.T.copy()
    to_x, to_y = xy[open_].T.copy()
    given = (x, y, supply, to_x, to_y, counts[open_], price)
    bound = cpu.dual_bound(*given)
    assert bound == pytest.approx(reference.dual_bound(*given), abs=1e-6)
    assert bound <= reference.link(points, xy, counts, np.arange(len(points)))[1] + 1e-6


@SOME
@given(links(), st.integers(0, 2**32))
def test_any_first_prices_lead_to_the_optimum(case, seed):
    points, xy, counts, _ = case
    open_ = np.flatnonzero(counts)
    price = np.random.default_rng(seed).uniform(0, 5000, len(open_))
    x, y = points.T.copy()
    to_x, to_y = xy[open_].T.copy()
    supply = np.ones(len(points), np.int64)
    served, _ = cpu.transport(x, y, supply, to_x, to_y, counts[open_], price, MOST_BIDS)
    seat = np.repeat(open_, counts[open_])
    total = np.linalg.norm(points[served] - xy[seat], axis=1).sum()
    assert total == pytest.approx(reference.link(points, xy, counts, served)[1], rel=1e-9, abs=1e-6 * len(points))
    np.testing.assert_array_equal(np.sort(served), np.arange(len(points)))


def test_the_user_in_the_middle_stays():
    xy = [[0, 0], [100, 100], [300, 0]]
    towers, cost, *_ = linked([[0, 0], [0, 0], [100, 100]], xy, [1, 1, 1])
    assert cost == pytest.approx(300)
    assert towers.tolist() == [0, 2, 1]
    assert linked([[0, 0], [0, 0], [100, 0]], [[0, 0], [100, 0], [300, 0]], [1, 1, 1])[1] == pytest.approx(300)


def test_the_shortcut_is_dearer():
    given = [[60, 0], [110, 0]], [[0, 0], [100, 0], [1000, 0]], [0, 1, 1]
    assert linked(*given)[1] == pytest.approx(930)
    towers, cost, *_ = linked(*given, theta=45)
    assert (towers.tolist(), cost) == ([2, 1], pytest.approx(950))


def test_staying_put_is_not_optimal_for_squared_distances():
    squared = np.array([[1.0, 4.0], [0.0, 1.0]])  # sources 0 and 1, sinks 1 and 2
    rows, columns = linear_sum_assignment(squared)
    assert squared[rows, columns].sum() == 2 < squared[0, 1] + squared[1, 0]


def test_many_people_in_a_few_districts():
    rng = np.random.default_rng(1)
    xy = rng.uniform(0, 30_000, (12, 2))
    points = xy[rng.integers(0, 12, 2000)]
    counts = np.bincount(rng.choice(12, 2000, p=rng.dirichlet(np.ones(12))), minlength=12)
    _, cost, bound, bids = linked(points, xy, counts)
    assert cost == pytest.approx(reference.link(points, xy, counts, np.arange(2000))[1], rel=1e-9)
    assert cost - bound < 1e-3
    assert bids < 200_000


def test_equals_are_served_in_the_order_preferred():
    xy, points = [[0, 0], [100, 0]], [[0, 0]] * 3
    assert linked(points, xy, [1, 2])[0].tolist() == [0, 1, 1]
    assert linked(points, xy, [1, 2], prefer=np.array([2, 0, 1]))[0].tolist() == [1, 1, 0]


def test_who_shares_a_place_keeps_the_own_tower():
    xy, points = [[0, 0], [0, 0], [5, 5]], [[0, 0]] * 4
    last = np.array([1, 0, 1, 0])
    assert linked(points, xy, [2, 2, 0], last=last)[0].tolist() == [1, 0, 1, 0]
    assert linked(points, xy, [3, 1, 0], last=last)[0].tolist() == [1, 0, 0, 0]


def test_too_many_bids_are_reported():
    rng = np.random.default_rng(0)
    points, xy = rng.uniform(0, 9, (9, 2)), rng.uniform(0, 9, (9, 2))
    assert linked(points, xy, [1] * 9, max_bids=20)[3] == -1


def test_sites_are_the_distinct_places():
    x, y = np.array([3.0, 0, 3, 0, 3]), np.array([1.0, 0, 1, 5, 2])
    sites = sites_of(x, y)
    assert sites.of[0] == sites.of[2] and len(set(sites.of.tolist())) == 4
    np.testing.assert_array_equal(sites.x[sites.of], x)
    np.testing.assert_array_equal(sites.y[sites.of], y)
    assert [site_at(sites, a, b) for a, b in zip(x, y, strict=True)] == sites.of.tolist()
    assert site_at(sites, 3.0, 1.5) == site_at(sites, 9.0, 0.0) == -1


def test_towers_are_in_order_by_both_coordinates_and_those_of_one_place_stay():
    x, y = np.random.default_rng(0).integers(0, 5, (2, 200)).astype(float)
    np.testing.assert_array_equal(by_place(x, y), np.lexsort((y, x)))
