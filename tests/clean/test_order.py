import numpy as np
import pytest

import incrowd as ic
from builders import tracks

SHIFTS = ["swap_best", "swap_records", "remove"]


def tags(text):
    """A log of one user who stays in one place, as its times."""
    return tracks([(int(word), 0.0) for word in text.split()])


def last(traces):
    return traces.ledger.steps[-1]


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("1 2 3 50 4 5 6", "1 2 3 4 5 6"),
        ("11 12 13 2 14 15", "11 12 13 14 15"),
        ("1 3 2 4", "1 2 3 4"),
        ("9 1 2 3", "1 2 3"),
        ("5 6 7 1", "5 6 7"),
        ("1 5 6 2 3 7", "1 2 3 7"),
        ("5 6 7 1 2 3", "1 2 3"),
        ("3 2 1", "1 2"),
    ],
)
@pytest.mark.parametrize("shift", ["swap_best", "swap_records"])
def test_times_of_a_log_in_one_place(log, expected, shift):
    assert ic.clean.order(tags(log), shift=shift).t.tolist() == [int(word) for word in expected.split()]


def test_remove_drops_the_earlier_of_two_equally_good_records():
    assert ic.clean.order(tags("1 3 2 4"), shift="remove").t.tolist() == [1, 2, 4]


@pytest.mark.parametrize(
    ("log", "expected", "what"),
    [
        ([(0, 0), (20, 200), (10, 100), (30, 300)], [(0, 0), (10, 100), (20, 200), (30, 300)], "records swapped"),
        ([(0, 0), (20, 100), (10, 200), (30, 300)], [(0, 0), (10, 100), (20, 200), (30, 300)], "times swapped"),
        ([(0, 0), (20, 9000), (10, 100), (30, 300)], [(0, 0), (10, 100), (30, 300)], "implausible shift"),
    ],
)
def test_speed_decides_what_is_swapped(log, expected, what):
    repaired = ic.clean.order(tracks(log), max_speed_kmh=54)  # 15 m/s
    assert list(zip(repaired.t, repaired.x, strict=True)) == expected
    step = last(repaired)
    assert {name for name, n in {**step.dropped, **step.notes}.items() if n} == {what}


def test_the_limit_itself_is_plausible():
    log = tracks([(0, 0), (20, 300), (10, 150), (30, 450)])
    assert last(ic.clean.order(log, max_speed_kmh=54)).notes["records swapped"] == 1
    assert last(ic.clean.order(log, max_speed_kmh=53.9)).dropped["implausible shift"] == 1


def test_a_tie_swaps_records():
    log = tracks([(0, 5), (20, 1), (10, 9), (30, 5)])
    repaired = ic.clean.order(log)
    assert last(repaired).notes == {"records swapped": 1, "times swapped": 0}
    assert repaired.x.tolist() == [5, 9, 1, 5]


@pytest.mark.parametrize(("log", "kept"), [([0, 9000, 100, 300], [0, 100, 300]), ([0, 100, 9000, 300], [0, 100, 300])])
def test_removal_leaves_the_slower_path(log, kept):
    times = [0, 20, 10, 30]
    assert ic.clean.order(tracks(list(zip(times, log, strict=True))), shift="remove").x.tolist() == kept


@pytest.mark.parametrize("shift", SHIFTS)
def test_degrees_and_metres_agree(shift):
    rng = np.random.default_rng(3)
    t = np.arange(60) * 10 + rng.integers(0, 25, 60)
    x = rng.integers(0, 2000, 60).astype(float)
    metres = ic.Traces.from_arrays([1] * 60, t, x=x, y=x * 0, order="log")
    lon = x / (np.pi / 180 * 6371008.8)
    degrees = ic.Traces.from_arrays([1] * 60, t, lon=lon, lat=lon * 0, order="log")
    one, other = (ic.clean.order(traces, shift=shift, max_speed_kmh=250) for traces in (metres, degrees))
    assert one.t.tolist() == other.t.tolist()
    assert last(one) == last(other)
    assert sum(last(one).dropped.values()) > 0


def test_of_one_time_the_first_in_the_repaired_order_stays():
    log = tracks([(5, 1.0), (5, 4.0), (9, 2.0), (7, 3.0), (9, 5.0), (9, 2.0)])
    repaired = ic.clean.order(log, shift="swap_records")
    assert list(zip(repaired.t, repaired.x, strict=True)) == [(5, 1.0), (7, 3.0), (9, 2.0)]
    step = last(repaired)
    assert step.dropped["same time, other place"] == 2
    assert step.dropped["same time and place"] == 1


def test_traces_in_order_still_lose_what_shares_a_time():
    traces = tracks([(1, 0.0), (1, 5.0), (2, 0.0)], order="time")
    assert traces.ordered
    assert ic.clean.order(traces).x.tolist() == [0.0, 0.0]


def test_one_user_does_not_disturb_the_next():
    both = ic.clean.order(tracks([(1, 0), (3, 0), (2, 0)], [(0, 7)], [(9, 8), (1, 8), (2, 8)]))
    assert both.t.tolist() == [1, 2, 3, 0, 1, 2]
    assert both.offsets.tolist() == [0, 3, 4, 6]
    assert both.ordered


@pytest.mark.parametrize("options", [{"shift": "sort"}, {"max_speed_kmh": 0}, {"max_speed_kmh": float("nan")}])
def test_options_are_refused_before_work_starts(options):
    with pytest.raises(ic.ParameterError):
        ic.clean.order(tags("1 2"), **options)
