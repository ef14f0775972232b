from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.attack.recover import score as pairs
from incrowd.attack.recover.guesses import Guess, chance_accuracy, random_guess, static_guess
from incrowd.attack.recover.score import PAIRINGS, pair, recovery_score
from incrowd.errors import DataError, ParameterError
from incrowd.measure import uniqueness

Y = np.array([[0, 0, 1, 1], [0, 0, 2, 2], [3, 3, 3, 3]])
Z = np.array([[0, 0, 1, 2], [0, 0, 1, 1], [3, 3, 3, 2]])


def line(cells, step_m=500):
    return np.stack([np.arange(cells) * step_m, np.zeros(cells)], axis=1).astype(float)


def visits_of(y, xy, slot_min=360):
    users, slots = y.shape
    user, slot = np.repeat(np.arange(users), slots), np.tile(np.arange(slots), users)
    return ic.Visits.from_arrays(user, y.ravel(), slot, xy=xy, slot_min=slot_min)


def guess(z, xy, slot_min=360):
    slots = 1440 // slot_min
    return Guess(z, xy, slot_min, max(z.shape[1] // slots, 1), np.arange(slots) * slot_min < 360)


def score(z, y, xy=None, **options):
    xy = line(max(z.max(), y.max()) + 1) if xy is None else xy
    return recovery_score(guess(z, xy), visits_of(y, xy), **options)


def test_pairing_decides_the_accuracy_of_three_people():
    assert score(Z, Y, pairing="index").accuracy == pytest.approx(8 / 12)
    found = score(Z, Y)
    assert found.pairing == "global" and found.accuracy == pytest.approx(10 / 12)
    assert score(Z, Y, pairing="optimal").accuracy == pytest.approx(10 / 12)
    assert found.match.tolist() == [1, 0, 2]
    # Wrong points: cell 1 for 2 and cell 2 for 3, each 500 m off.
    assert found.errors.tolist() == [0] * 10 + [500, 500]
    assert found.error_m == {0.5: 0, 0.75: 0, 0.9: 500, 0.95: 500, 0.99: 500}
    assert found.mean_error_m == pytest.approx(1000 / 12)
    assert (found.within(0), found.within(499), found.within(500)) == pytest.approx((10 / 12, 10 / 12, 1))
    assert str(found).startswith("83.3 % of the positions of 3 people") and (
        found.users,
        found.slots,
        found.slot_min,
    ) == (3, 4, 360)


def test_far_is_beyond_a_kilometre():
    xy = np.array([[0, 0], [1000, 0], [1001, 0]], float)
    found = score(np.array([[0, 0, 0, 0]]), np.array([[0, 1, 2, 2]]), xy)
    assert found.far == 0.5


def test_each_stage_has_its_own_pairing():
    """Two days of four slots; days are right but joined with the wrong person."""
    y = np.array([[0, 1, 1, 1, 0, 1, 1, 1], [2, 3, 3, 3, 2, 3, 3, 3]])
    z = np.array([[0, 1, 1, 1, 2, 3, 3, 3], [2, 3, 3, 3, 0, 1, 1, 0]])
    found = score(z, y)
    assert found.per_day == {"night": (1, 1), "day": (1, 7 / 8)}
    assert found.stages == {"night": 1, "day": 15 / 16, "whole": found.accuracy}
    assert found.accuracy == 8 / 16
    swapped = score(np.array([[0, 3, 3, 3], [2, 1, 1, 1]]), y[:, :4])
    assert swapped.stages == {"night": 1, "day": 0.75, "whole": 0.75}


def test_uniqueness_by_every_rule():
    z = np.array([[0, 0, 0, 1], [1, 1, 1, 0], [2, 2, 2, 2]])
    found = score(z, z[::-1])
    assert found.uniqueness == {1: 1, 2: 1 / 3, 3: 1 / 3, 4: 1 / 3, 5: 1 / 3}  # sets are not monotone in k
    assert found.uniqueness_by["ordered"] == dict.fromkeys(range(1, 6), 1)
    assert found.uniqueness_by["contain"][1] == 1 / 3
    assert found.original_uniqueness == found.uniqueness_by


def test_one_top_tower_may_identify_where_two_do_not():
    z = np.array([[0, 0, 0, 1, 1], [1, 1, 1, 0, 0]])
    shares = score(z, z).uniqueness
    assert (shares[1], shares[2]) == (1, 0)


def test_uniqueness_is_that_of_measure():
    rng = np.random.default_rng(0)
    z, y = rng.integers(0, 4, (2, 25, 8))
    found, xy = score(z, y), line(4)
    for cells, told in ((z, found.uniqueness_by), (y, found.original_uniqueness)):
        for rule, shares in told.items():
            for k, share in shares.items():
                asked = uniqueness(visits_of(cells, xy), points=k, knowledge="top", match=rule)
                assert asked.value == pytest.approx(share)


crowds = st.tuples(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 2), st.integers(1, 6))


@settings(deadline=None, max_examples=60)
@given(crowds)
def test_pairings_bound_one_another(shape):
    number, users, days, cells = shape
    z, y = np.random.default_rng(number).integers(0, cells, (2, users, 4 * days))
    found = {rule: score(z, y, pairing=rule) for rule in PAIRINGS}
    best = found["optimal"].accuracy
    assert found["index"].accuracy <= best and best / 2 <= found["global"].accuracy <= best
    for one in found.values():
        assert one.accuracy == pytest.approx((z == y[one.match]).mean())
        assert one.within(0) == pytest.approx(one.accuracy)  # cells have distinct places
        assert (np.diff(one.errors) >= 0).all() and one.within(np.inf) == 1
        assert sorted(one.match) == list(range(users))


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_a_shuffle_of_the_truth_is_right(pairing):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 5, (40, 8))
    found = score(rng.permutation(y), y, pairing=pairing)
    assert found.stages == {"night": 1, "day": 1, "whole": 1} and not found.errors.any()


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_static_people_and_one_alone_are_always_right(pairing):
    home = np.repeat(np.random.default_rng(0).integers(0, 3, (20, 1)), 8, axis=1)
    assert score(np.sort(home, axis=0), home, pairing=pairing).accuracy == 1
    assert score(Y[:1], Y[:1], pairing=pairing).accuracy == 1


def test_what_cannot_be_compared_is_refused():
    xy = line(4)
    z, visits = guess(Z, xy), visits_of(Y, xy)
    for wrong, sentence in [
        (visits_of(Y[:2], xy), "3 users were recovered and 2 are given"),
        (visits_of(Y, xy, slot_min=30), "slots of 360 min"),
        (visits_of(Y, line(5)), "other cells"),
        (visits_of(Y[:, :3], xy), "not every user"),
        (replace(visits, slot=visits.slot + 1), "not every user"),
        (
            ic.Visits.from_arrays(
                np.arange(12) // 4, np.zeros(12, int), [*range(4)] * 2 + [0, 1, 2, 4], xy=xy, slot_min=360
            ),
            "not every user",
        ),
    ]:
        with pytest.raises(DataError, match=sentence):
            recovery_score(z, wrong)
    with pytest.raises(DataError, match=r"recovered must come from incrowd.attack.recover, got int"):
        recovery_score(5, visits)
    with pytest.raises(DataError, match="recovery_score needs Visits, got an ndarray"):
        recovery_score(z, np.zeros(3))
    with pytest.raises(ParameterError, match="choose from global, index, optimal"):
        recovery_score(z, visits, pairing="best")


def test_optimal_is_for_few(monkeypatch):
    monkeypatch.setattr(pairs, "MOST_OPTIMAL", 2)
    with pytest.raises(ParameterError, match="at most 2 users, got 3; use 'global'"):
        pair(Z, Y, "optimal")


def test_guesses_keep_the_counts():
    n = np.array([[2, 0, 1], [1, 1, 1], [0, 3, 0], [3, 0, 0]])
    counts = ic.Counts.from_arrays(n, line(3), slot_min=360)
    assert static_guess(counts).cells.tolist() == [[0] * 4, [0] * 4, [2] * 4]
    assert static_guess(counts).night.tolist() == [True, False, False, False] and static_guess(counts).days == 1
    for made in (static_guess(counts, night_h=(18, 12)), random_guess(counts, night_h=(18, 12))):
        assert made.night.tolist() == ic.attack.recover(counts, night_h=(18, 12)).night.tolist()
    some = random_guess(counts, seed=1)
    assert [np.bincount(slot, minlength=3).tolist() for slot in some.cells.T] == n.tolist()
    assert (some.cells == random_guess(counts, seed=1).cells).all() and repr(some) == "Guess(users=3, slots=4)"


def test_chance_is_paired_like_an_attack():
    visits = visits_of(Y, line(4))
    counts = ic.discretize.counts(visits)
    found = chance_accuracy(counts, visits)
    assert found["everyone static"] == pytest.approx((2 + 2 + 4) / 12)
    some = random_guess(counts, seed=0)
    assert found["random assignment"] == recovery_score(some, visits).accuracy


def test_counts_that_do_not_add_up_are_refused():
    for n in ([[1, 1], [1, 0]], [[-1, 2], [1, 0]]):
        with pytest.raises(DataError, match="repair"):
            static_guess(ic.Counts.from_arrays(n, line(2), slot_min=720))
