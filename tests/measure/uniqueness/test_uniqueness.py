from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from builders import HAND, crowd
from incrowd.measure import crowd_sizes, uniqueness
from incrowd.measure.uniqueness import choices
from incrowd.measure.uniqueness.question import effective_interval


def exact(visits, points, **options):
    return uniqueness(visits, points=points, exact=True, **options)


def expected(values):
    return pytest.approx(values, rel=1e-12)


def test_the_crowd_of_points_is_everybody_who_has_them_all(kernels):
    known = [[(1, 0)], [(1, 0), (1, 1)], [(2, 2), (2, 3)], [(1, 0), (1, 0)], [(7, 7)], [(1, 0), (1, 9)], []]
    assert crowd_sizes(crowd(HAND), known).tolist() == [4, 3, 1, 4, 0, 0, 4]
    assert crowd_sizes(crowd(HAND), []).tolist() == []


def test_lists_of_many_lengths_are_counted_as_a_few():
    visits = crowd(" | ".join(" ".join(f"{slot}:1" for slot in range(most)) for most in (14, 9, 3, 1)))
    known = [[(1, slot) for slot in range(length)] for length in range(14, 0, -1)]
    assert crowd_sizes(visits, known).tolist() == [1] * 5 + [2] * 6 + [3] * 2 + [4]


def test_crowd_sizes_of_two_cars():
    """Blue a, x, y, d and red e, x, y, h [tan2017, Fig. 12]: the crossing does not tell them apart, a or d does."""
    cars = crowd("0:1 1:8 2:9 3:4 | 0:5 1:8 2:9 3:7")
    crossing = [(8, 1), (9, 2)]
    assert crowd_sizes(cars, [crossing, [*crossing, (1, 0)], [*crossing, (4, 3)]]).tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("options", "probability", "value", "distribution"),
    [
        ({"points": 1}, [1 / 4, 1 / 4, 1 / 3, 0], 5 / 24, {1: 5 / 24, 3: 11 / 24, 4: 1 / 3}),
        ({"points": 2}, [1 / 2, 1 / 2, 2 / 3, 0], 5 / 12, {1: 5 / 12, 2: 1 / 12, 3: 1 / 2}),
        ({"points": 2, "knowledge": "consecutive"}, [1 / 3, 1 / 3, 1, 0], 5 / 12, {1: 5 / 12, 2: 1 / 6, 3: 5 / 12}),
        ({"points": 3, "short": "all"}, [3 / 4, 3 / 4, 1, 0], 5 / 8, {1: 5 / 8, 2: 1 / 8, 3: 1 / 4}),
        ({"points": 3, "short": "zero"}, [3 / 4, 3 / 4, 1, 0], 5 / 8, {0: 1 / 4, 1: 5 / 8, 2: 1 / 8}),
    ],
)
def test_exact_uniqueness_of_four_people_under_every_convention(kernels, options, probability, value, distribution):
    found = uniqueness(crowd(HAND), exact=True, **options)
    assert found.probability.tolist() == expected(probability)
    assert found.value == expected(value)
    assert found.interval == (found.value, found.value)
    assert found.distribution == expected(distribution)
    assert (found.population, found.skipped) == (4, 0)
    assert found.crowd_sizes is None


def test_short_trajectories_are_dropped_by_default():
    found = exact(crowd(HAND), 3)
    assert found.value == expected(5 / 6)
    assert (found.population, found.skipped, found.targets.tolist()) == (3, 1, [0, 1, 2])


@pytest.mark.parametrize(
    ("options", "skipped", "sizes"),
    [
        ({"points": 4}, 2, [1, 1]),
        ({"points": 4, "short": "all"}, 0, [1, 1, 1, 3]),
        ({"points": 4, "short": "zero"}, 0, [1, 1, 0, 0]),
        ({"points": 9}, 4, []),
        ({"points": 9, "short": "all", "knowledge": "consecutive"}, 0, [1, 1, 1, 3]),
    ],
)
def test_what_is_asked_when_nothing_is_left_to_chance(options, skipped, sizes):
    found = uniqueness(crowd(HAND), repeats=2, **options)
    assert found.crowd_sizes.tolist() == [sizes, sizes]
    assert (found.population, found.skipped) == (len(sizes), skipped)
    assert found.probability.tolist() == [float(s == 1) for s in sizes]


def test_no_target_is_undefined_not_zero():
    for options in ({}, {"exact": True}, {"samples": 5}):
        found = uniqueness(crowd(HAND), points=9, **options)
        assert found.value is None and found.interval is None
        assert (found.population, found.distribution) == (0, {})
    assert "undefined" in repr(found)


def test_users_without_records_contain_nothing_and_are_contained_by_all():
    visits = crowd("0:1 | 0:1 1:1")
    emptied = replace(visits, users=np.arange(3), offsets=np.array([0, 1, 3, 3]))
    assert uniqueness(emptied, points=2, short="all").crowd_sizes.tolist() == [[2, 1, 3]]
    assert uniqueness(emptied, points=2, short="all", exact=True).distribution == expected(
        {1: 1 / 3, 2: 1 / 3, 3: 1 / 3}
    )
    assert uniqueness(emptied, points=2).skipped == 2


def test_result_carries_its_question():
    found = uniqueness(crowd(HAND), points=2, short="all", knowledge="consecutive", repeats=7, seed=3)
    assert (found.points, found.short, found.knowledge, found.repeats, found.seed) == (2, "all", "consecutive", 7, 3)
    assert found.crowd_sizes.shape == (7, 4)
    assert found.to_dict()["population"] == 4
    hits, draws = int((found.crowd_sizes == 1).sum()), 28
    assert found.value == hits / draws
    assert found.interval == effective_interval(found.probability, draws=draws)
    assert sum(found.distribution.values()) == pytest.approx(1)


def test_same_seed_same_draws_under_every_convention():
    sizes = {s: uniqueness(crowd(HAND), points=3, short=s, repeats=5).crowd_sizes for s in ("drop", "all", "zero")}
    np.testing.assert_array_equal(sizes["drop"], sizes["all"][:, :3])
    np.testing.assert_array_equal(sizes["drop"], sizes["zero"][:, :3])
    other = uniqueness(crowd(HAND), points=2, repeats=50, seed=1).crowd_sizes
    assert (uniqueness(crowd(HAND), points=2, repeats=50, seed=2).crowd_sizes != other).any()


@pytest.mark.parametrize(
    "options",
    [
        {"points": 0},
        {"points": 2.5},
        {"repeats": 0},
        {"samples": 0},
        {"samples": 3, "repeats": 2},
        {"samples": 3, "exact": True},
        {"exact": True, "repeats": 2},
        {"knowledge": "all"},
        {"short": "keep"},
        {"match": "list"},
        {"match": "ordered"},
        {"closeness_min": 5},
        {"tolerance_min": 5},
        {"block_min": 5},
        {"knowledge": "close"},
        {"knowledge": "close", "closeness_min": -1},
        {"knowledge": "close", "closeness_min": 5, "points": 1},
        {"knowledge": "close", "closeness_min": 5, "tolerance_min": float("nan")},
        {"knowledge": "close", "closeness_min": 5, "block_min": 0},
        {"knowledge": "close", "closeness_min": 5},  # no slot_min
        {"points": "2"},
        {"points": None},
        {"seed": -1},
        {"seed": 1.5},
        {"seed": "a"},
        {"seed": None},
        {"seed": float("nan")},
        {"knowledge": "close", "closeness_min": "5"},
        {"label": 7},
    ],
)
def test_options_without_meaning_are_refused(options):
    with pytest.raises(ic.ParameterError):
        uniqueness(crowd(HAND), **options)


def test_a_seed_that_cannot_be_re_run_is_refused_in_words():
    with pytest.raises(ic.ParameterError, match=r"seed must be a whole number of at least 0, .* got None\."):
        uniqueness(crowd(HAND), seed=None)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"exact": True},
        {"samples": 3.0},
        {"repeats": 2.0},
        {"knowledge": "consecutive"},
        {"knowledge": "top"},
        {"seed": 3.0},
        {"seed": np.uint64(3)},
    ],
)
@pytest.mark.parametrize("points", [2.0, np.int32(2)])
def test_whole_numbers_are_kept_as_integers(points, options):
    found = uniqueness(crowd(HAND), points=points, **options)
    asked = {name: int(value) if isinstance(value, (float, np.uint64)) else value for name, value in options.items()}
    assert found.to_dict() == uniqueness(crowd(HAND), points=2, **asked).to_dict()
    kept = [found.points, found.repeats, found.seed, *([found.samples] if found.samples else [])]
    assert {type(value) for value in kept} == {int}


def test_true_is_no_number_of_points():
    with pytest.raises(ic.ParameterError, match="points must be a whole number"):
        uniqueness(crowd(HAND), points=True)


@pytest.mark.parametrize("known", [[(1, 0)], [[(1, 0, 3)]], [[1]], None, "ab", [["a"]], [None], 7])
def test_points_that_are_no_pairs_are_refused(known):
    with pytest.raises(ic.DataError, match=r"known must list lists of \(cell, slot\) pairs"):
        crowd_sizes(crowd(HAND), known)


def test_points_may_come_from_anything_that_lists_them():
    known = iter([iter([(1, 0), (1, 1)]), {(1, 0)}, np.array([[2, 2], [2, 3]])])
    assert crowd_sizes(crowd(HAND), known).tolist() == [3, 4, 1]


@pytest.mark.parametrize("measure", ["uniqueness", "crowd_sizes", "exposure", "cut_risk"])
def test_what_has_no_points_is_refused_with_what_to_call(measure):
    traces = ic.Traces.from_arrays([1], [0], lon=[1.0], lat=[1.0])
    more = {"crowd_sizes": [[]], "cut_risk": [None]}.get(measure, [])
    for wrong in (traces, None):
        with pytest.raises(ic.DataError, match=rf"^{measure} needs Visits, got {wrong and 'Traces'}; make them"):
            getattr(ic.measure, measure)(wrong, *more)
    with pytest.raises(ic.DataError, match=r"^uniqueness needs Visits, got Traces; make them with"):
        uniqueness(traces, knowledge="top")


def test_answers_about_different_data_are_different():
    one, other = uniqueness(crowd(HAND), points=1), uniqueness(crowd("0:1 | 0:1"), points=1)
    assert one != other and len({one, other}) == 2
    assert one == one and one != uniqueness(crowd(HAND), points=1)


@pytest.mark.parametrize("options", [{}, {"exact": True}, {"samples": 5}, {"knowledge": "top"}])
def test_results_cannot_be_changed(options):
    found = uniqueness(crowd(HAND), points=2, **options)
    for array in (found.targets, found.crowd_sizes, found.probability):
        assert array is None or not array.flags.writeable


@pytest.mark.parametrize("options", [{}, {"exact": True}, {"samples": 5}, {"knowledge": "top"}])
def test_result_says_what_was_counted_where(options):
    visits = crowd("0:1 0:2 0:3 1:1 | 0:1 2:2 2:4 | 2:4")
    found = uniqueness(visits, points=2, label="taxis", **options)
    assert (found.same_slot, found.label) == (3, "taxis")
    assert found.to_dict()["same_slot"] == 3
    plain = uniqueness(visits, points=2, **options)
    assert {**found.to_dict(), "label": ""} == plain.to_dict()


@pytest.mark.parametrize("options", [{}, {"exact": True}])
def test_far_more_points_than_anybody_has_cost_nothing(options):
    found = uniqueness(crowd(HAND), points=10**9, short="all", **options)
    assert found.probability.tolist() == [1, 1, 1, 0]


def test_blocks_of_choices_change_no_draw(monkeypatch):
    asked = {"points": 3, "repeats": 3, "short": "all"}
    whole, enumerated = uniqueness(town(), **asked), exact(town(), 2)
    monkeypatch.setattr(choices, "_BLOCK", 7)
    assert uniqueness(town(), **asked).crowd_sizes.tolist() == whole.crowd_sizes.tolist()
    assert exact(town(), 2).probability.tolist() == enumerated.probability.tolist()


def test_exact_beyond_its_limit_is_refused():
    many = ic.Visits.from_arrays(np.zeros(400, int), cell=np.zeros(400, int), slot=np.arange(400))
    with pytest.raises(ic.ParameterError, match="1,050,739,900 choices, more than 100,000,000"):
        exact(many, 4)
    assert exact(many, 4, knowledge="consecutive").value == 1


def acceptance(probabilities, alpha=1e-6):
    """Central interval of a Poisson-binomial count."""
    law = np.ones(1)
    for p in probabilities:
        law = np.convolve(law, [1 - p, p])
    tail = np.cumsum(law)
    return int(np.searchsorted(tail, alpha / 2)), int(np.searchsorted(tail, 1 - alpha / 2))


def town(users=120, seed=0):
    """People with a few favourite cells and a random number of slots."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 9, users)
    user = np.repeat(np.arange(users), size)
    slot = np.concatenate([rng.choice(10, n, replace=False) for n in size])
    return ic.Visits.from_arrays(user, cell=rng.integers(0, 3, len(user)), slot=slot, slot_min=30)


CLOSE = {"knowledge": "close", "closeness_min": 60, "tolerance_min": 30}


@pytest.mark.parametrize("short", ["drop", "all", "zero"])
@pytest.mark.parametrize("points", [2, 3, 4])
@pytest.mark.parametrize("options", [{}, {"knowledge": "consecutive"}, CLOSE], ids=["random", "consecutive", "close"])
def test_sampler_agrees_with_exact_expectation(options, points, short):
    visits, repeats, samples = town(), 20, 3000
    truth = uniqueness(visits, points=points, short=short, exact=True, **options)
    drawn = uniqueness(visits, points=points, short=short, repeats=repeats, **options)
    assert drawn.population == truth.population and drawn.skipped == truth.skipped
    low, high = acceptance(np.tile(truth.probability, repeats))
    assert low <= (drawn.crowd_sizes == 1).sum() <= high
    some = uniqueness(visits, points=points, short=short, samples=samples, **options)
    assert some.crowd_sizes.shape == (samples,) and some.population == truth.population and some.probability is None
    low, high = acceptance(np.full(samples, truth.value))
    assert low <= (some.crowd_sizes == 1).sum() <= high
    for s, share in truth.distribution.items():
        low, high = acceptance(np.full(samples, min(share, 1)))
        assert low <= (some.crowd_sizes == s).sum() <= high


def test_index_is_made_once_and_forgotten_with_the_visits():
    from incrowd.measure.uniqueness import index

    visits = crowd(HAND)
    made = index.index_of(visits)
    assert index.index_of(visits) is made
    before = len(index._MADE)
    del visits
    assert len(index._MADE) == before - 1


def test_an_index_is_not_shared_by_kernels():
    from incrowd.kernels import using
    from incrowd.measure.uniqueness import index

    visits = crowd(HAND)
    compiled = index.index_of(visits)
    with using("reference"):
        assert index.index_of(visits) is not compiled
    assert index.index_of(visits) is compiled


def test_the_function_wins_over_its_module():
    assert callable(ic.measure.uniqueness)
