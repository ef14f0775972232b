"""k-anonymity of whole fingerprints, and the crowd that is claimed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from audit.cases import groups
from builders import crowd
from incrowd.audit import check
from incrowd.audit.checks.groups import equal_sets


def status(release, **asked):
    return check(release, **asked)["k-anonymity"].status


def single(visits, members=None):
    return ic.Release.from_arrays(visits, members or [[u] for u in range(len(visits))])


def test_equal_visit_sets_hide_each_other():
    release = single(crowd("0:1 1:2 | 1:2 0:1 | 3:3 | 3:3 | 3:3"))
    assert status(release, k=2) == "pass"
    assert status(release, k=3) == "fail"


def test_containment_is_no_equality():
    assert status(single(crowd("0:1 | 0:1 1:2 | 0:1 1:2")), k=2) == "fail"


def test_nothing_is_asked_nothing_is_claimed():
    assert status(single(crowd("0:1 | 0:2"))) == "not asked"


def test_two_pieces_of_one_person_are_one_person():
    visits = crowd("0:1 | 0:1")
    assert status(single(visits), k=2) == "pass"
    assert status(single(visits, [[4], [4]]), k=2) == "fail"


def test_a_claim_is_checked_unasked_and_a_weaker_question_does_not_hide_it():
    _, release = groups([5, 5, 4])
    assert status(release) == "fail"
    assert status(release, k=2) == "fail"
    _, fair = groups([5, 5, 5])
    assert status(fair) == "pass"
    assert status(fair, k=6) == "fail"


def test_crowds_with_equal_fingerprints_add_up():
    prints = ic.Fingerprints.from_arrays([1, 2, 3], x=[0, 0, 100], y=[0, 0, 0], t=[0, 0, 0], crowd=[2, 3, 5])
    release = ic.Release.from_arrays(prints, [[0, 1], [2, 3, 4], [5, 6, 7, 8, 9]])
    assert status(release, k=5) == "pass"
    assert status(release, k=6) == "fail"


def test_somebody_hidden_twice_is_counted_once_and_named():
    prints = ic.Fingerprints.from_arrays([1, 2], x=[0, 0], y=[0, 0], t=[0, 0], crowd=[2, 2])
    verdict = check(ic.Release.from_arrays(prints, [[0, 1], [1, 2]]), k=4)
    assert verdict["k-anonymity"].status == "fail"
    assert verdict["crowd"].status == "fail"
    assert "position 1 of the original" in verdict["crowd"].evidence


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sets(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1), min_size=1, max_size=12))
def test_classes_are_those_of_the_definition(people):
    rows = [(u, cell, slot) for u, visits in enumerate(people) for cell, slot in visits]
    user, cell, slot = np.array(rows).T
    visits = ic.Visits.from_arrays(user, cell, slot)
    group = equal_sets(visits.offsets, {"slot": visits.slot, "cell": visits.cell})
    for a, mine in enumerate(people):
        for b, other in enumerate(people):
            assert (group[a] == group[b]) == (mine == other)


@pytest.mark.parametrize("same", [True, False])
def test_a_collision_is_noticed_and_drawn_again(monkeypatch, same):
    from incrowd.audit.checks import groups as module

    real, calls = module._hashes, []

    def colliding(rows, secret):
        calls.append(1)
        return np.zeros(len(rows[0]), np.uint64) if len(calls) == 1 else real(rows, secret)

    monkeypatch.setattr(module, "_hashes", colliding)
    cells = np.array([1, 1 if same else 2])
    group = equal_sets(np.array([0, 1, 2]), {"cell": cells})
    assert (group[0] == group[1]) == same
    assert len(calls) == (1 if same else 2)
