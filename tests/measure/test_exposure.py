from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import crowd
from incrowd.measure import exposure, uniqueness


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_by_hand(device):
    """One point, two points, never (contained), never (twins)."""
    visits = crowd("0:1 1:9 | 0:1 2:2 | 0:1 3:3 | 2:2 3:3 | 0:1 | 7:7 8:8 | 7:7 8:8")
    found = exposure(visits, device=device)
    assert found.points.tolist() == [1, 2, 2, 2, 0, 0, 0]
    assert found.exact.all()
    assert found.distribution == {0: 3 / 7, 1: 1 / 7, 2: 3 / 7}
    assert repr(found) == "Exposure(users=7, never=3, not_exact=0)"


def all_but_one(size):
    """One user with every point, and one without each."""
    parts = [" ".join(f"{t}:0" for t in range(size) if t != gone) for gone in range(-1, size)]
    return crowd(" | ".join(parts))


@pytest.mark.parametrize(("size", "exact"), [(2, True), (3, True), (4, True), (5, False)])
def test_beyond_three_points_the_result_says_whether_it_is_exact(size, exact):
    found = exposure(all_but_one(size))
    assert found.points[0] == size and bool(found.exact[0]) is exact
    assert found.to_dict()["not_exact"] == (0 if exact else 1)


def test_shallower_search_keeps_the_bound():
    found = exposure(all_but_one(4), max_points=1)
    assert found.points[0] == 4 and not found.exact[0]
    for wrong in (0, 4, 1.5):
        with pytest.raises(ic.ParameterError):
            exposure(all_but_one(3), max_points=wrong)


people = st.lists(
    st.sets(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=6), min_size=1, max_size=8
)


@settings(deadline=None, max_examples=100)
@given(people)
def test_equals_definition(sets):
    rows = [(u, cell, slot) for u, part in enumerate(sets) for slot, cell in part]
    user, cell, slot = np.array(rows).T
    visits = ic.Visits.from_arrays(user, cell=cell, slot=slot)
    found = exposure(visits)
    for mine, points, exact in zip(sets, found.points.tolist(), found.exact.tolist(), strict=True):
        smallest = next((m for m in range(1, len(mine) + 1) if _singled_out(mine, sets, m)), 0)
        assert points == smallest if exact else points >= smallest > 3
    for m in (1, 2, 3):
        possible = uniqueness(visits, points=m, exact=True, short="zero").probability > 0
        assert (possible <= ((found.points > 0) & (found.points <= m))).all()


def _singled_out(mine, sets, m):
    return any(sum(set(q) <= other for other in sets) == 1 for q in combinations(mine, m))
