from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import crowd
from incrowd.measure import crowd_sizes, exposure, uniqueness
from incrowd.progress import listening


def test_fewest_points_that_single_out_one_two_or_never(kernels):
    """One point, two points, never (contained), never (twins)."""
    visits = crowd("0:1 1:9 | 0:1 2:2 | 0:1 3:3 | 2:2 3:3 | 0:1 | 7:7 8:8 | 7:7 8:8")
    found = exposure(visits)
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


def test_the_sets_are_there_and_cannot_be_changed(kernels):
    visits = crowd("0:1 1:9 | 0:1 2:2 | 0:1 3:3 | 2:2 3:3 | 0:1 | 7:7 8:8 | 7:7 8:8")
    found = exposure(visits)
    sets = [found.set_of(position).tolist() for position in range(7)]
    assert sets == [[1], [2, 3], [4, 5], [6, 7], [], [], []]
    assert found.row_offsets.tolist() == [0, 1, 3, 5, 7, 7, 7, 7]
    for array in (found.points, found.exact, found.rows, found.row_offsets, found.set_of(0)):
        assert not array.flags.writeable
    assert not {"rows", "row_offsets", "points"} & found.to_dict().keys()
    for wrong in (-1, 7, None):
        with pytest.raises(ic.ParameterError, match="position must be from 0 to 6"):
            found.set_of(wrong)


def test_fewer_sets_tried_means_no_promise():
    """Only all four points do it: to know that, 6 pairs and 4 triples have to be tried."""
    visits = all_but_one(4)
    assert exposure(visits).exact[0] and exposure(visits, max_sets=6).exact[0]
    few = exposure(visits, max_sets=3)
    assert (few.points[0], bool(few.exact[0]), few.max_sets) == (4, False, 3)
    assert few.exact[1:].all() and few.to_dict()["max_sets"] == 3
    for wrong in (0, 1.5, "2"):
        with pytest.raises(ic.ParameterError, match="max_sets"):
            exposure(visits, max_sets=wrong)


def test_progress_is_told():
    told = []
    with listening(lambda label, done, total: told.append((label, done, total))):
        exposure(crowd(" | ".join(f"0:{n % 3} 1:{n % 5}" for n in range(40))))
    assert told == [("exposure", done, 5) for done in range(6)]


def test_nobody_to_single_out():
    nobody = replace(
        crowd("0:1"), users=np.arange(0), offsets=np.array([0]), cell=np.empty(0, int), slot=np.empty(0, int)
    )
    found = exposure(nobody)
    assert (found.points.tolist(), found.rows.tolist(), found.distribution) == ([], [], {})


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
    for position, points in enumerate(found.points.tolist()):
        known = list(zip(visits.cell[found.set_of(position)], visits.slot[found.set_of(position)], strict=True))
        assert len(set(known)) == len(known) == points
        assert not points or crowd_sizes(visits, [known]).tolist() == [1]
        rows = found.set_of(position)
        assert (visits.owner[rows] == position).all() and (np.diff(rows) > 0).all()
    for m in (1, 2, 3):
        possible = uniqueness(visits, points=m, exact=True, short="zero").probability > 0
        assert (possible <= ((found.points > 0) & (found.points <= m))).all()


def _singled_out(mine, sets, m):
    return any(sum(set(q) <= other for other in sets) == 1 for q in combinations(mine, m))


def test_the_map_is_that_of_the_visits():
    city = ic.read.synthetic_city(users=40, towers=12, days=2, seed=0)
    visits = ic.discretize.grid(city.traces, cell_m=1000, slot_min=60)
    panel, expected = exposure(visits).section().panel("risk-map"), ic.measure.risk_map(visits).panel()
    assert np.isfinite(expected.value).any() and np.array_equal(panel.value, expected.value, equal_nan=True)
    without = ic.Visits.from_arrays(visits.owner, visits.cell, visits.slot)
    assert exposure(without).section().panel("risk-map") is None
