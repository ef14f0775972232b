"""Slots on the wall clock, at both changes of daylight-saving time."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.clock import minute_of_day, wall_at, zone_of
from incrowd.discretize.slots import slot_plan
from incrowd.errors import ParameterError

AMSTERDAM = "Europe/Amsterdam"


def second(text: str, zone: str = "UTC", fold: int = 0) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).timestamp())


def slots(times, *, slot_min=60, start=None, time_zone=None):
    t = np.array(times, np.int64)
    return slot_plan(slot_min, start, time_zone).over((int(t.min()), int(t.max())))(t).tolist()


def test_a_slot_ends_where_the_next_begins():
    assert slots([0, 1199, 1200], slot_min=20) == [0, 0, 1]


def test_without_a_start_slot_0_is_midnight_of_the_first_day():
    morning = second("2014-05-05T08:10")
    clock = slot_plan(60, None, None).over((morning, morning))
    assert clock.start == second("2014-05-05T00:00")
    assert clock(np.array([morning])).tolist() == [8]


def test_the_day_is_the_local_one():
    late = second("2014-05-05T23:30")  # 01:30 of the 6th in Amsterdam
    clock = slot_plan(60, None, AMSTERDAM).over((late, late))
    assert clock.start == second("2014-05-06T00:00", AMSTERDAM)
    assert clock(np.array([late])).tolist() == [1]


@pytest.mark.parametrize("day", ["2024-03-30", "2024-03-31", "2024-04-01"])
def test_eight_in_the_morning_is_slot_8_of_its_day_across_the_spring_change(day):
    start = second("2024-03-30T00:00", AMSTERDAM)
    days = (datetime.fromisoformat(day) - datetime.fromisoformat("2024-03-30")).days
    assert slots([start, second(f"{day}T08:00", AMSTERDAM)], time_zone=AMSTERDAM)[1] == days * 24 + 8


def test_a_day_of_23_hours_skips_the_hour_that_does_not_exist():
    midnight = second("2024-03-31T00:00", AMSTERDAM)
    assert slots(midnight + 3600 * np.arange(23), time_zone=AMSTERDAM) == [0, 1, *range(3, 24)]


def test_a_day_of_25_hours_has_two_hours_in_the_same_slot():
    midnight = second("2024-10-27T00:00", AMSTERDAM)
    assert slots(midnight + 3600 * np.arange(25), time_zone=AMSTERDAM) == [0, 1, 2, *range(2, 24)]


def test_the_change_is_found_to_the_second():
    change = second("2024-03-31T01:00")
    clock = slot_plan(1, None, AMSTERDAM).over((change - 40 * 86_400, change + 40 * 86_400))
    assert clock.changes.tolist() == [change]
    assert clock.ahead.tolist() == [3600, 7200]
    before, after = clock(np.array([change - 1, change]))
    assert after - before == 61


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        ("America/Sao_Paulo", "2018-11-04"),
        ("America/Havana", "2024-03-10"),
        ("Asia/Beirut", "2023-03-26"),
        ("Africa/Cairo", "2024-04-26"),
    ],
)
def test_a_midnight_that_does_not_exist_still_begins_slot_0(zone, day):
    noon = second(f"{day}T12:00", zone)  # the clock jumped from 00:00 to 01:00
    clock = slot_plan(60, None, zone).over((noon, noon))
    assert datetime.fromtimestamp(clock.start, ZoneInfo(zone)).isoformat()[11:19] == "01:00:00"
    assert minute_of_day(clock.start, zone) == 0
    for again in (clock, slot_plan(60, clock.start, zone).over((noon, noon))):
        assert again(np.array([clock.start, noon])).tolist() == [1, 12]
        assert (again.days, again.slots) == (1, 24)


@pytest.mark.parametrize(
    "start",
    [
        second("2024-01-01T06:00"),
        "2024-01-01T07:00",
        "2024-01-01T06:00+00:00",
        datetime(2024, 1, 1, 7),
        datetime(2024, 1, 1, 6, tzinfo=UTC),
    ],
)
def test_a_start_is_a_utc_second_a_datetime_or_text(start):
    clock = slot_plan(60, start, AMSTERDAM).over((0, second("2024-01-02T00:00")))
    assert clock.start == second("2024-01-01T06:00")
    assert clock(np.array([clock.start - 1, clock.start, clock.start + 3600])).tolist() == [-1, 0, 1]


@pytest.mark.parametrize(
    ("fold", "record"), [(1, ("02:40", 0)), (0, ("02:10", 1))], ids=["second 02:30", "first 02:30"]
)
def test_in_the_repeated_hour_what_the_clock_or_time_puts_before_the_start_has_no_slot(fold, record):
    start = second("2024-10-27T02:30", AMSTERDAM, fold)
    other = second(f"2024-10-27T{record[0]}", AMSTERDAM, record[1])
    assert slots([start - 86_400, start, other], start=start, time_zone=AMSTERDAM) == [-1, 0, -1]


def test_a_clock_set_back_over_midnight_begins_with_the_day_before():
    first = second("2010-11-07T00:00:30", "America/St_Johns")  # half a minute later it was 23:01 again
    later = second("2010-11-06T23:30", "America/St_Johns", fold=1)
    assert slots([first, later], time_zone="America/St_Johns") == [24, 23]


def test_days_reach_to_the_end_of_the_last_one_with_a_record():
    clock = slot_plan(30, None, None).over((100, 2 * 86_400))
    assert (clock.days, clock.slots) == (3, 144)
    assert slot_plan(50, None, None).over((0, 0)).slots == 29


@settings(deadline=None, max_examples=40)
@given(
    zone=st.sampled_from(
        [AMSTERDAM, "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns", "America/Havana"]
    ),
    first=st.integers(0, 1_900_000_000),
    later=st.lists(st.integers(0, 400 * 86_400), min_size=1, max_size=8),
    slot_min=st.sampled_from([1, 7, 60, 1440]),
)
def test_the_slot_is_what_datetime_says(zone, first, later, slot_min):
    t = np.array([first, *(first + s for s in later)])
    clock = slot_plan(slot_min, None, zone).over((first, int(t.max())))
    walls = [datetime.fromtimestamp(s, ZoneInfo(zone)).replace(tzinfo=None) for s in t.tolist()]
    midnight = datetime(1970, 1, 1) + timedelta(seconds=clock.wall)
    expected = [(wall - midnight) // timedelta(minutes=slot_min) for wall in walls]
    assert clock(t).tolist() == expected
    assert midnight.time().isoformat() == "00:00:00" and min(expected) >= 0
    assert datetime.fromtimestamp(clock.start, ZoneInfo(zone)).replace(tzinfo=None) == midnight
    assert max(expected) < clock.slots


@pytest.mark.parametrize(
    ("slot_min", "start", "zone", "message"),
    [
        (0, None, None, "slot_min must be a whole number"),
        (2.5, None, None, "slot_min must be a whole number"),
        (1, "yesterday", None, "start is not an ISO date"),
        (1, 1.5, None, "start must be a whole UTC second"),
        (1, datetime(2024, 1, 1, 0, 0, 0, 5), None, "finer than a second"),
        (1, 10**15, None, "not milliseconds"),
        (1, None, "Mars/Olympus", "unknown time_zone 'Mars/Olympus'"),
    ],
)
def test_nonsense_is_refused(slot_min, start, zone, message):
    with pytest.raises(ParameterError, match=message):
        slot_plan(slot_min, start, zone)


@settings(deadline=None)
@given(
    slot_min=st.sampled_from([7, 45, 60, 150, 420, 1440, 2000]),
    other=st.integers(1_700_000_000, 1_720_000_000),
    low=st.integers(1_700_000_000, 1_720_000_000),
    zone=st.sampled_from([None, "Europe/Amsterdam", "America/Sao_Paulo", "Asia/Kolkata"]),
)
def test_clocks_in_step_begin_slots_at_the_same_minutes_and_lose_nobody(slot_min, other, low, zone):
    there = zone_of(zone)
    clock = slot_plan(slot_min, None, zone).in_step((low, low + 86_400), other)
    assert (clock.wall - wall_at(other, there)) % (60 * slot_min) == 0
    assert wall_at(clock.start, there) == clock.wall  # what is saved says the same
    assert 0 <= clock(np.array([low]))[0] <= (86_400 + 60 * slot_min) // (60 * slot_min) + 1
