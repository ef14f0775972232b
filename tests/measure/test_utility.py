from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from incrowd.measure._utility import utility

LINE = [[0, 0], [3000, 0], [6000, 0]]


def visits(user, cell, slot, xy=LINE):
    return ic.Visits.from_arrays(user, cell, slot, xy=xy, slot_min=60)


def test_nothing_changed_agrees_fully():
    before = visits([1, 1, 1, 2], [0, 1, 2, 0], [0, 1, 2, 0])
    found = utility(before, before)
    assert found.visits_shared == found.trips_shared == 1
    assert found.users == (2, 2) and found.visits == (4, 4) and found.trips == (2, 2)
    assert found.trip_km[0] == {"25%": 3.0, "50%": 3.0, "75%": 3.0}
    # positions 0, 3, 6 km: root mean square of 3, 0, 3 is sqrt(6); the other user does not move
    assert found.gyration_km[0]["50%"] == pytest.approx(np.sqrt(6) / 2)


def test_trips_end_where_a_user_ends():
    found = utility(visits([1, 2], [0, 1], [0, 1]), visits([1, 1], [0, 1], [0, 1]))
    assert found.trips == (0, 1)
    assert found.trips_shared == 0 and found.visits_shared == 1


def test_visits_shared_is_twice_the_common_part():
    before = visits([1, 1, 2], [0, 1, 0], [0, 1, 0])  # two people in cell 0, one in cell 1
    after = visits([1, 2], [0, 2], [0, 1])
    assert utility(before, after).visits_shared == pytest.approx(2 * 1 / 5)


def test_cells_are_compared_by_place_not_by_name():
    before, after = visits([1], [0], [0]), visits([1], [2], [0], xy=LINE[::-1])
    assert utility(before, after).visits_shared == 1


def test_coarser_cells_hide_small_moves():
    a, b = visits([1], [0], [0]), visits([1], [1], [0])
    assert utility(a, b, cell_m=1000).visits_shared == 0
    assert utility(a, b, cell_m=10_000).visits_shared == 1


def test_places_and_a_clock_are_needed():
    bare = ic.Visits.from_arrays([1], [0], [0])
    with pytest.raises(ic.DataError, match="no cell centres"):
        utility(bare, bare)


def test_users_whose_visits_are_all_gone_count_in_no_distance():
    before = visits([1, 1, 2, 3], [0, 1, 2, 0], [0, 1, 0, 3])
    after = replace(before, offsets=np.array([0, 2, 2, 2]), cell=before.cell[:2], slot=before.slot[:2])
    found = utility(before, after)
    assert found.gyration_km[1]["50%"] == 1.5 and found.trips == (1, 1)


def walks():
    t = np.arange(0, 86_400, 900)
    x, y = 3000 * np.sin(t / 9000), 2500 * np.cos(t / 7000)
    return ic.Traces.from_arrays(np.repeat([1, 2], len(t)), np.tile(t, 2), x=np.r_[x, y], y=np.r_[y, -x])


@pytest.mark.parametrize(("cell_m", "slot_min"), [(2000, 120), (700, 90), (500, 60), (100, 30)])
def test_coarser_cells_and_slots_alone_lose_no_agreement(cell_m, slot_min):
    traces = walks()
    before = ic.discretize.grid(traces, cell_m=100, slot_min=30)
    after = ic.discretize.grid(traces, cell_m=cell_m, slot_min=slot_min)
    result = utility(before, after, cell_m=100)
    assert result.visits_shared == result.trips_shared == 1
    assert (result.cell_m, result.slot_min) == (cell_m, max(60, slot_min))
    assert utility(before, after, cell_m=3000).cell_m == 3000
    assert utility(after, before, cell_m=100).visits_shared == 1


def test_slots_that_begin_later_are_compared_at_the_same_time():
    traces = walks()
    before = ic.discretize.grid(traces, cell_m=500, slot_min=30, start=0)
    late = traces.where(traces.t >= 36_000, traces.ledger)
    after = ic.discretize.grid(late, cell_m=500, slot_min=120, start=36_000)
    result = utility(before, after)
    seen = ic.discretize.grid(late, cell_m=500, slot_min=30, start=0)
    assert utility(seen, after).visits_shared == 1 > result.visits_shared


def test_clocks_of_two_zones_are_not_compared():
    traces = walks()
    here, there = (ic.discretize.grid(traces, time_zone=zone) for zone in (None, "Europe/Amsterdam"))
    with pytest.raises(ic.DataError, match=r"different clocks \(UTC and Europe/Amsterdam\)"):
        utility(here, there)


def test_places_that_the_original_cannot_be_put_in_are_refused():
    traces = walks()
    before = ic.discretize.grid(traces, cell_m=500, slot_min=60)
    towers = ic.discretize.towers(traces, [(0, 0), (2000, 1000)], slot_min=60)
    assert utility(towers, towers).visits_shared == 1
    assert utility(towers, before).visits_shared < 1  # towers lie in squares
    with pytest.raises(ic.DataError, match="not those of the original"):
        utility(before, towers)
