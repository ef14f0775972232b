from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import crowd
from incrowd.measure import closeness, uniqueness
from incrowd.measure.choices import Trajectories
from incrowd.measure.question import Question

HAND = "0:1 1:1 2:2 3:2 | 0:1 1:1 2:2 3:3 | 0:1 1:2 2:2 | 0:1 1:1"


def close(visits, points, minutes, slot_min=1, **options):
    timed = replace(visits, slot_min=slot_min)
    return uniqueness(timed, points=points, knowledge="close", closeness_min=minutes, **options)


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_hand_example(device):
    found = close(crowd(HAND), 2, 2, exact=True, device=device)
    assert found.probability.tolist() == [1 / 2, 1 / 2, 0]
    assert found.value == pytest.approx(1 / 3)
    assert (found.population, found.skipped, found.targets.tolist()) == (3, 1, [0, 1, 2])
    sizes = close(crowd(HAND), 2, 2, repeats=50, device=device).crowd_sizes
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
        blocks = {Fraction(slots[r] * slot_min) // Fraction(block) for r in rows} if block else {0}
        if abs(mean - Fraction(str(minutes))) <= Fraction(str(tolerance)) and len(blocks) == 1:
            found.append(rows)
    return found


@settings(deadline=None, max_examples=80)
@given(
    st.lists(st.integers(-5, 15), min_size=1, max_size=9, unique=True),
    st.sampled_from([0, 1, 2.5, 3.3, 10, 0.1]),
    st.sampled_from([0, 0.3, 1, 5]),
    st.sampled_from([None, 7, 20]),
    st.integers(2, 4),
    st.sampled_from([1, 3]),
)
def test_choices_are_exactly_the_close_ones(slots, minutes, tolerance, block, points, slot_min):
    slots = sorted(slots)
    wanted = numbers(slots, minutes, tolerance, block, points, slot_min)
    for wide in (2**63, 1):  # in 64 bits, and in Python integers
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(closeness, "_WIDE", wide)
            choices = made(slots, minutes, tolerance, block, points, slot_min)
            total = int(choices.total(np.array([0]))[0])
            rows = choices.rows(np.zeros(total, np.int64), np.arange(total))
            assert sorted(map(tuple, rows.tolist())) == wanted
            assert bool(choices.feasible[0]) == bool(wanted)


def made(slots, minutes, tolerance, block, points, slot_min):
    question = Question(
        points=points, knowledge="close", closeness_min=minutes, tolerance_min=tolerance, block_min=block
    )
    whole = Trajectories.over(np.array([0, len(slots)]))
    return closeness.CloseSubsets(whole, np.array(slots), slot_min, question, "cpu")


@pytest.mark.parametrize("wide", [2**63, 1])
def test_every_choice_is_drawn_equally_often(wide, monkeypatch):
    monkeypatch.setattr(closeness, "_WIDE", wide)
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
    monkeypatch.setattr(closeness, "_WIDE", 200)  # some users above, some below
    assert uniqueness(visits, **options).probability.tolist() == narrow.probability.tolist()
