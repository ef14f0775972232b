from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic

INT64 = st.integers(-(2**63), 2**63 - 1)
rows = st.lists(st.tuples(st.integers(0, 3), INT64 | st.integers(0, 2), INT64 | st.integers(0, 2)), min_size=1)


def sets(visits):
    """{user: its visits in their order}."""
    pairs = list(zip(visits.slot.tolist(), visits.cell.tolist(), strict=True))
    return {u: pairs[a:b] for u, (a, b) in zip(visits.users.tolist(), pairwise(visits.offsets), strict=True)}


@settings(deadline=None)
@given(rows, st.randoms())
def test_visits_are_distinct_and_sorted_whatever_the_order_of_rows(rows, random):
    expected = {u: sorted({(slot, cell) for v, cell, slot in rows if v == u}) for u in {row[0] for row in rows}}
    visits = ic.Visits.from_arrays(*zip(*rows, strict=True))
    assert visits.users.tolist() == list(dict.fromkeys(row[0] for row in rows))
    assert sets(visits) == expected
    step = visits.ledger.steps[0]
    assert step.read == len(rows)
    assert step.dropped == {"repeated visit": len(rows) - visits.records}
    random.shuffle(rows)
    assert sets(ic.Visits.from_arrays(*zip(*rows, strict=True))) == expected


@pytest.mark.parametrize(
    ("arguments", "error", "what"),
    [
        ({"cell": [0, 1, 2]}, ic.DataError, "differ in length"),
        ({"cell": [0, 1.5]}, ic.DataError, "cell is not a whole number at row 1"),
        ({"slot": [0, np.nan]}, ic.DataError, "slot is missing or infinite at row 1"),
        ({"slot": [0, 2**63]}, ic.DataError, "slot overflows"),
        ({"slot": [0, 2**62], "slot_min": 30}, ic.DataError, "overflows the calendar"),
        ({"slot": [0, -(2**63)], "slot_min": 1, "start": 0}, ic.DataError, "overflows the calendar"),
        ({"slot": [0, 2**40], "slot_min": 1}, ic.DataError, "outside the years"),
        ({"slot_min": 0}, ic.ParameterError, "slot_min"),
        ({"start": np.nan}, ic.DataError, "start is missing"),
        ({"start": 10**15}, ic.DataError, "outside the years"),
        ({"xy": [[0, 0]]}, ic.DataError, "outside 0 to 0"),
        ({"cell": [0, -1], "xy": [[0, 0], [1, 1]]}, ic.DataError, "outside 0 to 1"),
        ({"xy": [0, 1]}, ic.DataError, "one \\(x, y\\) row"),
        ({"xy": [[0], [1, 2]]}, ic.DataError, "equal length"),
        ({"xy": [[0, 0], [np.inf, 0]]}, ic.DataError, "xy is missing or infinite"),
        ({"xy": [["a", "b"], ["c", "d"]]}, ic.DataError, "numbers"),
        ({"attributes": {"age": [1, 2, 3]}}, ic.DataError, "3 values for 2 users"),
        ({"attributes": {"slot": [1, 2]}}, ic.DataError, "rename it"),
    ],
)
def test_refusals(arguments, error, what):
    given_all = {"user": [1, 2], "cell": [0, 1], "slot": [0, 1], **arguments}
    with pytest.raises(error, match=what):
        ic.Visits.from_arrays(**given_all)


def test_no_visit_is_refused():
    with pytest.raises(ic.DataError, match="no record"):
        ic.Visits.from_arrays([], [], [])


def test_the_callers_arrays_are_neither_shared_nor_changed():
    given_arrays = {
        "user": np.array([1, 1]),
        "cell": np.array([0, 1]),
        "slot": np.array([0, 1]),
        "xy": np.zeros((2, 2)),
    }
    visits = ic.Visits.from_arrays(**given_arrays)
    for column in given_arrays.values():
        assert column.flags.writeable
        column[:] = 9
    assert sets(visits) == {1: [(0, 0), (1, 1)]}
    assert not visits.xy.any()
    for column in (visits.users, visits.offsets, visits.cell, visits.slot, visits.xy):
        assert not column.flags.writeable


def test_repr_and_frames():
    visits = ic.Visits.from_arrays([7, 7, 8], [0, 0, 1], [3, 3, 3], slot_min=30, start=0, attributes={"age": [1, None]})
    assert repr(visits) == "Visits(users=2, records=2)"
    rows = [{"user": 7, "cell": 0, "slot": 3, "age": 1}, {"user": 8, "cell": 1, "slot": 3, "age": None}]
    assert visits.to_arrow().to_pylist() == visits.to_polars().to_dicts() == rows
    assert visits.to_pandas()["slot"].tolist() == [3, 3]
