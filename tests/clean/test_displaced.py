import numpy as np
import pytest

import incrowd as ic
from builders import tracks


def places(*x, step=10, limit=108):
    """What is left of a walk with a record every `step` seconds; 108 km/h are 30 m/s."""
    walk = tracks([(i * step, float(place)) for i, place in enumerate(x)], order="time")
    return ic.clean.displaced(walk, max_speed_kmh=limit).x.tolist()


def test_a_displaced_record_leaves():
    assert places(0, 100, 5000, 300, 400) == [0, 100, 300, 400]


def test_first_last_and_two_in_a_row_are_not_caught():
    assert places(5000, 0, 100) == [5000, 0, 100]
    assert places(0, 100, 5000) == [0, 100, 5000]
    assert places(0, 5000, 5100, 200) == [0, 5000, 5100, 200]


def test_a_jump_that_stays_away_is_a_journey():
    assert places(0, 5000, 9999, 15000) == [0, 5000, 9999, 15000]


def test_the_limit_itself_is_plausible():
    assert places(0, 300, 0) == [0, 300, 0]
    assert places(0, 300.1, 0) == [0, 0]
    assert places(0, 5000, 600) == [0, 600]
    assert places(0, 5000, 600.1) == [0, 5000, 600.1]


def test_several_in_one_walk():
    assert places(0, 5000, 0, 5000, 0, 5000, 0) == [0, 0, 0, 0]


def test_degrees_and_a_user_next_door():
    lon = np.array([0, 100, 5000, 300, 0, 5000, 5100]) / 111_194.93
    user = [1, 1, 1, 1, 2, 2, 2]
    t = [0, 10, 20, 30, 0, 10, 20]
    left = ic.clean.displaced(ic.Traces.from_arrays(user, t, lon, lon * 0), max_speed_kmh=108)
    assert left.t.tolist() == [0, 10, 30, 0, 10, 20]
    assert left.ledger.steps[-1].dropped == {"implausible speed before and after": 1}


def test_one_and_the_same_time():
    walk = tracks([(0, 0.0), (0, 50.0), (10, 0.0)], order="time")
    assert ic.clean.displaced(walk).records == 3  # 50 m in no time, but left at a walk


def test_a_log_is_sent_to_order():
    with pytest.raises(ic.DataError, match=r"incrowd\.clean\.order"):
        ic.clean.displaced(tracks([(2, 0.0), (1, 0.0)]))


@pytest.mark.parametrize("limit", [0, -5, float("inf"), float("nan")])
def test_a_speed_without_meaning_is_refused(limit):
    with pytest.raises(ic.ParameterError, match="max_speed_kmh"):
        places(0, 1, 2, limit=limit)
