import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import HAND, crowd, visits_of
from incrowd.discretize import windows
from incrowd.measure import cut_risk, uniqueness


def cut(visits, width, slots=None):
    slots = slots or -(-(int(visits.slot.max()) + 1) // width) * width
    return windows(visits, windows=slots // width, slots=slots)


def exact(visits, width, points):
    return cut_risk(visits, cut(visits, width), points=points, exact=True)


def values(side):
    return {short: found.value for short, found in side.items()}


def close_to(wanted):
    return pytest.approx(wanted, rel=1e-12)


def test_the_convention_decides_whether_cutting_helps():
    risk = exact(crowd(HAND), 2, 2)
    assert risk.before["drop"].value == close_to(5 / 12)
    assert values(risk.after) == close_to({"drop": 1 / 2, "all": 3 / 7, "zero": 3 / 7})
    assert [found.population for found in risk.after.values()] == [6, 7, 7]
    assert (risk.users, risk.pieces, risk.short_pieces) == (4, 7, 1)
    assert risk.reason.startswith("14 % of the 7 pieces have fewer than 2 visits")


def test_knowledge_from_before_the_cut():
    for asked in ({"exact": True}, {"repeats": 3}):
        visits = crowd("0:1 2:1 | 0:1 3:1 | 2:1 3:2")
        risk = cut_risk(visits, cut(visits, 2), points=2, **asked)
        assert (risk.before["drop"].value, risk.fixed_knowledge["drop"].value) == (1, close_to(2 / 3))


@pytest.mark.parametrize(
    ("short", "points", "width", "people", "before", "after"),
    [
        ("drop", 1, 2, "2:0 | 0:0 2:0", 1 / 4, 1 / 3),
        ("all", 1, 2, "2:0 | 0:0 2:0", 1 / 4, 1 / 3),
        ("zero", 1, 2, "2:0 | 0:0 2:0", 1 / 4, 1 / 3),
        ("drop", 2, 2, "0:1 3:1 | 0:1 1:0 3:1", 1 / 3, 1),
        ("all", 2, 2, "0:1 1:0 2:0 | 1:0", 1 / 2, 2 / 3),
        ("zero", 2, 2, "2:0 | 0:1 1:1 2:0 3:0", 1 / 2, 2 / 3),
        ("all", 9, 4, "0:1 | 0:1 | 0:2 4:2 8:2", 1 / 3, 3 / 5),
    ],
)
def test_cutting_may_raise_uniqueness(short, points, width, people, before, after):
    risk = exact(crowd(people), width, points)
    assert (risk.before[short].value, risk.after[short].value) == (close_to(before), close_to(after))


@pytest.mark.parametrize(
    ("short", "points", "people", "wide", "fine"),
    [("drop", 1, "0:0 | 0:0 1:1", 1 / 4, 1 / 3), ("all", 2, "2:1 | 0:0 1:0 2:1", 1 / 3, 1 / 2)],
)
def test_finer_windows_may_raise_uniqueness(short, points, people, wide, fine):
    found = [exact(crowd(people), width, points).after[short].value for width in (2, 1)]
    assert found == [close_to(wide), close_to(fine)]


def test_one_window_changes_nothing_and_one_slot_leaves_nobody():
    visits = crowd(HAND)
    whole = exact(visits, 4, 2)
    assert values(whole.before) == values(whole.after) == values(whole.fixed_knowledge)
    assert exact(visits, 1, 2).after["drop"].value is None


def test_windows_of_other_visits_are_refused():
    with pytest.raises(ic.DataError, match="not cut from these visits"):
        cut_risk(crowd(HAND), cut(crowd("0:1 1:1"), 2))


def test_windows_of_other_owners_are_refused():
    """The same rows, but the pieces run across users or name other owners."""
    visits = crowd("0:1 1:1 | 0:1 1:1 | 0:2")
    made = cut(visits, 2)
    other = replace(visits, users=np.arange(2), offsets=np.array([0, 1, 5]))
    owners = [np.array(owner) for owner in ([1, 1, 2], [0, 0, 2], [0, 1, 3], [0, 1, -1], [0, 1])]
    for wrong in (cut(other, 2), *(replace(made, owner=owner) for owner in owners)):
        with pytest.raises(ic.DataError, match="not cut from these visits"):
            cut_risk(visits, wrong)
    assert cut_risk(visits, made, points=1).pieces == 3
    with pytest.raises(ic.DataError, match=r"got NoneType; pass what incrowd\.discretize\.windows gave"):
        cut_risk(visits, None)


def test_users_without_visits_have_no_piece():
    visits = crowd("0:1 1:1 | 0:1")
    emptied = replace(visits, users=np.arange(4), offsets=np.array([0, 0, 2, 2, 3]))
    assert cut_risk(emptied, cut(emptied, 1), points=1).pieces == 3


def test_consecutive_points_may_be_known_too():
    """Within a window a run is a run; from before the cut, the runs 0-2 and 2-3 of the first are in two windows."""
    visits = crowd("0:1 2:1 3:1 | 0:1 2:2 3:2 | 0:2 2:1 3:2")
    risk = cut_risk(visits, cut(visits, 2), points=2, knowledge="consecutive", exact=True)
    assert risk.knowledge == risk.to_dict()["knowledge"] == risk.before["all"].knowledge == "consecutive"
    for side, data in ((risk.before, visits), (risk.after, cut(visits, 2).visits)):
        for short in ("drop", "all", "zero"):
            alone = uniqueness(data, points=2, knowledge="consecutive", short=short, exact=True)
            assert side[short].probability.tolist() == alone.probability.tolist()
    assert risk.fixed_knowledge["drop"].probability.tolist() == [1 / 2, 1, 1]
    drawn = cut_risk(visits, cut(visits, 2), points=2, knowledge="consecutive", repeats=200)
    assert abs(drawn.fixed_knowledge["drop"].value - 5 / 6) < 0.1
    for wrong in ("top", "close"):
        with pytest.raises(ic.ParameterError, match="choose from random, consecutive"):
            cut_risk(visits, cut(visits, 2), knowledge=wrong)


def test_result_says_how_it_was_asked():
    visits = crowd("0:1 0:2 1:1 | 0:1")
    risk = cut_risk(visits, cut(visits, 1), points=2.0)
    assert (risk.points, type(risk.points)) == (2, int)
    assert {found.same_slot for side in (risk.before, risk.after) for found in side.values()} == {1}
    assert risk != cut_risk(visits, cut(visits, 1), points=2)


people = st.lists(
    st.sets(st.tuples(st.integers(0, 7), st.integers(0, 1)), min_size=1, max_size=6), min_size=1, max_size=5
)


@settings(deadline=None, max_examples=60)
@given(people, st.sampled_from([1, 2, 4, 8]), st.integers(1, 3))
def test_uncut_index_answers_for_the_pieces(sets, width, points):
    """s does not change within a window, so the pieces measured by themselves give the same."""
    visits = visits_of(sets)
    pieces = cut(visits, width, slots=8)
    risk = cut_risk(visits, pieces, points=points, exact=True)
    drawn = cut_risk(visits, pieces, points=points, repeats=2)
    for short in ("drop", "all", "zero"):
        alone = uniqueness(pieces.visits, points=points, short=short, exact=True)
        assert risk.after[short].probability.tolist() == alone.probability.tolist()
        assert risk.after[short].distribution == alone.distribution
        again = uniqueness(pieces.visits, points=points, short=short, repeats=2)
        assert drawn.after[short].crowd_sizes.tolist() == again.crowd_sizes.tolist()
        assert drawn.after[short].targets.tolist() == again.targets.tolist()


@settings(deadline=None, max_examples=60)
@given(people, st.integers(1, 3))
def test_fixed_knowledge_only_falls_with_finer_windows(sets, points):
    visits = visits_of(sets)
    risks = [cut_risk(visits, cut(visits, w, slots=8), points=points, exact=True) for w in (8, 4, 2, 1)]
    chances = [risk.fixed_knowledge["all"].probability for risk in risks]
    assert (chances[0] <= risks[0].before["all"].probability).all()
    assert all((finer <= wider + 1e-12).all() for wider, finer in pairwise(chances))


@settings(deadline=None, max_examples=40)
@given(people, st.sampled_from([1, 2, 4]))
def test_fixed_knowledge_equals_definition(sets, width):
    """All points are known: success iff some piece of the target is a part of no other user's piece."""
    found = exact(visits_of(sets), width, 16).fixed_knowledge["all"].probability
    for mine, chance in zip(sets, found, strict=True):
        pieces = [{p for p in mine if p[0] // width == w} for w in range(8)]
        assert chance == any(piece and sum(piece <= other for other in sets) == 1 for piece in pieces)


def test_what_is_known_of_one_window_says_nothing_about_another():
    """Two visits in the second window are shared by two people, the one in the first by two others."""
    visits = crowd("0:1 2:1 3:1 | 2:1 3:1 | 0:1")
    for asked in ({"exact": True}, {"repeats": 2}):
        risk = cut_risk(visits, cut(visits, 2), points=3, **asked)
        assert (risk.before["drop"].value, risk.fixed_knowledge["drop"].value) == (1, 0)


def test_people_left_out_of_a_draw_leave_the_crowds_of_the_others():
    visits = crowd("0:1 | 0:1 1:1 | 0:1 1:1 | 0:1 1:2")
    risk = cut_risk(visits, cut(visits, 2), points=2)
    assert risk.before["drop"].targets.tolist() == [1, 2, 3]
    assert risk.before["drop"].crowd_sizes.tolist() == [[2, 2, 1]]
    assert risk.before["zero"].crowd_sizes.tolist() == [[0, 2, 2, 1]]


def test_to_dict_is_plain():
    plain = exact(crowd(HAND), 2, 2).to_dict()
    assert plain["after"]["drop"]["population"] == 6 and plain["pieces"] == 7


def test_the_answer_counts_people_and_agrees_with_its_plurals():
    visits = crowd(HAND)
    one = cut_risk(visits, cut(visits, 2), points=1).section()
    assert re.match(
        r"1 random visit identifies \S+ % \(\d of 4 whole trajectories\) and \S+ % \(\d of 7 pieces\);", one.answer
    )
    assert one.answer.endswith(" of 4 people).") and "1 random visit, " in one.options
    assert (
        exact(visits, 2, 2).section().answer.startswith("2 random visits identify 41.7 % of 4 whole trajectories and")
    )
