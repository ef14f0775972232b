from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incrowd as ic
from builders import tracks
from incrowd.measure._summary import summary


def test_summary_counts_people_days_and_distances():
    late = [(86_400, 0.0, 2000.0), (87_000, 0.0, 2000.0), (87_600, 0.0, 2000.0)]
    found = summary(tracks([(0, 0.0, 0.0), (600, 1000.0, 0.0)], late, order="time"), min_people=1, cells=2)
    assert (found.users, found.records, found.days) == (2, 5, 2)
    assert (found.width_km, found.height_km) == (1.0, 2.0)
    assert found.records_per_user["50%"] == 2.5 and "100%" not in found.records_per_user
    assert found.minutes_between["50%"] == 10
    assert found.hour_of_week.sum() == 5
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
    with pytest.raises(ic.DataError, match="no record is left"):
        summary(empty)


def test_a_rhythm_of_few_people_is_blank():
    assert summary(tracks([(0, 0.0)], [(0, 9.0)], order="time"), min_people=3).hour_of_week.sum() == 0
    few = summary(tracks([(0, 0.0)], [(0, 9.0)], order="time"), min_people=3)
    assert (few.first_day, few.last_day, few.day_parts, few.busiest_hour) == (None, None, {}, None)
    assert few.days is None and few.records_per_user == {} and few.sizes.size == 0


def test_a_day_or_an_hour_of_one_person_is_not_shown():
    """Six people on Thursday at noon, one of them again, very often, at night four days later."""
    noon, night = 12 * 3600, 4 * 86_400 + 3 * 3600
    alone = [(noon, 0.0), *((night + i, 9.0) for i in range(50))]
    found = summary(tracks(alone, *[[(noon, 0.0)]] * 5, order="time"))
    assert (found.first_day, found.last_day, found.days) == ("1970-01-01", "1970-01-01", 1)
    assert found.busiest_hour[0] == "Thursday 12:00" and found.hour_of_week.sum() == 6
    assert found.day_parts["0 to 6 h"] == 0 and found.day_parts["12 to 18 h"] == 1


@pytest.mark.parametrize(
    ("people", "quantiles"),
    [(9, []), (10, ["50%"]), (20, ["25%", "50%", "75%"]), (99, ["25%", "50%", "75%"]), (100, ["5%", "25%", "50%"])],
)
def test_a_quantile_has_five_people_below_and_above_it(people, quantiles):
    found = summary(tracks(*[[(i, 0.0) for i in range(1 + p)] for p in range(people)], order="time"))
    assert list(found.records_per_user)[:3] == quantiles and len(found.sizes) == max(people - 8, 0)
    for value in found.records_per_user.values():
        assert 5 <= value <= people - 4


ZONES = ("Europe/Amsterdam", "Asia/Kolkata", "America/Los_Angeles", "Pacific/Apia", "Asia/Beirut")


@given(
    t=st.lists(st.integers(1_300_000_000, 1_400_000_000), min_size=1, max_size=9),
    zone=st.sampled_from([None, "UTC", *ZONES]),
)
def test_days_and_hours_are_those_of_the_wall_clock(t, zone):
    found = summary(tracks([(at, 0.0) for at in t], order="time"), time_zone=zone, min_people=1)
    local = [datetime.fromtimestamp(at, ZoneInfo(zone or "UTC")) for at in t]
    days = [at.date() for at in local]
    assert (found.first_day, found.last_day) == (str(min(days)), str(max(days)))
    assert found.days == (max(days) - min(days)).days + 1
    hours = [at.weekday() * 24 + at.hour for at in local]
    assert found.hour_of_week.tolist() == np.bincount(hours, minlength=168).tolist()
    parts = np.bincount([at.hour // 6 for at in local], minlength=4) / len(t)
    assert list(found.day_parts.values()) == pytest.approx(parts.tolist())
    assert found.time_zone == (zone or "UTC")


def test_the_busiest_hour_is_told_in_words():
    traces = tracks([(0, 0.0), (1, 0.0), (7200, 0.0)], order="time")  # 1970-01-01 was a Thursday
    assert summary(traces, min_people=1).busiest_hour == ("Thursday 00:00", pytest.approx(2 / 3))
    assert summary(traces, min_people=1, time_zone="America/New_York").busiest_hour[0] == "Wednesday 19:00"


def test_an_unknown_zone_is_refused():
    with pytest.raises(ic.ParameterError, match="unknown time_zone"):
        summary(tracks([(0, 0.0)]), time_zone="Europe/Nowhere")


def city(strays=(), zeros=0, again=0):
    """A thousand records within 0.1 degrees, and what does not belong there."""
    lon, lat = 5 + np.arange(1000) % 100 / 1000, 52 + np.arange(1000) // 10 / 1000
    lon = np.concatenate([lon, [east for east, _ in strays], np.zeros(zeros), lon[:again]])
    lat = np.concatenate([lat, [north for _, north in strays], np.zeros(zeros), lat[:again]])
    t = np.concatenate([np.arange(1000), 5000 + np.arange(len(strays) + zeros), np.arange(again)])
    return ic.Traces.from_arrays(np.where(t % 2, "a", "b"), t, lon=lon, lat=lat)


def test_strays_and_duplicates_are_counted():
    clean = summary(city())
    assert (clean.at_zero_records, clean.outside_records, clean.duplicate_records) == (0, 0, 0)
    found = summary(city(strays=[(116.0, 40.0), (5.05, 52.9)], zeros=3, again=4))
    assert (found.at_zero_records, found.outside_records, found.duplicate_records) == (3, 2, 4)
    assert found.width_km == pytest.approx(clean.width_km, rel=0.02)


def test_records_a_little_outside_are_no_strays():
    assert summary(city(strays=[(5.35, 52.05)])).outside_records == 0  # 3.6 times as wide
    assert summary(city(strays=[(5.45, 52.05)])).outside_records == 1
    assert summary(city(strays=[(5.45, 52.05), (5.12, 52.05)])).outside_records == 1  # within half a side


def test_zeros_do_not_stretch_the_area_however_many():
    assert summary(city(zeros=300)).width_km == summary(city()).width_km
    nowhere = summary(ic.Traces.from_arrays([1, 2], [0, 0], lon=[0, 0], lat=[0, 0]))
    assert (nowhere.width_km, nowhere.at_zero_records, nowhere.outside_records) == (0, 2, 0)
