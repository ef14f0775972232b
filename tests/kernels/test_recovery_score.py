import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.kernels.cpu import recovery_score as cpu
from incrowd.kernels.reference import recovery_score as reference

Y = np.array([[0, 0, 1, 1], [0, 0, 2, 2], [3, 3, 3, 3]])
Z = np.array([[0, 0, 1, 2], [0, 0, 1, 1], [3, 3, 3, 2]])


@pytest.mark.parametrize("kernel", [reference, cpu])
def test_three_people_are_paired_in_order_or_by_the_best_match_first(kernel):
    assert kernel.similarity(Z, Y).tolist() == [[3, 3, 0], [4, 2, 0], [0, 1, 3]]
    assert kernel.pair_in_order(Z, Y).tolist() == [0, 1, 2]
    assert kernel.pair_globally(Z, Y).tolist() == [1, 0, 2]


@pytest.mark.parametrize("kernel", [reference, cpu])
def test_those_similar_to_nobody_are_paired_in_order(kernel):
    y = np.array([[5, 5], [1, 1], [6, 6], [2, 2]])
    z = np.array([[7, 7], [2, 2], [8, 8], [9, 9]])
    assert kernel.pair_globally(z, y).tolist() == [0, 3, 1, 2]
    assert kernel.pair_in_order(z, y).tolist() == [0, 3, 1, 2]


@st.composite
def crowds(draw):
    """Few cells give many ties, more users than a list holds, and stays of any length."""
    users, slots, cells = draw(st.integers(1, 40)), draw(st.integers(1, 9)), draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    stay = draw(st.sampled_from([0, 0.5, 0.9]))

    def walk():
        cell = rng.integers(0, cells, (users, slots))
        for t in range(1, slots):
            cell[:, t] = np.where(rng.random(users) < stay, cell[:, t - 1], cell[:, t])
        return cell

    return walk(), walk()


@settings(deadline=None, max_examples=150)
@given(crowds())
def test_pairs_equal_reference(crowd):
    z, y = crowd
    for name in ("similarity", "pair_globally", "pair_in_order"):
        np.testing.assert_array_equal(getattr(cpu, name)(z, y), getattr(reference, name)(z, y))


def test_many_equals_are_paired_in_order():
    z = np.zeros((100, 3), np.int64)
    assert cpu.pair_globally(z, z).tolist() == list(range(100))
    assert cpu.pair_in_order(z, z).tolist() == list(range(100))


def test_blocks_of_trajectories_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    z, y = rng.integers(0, 9, (2, 300, 6))
    whole = cpu.pair_globally(z, y)
    monkeypatch.setattr(cpu, "BLOCK", 7)
    np.testing.assert_array_equal(cpu.pair_globally(z, y), whole)
