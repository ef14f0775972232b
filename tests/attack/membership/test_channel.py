"""The probability of what is published, against simulation and the definition."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import incrowd as ic
from incrowd.attack.membership.channel import Channel, log_ratio, stated

MITIGATIONS = [
    {},
    {"suppress_below": 5},
    {"round_to": 5},
    {"round_to": 4},
    {"suppress_below": 3, "round_to": 5},
    {"noise_epsilon": 0.7},
    {"noise_epsilon": 0.5, "suppress_below": 4, "round_to": 3},
    {"cell_key": "10-5"},
    {"rule": "10-5"},
    {"rule": "11"},
    {"dp_epsilon": 2.0, "slots_per_person": 1},
    {"dp_epsilon": 2.0, "slots_per_person": 2, "dp_delta": 1e-3},
]


@pytest.mark.parametrize("mitigation", MITIGATIONS, ids=str)
def test_the_channel_is_what_the_publisher_does(mitigation):
    """All outcomes of a count have probabilities that add up to 1 and are those of 20,000 publications."""
    channel = Channel.of(stated(mitigation))
    rng = np.random.default_rng(0)
    outcomes = np.arange(-400, 500)
    for n in (0, 1, 4, 5, 7, 12, 13):
        share = np.exp(channel.ln_likelihood(outcomes, np.full(len(outcomes), n)))
        assert share.sum() == pytest.approx(1, abs=1e-9)
        made = channel.publish(np.full(20_000, n), rng)
        seen = np.array([(made == y).mean() for y in outcomes])
        assert np.abs(seen - share).max() < 0.02
        reached = outcomes[share > 1e-12]
        low, high = channel.span(reached, 1000, np.full(len(reached), 0.01))
        assert (low <= n).all() and (high >= n).all()


def test_deterministic_steps_equal_the_functions_that_publish():
    for below, step in product((None, 2, 5, 11), (None, 1, 3, 5, 10)):
        given = {name: value for name, value in (("suppress_below", below), ("round_to", step)) if value}
        exact = ic.Counts.from_arrays([np.arange(40)], xy=[[c, 0] for c in range(40)])
        published = ic.anonymize.counts(exact, **given).data.n[0]
        channel = Channel.of(given)
        assert (channel.ln_likelihood(published, np.arange(40)) == 0).all()
        assert channel.publish(np.arange(40), np.random.default_rng(0)).tolist() == published.tolist()


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(MITIGATIONS[:8]), st.integers(0, 20), st.floats(0.01, 0.9), st.floats(0, 1), st.integers(2, 20))
def test_the_ratio_equals_the_definition(mitigation, y, rate, keep, people):
    channel = Channel.of(stated(mitigation))
    n = np.arange(people + 1)
    seen = np.exp(channel.ln_likelihood(np.full(len(n), y), n))
    out = (seen * binom.pmf(n, people, rate)).sum()
    mine = (seen * (keep * binom.pmf(n - 1, people - 1, rate) + (1 - keep) * binom.pmf(n, people - 1, rate))).sum()
    ratio = log_ratio(channel, np.array([y]), np.array([rate]), np.array([keep]), people)[0]
    if mine < 1e-12 and out < 1e-12:
        return
    expected = -np.inf if mine == 0 else np.inf if out == 0 else np.log(mine / out)
    assert ratio == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_raw_counts():
    """ln(C / (m p)), and certainty where nobody is counted."""
    ratio = log_ratio(Channel(), np.array([3, 0, 900]), np.array([0.02, 0.02, 0.5]), np.ones(3), 1000)
    assert ratio[[0, 2]] == pytest.approx([np.log(3 / 20), np.log(900 / 500)]) and np.isneginf(ratio[1])
    assert log_ratio(Channel(round_to=5), np.array([3]), np.array([0.02]), np.ones(1), 1000)[0] == 0  # cannot be


def test_discrete_gaussian_noise_is_not_a_rounded_normal():
    """At a scale of 0.4 a rounded normal is 0 with 0.789, the discrete Gaussian with 0.919."""
    channel = Channel(scale=0.4, laplace=False)
    k = np.arange(-9, 10)
    share = np.exp(-(k**2) / (2 * 0.4**2))
    assert np.exp(channel.ln_likelihood(k, np.zeros(len(k), int))) == pytest.approx(share / share.sum())
    made = channel.publish(np.zeros(20_000, int), np.random.default_rng(0))
    assert (made == 0).mean() == pytest.approx(0.919, abs=0.01) and abs(made.mean()) < 0.01


@pytest.mark.parametrize("channel", [Channel(scale=1.0), Channel(scale=2.5, laplace=False)])
def test_counts_far_from_what_is_usual_are_not_cut_off(channel):
    """60 people where the reference has none: noise explains it, not people; summed in logarithms over all counts."""
    y, people, rate = 60, 900, 0.05 / 900
    n = np.arange(people + 1)
    noise = -np.abs(y - n) / 1.0 if channel.laplace else -((y - n) ** 2) / (2 * 2.5**2)
    ln = [noise + binom.logpmf(n - x, people - x, rate) for x in (0, 1)]
    expected = np.logaddexp.reduce(ln[1]) - np.logaddexp.reduce(ln[0])
    ratio = log_ratio(channel, np.array([y, 0]), np.array([rate, 0.5]), np.ones(2), people)
    assert ratio[0] == pytest.approx(expected, abs=1e-9) and np.isfinite(ratio).all()


def test_everybody_is_in_the_only_cell():
    """Rates of 1: a count of all says nothing, another one is impossible, and one that X is left out of is proof."""
    sure, often = np.ones(3), np.array([1.0, 1.0, 0.5])
    ratio = log_ratio(Channel(), np.array([20, 7, 19]), sure, often, 20)
    assert ratio[0] == ratio[1] == 0 and np.isposinf(ratio[2])


def test_a_mitigation_without_a_channel_is_refused_by_name():
    with pytest.raises(ic.ParameterError, match="what swap_share does to a count"):
        stated({"swap_share": 0.1})
    with pytest.raises(ic.ParameterError, match="must be a mapping"):
        stated("suppress_below")
    assert Channel.of({"noise_epsilon": float("inf")}).scale == 0
    with pytest.raises(ic.ParameterError, match="unknown rule"):
        stated({"rule": "7"})
    with pytest.raises(ic.ParameterError, match="leave one of them out"):
        Channel.of({"noise_epsilon": 1, "dp_epsilon": 1, "slots_per_person": 1})
    with pytest.raises(ic.ParameterError, match="needs slots_per_person"):
        Channel.of({"dp_epsilon": 1})
