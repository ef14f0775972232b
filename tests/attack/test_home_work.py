import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.attack._home_work import home_work
from incrowd.plain import to_json

MONDAY = 1_704_067_200  # 2024-01-01 00:00 UTC


def at(rows, *, start=MONDAY, slot_min=60, time_zone=None):
    """(user, hour, cell) rows."""
    user, hour, cell = np.array(rows).T
    visits = ic.Visits.from_arrays(user, cell=cell, slot=hour * 60 // slot_min, slot_min=slot_min, start=start)
    return replace(visits, time_zone=time_zone)


def test_home_and_work_of_five_people_and_who_shares_them():
    """0 and 1 live at 7 and work at 9, 2 works at home, 3 is seen at noon on a Saturday only, 4 lives at 8."""
    rows = [(0, 1, 7), (0, 2, 7), (0, 3, 8), (0, 10, 9), (0, 11, 7), (0, 12, 7), (0, 13, 7)]
    rows += [(1, 24, 7), (1, 33, 9), (1, 34, 6), (1, 57, 9), (2, 1, 7), (2, 10, 7), (3, 132, 9), (4, 2, 8), (4, 10, 9)]
    found = home_work(at(rows))
    assert found.home.tolist() == [7, 7, 7, -1, 8] and found.work.tolist() == [9, 9, -1, -1, 9]
    assert found.home_found.tolist() == [True, True, True, False, True]
    assert (found.home_known, found.work_known, found.both_known) == (0.8, 0.6, 0.6)
    assert found.pair_crowd.tolist() == [2, 2, 0, 0, 1] and found.home_crowd.tolist() == [3, 3, 3, 0, 1]
    assert found.pair_crowds == {1: 1 / 3, 2: 2 / 3}
    assert (found.home_unique, found.pair_unique) == (0.2, 0.2)


def test_ties_go_to_the_smaller_cell_and_few_visits_do_not_count():
    rows = [(0, 1, 7), (0, 2, 3), (0, 9, 5), (0, 10, 4)]
    assert (home_work(at(rows)).home[0], home_work(at(rows)).work[0]) == (3, 4)
    assert home_work(at(rows), min_visits=2).both_known == 0
    assert home_work(at(rows), min_visits=2).pair_crowds == {}


@pytest.mark.parametrize(("hour", "home", "work"), [(0, 1, 0), (5, 1, 0), (6, 0, 0), (8, 0, 0), (9, 0, 1), (17, 0, 0)])
def test_borders_of_the_hours(hour, home, work):
    found = home_work(at([(0, hour, 1)]))
    assert (found.home_known, found.work_known) == (home, work)


def test_hours_past_midnight_and_weekends():
    assert home_work(at([(0, 22, 1)])).home_known == 0
    assert home_work(at([(0, 22, 1), (1, 5, 1), (2, 12, 1)]), night_h=(22, 6)).home_known == 2 / 3
    saturday = at([(0, 5 * 24 + 10, 1)])
    assert home_work(saturday).work_known == 0 and home_work(saturday, weekdays=(5,)).work_known == 1


def test_the_wall_clock_counts():
    """22:00 UTC on a Sunday is 07:00 on Monday in Tokyo; noon of New York is no night."""
    tokyo = at([(0, 2, 1)], start=MONDAY - 2 * 3600, time_zone="Asia/Tokyo")
    assert home_work(tokyo).work_known == 1 and home_work(replace(tokyo, time_zone=None)).home_known == 1
    zone = ZoneInfo("America/New_York")
    start = int(datetime(2024, 3, 9, tzinfo=zone).timestamp())
    # Slots follow the wall through the change to summer time on the 10th: slot 57 is Monday 09:00.
    assert home_work(at([(0, 57, 1)], start=start, time_zone="America/New_York")).work_known == 1
    assert home_work(at([(0, 56, 1)], start=start, time_zone="America/New_York")).work_known == 0


def test_accuracy_against_the_truth():
    rows = [(0, 1, 7), (0, 10, 9), (1, 1, 7), (1, 10, 8), (2, 1, 7)]
    found = home_work(at(rows), home=[7, 6, -1], work=[9, -1, 4])
    assert (found.home_right, found.work_right) == (0.5, 1.0)
    with pytest.raises(ic.DataError, match="2 values for 3 people"):
        home_work(at(rows), home=[7, 7])


def test_homes_of_a_synthetic_city_are_found():
    city = ic.read.synthetic_city(users=150, towers=20, days=7)
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    found = home_work(visits, home=city.home, work=city.work)
    assert found.home_right > 0.8 and found.work_right > 0.5 and found.home_known > 0.9


def test_nobody_is_named():
    found = home_work(at([(0, 1, 777_777), (0, 10, 888_888)]))
    assert not {"777777", "888888"} & set(re.findall(r"\d+", repr(found) + to_json(found)))


def test_refusals():
    plain = ic.Visits.from_arrays([1], [0], [0])
    for visits in (plain, ic.Visits.from_arrays([1], [0], [0], slot_min=60), replace(plain, start=0)):
        with pytest.raises(ic.DataError, match="start and slot_min"):
            home_work(visits)
    with pytest.raises(ic.DataError, match="720 min"):
        home_work(ic.Visits.from_arrays([1], [0], [0], slot_min=720, start=0))
    good = at([(0, 1, 7)])
    wrong_hours = ({"night_h": (0, 25)}, {"work_h": (9, 9)}, {"night_h": (24, 0)})
    for wrong in (*wrong_hours, {"weekdays": (7,)}, {"min_visits": 0}):
        with pytest.raises(ic.ParameterError):
            home_work(good, **wrong)
    for hours in (5, (0,), ("a", 6), None, (0, float("nan"))):
        for name in ("night_h", "work_h"):
            with pytest.raises(ic.ParameterError, match=f"{name} must be two hours"):
                home_work(good, **{name: hours})
    for days in (5, ("a",), ([1],), (0.5,), (-1,)):
        with pytest.raises(ic.ParameterError, match="weekdays must list"):
            home_work(good, weekdays=days)


rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 335), st.integers(0, 3)), min_size=1, max_size=60)


@settings(deadline=None, max_examples=60)
@given(rows, st.sampled_from([0, 7_200, -86_400]), st.integers(1, 2))
def test_equals_the_definition(rows, shift, least):
    visits = at(rows, start=MONDAY + shift, slot_min=30)
    found = home_work(visits, min_visits=least)
    for u in range(len(visits)):
        mine = range(visits.offsets[u], visits.offsets[u + 1])
        when = [datetime.fromtimestamp(visits.start + int(visits.slot[r]) * 1800, UTC) for r in mine]
        nights = Counter(int(visits.cell[r]) for r, t in zip(mine, when, strict=True) if t.hour < 6)
        home = min(((-n, c) for c, n in nights.items() if n >= least), default=(0, -1))[1]
        busy = [int(visits.cell[r]) for r, t in zip(mine, when, strict=True) if 9 <= t.hour < 17 and t.weekday() < 5]
        days = Counter(c for c in busy if c != home)
        work = min(((-n, c) for c, n in days.items() if n >= least), default=(0, -1))[1]
        assert (found.home[u], found.work[u]) == (home, work)
    pairs = Counter(p for p in zip(found.home.tolist(), found.work.tolist(), strict=True) if -1 not in p)
    crowds = [pairs.get(p, 0) for p in zip(found.home.tolist(), found.work.tolist(), strict=True)]
    assert found.pair_crowd.tolist() == crowds


def test_it_prints_the_answer_first_without_places():
    visits = ic.Visits.from_arrays([1, 1, 1], cell=[7, 7, 9], slot=[1, 2, 10], slot_min=60, start=4 * 86_400)
    text = str(ic.attack.home_work(visits))
    assert text.startswith("The pair home and work is unique for 100.0 % (1 of 1 person); both can be inferred for ")
    assert "[7]" not in text and "[9]" not in text


def test_midnight_is_0_and_24():
    midnight = at([(0, 0, 1)])
    assert home_work(midnight, night_h=(24, 6)).home_known == home_work(midnight, night_h=(0, 24)).home_known == 1
