"""Nearest tower, the most frequent in a slot, and gaps filled: spec/ash S1 and its example E5."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import tracks
from incrowd.discretize import counts, towers
from incrowd.discretize._towers import TIE_M, Nearest
from incrowd.errors import DataError, IncrowdWarning, ParameterError

LINE = [(0, 0), (1000, 0), (2000, 0), (3000, 0)]
SLOT = 1800


def filled(*users, places=LINE, **options):
    return towers(tracks(*users), places, fill="interpolate", **options)


def test_interpolation_between_towers_1_and_3():
    made = filled([(0, 1000), (3 * SLOT, 3000)], slots=4)
    assert made.cell.tolist() == [1, 2, 2, 3] and made.slot.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("there", [(0, 1000), (1000, 0)])
def test_a_tie_in_the_middle_goes_to_the_lowest_tower_in_both_directions(there):
    made = filled([(0, there[0]), (2 * SLOT, there[1])], slots=3)
    assert made.cell.tolist() == [there[0] // 1000, 0, there[1] // 1000]


def test_constant_before_the_first_and_after_the_last_record():
    made = filled([(3 * SLOT, 2000), (4 * SLOT, 0)], slots=7)
    assert made.cell.tolist() == [2, 2, 2, 2, 0, 0, 0]


def test_the_trace_goes_on_across_midnight():
    made = filled([(46 * SLOT, 0), (50 * SLOT, 2000)])
    assert len(made.cell) == 96 and made.cell[46:51].tolist() == [0, 0, 1, 1, 2]  # 500 m and 1500 m tie


def test_slots_default_to_whole_days():
    made = filled([(10, 0)], [(86_400, 0)])
    assert np.diff(made.offsets).tolist() == [96, 96]


def test_the_most_frequent_tower_of_the_slot_wins_and_ties_go_to_the_lowest():
    made = towers(tracks([(0, 2000), (1, 0), (2, 2000)], [(0, 3000), (1, 1000)]), LINE)
    assert made.cell.tolist() == [2, 1]
    assert made.ledger.steps[-1].dropped == {"same cell and slot": 1, "minority cell in its time slot": 2}


def test_left_closed_slots_and_nothing_outside_the_period():
    made = towers(tracks([(0, 0), (SLOT - 1, 0), (SLOT, 1000), (2 * SLOT, 0)], [(2 * SLOT, 0)]), LINE, slots=2)
    assert made.users.tolist() == [0]  # a user with no record in the period is no user
    assert made.cell.tolist() == [0, 1] and made.slot.tolist() == [0, 1]
    assert made.ledger.steps[-1].dropped == {"after the end": 2, "same cell and slot": 1}


def test_towers_at_one_place_are_the_lowest_of_them():
    twins = [(1000, 0), (0, 0), (0, 0), (1000, 0)]
    assert towers(tracks([(0, 0), (SLOT, 1000)]), twins).cell.tolist() == [1, 0]


def test_equal_ends_are_that_tower_without_a_search():
    # a search halfway between (0, 0) and itself would find the twin with the lower id as well: only its absence shows
    places = np.array([(0.0, 0.0), (1000.0, 0.0)])
    made = filled([(0, 1000), (4 * SLOT, 1000)], places=places, slots=6)
    assert made.cell.tolist() == [1] * 6


def test_created_visits_are_in_the_ledger():
    made = filled([(0, 0), (10, 0), (3 * SLOT, 0)], slots=10)
    step = made.ledger.steps[-1]
    assert (step.read, step.kept) == (3, 10)
    assert step.created == {"interpolated": 8} and step.dropped == {"same cell and slot": 1}


def test_degrees_are_compared_in_metres():
    # at 60 N a degree of longitude is half a degree of latitude: the tower to the east is nearer
    traces = ic.Traces.from_arrays([1], [0], [10.0], [60.0])
    made = towers(traces, [(10.0, 60.012), (10.02, 60.0)])
    assert made.cell.tolist() == [1]
    assert "+lat_0=60 +lon_0=10" in made.crs
    assert made.xy[0] == pytest.approx([0, 1337], abs=2)


FAR = "more than half of the {} records are more than {} km from the nearest tower; lon and lat may be swapped"


@pytest.mark.parametrize(
    ("places", "limit_km"),
    [
        (LINE, 50),
        ([(0, 0)], 50),  # one tower has no neighbour
        ([(0, 0), (0, 0), (3000, 0), (3000, 0)], 50),  # antennas of one mast are one place
        ([(-7000, 0), (0, 0)], 70),  # ten times the distance between neighbours
        ([(-90_000, 0), (-89_000, 0), (-7000, 0), (0, 0)], 50),  # of which the median counts: 1, 1, 7 and 7 km are 4
    ],
)
def test_towers_far_from_most_records_are_refused(places, limit_km):
    edge = max(x for x, _ in places) + 1000 * limit_km
    near, beyond = tracks([(0, edge), (1, edge)]), tracks([(0, edge + 1), (1, edge + 1)])
    assert towers(near, places).records == 1
    with pytest.raises(DataError, match=FAR.format(2, limit_km)):
        towers(beyond, places)
    assert towers(beyond, places, far_towers=True).records == 1


def test_half_of_the_records_may_be_far():
    assert towers(tracks([(0, 0), (1, 9e6)], [(0, 9e6), (1, 0)]), LINE).records == 2  # strays, however far
    with pytest.raises(DataError, match=FAR.format(5, 50)):
        towers(tracks([(0, 0), (1, 9e6)], [(0, 9e6), (1, 0), (2, 9e6)]), LINE)


def test_far_records_are_counted_over_all_pieces(monkeypatch):
    from incrowd.read import parts

    monkeypatch.setattr(import_module(parts.__module__), "PIECE_RECORDS", 2)
    people = [[(0, 0), (1, 0)], [(0, 9e6), (1, 9e6)], [(0, 9e6)]]
    with pytest.raises(DataError, match=FAR.format(5, 50)):
        towers(tracks(*people), LINE)
    assert len(towers(tracks(*people[:2], [(0, 0)]), LINE)) == 3


def test_towers_with_lon_and_lat_swapped_are_refused():
    with pytest.raises(DataError, match="may be swapped"):
        towers(ic.Traces.from_arrays([1, 1], [0, 60], [5.1, 5.2], [52.1, 52.2]), [(52.1, 5.1), (52.2, 5.2)])


@pytest.mark.parametrize(("people", "used", "warned"), [(100, 2, True), (99, 2, False), (100, 3, False)])
def test_many_people_at_few_towers_give_a_warning(people, used, warned):
    traces = tracks(*([(0, 1000 * (i % used))] for i in range(people)))
    if not warned:
        towers(traces, LINE)
        return
    with pytest.warns(IncrowdWarning, match="all 100 people are at 2 towers; check that the table"):
        towers(traces, LINE)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"fill": "hold"}, "unknown fill 'hold'"), ({"slots": 0}, "slots must be"), ({"slot_min": -1}, "slot_min must")],
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        towers(tracks([(0, 0)]), LINE, **options)


def test_towers_that_are_no_pairs_are_refused():
    with pytest.raises(DataError, match="towers must hold one"):
        towers(tracks([(0, 0)]), [1, 2, 3])


def test_towers_out_of_the_world_are_refused():
    with pytest.raises(DataError, match="latitude outside"):
        towers(ic.Traces.from_arrays([1], [0], [10.0], [60.0]), [(0, 91)])


@settings(deadline=None, max_examples=60)
@given(
    places=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30),
    points=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=10),
)
def test_nearest_is_its_definition_on_a_lattice_full_of_ties(places, points):
    xy, at = np.array(places, float), np.array(points) / 2
    distance = np.hypot(*(at[:, None] - xy[None]).transpose(2, 0, 1))
    expected = [int(np.flatnonzero(row <= row.min() + TIE_M)[0]) for row in distance]
    assert Nearest(xy)(at[:, 0], at[:, 1]).tolist() == expected


def test_more_towers_than_neighbours_asked_for_may_tie():
    angle = np.linspace(0, 2 * np.pi, 37)[:-1]
    ring = 1000 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    shuffled = np.random.default_rng(0).permutation(36)
    assert Nearest(ring[shuffled])(np.zeros(1), np.zeros(1)).tolist() == [0]


USER = st.lists(st.tuples(st.integers(0, 19), st.integers(0, 5)), min_size=1, max_size=6, unique_by=lambda r: r[0])


@settings(deadline=None, max_examples=60)
@given(users=st.lists(USER, min_size=1, max_size=5), seed=st.integers(0, 50))
def test_filling_is_its_definition_and_counts_add_up_to_the_users(users, seed):
    xy = np.random.default_rng(seed).integers(0, 4, (6, 2)) * 100.0
    rows = [[(slot * SLOT, *xy[tower]) for slot, tower in sorted(user)] for user in users]
    made = filled(*rows, places=xy, slots=20)
    expected = [_by_definition([(t // SLOT, x, y) for t, x, y in user], xy, 20) for user in rows]
    assert made.cell.reshape(len(users), 20).tolist() == expected
    assert (counts(made).n[:20].sum(axis=1) == len(users)).all()


def _by_definition(records, xy, slots):
    known = {slot: _nearest(np.array([x, y]), xy) for slot, x, y in records}
    trace = []
    for slot in range(slots):
        before, after = (
            max((s for s in known if s <= slot), default=None),
            min((s for s in known if s >= slot), default=None),
        )
        if before is None or after is None or known[before] == known[after]:
            trace.append(known[after if before is None else before])
        else:
            share = (slot - before) / (after - before)
            trace.append(_nearest(xy[known[before]] + share * (xy[known[after]] - xy[known[before]]), xy))
    return trace


def _nearest(point, xy):
    distance = np.hypot(*(xy - point).T)
    return int(np.flatnonzero(distance <= distance.min() + TIE_M)[0])


def test_users_filled_in_several_chunks_are_the_same(monkeypatch):
    rng = np.random.default_rng(3)
    users = [
        [(int(s) * SLOT, float(rng.integers(4) * 1000)) for s in np.unique(rng.integers(0, 48, 5))] for _ in range(30)
    ]
    whole = filled(*users)
    monkeypatch.setattr("incrowd.discretize._towers._CHUNK", 100)
    np.testing.assert_array_equal(filled(*users).cell, whole.cell)


def test_a_stray_time_does_not_fill_the_memory():
    traces = ic.Traces.from_arrays(range(300), [0, *([1_700_000_000] * 299)], x=[0.0] * 300, y=[0.0] * 300)
    with pytest.raises(ic.ParameterError, match="stray time"):
        ic.discretize.towers(traces, [(0, 0)], fill="interpolate")
    with pytest.warns(IncrowdWarning, match="299 people are at 1 tower"):
        made = ic.discretize.towers(traces, [(0, 0)], fill="interpolate", start=1_699_920_000)
    assert made.records == 299 * 48
