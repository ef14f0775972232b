"""Information gain of days, against the definition and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.kernels.reference.gain import entropy
from incrowd.measure.regularity import day_gains

SQUARE = [[0, 0], [1, 0], [0, 1], [1, 1]]


def days(*users):
    """One string of cells per user, four slots to a day."""
    cells = np.array([[int(c) for c in user] for user in users])
    user, slot = np.indices(cells.shape)
    return ic.Visits.from_arrays(user.ravel(), cells.ravel(), slot.ravel(), xy=SQUARE, slot_min=360)


def test_the_own_next_day_gains_less_than_a_stranger_s():
    # aabb -> aaaa shares half, 3311 -> 3311 is equal; across there is nothing shared but one.
    found = day_gains(days("0022" + "0000", "3311" + "1313"))
    np.testing.assert_allclose(found.same, [0.3112781245, 0], atol=1e-9)
    np.testing.assert_allclose(found.different, [1, 1])
    assert found.own_day_closer == 1 and (found.users, found.days) == (2, 2)


def test_equal_people_cannot_be_distinguished():
    assert day_gains(days("0011" * 3, "0101" * 3)).own_day_closer == 0.5


def test_every_pair_of_each_kind_is_counted_of_each():
    # same: 1 and 0; different: 0 and 1 -> wins 0+1 of the mixed pairs, ties count half.
    found = day_gains(days("0000" + "1111", "2222" + "2222", "1111" + "1111"), seed=3)
    wins = [(s < d) + (s == d) / 2 for s in found.same for d in found.different]
    assert found.own_day_closer == pytest.approx(np.mean(wins))


def test_strangers_are_never_oneself():
    visits = days(*(f"{k}" * 8 for k in range(4)))
    for seed in range(20):
        assert (day_gains(visits, seed=seed).different == 1).all()


@settings(deadline=None, max_examples=25)
@given(st.lists(st.text("0123", min_size=8, max_size=8), min_size=2, max_size=5))
def test_gains_are_as_defined(users):
    found = day_gains(days(*users))
    for user, gain in zip(users, found.same, strict=True):
        f, g = (np.bincount([int(c) for c in part], minlength=4) for part in (user[:4], user[4:]))
        assert gain == pytest.approx(entropy(f + g) - (entropy(f) + entropy(g)) / 2, abs=1e-9)
    assert ((found.different >= 0) & (found.different <= 1)).all()


@pytest.mark.parametrize("users", [("0011" * 2,), ("0011", "0101")], ids=["alone", "one day"])
def test_two_people_and_two_days_are_needed(users):
    with pytest.raises(ic.DataError, match="two people or more"):
        day_gains(days(*users))
