import inspect
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.kernels.reference.transport import distances, link, recover_day

RECOVERY = import_module("incrowd.attack.recover")  # the function of this name hides it
SOME = settings(deadline=None, max_examples=25)
SLOTS = 8


def counted(walks, xy, slot_min=180):
    """Counts of some walks [user, slot]."""
    walks, xy = np.asarray(walks), np.asarray(xy, float)
    n = [np.bincount(slot, minlength=len(xy)) for slot in walks.T]
    return ic.Counts.from_arrays(n, xy, slot_min=slot_min)


@st.composite
def crowds(draw, days=1):
    """Walks that mostly stay, towers in general position or on a lattice, some co-located."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    towers, users = draw(st.sampled_from([1, 3, 25])), draw(st.sampled_from([1, 2, 30]))
    side = draw(st.sampled_from([None, 3]))
    xy = rng.uniform(0, 9000, (towers, 2)) if side is None else 500.0 * rng.integers(0, side, (towers, 2))
    walks = rng.integers(0, towers, (users, days * SLOTS))
    moves = rng.random(walks.shape) < draw(st.sampled_from([0.0, 0.3, 1.0]))
    for t in range(1, walks.shape[1]):
        walks[:, t] = np.where(moves[:, t], walks[:, t], walks[:, t - 1])
    return walks, xy, side is None


def same_people(a, b):
    return sorted(map(tuple, np.asarray(a).tolist())) == sorted(map(tuple, np.asarray(b).tolist()))


@SOME
@given(crowds(days=2), st.sampled_from([None, 3]), st.sampled_from([{}, {"method": "threshold", "theta_m": 700.0}]))
def test_counts_of_the_recovered_are_the_counts(crowd, seed, how):
    walks, xy, _ = crowd
    counts = counted(walks, xy)
    found = ic.attack.recover(counts, seed=seed, **how)
    np.testing.assert_array_equal(counted(found.cells, xy).n, counts.n)
    assert (found.costs.shape, found.bounds.shape) == ((2, SLOTS - 1), (2, SLOTS - 1))
    assert found.gains.shape == found.gain_bounds.shape == (1,)
    assert (found.bounds <= found.costs).all()
    assert found.method == "threshold" or found.gap <= 1e-5 * len(walks)
    assert found.gain_gap <= 1e-6 * len(walks) + 1e-9
    if len(walks) == 1:
        np.testing.assert_array_equal(found.cells, walks)


@SOME
@given(crowds(), st.sampled_from([None, 5]), st.sampled_from([0.0, 900.0]))
def test_every_link_is_that_of_the_reference(crowd, seed, theta):
    walks, xy, _ = crowd
    counts = counted(walks, xy)
    how = {"method": "threshold", "theta_m": theta} if theta else {}
    found = ic.attack.recover(counts, seed=seed, **how)
    prefer = RECOVERY._prefer(seed, 0, SLOTS, len(walks))
    for t in range(SLOTS - 1):
        now, before = xy[found.cells[:, t]], xy[found.cells[:, max(t - 1, 0)]]
        points = now if t + 1 < 2 else 2 * now - before
        order = prefer[t] if seed else np.arange(len(walks))
        _, cost = link(points, xy, counts.n[t + 1], order, how.get("theta_m", 0.0))
        assert found.costs[0, t] == pytest.approx(cost, rel=1e-9, abs=1e-6 * len(walks))
        _, least = link(points, xy, counts.n[t + 1], order)
        assert found.bounds[0, t] == pytest.approx(least, rel=1e-9, abs=1e-5 * len(walks))
        assert found.bounds[0, t] <= least + 1e-9 * (least + 1)


def test_the_bound_of_the_shortcut_is_that_of_the_optimum():
    xy = [[60, 0], [110, 0], [100, 0], [1000, 0]]
    counts = ic.Counts.from_arrays([[1, 1, 0, 0], *[[0, 0, 1, 1]] * 3], xy, slot_min=360)
    found = ic.attack.recover(counts, night_h=(0, 24), method="threshold", theta_m=45)
    assert found.costs[0].tolist() == [950, 0, 0]
    assert found.bounds[0] == pytest.approx([930, 0, 0]) and found.gap == pytest.approx(20)


def test_a_place_ranks_by_its_lowest_tower_with_somebody_left():
    xy = [[0, 0], [200, 0], [0, 0], [100, 0], [300, 0]]  # tower 0 is empty, tower 2 shares its place
    counts = ic.Counts.from_arrays([[0, 0, 0, 1, 1], *[[0, 1, 1, 0, 0]] * 3], xy, slot_min=360)
    found = ic.attack.recover(counts, method="threshold", theta_m=1000)
    assert found.costs[0].tolist() == [400, 400, 0]
    assert found.cells[:, 1].tolist() == [1, 2]


def test_far_coordinates_are_certified_too():
    rng = np.random.default_rng(3)
    walks, xy = rng.integers(0, 40, (60, 8)), rng.uniform(0, 1e7, (40, 2))
    assert ic.attack.recover(counted(walks, xy)).gap <= 2e-6 * len(walks)


@SOME
@given(crowds(), st.sampled_from([None, 5]))
def test_costs_are_those_of_the_reference_as_long_as_the_optimum_is_one(crowd, seed):
    walks, xy, general = crowd
    counts = counted(walks, xy)
    prefer = RECOVERY._prefer(seed, 0, SLOTS, len(walks))
    for hours, slots in ((24, SLOTS), (6, 2)):
        _, costs = recover_day(counts.n, xy, np.arange(SLOTS) < hours / 3, prefer, 0.0)
        found = ic.attack.recover(counts, night_h=(0, hours), seed=seed)
        if general or hours == 24:
            np.testing.assert_allclose(found.costs[0, :slots], costs[:slots], rtol=1e-9, atol=1e-6 * len(walks))


@SOME
@given(st.integers(0, 2**32), st.sampled_from([None, 1]), st.booleans())
def test_who_never_moves_is_recovered(seed, ties, lattice):
    rng = np.random.default_rng(seed)
    xy = rng.integers(0, 2, (9, 2)) if lattice else rng.uniform(0, 9000, (9, 2))  # a lattice of co-located towers
    walks = np.repeat(rng.integers(0, 9, (40, 1)), 2 * SLOTS, axis=1)
    found = ic.attack.recover(counted(walks, xy), seed=ties)
    assert same_people(found.cells, walks)
    assert not found.costs.any()
    np.testing.assert_allclose(found.gains, 0, atol=1e-9)


@SOME
@given(crowds())
def test_nights_are_transport_between_counts(crowd):
    walks, xy, _ = crowd
    counts, tolerance = counted(walks, xy), 1e-5 * len(walks)
    forward = ic.attack.recover(counts, night_h=(0, 24)).costs[0]
    back = ic.attack.recover(counted(walks[:, ::-1], xy), night_h=(0, 24)).costs[0]
    np.testing.assert_allclose(forward, back[::-1], rtol=1e-9, atol=tolerance)
    every_second = ic.attack.recover(counted(np.repeat(walks[:, ::2], 2, axis=1), xy), night_h=(0, 24)).costs[0]
    assert (every_second[1::2] <= forward[:-1:2] + forward[1::2] + tolerance).all()


@SOME
@given(crowds(), st.floats(0.1, 6.2), st.sampled_from([0.01, 30.0]))
def test_costs_follow_the_map(crowd, angle, scale):
    walks, xy, general = crowd
    rng = np.random.default_rng(0)
    label = rng.permutation(len(xy))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    moved = np.empty_like(xy)
    moved[label] = scale * (xy @ turn.T) + 1000.0
    # By day a tower halfway between two others makes optima tie, also in general position; from there on costs part.
    for hours, slots in ((24, SLOTS), (6, 2 if general else 0)):
        first = ic.attack.recover(counted(walks, xy), night_h=(0, hours)).costs[0, :slots]
        second = ic.attack.recover(counted(label[walks], moved), night_h=(0, hours)).costs[0, :slots]
        np.testing.assert_allclose(second, scale * first, rtol=1e-7, atol=1e-5 * len(walks) * max(scale, 1))


@SOME
@given(crowds(days=2))
def test_seeds_workers_and_days(crowd):
    walks, xy, general = crowd
    counts = counted(walks, xy)
    one, again = (ic.attack.recover(counts, seed=1, workers=workers) for workers in (1, 2))
    np.testing.assert_array_equal(one.cells, again.cells)
    other = ic.attack.recover(counts, seed=2)
    if general:
        np.testing.assert_allclose(one.costs[:, :2], other.costs[:, :2], rtol=1e-9, atol=1e-5 * len(walks))
    first = ic.attack.recover(counted(walks[:, :SLOTS], xy), seed=1)
    np.testing.assert_array_equal(first.cells, one.cells[:, :SLOTS])
    np.testing.assert_array_equal(first.costs[0], one.costs[0])


def test_rows_begin_in_the_order_of_towers():
    found = ic.attack.recover(counted([[2] * 8, [0] * 8, [2] * 8], [[0, 0], [5, 0], [9, 0]]))
    assert found.cells[:, 0].tolist() == [0, 2, 2]


def test_who_can_stay_stays():
    xy = [[0, 0], [100, 100], [300, 0]]
    counts = ic.Counts.from_arrays([[2, 1, 0], *[[1, 1, 1]] * 3], xy, slot_min=360)
    found = ic.attack.recover(counts, night_h=(0, 24))
    np.testing.assert_allclose(found.costs[0], [300, 0, 0])
    assert found.cells.tolist() == [[0, 0, 0, 0], [0, 2, 2, 2], [1, 1, 1, 1]]


def test_two_people_walk_through_each_other():
    walks = [[0, 0, 0, 1, 2, 3, 4, 4], [4, 4, 4, 3, 2, 1, 0, 0]]
    found = ic.attack.recover(counted(walks, [[1000 * k, 0] for k in range(5)]))
    np.testing.assert_allclose(found.costs[0], [0, 0, 2000, 0, 0, 0, 2000], atol=1e-9)
    assert same_people(found.cells, walks)


def test_by_night_the_meeting_is_a_tie():
    walks = [[0, 0, 0, 1, 2, 3, 4, 4], [4, 4, 4, 3, 2, 1, 0, 0]]
    found = ic.attack.recover(counted(walks, [[1000 * k, 0] for k in range(5)]), night_h=(0, 24))
    np.testing.assert_allclose(found.costs[0], [0, 0, 2000, 2000, 2000, 2000, 0], atol=1e-9)


def test_a_night_may_span_midnight():
    assert RECOVERY.night_slots((22, 6), 180).tolist() == [True, True, False, False, False, False, False, False]
    assert RECOVERY.night_slots((21, 6), 180).tolist() == [True, True, False, False, False, False, False, True]
    assert RECOVERY.night_slots((0, 0), 180).sum() == 0


def test_the_attacker_sees_counts_alone():
    names = list(inspect.signature(ic.attack.recover).parameters)
    assert names == ["counts", "night_h", "method", "theta_m", "seed", "workers"]
    walks = np.random.default_rng(0).integers(0, 5, (20, 8))
    xy = np.random.default_rng(1).uniform(0, 999, (5, 2))
    shuffled = walks[np.random.default_rng(2).permutation(20)]
    a, b = (ic.attack.recover(counted(w, xy)).cells for w in (walks, shuffled))
    np.testing.assert_array_equal(a, b)


def test_the_recovered_can_be_read_like_observed_people():
    found = ic.attack.recover(counted([[0] * 8, [1] * 8], [[0, 0], [5, 0]]))
    visits = found.visits()
    assert (len(visits), visits.slot_min, found.days, len(found)) == (2, 180, 1, 2)
    assert repr(found) == "Recovered(users=2, slots=8, method='exact', gap=0 m)"
    np.testing.assert_array_equal(visits.cell.reshape(2, 8), found.cells)


XY = [[0, 0], [5, 0]]


@pytest.mark.parametrize(
    ("n", "options", "words"),
    [
        ([[1, 1]] * 7 + [[1, 2]], {}, "slot 7 does not add up .*attack.repair"),
        ([[1, 1]] * 7 + [[3, -1]], {}, "1 counts are below 0; .*attack.repair"),
        ([[1, 1]] * 7 + [[0.5, 1.5]], {}, "not whole; .*attack.repair"),
        ([[1, 1]] * 7, {}, "7 slots are not whole days of 8"),
        ([[0, 0]] * 8, {}, "nobody to recover"),
        ([[1, 1]] * 8, {"slot_min": 50}, "50 min do not divide 6 hours"),
        ([[1, 1]] * 8, {"start_min": 60}, "begin at midnight"),
    ],
)
def test_counts_that_no_fixed_crowd_leaves_are_refused(n, options, words):
    counts = ic.Counts.from_arrays(n, XY, **{"slot_min": 180, **options})
    with pytest.raises((ic.DataError, ic.ParameterError), match=words):
        ic.attack.recover(counts)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "greedy"}, "unknown method"),
        ({"method": "threshold"}, "needs theta_m"),
        ({"theta_m": 5.0}, "no meaning with method 'exact'"),
        ({"method": "threshold", "theta_m": -1.0}, "theta_m must be above 0"),
        *(({"night_h": hours}, "two hours from 0 to 24") for hours in ((0, 25), None, 5, ("0", "6"), "06", (0,))),
        ({"seed": -1}, "seed must be"),
        ({"workers": 0}, "workers must be"),
    ],
)
def test_options_without_meaning_are_refused(options, words):
    with pytest.raises(ic.ParameterError, match=words):
        ic.attack.recover(ic.Counts.from_arrays([[1, 1]] * 8, XY, slot_min=180), **options)


@pytest.mark.parametrize("other", [np.ones((8, 2)), ic.Visits.from_arrays([1], [0], [0]), None])
def test_data_of_another_kind_are_refused(other):
    with pytest.raises(ic.DataError, match=r"recover needs Counts, got (an ndarray|Visits|None)"):
        ic.attack.recover(other)
    with pytest.raises(ic.DataError, match="repair needs Counts"):
        ic.attack.repair(other)


def test_too_many_people_are_refused_before_room_is_made_for_them():
    with pytest.raises(ic.DataError, match="more than 4,294,967,296 points"):
        ic.attack.recover(ic.Counts.from_arrays([[10**9, 1]] * 8, XY, slot_min=180))


@pytest.mark.parametrize("kind", [np.int32, np.uint64, np.int8])
def test_counts_made_directly_are_recovered_too(kind):
    counts = ic.Counts(np.array([[1, 2]] * 8, kind), np.array(XY, float), 180)
    assert counts.whole and ic.attack.recover(counts).cells[:, 0].tolist() == [0, 1, 1]


def test_a_link_that_does_not_settle_is_refused(monkeypatch):
    monkeypatch.setattr(RECOVERY, "MOST_BIDS", 0)
    walks = np.random.default_rng(0).integers(0, 9, (9, 8))
    with pytest.raises(ic.DataError, match="of day 0 cannot be linked in 0 bids"):
        ic.attack.recover(counted(walks, np.random.default_rng(1).uniform(0, 99, (9, 2))))


def test_the_truth_is_never_cheaper_than_the_optimum_of_a_night():
    rng = np.random.default_rng(4)
    xy, walks = rng.uniform(0, 9000, (30, 2)), rng.integers(0, 30, (50, 8))
    found = ic.attack.recover(counted(walks, xy), night_h=(0, 24))
    apart = distances(xy, xy)
    assert (found.costs[0] <= apart[walks[:, :-1], walks[:, 1:]].sum(axis=0)).all()
