"""Is somebody in published counts? Game, custodian, outside, and the bounds of differential privacy."""

import numpy as np
import pytest
from scipy.stats import binomtest

import incrowd as ic
from incrowd.attack import membership
from incrowd.attack.membership.channel import Channel
from incrowd.attack.membership.counted import OtherSlots, at_published_grain, from_counts, from_reference, kept_shares


def town(people, seed=0, slots=24, cells=12, start=0):
    """Everybody has a home and a second place, and is somewhere in every hour."""
    rng = np.random.default_rng(seed)
    places = rng.integers(0, cells, (people, 2))
    at = np.take_along_axis(places, rng.integers(0, 2, (people, slots)), axis=1)
    user, slot = np.indices((people, slots)).reshape(2, -1)
    xy = [[1000.0 * c, 0] for c in range(cells)]
    return ic.Visits.from_arrays(user, at.ravel(), slot, xy=xy, slot_min=60, start=start)


def test_raw_counts_tell_and_less_precise_ones_tell_less():
    crowd, reference = town(200), town(300, seed=1)
    how = {"reference": reference, "size": 40, "targets": 60, "groups": 2}
    raw = membership(crowd, **how)
    assert raw.mode == "game" and raw.rates == "reference" and raw.auc > 0.85
    assert raw.interval[0] <= raw.auc <= raw.interval[1] and raw.accuracy > 0.7 and raw.tpr_at_1pct is None
    assert raw.scores.shape == (60, 2, 2) and len(raw.most_exposed) == 10
    for weaker in ({"suppress_below": 10}, {"noise_epsilon": 0.05}, {"rule": "20"}, {"region_m": 50_000}):
        assert membership(crowd, mitigation=weaker, **how).auc < raw.auc - 0.1
    assert membership(crowd, mitigation={"region_m": 50_000}, **how).auc == 0.5  # everybody is in the one region
    half = membership(crowd, known=0.2, mitigation={"noise_epsilon": 0.5}, **how)
    assert half.auc < membership(crowd, mitigation={"noise_epsilon": 0.5}, **how).auc


def test_noise_of_each_count_protects_no_person():
    crowd, reference = town(200, slots=72), town(300, seed=1, slots=72)
    how = {"reference": reference, "size": 40, "targets": 40, "groups": 2}
    per_count = membership(crowd, mitigation={"noise_epsilon": 1.0}, **how)
    per_person = membership(crowd, mitigation={"dp_epsilon": 1.0, "slots_per_person": 4}, **how)
    assert per_count.auc > 0.85 > 0.65 > per_person.auc


def test_the_custodian_replaces_people_by_copies_of_others():
    crowd = town(60, slots=72)
    raw = membership(crowd, targets=30, groups=3)
    assert raw.mode == "custodian" and raw.people == 60 and raw.rates == "other days" and raw.auc > 0.8
    alike = ic.Visits.from_arrays(np.repeat(np.arange(20), 24), [0] * 480, np.tile(np.arange(24), 20), slot_min=60)
    assert membership(alike, targets=10).auc == 0.5  # a copy of anybody is the same


def test_somebody_elses_counts():
    crowd = town(120, slots=48)
    inside = np.arange(120) < 60
    m = crowd.owner < 60
    group = ic.Visits.from_arrays(crowd.owner[m], crowd.cell[m], crowd.slot[m], xy=crowd.xy, slot_min=60, start=0)
    published = ic.discretize.counts(group)
    result = membership(crowd, published=published, size=60, truth=inside)
    assert result.mode == "outside" and result.scores.shape == (120,) and result.auc > 0.9 and result.accuracy > 0.8
    assert not np.isneginf(result.scores[inside]).any()  # nobody who is in is certainly out
    assert membership(crowd, published=published, size=60).auc is None
    with pytest.raises(ic.ParameterError, match="size is missing"):
        membership(crowd, published=published)
    for wrong in ([True], ["in"] * 120, [float("nan")] * 120, [2] * 120):
        with pytest.raises(ic.DataError, match="each of the 120 people"):
            membership(crowd, published=published, size=60, truth=wrong)
    with pytest.raises(ic.DataError, match="people who are in and people who are not"):
        membership(crowd, published=published, size=60, truth=[True] * 120)
    with pytest.raises(ic.ParameterError, match="truth says who is in published counts"):
        membership(crowd, truth=inside)


def test_visits_are_found_in_the_published_cells_by_their_centres():
    """Cells in another order, and visits before, after and beside what was published, change no score."""
    crowd, reference = town(40, slots=48), town(30, seed=2, slots=48)
    published = ic.discretize.counts(crowd)
    order = np.random.default_rng(0).permutation(12)
    moved = ic.Counts.from_arrays(published.n[:, order], xy=crowd.xy[order], slot_min=60)
    more = ic.Visits.from_arrays(
        np.append(crowd.owner, [0, 0, 1]),
        np.append(crowd.cell, [3, 3, 12]),
        np.append(crowd.slot, [-1, 48, 5]),
        xy=[*crowd.xy, [99_000, 0]],
        slot_min=60,
        start=0,
    )
    for mitigation in ({}, {"dp_epsilon": 1.0, "slots_per_person": 3}):
        how = {"reference": reference, "size": 40, "mitigation": mitigation}
        plain = membership(crowd, published=published, **how).scores
        assert membership(crowd, published=moved, **how).scores == pytest.approx(plain)
        assert membership(more, published=published, **how).scores == pytest.approx(plain)


def test_counts_that_cannot_be_compared_are_refused():
    crowd = town(20)
    n = ic.discretize.counts(crowd).n
    for message, changed in {
        "slots of 30 min": {"slot_min": 30},
        "different times of day": {"slot_min": 60, "start_min": 120},
        "none of the visits is in a cell": {"slot_min": 60, "xy": crowd.xy + 500},
        "must be whole numbers": {"slot_min": 60, "n": n + 0.5},
    }.items():
        with pytest.raises(ic.DataError, match=message):
            membership(crowd, published=ic.Counts.from_arrays(**{"n": n, "xy": crowd.xy, **changed}), size=20)
    other = ic.Visits.from_arrays([1], [0], [0], slot_min=30, start=0)
    with pytest.raises(ic.DataError, match="differ in slot_min"):
        membership(crowd, reference=other, size=5)


def test_a_count_is_published_once(monkeypatch):
    """One place at the same hour of two days: each count is a visit and what is usual for the other, with one noise."""
    same = ic.Visits.from_arrays(np.repeat(np.arange(9), 2), [0] * 18, np.tile([0, 24], 9), slot_min=60, start=0)
    made, publish = [], Channel.publish
    monkeypatch.setattr(Channel, "publish", lambda channel, n, rng: (made.append(len(n)), publish(channel, n, rng))[1])
    membership(same, size=4, targets=9, groups=1, mitigation={"noise_epsilon": 1.0})
    assert made == [2] * 18


def test_groups_of_one():
    result = membership(town(12), size=1, targets=12, groups=3)
    assert result.people == 1 and result.auc == 1


def test_scores_of_raw_counts_are_sums_of_logs():
    crowd, reference = town(30), town(50, seed=3)
    published = ic.discretize.counts(crowd)
    rates = from_reference(reference, np.ones(reference.records), *published.shape)
    scores = membership(crowd, published=published, reference=reference, size=30).scores
    for person in (0, 7):
        rows = slice(crowd.offsets[person], crowd.offsets[person + 1])
        at = crowd.slot[rows], crowd.cell[rows]
        assert scores[person] == pytest.approx(np.log(published.n[at] / (30 * rates[at])).sum())
    assert rates[0, 0] == pytest.approx(
        (((reference.slot == 0) & (reference.cell == 0)).sum() + 0.05) / (50 + 0.05 * published.shape[1])
    )


def test_rates_come_from_other_days_of_the_same_kind_never_from_the_slot_itself():
    """Thursday to Monday in hours; 1970-01-01 was a Thursday."""
    others = OtherSlots.over(5 * 24, town(1, slots=120))
    compared, of = others.compared(np.array([3, 3 + 48]))
    assert others.source == "other days"
    assert compared[of == 0].tolist() == [3 + 24, 3 + 96] and compared[of == 1].tolist() == [
        3 + 72
    ]  # weekdays, weekend
    one_day = OtherSlots.over(24, town(1))
    assert one_day.source == "neighbouring slots" and one_day.compared(np.array([5, 0]))[0].tolist() == [4, 6, 1]
    assert (Channel.of({"cell_key": "10-5"}).least, Channel.of({"noise_epsilon": 1.0}).least) == (10, None)
    channel = Channel(suppress_below=5)
    rates = from_counts(np.array([0, 10, 999, -3]), np.array([0, 0, 1, 1]), 2, channel, 100, 10)
    assert rates == pytest.approx([(6 + 0.05) / 100.5, (50 + 0.05) / 100.5])


def test_what_the_attacker_knows_of_bounded_and_moved_visits():
    visits = ic.Visits.from_arrays(
        [0] * 5, [1, 2, 1, 1, 3], [0, 0, 1, 2, 3], xy=[[c, 0] for c in range(4)], slot_min=60
    )
    bounded = kept_shares(visits, {"dp_epsilon": 1, "slots_per_person": 2, "cells_per_slot": 1})
    assert bounded.tolist() == [0.25, 0.25, 0.5, 0.5, 0.5]
    assert kept_shares(visits, {"move_share": 0.2}).tolist() == pytest.approx([0.8, 0.8, 0.8, 0.8, 1])
    longer = at_published_grain(visits, {"slot_min": 120})
    assert (longer.slot.tolist(), longer.cell.tolist(), longer.slot_min) == ([0, 0, 1, 1], [1, 2, 1, 3], 120)
    for wrong in (90, 0, -60):
        with pytest.raises(ic.ParameterError, match="slot_min must be"):
            at_published_grain(visits, {"slot_min": wrong})


def caught_too_often(train, test, epsilon, delta):
    """How likely so many are caught if TPR <= e^epsilon FPR + delta, where a tenth of the others is named wrongly.

    The share named wrongly is taken as high as an exact test allows at half of 1e-6.
    """
    limit = np.quantile(train[:, 0], 0.9, method="higher")
    named_wrongly, caught = (int((test[:, side] > limit).sum()) for side in (0, 1))
    games = test[:, 0].size
    wrongly = binomtest(named_wrongly, games).proportion_ci(1 - 1e-6, method="exact").high
    bound = min(float(np.exp(epsilon)) * wrongly + delta, 1.0)
    return binomtest(caught, games, bound, alternative="greater").pvalue


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (2.0, 0.0), (1.0, 1e-3)])
def test_no_attacker_breaks_the_bound_of_differential_privacy(epsilon, delta):
    """Accuracy, with the threshold chosen on other games, and AUC; rejected only at 1e-6 by an exact one-sided test."""
    crowd, reference = town(120, slots=12, cells=4), town(120, seed=1, slots=12, cells=4)
    mitigation = {"dp_epsilon": epsilon, "dp_delta": delta, "slots_per_person": 3}
    result = membership(crowd, mitigation=mitigation, reference=reference, size=15, targets=100, groups=6)
    train, test = result.scores[:50], result.scores[50:]
    limits = np.unique(train)
    best = limits[np.argmax([(train[:, 1] >= x).mean() + (train[:, 0] < x).mean() for x in limits])]
    right = int((test[:, 1] >= best).sum() + (test[:, 0] < best).sum())
    bound = (np.exp(epsilon) + delta) / (1 + np.exp(epsilon))
    assert binomtest(right, test.size, bound, alternative="greater").pvalue > 1e-6
    wins = int((result.scores[:, 1] > result.scores[:, 0]).sum())
    auc = 1 - (1 - delta) ** 2 / (1 + np.exp(epsilon))
    assert binomtest(wins, result.scores[:, 0].size, auc, alternative="greater").pvalue > 1e-6
    assert caught_too_often(train, test, epsilon, delta) > 1e-6


def test_the_bound_would_notice_noise_that_is_too_weak():
    """The same game with a twentieth of the noise breaks the bound of epsilon 0.5."""
    crowd, reference = town(120, slots=12, cells=4), town(120, seed=1, slots=12, cells=4)
    result = membership(
        crowd, mitigation={"noise_epsilon": 0.5 * 20 / 6}, reference=reference, size=15, targets=100, groups=6
    )
    wins = int((result.scores[:, 1] > result.scores[:, 0]).sum())
    bound = 1 - 1 / (1 + np.exp(0.5))
    assert binomtest(wins, result.scores[:, 0].size, bound, alternative="greater").pvalue < 1e-6
    raw = membership(town(120, slots=48), reference=town(120, seed=1, slots=48), size=15, targets=100).scores
    assert caught_too_often(raw[:50], raw[50:], 0.5, 0.0) < 1e-6


def test_repeatable_and_refusing():
    crowd = town(30)
    one, same, other = (membership(crowd, size=8, targets=10, groups=2, seed=s) for s in (1, 1, 2))
    assert one.scores.tolist() == same.scores.tolist() != other.scores.tolist()
    private = {"dp_epsilon": 1.0, "slots_per_person": 2}
    again = [membership(crowd, size=8, targets=10, groups=2, mitigation=private).scores.tolist() for _ in range(2)]
    assert again[0] == again[1]
    for wrong in ({"size": 30}, {"size": 0}, {"known": 0}, {"targets": 0}, {"groups": 0}):
        with pytest.raises(ic.ParameterError):
            membership(crowd, **wrong)
    with pytest.raises(ic.DataError, match="three people"):
        membership(town(2))
    assert "AUC of" in str(one) and "fewer than 1,000" in ic.show.text(one.section())
