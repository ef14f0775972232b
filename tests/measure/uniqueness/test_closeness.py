from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import HAND, crowd
from incrowd.measure import uniqueness
from incrowd.measure.uniqueness import choices as all_choices
from incrowd.measure.uniqueness.choices import Trajectories
from incrowd.measure.uniqueness.question import UniquenessQuestion


def close(visits, points=2, minutes=1, slot_min=1, **options):
    timed = replace(visits, slot_min=slot_min)
    return uniqueness(timed, points=points, knowledge="close", closeness_min=minutes, **options)


def test_who_has_no_close_points_is_skipped(kernels):
    found = close(crowd(HAND), 2, 2, exact=True)
    assert found.probability.tolist() == [1 / 2, 1 / 2, 0]
    assert found.value == pytest.approx(1 / 3)
    assert (found.population, found.skipped, found.targets.tolist()) == (3, 1, [0, 1, 2])
    sizes = close(crowd(HAND), 2, 2, repeats=50).crowd_sizes
    assert sizes.shape == (50, 3) and set(sizes[:, :2].ravel().tolist()) == {1, 3}


def test_not_always_more_unique_when_farther_apart():
    visits = crowd("0:0 1:0 3:1 | 1:0 2:0 3:1")
    assert (close(visits, 2, 1, exact=True).value, close(visits, 2, 2, exact=True).value) == (1, 0)


def test_infeasible_targets_are_skipped_under_every_convention():
    """The second user has points enough but none 5 apart; the third is short."""
    visits = crowd("0:1 5:1 | 0:2 1:2 | 0:3")
    for short, targets in (("drop", [0]), ("all", [0, 2]), ("zero", [0, 2])):
        found = close(visits, 2, 5, short=short)
        assert (found.targets.tolist(), found.skipped) == (targets, 3 - len(targets))


def numbers(slots, minutes, tolerance, block, points, slot_min):
    """Choices by the definition, in rationals."""
    found = []
    for rows in combinations(range(len(slots)), points):
        mean = Fraction((slots[rows[-1]] - slots[rows[0]]) * slot_min, points - 1)
        blocks = {Fraction(slots[r] * slot_min) // Fraction(str(block)) for r in rows} if block else {0}
        if abs(mean - Fraction(str(minutes))) <= Fraction(str(tolerance)) and len(blocks) == 1:
            found.append(rows)
    return found


@settings(deadline=None, max_examples=80)
@given(
    st.tuples(
        st.sampled_from([0, 80_000, -(10**9)]), st.lists(st.integers(-5, 15), min_size=1, max_size=9, unique=True)
    ),
    st.sampled_from([0, 1, 2.5, 3.3, 10, 0.1]),
    st.sampled_from([0, 0.3, 1, 5]),
    st.sampled_from([None, 7, 20, 1440 / 7, 1e-20, 1e30]),
    st.integers(2, 4),
    st.sampled_from([1, 3]),
)
def test_choices_are_exactly_the_close_ones(slots, minutes, tolerance, block, points, slot_min):
    slots = sorted(slots[0] + slot for slot in slots[1])
    wanted = numbers(slots, minutes, tolerance, block, points, slot_min)
    for wide in (2**62, 1):  # in 64 bits, and in Python integers
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(all_choices, "_WIDE", wide)
            choices = made(slots, minutes, tolerance, block, points, slot_min)
            total = int(choices.total(np.array([0]))[0])
            rows = choices.rows(np.zeros(total, np.int64), np.arange(total))
            assert sorted(map(tuple, rows.tolist())) == wanted
            assert bool(choices.feasible[0]) == bool(wanted)


def made(slots, minutes, tolerance, block, points, slot_min):
    question = UniquenessQuestion(
        points=points, knowledge="close", closeness_min=minutes, tolerance_min=tolerance, block_min=block
    )
    whole = Trajectories.over(np.array([0, len(slots)]))
    return all_choices.CloseSubsets(whole, np.array(slots), slot_min, question)


@pytest.mark.parametrize("wide", [2**62, 1])
def test_every_choice_is_drawn_equally_often(wide, monkeypatch):
    monkeypatch.setattr(all_choices, "_WIDE", wide)
    choices = made([0, 1, 2, 4, 5, 9], 2, 1, None, 3, 1)
    draws = 20_000
    rows = choices.draw(np.zeros(draws, np.int64), np.random.default_rng(0))
    counts = np.unique(rows, axis=0, return_counts=True)[1]
    wanted = len(numbers([0, 1, 2, 4, 5, 9], 2, 1, None, 3, 1))
    assert len(counts) == wanted > 5
    share = draws / wanted
    assert (abs(counts - share) < 5 * np.sqrt(share)).all()


def test_more_choices_than_64_bits_hold():
    """700 slots, 12 points: about 10**25 sets; the law of the first point is that of the definition."""
    slots = list(range(700))
    choices = made(slots, 30, 30, None, 12, 1)
    total = int(choices.total(np.array([0]))[0])
    assert total > 2**63
    rows = choices.draw(np.zeros(300, np.int64), np.random.default_rng(0))
    assert (np.diff(rows, axis=1) > 0).all() and rows.max() < 700
    assert (rows[:, -1] - rows[:, 0] <= 660).all()
    ends = choices.rows(np.zeros(2, np.int64), np.array([0, total - 1], object))
    assert ends[0].tolist() == list(range(12)) and ends[1].tolist() == list(range(688, 700))


def test_the_wide_way_agrees_with_the_narrow_one(monkeypatch):
    rng = np.random.default_rng(1)
    user, slot = rng.integers(0, 20, 300), rng.integers(0, 12, 300)
    visits = ic.Visits.from_arrays(user, cell=rng.integers(0, 2, 300), slot=slot, slot_min=1)
    options = {"points": 3, "knowledge": "close", "closeness_min": 2, "tolerance_min": 1, "exact": True}
    narrow = uniqueness(visits, **options)
    monkeypatch.setattr(all_choices, "_WIDE", 200)  # some users above, some below
    assert uniqueness(visits, **options).probability.tolist() == narrow.probability.tolist()


def test_blocks_of_any_length_are_exact(kernels):
    """400 pairs of neighbouring slots around 80,000 and seven blocks a day: the product needs more than 64 bits."""
    slots, block = np.arange(80_000, 80_400), 1440 / 7
    visits = ic.Visits.from_arrays(
        np.repeat(slots, 2), cell=np.zeros(800, int), slot=np.column_stack([slots, slots + 1]).ravel(), slot_min=5
    )
    found = close(visits, 2, 5, slot_min=5, block_min=block, exact=True)
    length = Fraction(str(block))
    wanted = [i for i, s in enumerate(slots.tolist()) if (5 * s) // length == (5 * s + 5) // length]
    assert found.targets.tolist() == wanted and 0 < found.skipped < 400


@pytest.mark.parametrize(
    ("options", "population"),
    [
        ({"minutes": 1e20}, 0),
        ({"minutes": 1, "tolerance_min": 1e20}, 3),
        ({"minutes": 1, "block_min": 1e-20}, 0),
        ({"minutes": 1, "block_min": 1e300}, 4),
        ({"minutes": True}, 4),
        ({"minutes": 1, "points": 10**9}, 0),
    ],
)
def test_extreme_times_have_their_answer(options, population):
    everyone = "0:1 1:1 2:2 | 0:1 1:1 2:2 | 0:1 1:2 2:2 | 0:1 1:1"
    asked = {"points": 3 if "tolerance_min" in options else 2, **options}
    assert close(crowd(everyone), **asked).population == population


def test_long_trajectories_with_few_close_sets_are_counted_in_64_bits():
    """C(800, 10) needs 78 bits, but only neighbours are close; all of one reach count where their sets are few."""
    near = made(list(range(800)), 1, 0.5, None, 10, 1)
    assert near.group.tolist() == [0] and 0 < near.totals[0] < 2**62
    rows = near.draw(np.zeros(500, np.int64), np.random.default_rng(0))
    assert (rows[:, -1] - rows[:, 0] <= 13).all() and (np.diff(rows, axis=1) > 0).all()
    far = made(list(range(800)), 60, 30, None, 10, 1)
    assert far.group.tolist() == [1] and far.totals[0] > 2**63


def test_many_large_totals_stay_apart():
    """Each user alone fits 64 bits, all of them together do not."""
    users, slots = 40, 64
    question = UniquenessQuestion(points=30, knowledge="close", closeness_min=1, tolerance_min=10**6)
    crowd_of = Trajectories.over(np.arange(users + 1) * slots)
    slot = np.tile(np.arange(slots), users)
    choices = all_choices.CloseSubsets(crowd_of, slot, 1, question)
    assert not choices.group.any() and sum(choices.totals) > 2**63
    assert set(choices.totals.tolist()) == {comb(64, 30)}
    last = choices.rows(np.arange(users), np.full(users, comb(64, 30) - 1, object))
    np.testing.assert_array_equal(last % slots, np.tile(np.arange(34, 64), (users, 1)))


def test_sets_far_apart_are_counted_though_the_nearer_ones_overflow():
    """Two first points whose last is 801 slots on; the sets that end nearer alone need more than 64 bits."""
    choices = made(list(range(803)), 89, 0, None, 10, 1)
    assert choices.totals.tolist() == [2 * comb(800, 8)] and choices.totals[0] < 2**63
    ends = choices.rows(np.zeros(2, np.int64), np.array([0, 2 * comb(800, 8) - 1], object))
    assert ends.tolist() == [[*range(9), 801], [1, *range(794, 803)]]
