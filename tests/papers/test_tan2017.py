"""tan2017: its tables and figures, on data small enough to check by eye and on the quick taxis."""

import numpy as np
import pytest

import incrowd as ic
from incrowd.data.table import some_people
from incrowd.papers import reproduce, tan2017
from incrowd.papers.record import save
from incrowd.papers.tan2017 import _statements, random_closeness_h
from incrowd.papers.tan2017.records import cleaned, intervals, wide_box
from incrowd.papers.tan2017.resolution import at


@pytest.fixture(scope="module")
def found():
    return reproduce("tan2017", quick=True)


def known(found):
    return {s.what: s for s in found.statements}


def test_every_table_and_figure_is_there(found):
    names = [figure.name.removeprefix("Figure").removeprefix("s").strip() for figure in found.figures]
    assert names == ["Table 1", "1, 2 and 5", "3", "4", "6 and 7", "8 and 9", "10 to 12", "13", "14"]
    assert found.name == "synthetic taxis" and found.users == 60
    assert all(s.why for s in found.statements if s.verdict != "agrees")


def test_the_example_of_figure_12_comes_out(found):
    rows = [s for s in found.statements if s.where == "Fig. 12"]
    assert [s.ours for s in rows] == ["not unique", "unique", "unique"]
    assert all(s.verdict == "agrees" for s in rows)


def test_a_quick_run_asks_fewer_combinations(found):
    row = known(found)["combinations"]
    assert (row.theirs, row.ours, row.verdict) == ("462", "56", "differs")
    sweep = found.others[0]
    assert len(sweep) == 56 and at(sweep, 100, 20, 4) > at(sweep, 100, 20, 1)
    assert np.isnan(at(sweep, 33, 20, 4))


def test_cleaning_is_counted(found):
    made = reproduce("tan2017", quick=True, seed=0)
    row = known(made)["disorder by one record"]
    assert row.verdict == "agrees" and row.ours.endswith("% of records")
    steps = {step.name: step for step in found.others[1].steps}
    stray = known(found)["records of uncorrelated time removed"]
    assert stray.ours == f"{steps['order'].dropped['uncorrelated time']:,}" != "0"


def test_sorted_records_say_nothing_of_disorder():
    user = np.repeat([1, 2], 20)
    x = np.concatenate([np.arange(20) * 100.0, np.arange(20) * 90.0])
    traces = ic.Traces.from_arrays(user, np.tile(np.arange(20) * 300, 2), x=x, y=np.zeros(40))
    figure = tan2017.figure_8_9(cleaned(traces, made_up=False))
    assert figure.statements[0].verdict == "cannot be compared" and "time order" in figure.statements[0].why


def test_intervals_stay_within_a_vehicle():
    gaps = intervals(np.array([0, 10, 30, 5, 6]), np.array([0, 3, 5]))
    assert gaps.tolist() == [10, 20, 1]
    assert intervals(np.array([7]), np.array([0, 1])).tolist() == []


def test_days_are_counted_per_vehicle():
    t = np.concatenate([np.arange(8) * 3600, [90_000] * 1, np.arange(7) * 60])
    traces = ic.Traces.from_arrays([1] * 9 + [2] * 7, t, x=np.arange(16) * 1.0, y=np.zeros(16))
    figure = tan2017.figure_13(cleaned(traces, made_up=False))
    assert figure.statements[0].ours == "median 7, mean 5"  # 8 and 1 of the first, 7 of the second


def test_the_wide_box_measures_200_km():
    planar = ic.Traces.from_arrays([1, 1], [0, 60], x=[0.0, 10_000.0], y=[0.0, 0.0])
    west, south, east, north = wide_box(planar)
    assert (east - west, north - south) == (200_000, 200_000)
    degrees = ic.Traces.from_arrays([1, 1], [0, 60], lon=[5.0, 6.0], lat=[60.0, 60.0])
    west, south, east, north = wide_box(degrees)
    assert east - west == pytest.approx(2 * (north - south)) and north - south == pytest.approx(200 / 111.2)


def test_random_closeness_is_within_a_day():
    # Two days of four points: spans of 3 h and of 6 h, days drawn uniformly.
    days = ic.Visits.from_arrays([1] * 8, [0] * 8, [0, 1, 2, 3, 24, 26, 28, 30], slot_min=60)
    assert random_closeness_h(days, samples=2000, seed=0) == pytest.approx(1.5, abs=0.05)
    assert np.isnan(
        random_closeness_h(ic.Visits.from_arrays([1] * 3, [0] * 3, [0, 1, 2], slot_min=60), samples=9, seed=0)
    )


def test_the_closeness_of_a_full_day_is_the_paper_s():
    slots = np.arange(72)
    full = ic.Visits.from_arrays([1] * 72, [0] * 72, slots, slot_min=20)
    assert random_closeness_h(full, samples=5000, seed=0) == pytest.approx(4.8, abs=0.1)  # 24 h / 5


def test_a_fall_in_between_is_no_increase():
    taxis = cleaned(
        ic.Traces.from_arrays(
            np.repeat([1, 2], 9), np.tile(np.arange(9) * 60, 2), x=np.arange(18) * 1.0, y=np.zeros(18)
        ),
        made_up=False,
    )
    rising, dipping = (
        _statements(taxis, [0.7, 0.8, 0.9, 0.895, 0.9], 0.9),
        _statements(taxis, [0.7, 0.9, 0.8, 0.8, 0.8], 0.8),
    )
    assert rising[0].verdict == "agrees" and dipping[0].verdict == "differs"
    assert dipping[0].why.endswith("not at every step")


def test_few_vehicles_are_refused_and_quick_draws_some():
    one = ic.Traces.from_arrays([1] * 9, np.arange(9) * 60, x=np.arange(9) * 1.0, y=np.zeros(9))
    with pytest.raises(ic.DataError, match="two users"):
        tan2017.reproduce(one)
    many = ic.Traces.from_arrays(np.repeat(np.arange(5), 2), np.tile([0, 60], 5), x=np.zeros(10), y=np.zeros(10))
    assert len(some_people(many, people=3, seed=0)) == 3 and some_people(many, people=3, seed=0).records == 6


def test_the_sweep_and_the_ledger_are_saved_too(found, tmp_path):
    names = {path.name for path in save(found, tmp_path / "tan").iterdir()}
    assert {"sweep.json", "sweep-1.svg", "ledger.json", "figure-3.svg", "figure-6.json", "report.html"} <= names


@pytest.mark.real
@pytest.mark.slow
def test_taxis_of_san_francisco_agree_on_four_points(shared_data):
    told = known(tan2017.reproduce(ic.read.table(shared_data / "cabspotting_sf_week.parquet")))
    for city in ("Shenzhen", "Shanghai"):
        assert told[f"unique from 4 points ({city}; blocks of 2 km)"].verdict == "agrees"
    assert told["combinations"].ours == "462"
