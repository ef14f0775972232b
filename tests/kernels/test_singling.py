import numpy as np
import pytest

from incrowd.kernels.cpu import matching
from incrowd.kernels.cpu import singling as cpu
from incrowd.kernels.reference import singling as reference


def index(has):
    """Offsets, ids and posting lists of users by points."""
    offsets = np.append(0, np.cumsum(has.sum(1)))
    ids = np.nonzero(has)[1].astype(np.int32)
    return offsets, ids, *matching.inverted(ids, offsets, has.shape[1])


@pytest.mark.parametrize("deepest", [1, 2, 3])
@pytest.mark.parametrize(("users", "points"), [(1, 3), (3, 4), (65, 9), (300, 10), (1030, 8)])
def test_fewest_points_equals_reference(users, points, deepest):
    rng = np.random.default_rng(users)
    made = index(rng.random((users, points)) < rng.uniform(0.2, 0.9, points))
    for kernel in (cpu, reference):
        parts = [range(users // 3), range(users // 3, users)]
        got = [kernel.fewest_points(made[0][a.start : a.stop + 1], *made[1:], users, a.start, deepest) for a in parts]
        np.testing.assert_array_equal(np.concatenate(got), reference.fewest_points(*made, users, 0, deepest))


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_only_the_whole_set_singles_out(size):
    """User 0 has every point, each other user all but one: it takes them all, at any depth."""
    has = np.ones((size + 1, size), bool)
    has[1:] ^= np.eye(size, dtype=bool)
    for kernel in (cpu, reference):
        for deepest in (1, 2, 3):
            assert kernel.fewest_points(*index(has), size + 1, 0, deepest).tolist() == [size] + [0] * size


def test_chains_take_the_first_of_equals():
    """A crowd in which another order of ties would give four users another bound."""
    has = np.random.default_rng(5).random((60, 20)) < 0.8
    got = cpu.fewest_points(*index(has), 60, 0, 1)
    np.testing.assert_array_equal(got, reference.fewest_points(*index(has), 60, 0, 1))
