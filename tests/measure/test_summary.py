import numpy as np
import pytest

import incrowd as ic
from builders import tracks
from incrowd.measure.summary import summary


def test_counts_by_hand():
    traces = tracks([(0, 0.0, 0.0), (600, 1000.0, 0.0)], [(86_400, 0.0, 2000.0)], order="time")
    found = summary(traces, min_people=1, cells=2)
    assert (found.users, found.records, found.days) == (2, 3, 2)
    assert (found.width_km, found.height_km) == (1.0, 2.0)
    assert found.records_per_user["50%"] == 1.5 and "100%" not in found.records_per_user
    assert found.minutes_between["50%"] == 10
    assert found.hour_of_week.sum() == 3
    assert found.hour_of_week[3 * 24] == 2  # 1970-01-01 was a Thursday
    assert found.users_in_cell.tolist() == [[1], [1]]


def test_cells_with_few_people_are_blank():
    near = [[(0, 0.0, 0.0)] for _ in range(5)]
    traces = tracks(*near, [(0, 9000.0, 9000.0)], order="time")
    shown = summary(traces, min_people=5, cells=3).users_in_cell
    assert shown[0, 0] == 5
    assert (np.delete(shown.ravel(), 0) == -1).all()


def test_the_same_person_counts_once_in_a_cell():
    traces = tracks([(0, 0.0, 0.0), (60, 1.0, 0.0), (120, 0.0, 1.0)], [(0, 5000.0, 5000.0)], order="time")
    assert summary(traces, min_people=1, cells=2).users_in_cell[0, 0] == 1


def test_nothing_left_is_refused():
    traces = tracks([(0, 0.0)])
    empty = traces.where(np.zeros(1, bool), traces.ledger)
    with pytest.raises(ic.DataError, match="no record left"):
        summary(empty)


def test_a_rhythm_of_few_people_is_blank():
    assert summary(tracks([(0, 0.0)], [(0, 9.0)], order="time"), min_people=3).hour_of_week.sum() == 0
