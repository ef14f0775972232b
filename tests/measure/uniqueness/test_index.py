from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import HAND, crowd
from incrowd.measure import crowd_sizes, uniqueness
from incrowd.measure.uniqueness import index as module
from incrowd.measure.uniqueness.index import Axis, Index, same_slot

FAR = 2**62


@pytest.mark.parametrize(
    ("cells", "slots"),
    [
        ([0, 1, 2], [0, 1, 2]),  # numbered by place
        ([-5, 10**6, 3], [10**6, 0, -7]),  # numbered by sorting
        ([-FAR, FAR, 3], [FAR, -FAR, 0]),  # axes by rank: the ranges multiply beyond 64 bits
    ],
)
def test_any_integers_are_numbered_alike(cells, slots, kernels):
    rng = np.random.default_rng(0)
    user, c, s = rng.integers(0, 9, 60), rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    visits = ic.Visits.from_arrays(user, cell=np.array(cells)[c], slot=np.array(slots)[s])
    pairs = {(u, cells[a], slots[b]) for u, a, b in zip(user, c, s, strict=True)}
    known = [[(cell, slot)] for cell in [*cells, 4] for slot in [*slots, 5]]
    wanted = [sum((u, *point) in pairs for u in range(9)) for (point,) in known]
    assert crowd_sizes(visits, known).tolist() == wanted


def test_long_lists_are_kept_as_bitsets():
    user = np.repeat(np.arange(200), 2)
    visits = ic.Visits.from_arrays(user, cell=np.tile([0, 1], 200), slot=np.where(np.arange(400) % 2, user, 0))
    index = Index.build(visits)
    assert index.words.shape == (1, 4)
    assert crowd_sizes(visits, [[(0, 0)], [(0, 0), (1, 7)]]).tolist() == [200, 1]


def test_axis_finds_only_what_is_on_it():
    for values in ([3, 5, 9], [-9, -5, 3], [-FAR, 0, FAR]):
        axis = Axis.over(np.array(values))
        assert (axis.find(np.array(values)) == axis.number(np.array(values))).all()
        assert axis.find(np.array([-(2**63), 2**63 - 1])).tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("people", "beside"),
    [("0:1 1:1", 0), ("5:1 | 5:2", 0), ("0:1 0:2 0:3 1:1", 2), ("5:1 | 5:1 | 5:2 5:3 | 6:1 7:1 7:2", 2)],
)
def test_visits_in_one_slot_are_counted_within_users(people, beside):
    visits = crowd(people)
    assert same_slot(visits) == same_slot(visits) == beside
    empty = replace(
        visits, users=np.arange(len(visits) + 3), offsets=np.append(0, np.append(visits.offsets, [visits.records] * 2))
    )
    assert same_slot(empty) == beside


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


@pytest.mark.parametrize("points", [1, 2, 3, 5])
def test_many_questions_are_answered_as_few_are(points, monkeypatch, kernels):
    rng = np.random.default_rng(0)
    user, cell, slot = rng.integers(0, 70, 900), rng.integers(0, 5, 900) ** 2, rng.integers(0, 12, 900)
    visits = ic.Visits.from_arrays(user, cell=cell, slot=slot)
    index = Index.build(visits)
    own = rng.integers(0, len(visits), 300)
    rows = rng.integers(visits.offsets[own][:, None], visits.offsets[own + 1][:, None], (300, points))
    strange = index.ids[rng.integers(0, visits.records, (300, points))]  # of nobody in particular
    few = index.crowd(rows, own), index.count(strange)
    monkeypatch.setattr(module, "_MANY", 1)
    monkeypatch.setattr(module, "_QUERIES", 64)
    np.testing.assert_array_equal(few, (index.crowd(rows, own), index.count(strange)))
    people = [{*zip(c.tolist(), s.tolist(), strict=True)} for c, s in _each(visits)]
    asked = [{*zip(visits.cell[r].tolist(), visits.slot[r].tolist(), strict=True)} for r in rows]
    assert few[0].tolist() == [sum(question <= person for person in people) for question in asked]


def _each(visits):
    edges = visits.offsets[1:-1]
    return zip(np.split(visits.cell, edges), np.split(visits.slot, edges), strict=True)
