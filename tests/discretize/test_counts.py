"""People per cell and slot."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import crowd
from incrowd.discretize import counts
from incrowd.errors import DataError, ParameterError

XY = [[0, 0], [500, 0], [0, 500]]


def visits(rows, **more):
    user, slot, cell = np.array(rows).T
    return ic.Visits.from_arrays(user, cell, slot, **{"xy": XY, "slot_min": 360, **more})


def test_rows_are_slots_up_to_the_end_of_the_day_and_columns_cells():
    made = counts(visits([(0, 1, 0), (1, 1, 0), (1, 4, 2)]))
    assert made.n.shape == (8, 3)
    assert made.n[1].tolist() == [2, 0, 0] and made.n[4].tolist() == [0, 0, 1] and made.n.sum() == 3
    assert (made.slot_min, made.start_min) == (360, 0)


def test_slots_that_make_no_day_end_with_the_last():
    assert counts(visits([(0, 4, 0)], slot_min=50)).n.shape == (5, 3)


def test_start_min_may_be_said():
    assert counts(visits([(0, 0, 0)]), start_min=90).start_min == 90
    with pytest.raises(ParameterError, match=r"be in .0, 1439"):
        counts(visits([(0, 0, 0)]), start_min=1440)


def test_a_user_in_two_cells_counts_twice_and_the_ledger_says_so():
    made = counts(visits([(0, 0, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1)]))
    assert made.n[0].tolist() == [1, 2, 0]
    assert made.ledger.steps[-1].notes == {"more cells of a user in one slot": 1}


@pytest.mark.parametrize(
    ("made", "message"),
    [(lambda: crowd("0:1"), "no xy or no slot_min"), (lambda: visits([(0, -1, 0)]), "below 0")],
)
def test_visits_without_place_or_time_are_refused(made, message):
    with pytest.raises(DataError, match=message):
        counts(made())


def test_a_table_beyond_memory_is_refused():
    with pytest.raises(ParameterError, match="too many counts"):
        counts(visits([(0, 10**8, 0)], slot_min=1))


@settings(deadline=None, max_examples=40)
@given(rows=st.sets(st.tuples(st.integers(0, 4), st.integers(0, 9), st.integers(0, 2)), min_size=1))
def test_every_visit_counts_once(rows):
    made = counts(visits(sorted(rows)))
    for slot, row in enumerate(made.n.tolist()):
        assert row == [sum((u, slot, cell) in rows for u in range(5)) for cell in range(3)]


def test_the_minute_of_the_day_comes_from_the_visits():
    traces = ic.Traces.from_arrays([1, 1], [36_000, 40_000], lon=[5, 5], lat=[52, 52])
    late = ic.discretize.grid(traces, cell_m=500, slot_min=30, start=34_200)
    assert ic.discretize.counts(late).start_min == 570
    local = ic.discretize.grid(traces, cell_m=500, slot_min=30, time_zone="Europe/Amsterdam")
    assert ic.discretize.counts(local).start_min == 0
    assert ic.discretize.counts(late, start_min=5).start_min == 5
