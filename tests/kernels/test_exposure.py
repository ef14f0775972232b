import numpy as np
import pytest

from incrowd.kernels.cpu import exposure as cpu
from incrowd.kernels.cpu import uniqueness
from incrowd.kernels.reference import exposure as reference


def index(has):
    """Offsets, ids and posting lists of users by points."""
    offsets = np.append(0, np.cumsum(has.sum(1)))
    ids = np.nonzero(has)[1].astype(np.int32)
    return offsets, ids, *uniqueness.inverted(ids, offsets, has.shape[1])


MANY = 10**9


def same(one, other):
    for got, expected in zip(one, other, strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("most", [1, 4, 30, MANY])
@pytest.mark.parametrize("deepest", [1, 2, 3])
@pytest.mark.parametrize(("users", "points"), [(1, 3), (3, 4), (65, 9), (300, 10), (1030, 8)])
def test_fewest_points_equals_reference(users, points, deepest, most):
    rng = np.random.default_rng(users)
    made = index(rng.random((users, points)) < rng.uniform(0.2, 0.9, points))
    whole = reference.fewest_points(*made, users, 0, deepest, most)
    for kernel in (cpu, reference):
        parts = [range(users // 3), range(users // 3, users)]
        limits = deepest, most
        got = [kernel.fewest_points(made[0][a.start : a.stop + 1], *made[1:], users, a.start, *limits) for a in parts]
        same(map(np.concatenate, zip(*got, strict=True)), whole)


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_only_the_whole_set_singles_out(size):
    """User 0 has every point, each other user all but one: it takes them all, at any depth."""
    has = np.ones((size + 1, size), bool)
    has[1:] ^= np.eye(size, dtype=bool)
    for kernel in (cpu, reference):
        for deepest in (1, 2, 3):
            fewest, exact, rows = kernel.fewest_points(*index(has), size + 1, 0, deepest, MANY)
            assert fewest.tolist() == [size] + [0] * size
            assert exact.tolist() == [size <= deepest + 1] + [True] * size
            assert rows.tolist() == list(range(size))


@pytest.mark.parametrize(("most", "exact"), [(10, True), (9, False), (1, False)])
def test_a_limit_on_the_sets_tried_is_owned_up_to(most, exact):
    """Five points, ten pairs and no pair that does it; with all ten pairs tried a chain of three is the smallest."""
    has = np.ones((11, 5), bool)
    for row, pair in enumerate([(a, b) for a in range(5) for b in range(a + 1, 5)], 1):
        has[row] = np.isin(np.arange(5), pair)
    for kernel in (cpu, reference):
        found = kernel.fewest_points(*index(has), 11, 0, 2, most)
        assert (found[0][0], found[1][0]) == (3, exact)


def test_chains_take_the_first_of_equals():
    """A crowd in which another order of ties would give some users another bound or another set."""
    has = np.random.default_rng(5).random((60, 20)) < 0.8
    same(cpu.fewest_points(*index(has), 60, 0, 1, MANY), reference.fewest_points(*index(has), 60, 0, 1, MANY))
