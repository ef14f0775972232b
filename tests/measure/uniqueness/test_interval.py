"""The interval of a share: hand values, and how often it covers the truth."""

import numpy as np
import pytest

import incrowd as ic
from builders import crowd
from incrowd.measure.uniqueness.question import effective_interval, wilson

Z2 = 1.959963984540054**2


def by_roots(share: float, draws: float) -> tuple[object, object]:
    """Solve |share - p| = z * sqrt(p (1 - p) / n) for p."""
    roots = np.roots([1 + Z2 / draws, -(2 * share + Z2 / draws), share**2])
    low, high = (pytest.approx(float(root)) for root in sorted(roots.real))
    return low, high


def test_one_draw_each_is_plain_wilson_to_the_bit():
    for hits, people in ((0, 7), (7, 7), (1, 3), (20, 198), (140, 198), (333, 1001)):
        means = np.repeat([1.0, 0.0], [hits, people - hits])
        assert effective_interval(means) == effective_interval(means, draws=people) == wilson(hits / people, people)
    assert effective_interval(np.repeat([1.0, 0.0], [5, 15])) == by_roots(0.25, 20)


def test_draws_of_people_who_always_or_never_succeed_count_once():
    assert effective_interval(np.repeat([1.0, 0.0], [5, 15]), draws=20_000) == wilson(0.25, 20)


def test_the_number_of_draws_follows_the_variance_between_people():
    means = np.array([0.2, 0.4, 0.6, 0.8])  # s^2 = 1/15, so 0.25 / (1/60) = 15 draws
    assert effective_interval(means, draws=40) == by_roots(0.5, 15)
    assert effective_interval(means, draws=12) == by_roots(0.5, 12)


def test_people_who_are_all_alike_leave_every_draw_its_own():
    assert effective_interval(np.full(10, 0.5), draws=100) == wilson(0.5, 100)
    assert effective_interval(np.full(11, 1 / 3), draws=33) == by_roots(1 / 3, 33)
    assert effective_interval(np.array([0.4]), draws=50) == wilson(0.4, 50)


def test_no_hit_and_no_miss_have_the_end_itself():
    low, high = effective_interval(np.zeros(39))
    assert low == 0 and high == pytest.approx(Z2 / (39 + Z2)) and high < 1 / 11 < effective_interval(np.zeros(38))[1]
    assert effective_interval(np.ones(39)) == (pytest.approx(1 - high), 1.0)


def test_hits_are_not_rounded():
    crowds = np.full(300, 1 / 700)  # together less than half a hit
    assert effective_interval(crowds) == by_roots(1 / 700, 300)
    assert effective_interval(np.full(10, 0.25)) == by_roots(0.25, 10)


def test_a_matching_counts_half_the_people_above_three_in_ten():
    below, above = np.repeat([1.0, 0.0], [30, 70]), np.repeat([1.0, 0.0], [31, 69])
    assert effective_interval(below, matched=True) == wilson(0.3, 100)
    assert effective_interval(above, matched=True) == wilson(0.31, 50)


def test_the_interval_covers_the_share_of_the_people_drawn_from():
    """People differ, draws of one are alike: counted as independent, the draws promise too much."""
    rng = np.random.default_rng(19)
    for a, b, people, repeats in ((0.2, 0.2, 50, 10), (0.5, 4.0, 200, 10), (8.0, 8.0, 60, 20)):
        truth = a / (a + b)
        means = rng.binomial(repeats, rng.beta(a, b, (800, people))) / repeats
        ends = [effective_interval(row, draws=people * repeats) for row in means]
        independent = [wilson(float(row.mean()), people * repeats) for row in means]
        assert _covered(ends, truth) >= 0.93 and _covered(independent, truth) < 0.85


def test_samples_are_independent_and_cover_the_exact_value():
    """Each sample draws a person anew, so that the draws are independent however often they meet the same person."""
    rng = np.random.default_rng(4)
    visits = ic.Visits.from_arrays(np.repeat(np.arange(12), 6), cell=rng.integers(0, 5, 72), slot=np.tile(range(6), 12))
    exact = ic.measure.uniqueness(visits, points=2, exact=True)
    assert 0.2 < exact.value < 0.8 and exact.probability.std() > 0.15
    ends = [ic.measure.uniqueness(visits, points=2, samples=200, seed=seed).interval for seed in range(500)]
    assert 0.93 <= _covered(ends, exact.value) <= 0.98


def test_repeats_of_a_person_are_no_more_people():
    visits = crowd("0:1 1:1 | 0:2 1:2 | 0:3 1:3 | 0:3 1:3")  # two always alone, two never
    found = ic.measure.uniqueness(visits, points=2, repeats=100)
    assert found.value == 0.5 and found.interval == wilson(0.5, 4)


def test_ties_of_a_linkage_enter_in_expectation():
    """Three who are alike are hit by 1/3 each, two by 1/2: 2 hits of 5 that nobody has made."""
    visits = crowd("0:1 1:1 | 0:1 1:1 | 0:1 1:1 | 0:2 1:2 | 0:2 1:2")
    linkage = ic.attack.link(visits, visits, score="overlap", views=("moments",))
    assert linkage.hit[1] == pytest.approx(0.4) and linkage.interval == by_roots(0.4, 5)
    matching = ic.attack.link(visits, visits, score="overlap", views=("moments",), one_to_one=True)
    assert matching.interval == by_roots(0.4, 2.5)


def _covered(ends: list[tuple[float, float]], truth: float) -> float:
    return float(np.mean([low <= truth <= high for low, high in ends]))
