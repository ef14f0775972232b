"""People per cell and slot."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import crowd
from incrowd.discretize import counts
from incrowd.discretize._counts import everybody, in_longer_slots
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


HOUR = 3600
TRACES = ic.Traces.from_arrays(
    [1, 1, 1, 2, 2, 2],
    [0, 9 * HOUR, 23 * HOUR, 0, HOUR, 7 * HOUR],
    x=[50.0, 250.0, 50.0, 150.0, 350.0, 350.0],
    y=[50.0] * 6,
)
HOW = {"towers": None, "cell_m": 100, "slot_min": 360}


@pytest.mark.parametrize("towers", [None, [(50, 50), (150, 50), (250, 50), (350, 50)]])
def test_everybody_is_in_one_cell_in_every_slot(towers):
    found = everybody(TRACES, **{**HOW, "towers": towers})
    assert found.slot.tolist() == [0, 1, 2, 3] * 2
    assert (ic.discretize.counts(found).n.sum(axis=1) == 2).all()
    assert found.xy[found.cell[:4], 0].tolist() == pytest.approx([50, 250, 150, 50], abs=60)


@pytest.mark.parametrize("towers", [None, [(50, 50), (150, 50), (250, 50), (350, 50)]])
def test_longer_slots_have_the_same_cells(towers):
    how = {**HOW, "towers": towers}
    visits = everybody(TRACES, **how)
    longer = in_longer_slots(TRACES, visits, **{**how, "slot_min": 720})
    assert longer.slot_min == 720 and longer.slot.tolist() == [0, 1] * 2
    assert np.array_equal(longer.xy, visits.xy)


def test_a_square_that_is_new_in_longer_slots_is_taken_for_the_nearest():
    visits = everybody(TRACES, **HOW)
    fewer = replace(visits, cell=np.zeros_like(visits.cell), xy=visits.xy[:1])
    assert in_longer_slots(TRACES, fewer, **{**HOW, "slot_min": 720}).cell.tolist() == [0] * 4
    with pytest.raises(ic.DataError, match="where their cells are"):
        in_longer_slots(TRACES, replace(visits, xy=None), **{**HOW, "slot_min": 720})


@pytest.mark.parametrize("towers", [None, [(50, 50), (150, 50), (250, 50), (350, 50)]])
def test_days_leave_out_what_comes_later(towers):
    stray = ic.Traces.from_arrays(
        [1, 1, 2, 2, 3], [0, 9 * HOUR, HOUR, 90 * 24 * HOUR, 99 * 24 * HOUR], x=[50.0] * 5, y=[50.0] * 5
    )
    how = {**HOW, "towers": towers, "days": 1}
    found = everybody(stray, **how)
    assert found.users.tolist() == [1, 2] and found.slot.tolist() == [0, 1, 2, 3] * 2
    assert in_longer_slots(stray, found, **{**how, "slot_min": 720}).slot.tolist() == [0, 1] * 2
    with pytest.raises(ic.ParameterError, match="days must be a whole number"):
        everybody(stray, **{**how, "days": 0})
