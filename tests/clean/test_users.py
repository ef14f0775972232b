import pytest

import incrowd as ic
from builders import tracks

ONE_RECORD, ONE_PLACE, REPEATED, MOVING = (
    [(0, 1.0)],
    [(0, 1.0), (9, 1.0)],
    [(0, 1.0)] * 2,
    [(0, 1.0, 0.0), (0, 1.0, 2.0)],
)


@pytest.mark.parametrize(("singleton", "left"), [("location", [3]), ("record", [1, 3])])
def test_who_never_moves(singleton, left):
    traces = tracks(ONE_RECORD, ONE_PLACE, REPEATED, MOVING)
    still = ic.clean.still_users(traces, singleton=singleton)
    assert still.users.tolist() == left
    step = still.ledger.steps[-1]
    assert step.users == (4, len(left))
    assert sum(step.dropped.values()) == 7 - still.records


def test_location_is_the_default():
    assert ic.clean.still_users(tracks(ONE_PLACE, MOVING)).users.tolist() == [1]


def test_sparse_users_leave_with_their_attributes():
    traces = ic.Traces.from_arrays([1, 2, 2], [0, 0, 1], x=[0, 0, 0], y=[0, 0, 0], attributes={"age": [30, 40]})
    left = ic.clean.sparse_users(traces, min_records=2)
    assert left.users.tolist() == [2]
    assert left.attributes["age"].tolist() == [40]
    assert left.ledger.steps[-1].dropped == {"user with few records": 1}


def test_by_default_a_user_has_as_many_records_as_the_adversary_knows_points():
    traces = tracks([(t, 0.0) for t in range(6)], [(t, 0.0) for t in range(7)])
    assert ic.clean.sparse_users(traces).users.tolist() == [1]


def test_refusals():
    with pytest.raises(ic.ParameterError, match="location, record"):
        ic.clean.still_users(tracks(MOVING), singleton="place")
    with pytest.raises(ic.ParameterError, match="min_records"):
        ic.clean.sparse_users(tracks(MOVING), min_records=0)
