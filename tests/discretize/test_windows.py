"""Windows: half-open, exact, and nothing lost."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import crowd
from incrowd.discretize import windows
from incrowd.errors import DataError, ParameterError


def pieces(made):
    """{(owner, window): {(slot, cell)}}."""
    cut = np.split(np.stack([made.visits.slot, made.visits.cell], axis=1), made.visits.offsets[1:-1])
    keys = zip(made.owner.tolist(), made.window.tolist(), strict=True)
    return {key: {tuple(row) for row in part.tolist()} for key, part in zip(keys, cut, strict=True)}


def test_windows_are_a_result_like_the_others():
    visits = ic.Visits.from_arrays([7, 7, 7, 8], cell=[1, 1, 1, 2], slot=[3, 4, 5, 0], slot_min=60)
    cut = windows(visits, window_h=2)
    assert str(cut).splitlines()[0] == "2 trajectories cut into windows of 2 h make 3 pieces with 4 visits."
    assert cut.to_arrow().to_pydict() == {"owner": [0, 0, 1], "window": [1, 2, 0], "visits": [1, 2, 1]}
    assert json.loads(json.dumps(cut.to_dict()))["visits"]["users"] == len(cut.to_pandas()) == 3


def test_a_border_belongs_to_one_window():
    made = windows(crowd("3:1 4:1 5:1"), windows=2, slots=8)
    assert pieces(made) == {(0, 0): {(3, 1)}, (0, 1): {(4, 1), (5, 1)}}


@pytest.mark.parametrize(("slots", "window"), [(672, 2), (671, 3)])
def test_the_nominal_period_decides_where_5_windows_lie(slots, window):
    assert windows(crowd("403:0"), windows=5, slots=slots).window.tolist() == [window]


@pytest.mark.parametrize("k", [2, 4, 28, 672])
def test_windows_that_divide_the_slots_are_the_same_in_hours(k):
    visits = ic.Visits.from_arrays(np.zeros(672, int), np.zeros(672, int), np.arange(672), slot_min=15)
    a, b = windows(visits, windows=k, slots=672), windows(visits, window_h=168 / k, slots=672)
    assert a.window.tolist() == b.window.tolist() == list(range(k))
    np.testing.assert_array_equal(a.visits.offsets, b.visits.offsets)


def test_four_people_cut_in_two_windows_are_seven_pieces():
    made = windows(crowd("0:1 1:1 2:2 3:2 | 0:1 1:1 2:2 3:3 | 0:1 1:2 2:2 | 0:1 1:1"), windows=2, slots=4)
    assert len(made.visits) == 7 and (np.diff(made.visits.offsets) >= 2).sum() == 6
    assert made.owner.tolist() == [0, 0, 1, 1, 2, 2, 3] and made.window.tolist() == [0, 1, 0, 1, 0, 1, 0]
    assert pieces(made)[2, 1] == {(2, 2)}


def test_visits_of_a_window_become_one_piece():
    made = windows(crowd("0:1 2:1 | 0:1 3:1 | 2:1 3:2"), windows=2, slots=4)
    assert pieces(made) == {
        (0, 0): {(0, 1)},
        (0, 1): {(2, 1)},
        (1, 0): {(0, 1)},
        (1, 1): {(3, 1)},
        (2, 1): {(2, 1), (3, 2)},
    }


def test_pieces_carry_what_the_visits_carried():
    visits = ic.Visits.from_arrays(
        ["a", "a", "b"], [0, 0, 0], [0, 5, 5], xy=[[0, 0]], slot_min=60, start=3600, attributes={"sex": ["f", "m"]}
    )
    made = windows(visits, window_h=3)
    assert made.visits.users.tolist() == [0, 1, 2] and made.owner.tolist() == [0, 0, 1]
    assert made.visits.attributes["sex"].tolist() == ["f", "f", "m"]
    assert (made.visits.slot_min, made.visits.start) == (60, 3600) and made.visits.xy is visits.xy
    assert (made.window_h, made.windows, made.start_slot, made.slots) == (3, None, 0, 6)
    step = made.visits.ledger.steps[-1]
    assert (step.read, step.kept, step.users) == (3, 3, (2, 3))
    assert repr(made) == "Windows(pieces=3, records=3)"


def test_decimal_hours_are_exact():
    # 0.1 h are 6 minutes; as a binary fraction it is a little more, and slot 3 would fall back a window
    visits = ic.Visits.from_arrays([0] * 4, [0] * 4, [0, 1, 2, 3], slot_min=2)
    assert windows(visits, window_h=0.1).window.tolist() == [0, 1]


def test_windows_start_at_start_slot():
    assert pieces(windows(crowd("4:0 5:0 6:0"), windows=2, start_slot=4, slots=4)) == {
        (0, 0): {(4, 0), (5, 0)},
        (0, 1): {(6, 0)},
    }


@pytest.mark.parametrize("period", [{"start_slot": 1}, {"slots": 3}])
def test_a_visit_outside_the_recording_period_is_refused(period):
    with pytest.raises(DataError, match="1 visit is outside the recording period"):
        windows(crowd("0:0 1:0 3:0"), windows=2, **period)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either window_h or windows"),
        ({"windows": 2, "window_h": 6}, "either window_h or windows"),
        ({"windows": 0}, "windows must be a whole number"),
        ({"window_h": 6}, "needs visits with slot_min"),
        ({"windows": 2, "slots": 1.5}, "slots must be a whole number"),
        ({"windows": 2**61, "slots": 3}, "too fine or too wide"),
    ],
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        windows(crowd("0:0"), **options)


VISITS = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 30), st.integers(0, 2)), min_size=1)


@settings(deadline=None, max_examples=80)
@given(rows=VISITS, k=st.integers(1, 40), more=st.integers(0, 9), chunk=st.integers(1, 12))
def test_a_cut_is_its_definition_and_records_are_conserved(rows, k, more, chunk):
    from incrowd.discretize import _windows as cuts

    user, slot, cell = np.array(sorted(rows)).T
    visits = ic.Visits.from_arrays(user, cell, slot)
    slots = int(slot.max()) + 1 + more
    whole, cuts._CHUNK = cuts._CHUNK, chunk
    try:
        made = windows(visits, windows=k, slots=slots)
    finally:
        cuts._CHUNK = whole
    expected: dict[tuple[int, int], set[tuple[int, int]]] = {}
    position = {label: i for i, label in enumerate(visits.users.tolist())}
    for u, s, c in rows:
        expected.setdefault((position[u], int(Fraction(s * k, slots))), set()).add((s, c))
    assert pieces(made) == expected
    assert made.visits.records == visits.records
    assert list(expected) and sorted(expected) == list(zip(made.owner.tolist(), made.window.tolist(), strict=True))


def test_one_window_changes_nothing():
    visits = crowd("0:1 1:1 | 0:1 5:2")
    made = windows(visits, windows=1)
    np.testing.assert_array_equal(made.visits.offsets, visits.offsets)
    assert made.owner.tolist() == [0, 1]
