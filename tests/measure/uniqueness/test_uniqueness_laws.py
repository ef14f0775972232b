"""Laws of uniqueness: what holds for any people, and counterexamples to what does not."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import crowd, visits_of
from incrowd.measure import crowd_sizes, uniqueness


def exact(visits, points, **options):
    return uniqueness(visits, points=points, exact=True, **options)


def expected(values):
    return pytest.approx(values, rel=1e-12)


people = st.lists(
    st.sets(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=6), min_size=1, max_size=6
)


def by_definition(sets, points):
    """p_i over all subsets, in plain Python."""
    return [
        np.mean([sum(set(q) <= other for other in sets) == 1 for q in combinations(part, points)])
        for part in sets
        if len(part) >= points
    ]


@settings(deadline=None, max_examples=80)
@given(people, st.integers(1, 4))
def test_exact_equals_definition(sets, points):
    found = exact(visits_of(sets), points)
    order = np.argsort([visits_of(sets).users[t] for t in found.targets])
    assert found.probability[order].tolist() == expected(by_definition(sets, points))


@settings(deadline=None, max_examples=60)
@given(people, st.integers(1, 3), st.sampled_from(["random", "consecutive"]), st.integers(-9, 9))
def test_labels_and_shifts_do_not_matter(sets, points, knowledge, shift):
    one = exact(visits_of(sets), points, knowledge=knowledge, short="all")
    moved = [{(slot + shift, 10**12 - 7 * cell) for slot, cell in part} for part in reversed(sets)]
    if knowledge == "random":
        assert exact(visits_of(moved), points, short="all").value == expected(one.value)
    shifted = [{(slot + shift, cell) for slot, cell in part} for part in sets]
    assert exact(visits_of(shifted), points, knowledge=knowledge, short="all").value == expected(one.value)


@settings(deadline=None, max_examples=60)
@given(people, st.integers(1, 4), st.sampled_from(["random", "consecutive"]))
def test_more_points_single_out_more(sets, points, knowledge):
    visits = visits_of(sets)
    few, more = (exact(visits, m, knowledge=knowledge, short="all") for m in (points, points + 1))
    assert more.value >= few.value - 1e-12
    long = np.diff(visits.offsets) > points
    assert (more.probability[long] >= few.probability[long] - 1e-12).all()


@settings(deadline=None, max_examples=60)
@given(people, st.integers(1, 3), st.sampled_from(["drop", "all", "zero"]))
def test_distribution_sums_to_one_and_starts_with_uniqueness(sets, points, short):
    found = exact(visits_of(sets), points, short=short)
    if found.value is not None:
        assert sum(found.distribution.values()) == expected(1)
        assert found.distribution.get(1, 0) == pytest.approx(found.value, abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(people, st.sets(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=6), st.integers(1, 3))
def test_one_more_user_hides_the_others(sets, stranger, points):
    before = exact(visits_of(sets), points, short="all").probability
    after = exact(visits_of([*sets, stranger]), points, short="all").probability
    assert (after[: len(sets)] <= before + 1e-12).all()


@settings(deadline=None, max_examples=60)
@given(people, st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=4))
def test_more_known_points_never_match_more(sets, known):
    counts = crowd_sizes(visits_of(sets), [known[:n] for n in range(len(known) + 1)])
    assert (np.diff(counts) <= 0).all()
    assert counts[-1] == sum({(slot, cell) for cell, slot in known} <= part for part in sets)


@settings(deadline=None, max_examples=40)
@given(people, st.integers(1, 3))
def test_expectation_counts_sequences_of_support_one(sets, points):
    """#{sequences of length m with support 1} = sum of C(n_i, m) p_i."""
    support = {}
    for part in sets:
        for q in combinations(sorted(part), points):
            support[q] = support.get(q, 0) + 1
    visits = visits_of(sets)
    found = exact(visits, points)
    ways = [comb(int(n), points) for n in np.diff(visits.offsets)[found.targets]]
    assert float(np.dot(ways, found.probability)) == pytest.approx(sum(n == 1 for n in support.values()))


def test_a_trajectory_inside_another_is_never_unique():
    visits = crowd("0:1 1:1 | 0:1 1:1 2:1")
    assert exact(visits, 1).probability[0] == exact(visits, 2).probability[0] == 0


def test_not_always_more_unique_with_more_points_under_drop():
    visits = crowd("0:1 | 0:2 1:2 | 0:2 1:2")
    assert (exact(visits, 1).value, exact(visits, 2).value) == (expected(1 / 3), 0)


def test_one_more_user_may_raise_uniqueness():
    assert exact(crowd("0:1 | 0:1"), 1).value == 0
    assert exact(crowd("0:1 | 0:1 | 5:5"), 1).value == expected(1 / 3)
