from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import crowd
from incrowd.measure import uniqueness

HAND = "0:1 1:1 2:2 3:2 | 0:1 1:1 2:2 3:3 | 0:1 1:2 2:2 | 0:1 1:1"


def top(visits, points, match="set", **options):
    return uniqueness(visits, points=points, knowledge="top", match=match, **options)


@pytest.mark.parametrize(
    ("match", "sizes"), [("set", [3, 3, 3, 1]), ("ordered", [2, 2, 1, 1]), ("contain", [3, 3, 3, 4])]
)
def test_top_places_match_as_a_set_in_order_or_contained(match, sizes, kernels):
    found = top(crowd(HAND), 2, match, repeats=2)
    assert found.crowd_sizes.tolist() == [sizes, sizes]
    assert (found.population, found.skipped) == (4, 0)
    assert found.interval == (found.value, found.value)
    exact = top(crowd(HAND), 2, match, exact=True)
    assert (exact.value, exact.distribution) == (found.value, found.distribution)


def test_samples_are_users_drawn_at_random():
    found = top(crowd(HAND), 2, samples=400)
    assert found.crowd_sizes.shape == (400,) and set(found.crowd_sizes.tolist()) == {1, 3}
    assert abs(found.value - 1 / 4) < 0.12 and found.interval[0] < 1 / 4 < found.interval[1]


def test_set_is_not_monotone_in_k():
    visits = crowd("0:1 1:1 2:2 | 0:2 1:2 2:1")
    assert (top(visits, 1).value, top(visits, 2).value) == (1, 0)


@pytest.mark.parametrize("match", ["set", "ordered", "contain"])
def test_more_places_than_anybody_has_change_and_cost_nothing(match):
    some, many = (top(crowd(HAND), points, match).crowd_sizes.tolist() for points in (3, 10**15))
    assert some == many


@pytest.mark.parametrize(("match", "sizes"), [("set", [2, 1, 2]), ("ordered", [2, 1, 2]), ("contain", [3, 1, 3])])
def test_users_without_visits_have_an_empty_list(match, sizes):
    visits = replace(crowd("0:1"), users=np.arange(3), offsets=np.array([0, 0, 1, 1]))
    assert top(visits, 2, match).crowd_sizes.tolist() == [sizes]


people = st.lists(
    st.lists(st.tuples(st.integers(0, 9), st.integers(-3, 2)), min_size=1, max_size=9), min_size=1, max_size=6
)


@settings(deadline=None, max_examples=80)
@given(people, st.integers(1, 4))
def test_equals_definition_and_is_ordered(users, points):
    rows = [(u, cell, slot) for u, part in enumerate(users) for slot, cell in part]
    user, cell, slot = np.array(rows).T
    sizes = {
        match: top(ic.Visits.from_arrays(user, cell=cell, slot=slot), points, match).crowd_sizes[0]
        for match in ("ordered", "set", "contain")
    }
    ranked = [_ranked(set(part))[:points] for part in users]
    seen = [{cell for _, cell in part} for part in users]
    assert sizes["ordered"].tolist() == [ranked.count(mine) for mine in ranked]
    assert sizes["set"].tolist() == [sum(set(mine) == set(other) for other in ranked) for mine in ranked]
    assert sizes["contain"].tolist() == [sum(set(mine) <= other for other in seen) for mine in ranked]
    assert (sizes["ordered"] <= sizes["set"]).all() and (sizes["set"] <= sizes["contain"]).all()


def _ranked(points):
    cells = [cell for _, cell in points]
    return sorted(set(cells), key=lambda cell: (-cells.count(cell), cell))


@settings(deadline=None, max_examples=40)
@given(people, st.integers(1, 3), st.sampled_from(["ordered", "contain"]))
def test_ordered_and_contain_fall_with_k(users, points, match):
    rows = [(u, cell, slot) for u, part in enumerate(users) for slot, cell in part]
    user, cell, slot = np.array(rows).T
    visits = ic.Visits.from_arrays(user, cell=cell, slot=slot)
    few, more = (top(visits, k, match).crowd_sizes[0] for k in (points, points + 1))
    assert (more <= few).all()
