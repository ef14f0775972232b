"""Mitigations: what a publisher does to visits and counts."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import counts
from incrowd.anonymize.count_steps import noise_counts, perturb_points, round_counts, suppress_small, to_regions


def walk(rows, cells=6):
    """One row of cells per user, a slot each, cells 1 km apart."""
    user, slot = np.indices(np.shape(rows)).reshape(2, -1)
    return ic.Visits.from_arrays(user, np.ravel(rows), slot, xy=[[1000 * c, 0] for c in range(cells)], slot_min=60)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=1, max_size=4), st.integers(0, 9))
def test_no_strength_is_no_change(rows, seed):
    exact = counts(*rows)
    for same in (
        noise_counts(exact, epsilon=math.inf, seed=seed),
        suppress_small(exact, k=1),
        round_counts(exact, to=1),
    ):
        assert same.n.tolist() == rows and same.ledger.steps[-1].notes == {"counts changed": 0}


@settings(deadline=None, max_examples=40)
@given(st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=1, max_size=4), st.integers(0, 9))
def test_points_moved_with_probability_0_stay(rows, seed):
    same = perturb_points(walk(rows), share=0, seed=seed)
    assert same.cell.tolist() == np.ravel(rows).tolist() and same.ledger.steps[-1].notes == {"points moved": 0}


def test_noise_is_two_sided_geometric_on_every_count():
    zeros = ic.Counts.from_arrays(np.zeros((500, 400)), xy=np.zeros((400, 2)))
    noise = noise_counts(zeros, epsilon=1, seed=3).n
    a = math.exp(-1)
    for k in (-2, -1, 0, 1, 2):
        expected = (1 - a) / (1 + a) * a ** abs(k)
        assert (noise == k).mean() == pytest.approx(expected, abs=4 * math.sqrt(expected / noise.size))
    assert noise.mean() == pytest.approx(0, abs=0.02)
    again = noise_counts(zeros, epsilon=1, seed=3).n
    assert (noise == again).all() and (noise_counts(zeros, epsilon=1).n != noise).any()


def test_small_counts_and_rounding():
    exact = counts([0, 4, 5, 7, 8], [-1, 2, 3, 12, 13])
    assert suppress_small(exact, k=5).n.tolist() == [[0, 0, 5, 7, 8], [0, 0, 0, 12, 13]]
    assert round_counts(exact, to=5).n.tolist() == [[0, 5, 5, 5, 10], [0, 0, 5, 10, 15]]
    assert round_counts(counts([2.5, 2.4, 7.5]), to=5).n.tolist() == [[5, 0, 10]]


def test_only_points_at_the_top_two_cells_move_and_not_farther_than_the_nearest():
    rows = [[0, 0, 0, 5, 5, 3], [4, 4, 1, 1, 2, 2]]
    before = walk(rows)
    cells = np.array([perturb_points(before, share=1, seed=s, nearest=2).cell.reshape(2, 6) for s in range(40)])
    assert set(cells[:, 0, :3].ravel()) == {1, 2} and set(cells[:, 0, 3:5].ravel()) == {3, 4}
    assert set(cells[:, 0, 5]) == {3}  # the third cell stays
    assert set(cells[:, 1, :2].ravel()) == {4}  # ties for the second place go to the lower id
    assert set(cells[:, 1, 2:4].ravel()) == {0, 2} and set(cells[:, 1, 4:].ravel()) == {1, 3}


@pytest.mark.parametrize("far", [0.0, 1000.0])
def test_many_cells_as_near_as_each_other_go_by_id(far):
    angle = np.arange(60) * 2 * np.pi / 60
    xy = far * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    xy[0] = 0
    before = ic.Visits.from_arrays(np.arange(400), np.zeros(400, int), np.zeros(400, int), xy=xy, slot_min=30)
    assert set(perturb_points(before, share=1, seed=0).cell) == set(range(1, 11))


def test_the_share_of_points_that_move():
    before = walk(np.zeros((200, 50), int))
    after = perturb_points(before, share=0.2, seed=1)
    assert (after.cell != 0).mean() == pytest.approx(0.2, abs=0.02)
    assert after.ledger.steps[-1].notes == {"points moved": (after.cell != 0).sum()}
    assert set(after.cell) == {0, 1, 2, 3, 4, 5}
    alone = ic.Visits.from_arrays([1], [0], [0], xy=[[0, 0]])
    assert perturb_points(alone, share=1).cell.tolist() == [0]


def test_regions_lie_at_the_centroid_of_their_cells():
    visits = walk([[0, 1, 5], [2, 2, 3]])
    towns = to_regions(visits, region=["b", "b", "a", "a", "c", "c"])
    assert towns.cell.tolist() == [1, 1, 2, 0, 0, 0]
    assert towns.xy.tolist() == [[2500, 0], [500, 0], [4500, 0]]
    assert to_regions(visits, cell_m=2000).cell.tolist() == [0, 0, 2, 1, 1, 1]
    both = ic.Visits.from_arrays([1, 1], [0, 1], [0, 0], xy=[[0, 0], [1, 0]])
    merged = to_regions(both, region=[4, 4])
    assert merged.records == 1 and merged.ledger.steps[-1].dropped == {"same cell and slot": 1}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: noise_counts(counts([1]), epsilon=0), "epsilon must be above 0"),
        (lambda: suppress_small(counts([1]), k=0), "k must be a whole number"),
        (lambda: round_counts(counts([1]), to=2.5), "to must be a whole number"),
        (lambda: perturb_points(walk([[0]]), share=1.5), "share must be a share between 0 and 1"),
        (lambda: perturb_points(walk([[0]]), share="a"), "share must be a share"),
        (lambda: noise_counts(counts([1]), epsilon=1e-12), "epsilon must be at least 1e-08"),
        (lambda: round_counts(counts([1]), to=10**30), "to must be at most"),
        (lambda: round_counts(counts([2**62]), to=10), "a count exceeds"),
        (lambda: perturb_points(ic.Visits.from_arrays([1], [0], [0]), share=1), "where their cells are"),
        (lambda: to_regions(walk([[0]])), "give either region"),
        (lambda: to_regions(walk([[0]]), region=["a"]), "each of the 6 cells"),
        (lambda: to_regions(walk([[0]]), cell_m=-1), "cell_m must be above 0"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ic.errors.IncrowdError, match=message):
        call()
