"""What an attacker does to published counts first."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import counts
from incrowd.attack.recover.repair import repair


def test_negative_counts_become_0_and_the_rest_is_scaled_to_the_crowd():
    assert repair(counts([3, -2, 1]), users=6).n.tolist() == [[5, 0, 1]]


def test_ties_go_to_the_lowest_cell():
    assert repair(counts([1, 1, 1]), users=5).n.tolist() == [[2, 2, 1]]
    assert repair(counts([0.1, 0.3, 0.1, 0.3]), users=2).n.tolist() == [[0, 1, 0, 1]]
    assert repair(counts([0.7, 0.7, 0.7]), users=4).n.tolist() == [[2, 1, 1]]


def test_every_slot_has_its_own_unit():
    assert repair(counts([1e10, 0], [0.01, 0.03]), users=4).n.tolist() == [[4, 0], [1, 3]]
    assert repair(counts([1e-300, 3e-300], [5e-324, 0], [1, 1]), users=4).n.tolist() == [[1, 3], [4, 0], [2, 2]]
    assert repair(counts([0.5, -1e9], [0, -0.5]), users=4).n.tolist() == [[4, 0], [4, 0]]


def test_empty_slots_copy_the_last_that_is_not():
    made = repair(counts([0, -1], [1, 1], [0, 0], [0, 2], [0, 0]), users=2)
    assert made.n.tolist() == [[1, 1], [1, 1], [1, 1], [0, 2], [0, 2]]
    assert made.ledger.steps[-1].notes["empty slots copied from another"] == 3
    assert made.ledger.steps[-1].notes["negative counts set to 0"] == 1


def test_nothing_published_is_refused():
    with pytest.raises(ic.DataError, match="no count is above 0"):
        repair(counts([0, -1], [0, 0]), users=3)
    with pytest.raises(ic.ParameterError, match="users must be a whole number"):
        repair(counts([1, 1]), users=0)
    with pytest.raises(ic.ParameterError, match="users must be at most 17,179,869,184"):
        repair(counts([1, 1]), users=10**30)


def test_the_crowd_is_the_median_total_before_negatives_are_cut():
    assert repair(counts([5, -2, 0], [1, 1, 1], [4, 0, 0], [0, 0, 0])).n.sum(axis=1).tolist() == [3] * 4
    assert repair(counts([0.2, 0.1], [0.1, 0.1])).n.sum(axis=1).tolist() == [1, 1]


def test_numbers_beyond_64_bits_are_exact():
    big = 3_037_000_499
    made = repair(counts([big, 1, 2 * big]), users=4 * big).n[0]
    exact = [Fraction(n * 4 * big, 3 * big + 1) for n in (big, 1, 2 * big)]
    assert made.sum() == 4 * big and all(abs(m - e) < 1 for m, e in zip(made.tolist(), exact, strict=True))


rows = st.integers(1, 5).flatmap(
    lambda cells: st.lists(st.lists(st.integers(-3, 9), min_size=cells, max_size=cells), min_size=1, max_size=4)
)


@settings(deadline=None, max_examples=100)
@given(rows=rows, users=st.integers(1, 30), tenths=st.booleans())
def test_repair_is_largest_remainder_in_every_slot(rows, users, tenths):
    if all(n <= 0 for row in rows for n in row):
        return
    made = repair(counts(*(np.array(rows) / 10 if tenths else np.array(rows))), users=users).n
    assert (made >= 0).all() and (made.sum(axis=1) == users).all()
    for row, got in zip(rows, made.tolist(), strict=True):
        if any(n > 0 for n in row):
            assert got == by_hand(row, users)


def by_hand(row, users):
    """One person at a time to the largest remainder, in fractions."""
    kept = [max(n, 0) for n in row]
    exact = [Fraction(n * users, sum(kept)) for n in kept]
    floor = [int(e) for e in exact]
    for cell in sorted(range(len(row)), key=lambda c: (floor[c] - exact[c], c))[: users - sum(floor)]:
        floor[cell] += 1
    return floor


@settings(deadline=None, max_examples=50)
@given(users=st.integers(1, 9), slots=st.integers(1, 5), cells=st.integers(1, 4), seed=st.integers(0, 99))
def test_exact_counts_come_back_as_they_are(users, slots, cells, seed):
    at = np.random.default_rng(seed).integers(0, cells, (slots, users))
    exact = counts(*[np.bincount(row, minlength=cells) for row in at])
    for made in (repair(exact), repair(exact, users=users)):
        assert made.n.tolist() == exact.n.tolist()
        assert not any(made.ledger.steps[-1].notes.values())
