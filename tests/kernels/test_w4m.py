import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.kernels.cpu import w4m as cpu
from incrowd.kernels.reference import w4m as reference

ALL = settings(deadline=None, max_examples=80)


def line(*xs):
    """Points on a line in space, all at one time."""
    return np.array([(x, 0.0, 0.0) for x in xs])


@st.composite
def trajectories(draw):
    """Few coordinates, so that distances tie, vanish and are capped; lengths from 1."""
    number = st.sampled_from([0.0, 1.0, 2.5, 10.0, 11.0, 40.0, 1e6])
    point = st.tuples(number, number, number)
    users = draw(st.lists(st.lists(point, min_size=1, max_size=6), min_size=1, max_size=5))
    if draw(st.booleans()):
        users.append(users[0])
    sizes = np.array([len(user) for user in users])
    return np.array([point for user in users for point in user]), np.append(0, np.cumsum(sizes))


@pytest.mark.parametrize(
    ("apart", "expected"), [(0, 0), (9.9, 0), (10, 1), (19.9, 1), (29, 2), (30, 3), (31, 3), (1e9, 3)]
)
def test_a_distance_counts_whole_units_up_to_the_cap(apart, expected):
    two = line(0, apart)
    assert reference.point_distance(two[0], two[1], 10.0, 3) == expected
    assert cpu.compare(two, np.array([0, 1, 2]), np.array([0]), 10.0, 3)[0].tolist() == [[0, expected]]


def test_time_counts_like_space():
    assert reference.point_distance(np.array([0, 0, 0.0]), np.array([3, 4, 12.0]), 1.0, 100) == 13


@pytest.mark.parametrize(
    ("p", "q", "path"),
    [
        # all equally far: both move on, then the rest is matched with the final point
        (line(0, 0), line(900, 900, 900), [(0, 0, 10), (1, 1, 10), (1, 2, 10)]),
        (line(0, 0, 0), line(900), [(0, 0, 10), (1, 0, 10), (2, 0, 10)]),
        # the first of q is at the end of p already: q moves on
        (line(0, 30), line(30, 30), [(1, 0, 0), (1, 1, 0), (0, 1, 3), (1, 1, 0)]),
        # the first of p is at the end of q already: p moves on
        (line(30, 30), line(0, 30), [(0, 1, 0), (1, 1, 0), (1, 0, 3), (1, 1, 0)]),
    ],
)
def test_the_walk_moves_on_where_the_next_points_are_nearest(p, q, path):
    assert reference.aligned(p, q, 10.0, 10) == path


def test_the_distance_is_not_symmetric():
    p, q = line(0, 30), line(30, 0, 0)
    there, back = (sum(cost for *_, cost in reference.aligned(a, b, 10.0, 10)) for a, b in ((p, q), (q, p)))
    assert (there, back) == (3, 6)


def test_a_trajectory_is_matched_with_itself_point_by_point():
    p = line(0, 700, 0, 300, 0)
    assert reference.aligned(p, p, 10.0, 10) == [(i, i, 0) for i in range(5)]


def test_a_point_with_several_keeps_the_first():
    points, offsets = np.vstack([line(0, 30), line(30, 31)]), np.array([0, 2, 4])
    # both points of the second are matched with the end of the first, whose start is left with the second's end
    for kernel in (reference, cpu):
        found = kernel.matched(points, offsets, np.array([0]), np.array([1]), 10.0, 10)
        assert found.tolist() == [3, 2]


@ALL
@given(trajectories(), st.sampled_from([0.7, 1.0, 10.0]), st.sampled_from([1, 3, 10]))
def test_compiled_is_the_reference(given_, unit, most):
    points, offsets = given_
    users = np.arange(len(offsets) - 1)
    for got, expected in zip(
        cpu.compare(points, offsets, users[::-1].copy(), unit, most),
        reference.compare(points, offsets, users[::-1].copy(), unit, most),
        strict=True,
    ):
        np.testing.assert_array_equal(got, expected)
    pivot, member = np.repeat(users, len(users)), np.tile(users, len(users))
    np.testing.assert_array_equal(
        cpu.matched(points, offsets, pivot, member, unit, most),
        reference.matched(points, offsets, pivot, member, unit, most),
    )


@ALL
@given(trajectories(), st.sampled_from([1.0, 10.0]))
def test_every_point_is_matched_and_the_walk_is_linear(given_, unit):
    points, offsets = given_
    p, q = points[: offsets[1]], points[offsets[-2] :]
    path = reference.aligned(p, q, unit, 10)
    assert {i for i, *_ in path} == set(range(len(p))) and {j for _, j, _ in path} == set(range(len(q)))
    assert max(len(p), len(q)) <= len(path) <= len(p) + len(q)


def test_threads_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    points, offsets = rng.uniform(0, 5000, (400, 3)), np.arange(0, 401, 10)
    alone = cpu.compare(points, offsets, np.arange(40), 500.0, 10)
    monkeypatch.setattr(cpu, "BLOCK", 1000)
    for one, two in zip(alone, cpu.compare(points, offsets, np.arange(40), 500.0, 10), strict=True):
        np.testing.assert_array_equal(one, two)
