"""How regular people are, on examples worked out by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.measure.regularity import by_day, moves, nights, prediction_errors, top_shares

LINE = [[1000.0 * k, 0.0] for k in range(5)]


def everywhere(*users, slot_min=180, xy=LINE):
    """One string of cells per user, one cell for each slot."""
    cells = np.array([[int(c) for c in user] for user in users])
    user, slot = np.indices(cells.shape)
    return ic.Visits.from_arrays(user.ravel(), cells.ravel(), slot.ravel(), xy=xy, slot_min=slot_min)


def test_shares_of_the_most_visited_cells_are_means_over_people():
    visits = ic.Visits.from_arrays([1, 1, 1, 1, 2, 2, 3], [5, 5, 6, 7, 6, 5, 9], [0, 1, 2, 3, 0, 1, 0])
    expected = [(2 / 4 + 1 / 2 + 1) / 3, (3 / 4 + 1 + 1) / 3, 1]
    np.testing.assert_allclose(top_shares(visits, top=3), expected)


def test_more_cells_than_anybody_visits_are_all():
    assert top_shares(everywhere("01234012"), top=9)[-1] == pytest.approx(1)


def test_nights_are_counted_one_by_one():
    # Two slots from 0 to 6 h; each user has two days.
    visits = everywhere("00222222" + "11000000", "33444444" + "34333333")
    found = nights(visits, top=2)
    assert found.cells.tolist() == [[1, 1], [1, 2]]
    assert (found.users, found.nights) == (2, 2)
    assert found.one_cell == 3 / 4
    assert found.one_cell_ever == 0  # the first one slept elsewhere in the second night
    np.testing.assert_allclose(found.at_top, [(1 + 1 + 1 + 1 / 2) / 4, 1])


def test_who_never_moves_by_night_is_in_one_cell_ever():
    assert nights(everywhere("00123400" + "00444444")).one_cell_ever == 1


def test_slots_longer_than_a_night_are_refused():
    with pytest.raises(ic.DataError, match="shorter"):
        nights(everywhere("01", slot_min=720))


def test_the_next_place_lies_straight_ahead_of_the_last_two():
    # 0 1 | 2 4 4 3 3 3: the first predicted slot begins at 6 h.
    errors = prediction_errors(everywhere("01244333"))
    np.testing.assert_array_equal(errors, [[np.nan, np.nan, 0, 1000, 2000, 1000, 1000, 0]])


def test_errors_do_not_reach_over_midnight():
    errors = prediction_errors(everywhere("00000000" + "44444444"))
    assert np.nansum(errors) == 0
    assert np.isnan(errors).tolist() == [([True] * 2 + [False] * 6) * 2]


def test_errors_use_both_axes():
    xy = [[0, 0], [0, 400], [300, 800]]
    # 2 * (0, 400) - (0, 0) = (0, 800), and the person is at (300, 800); then 2 * (300, 800) - (0, 400) = (600, 1200).
    errors = prediction_errors(everywhere("0012", slot_min=360, xy=xy))
    np.testing.assert_allclose(errors, [[np.nan, np.nan, 400, 300]])


def test_moves_are_steps_by_day():
    # Steps into slots 2 to 7: 1-2 2-4 4-4 4-3 3-3 3-3.
    assert moves(everywhere("01244333")) == 3 / 6
    assert moves(everywhere("00000000", "44444444")) == 0


@pytest.mark.parametrize(
    "visits",
    [
        everywhere("0123"),  # half a day
        ic.Visits.from_arrays([1] * 8, [0] * 8, range(8), slot_min=180),
        ic.Visits.from_arrays([1] * 8, [0] * 8, range(8), xy=LINE),
        ic.Visits.from_arrays([1] * 8, [0] * 8, [0, 1, 2, 3, 4, 5, 6, 8], xy=LINE, slot_min=180),
    ],
    ids=["half a day", "no places", "no slots", "a gap"],
)
def test_visits_with_gaps_are_refused(visits):
    with pytest.raises(ic.DataError):
        by_day(visits)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.text("01234", min_size=8, max_size=8), min_size=1, max_size=5))
def test_statistics_stay_in_their_ranges(users):
    visits = everywhere(*users)
    shares = top_shares(visits, top=5)
    assert (np.diff(shares) >= -1e-12).all() and shares[-1] == pytest.approx(1)
    found = nights(visits)
    assert 0 <= found.one_cell_ever <= found.one_cell <= 1 or found.nights == 1
    assert found.at_top[0] >= 1 / 2 and found.cells.max() <= 2
    still = np.nan_to_num(prediction_errors(visits)) == 0
    assert moves(visits) > 0 or still[:, 3:].all()
