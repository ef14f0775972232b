"""Everybody in every slot, and the same in longer slots."""

from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from incrowd.discretize._counts import everybody, in_longer_slots

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
