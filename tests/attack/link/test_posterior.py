"""How sure the attacker may be: probabilities, temperature, pairs named at a confidence."""

import numpy as np
import pytest
from scipy.special import logsumexp

import incrowd as ic
from builders import crowd
from incrowd.attack import link
from incrowd.attack.link.posterior import halves

KNOWN = crowd("0:1 1:1 2:2 3:1 | 0:3 1:3 2:2 3:4 | 0:5 1:1 2:5 3:5")
TARGET = crowd("4:1 5:2 6:1 | 4:3 5:3 6:2 | 4:5 5:5 6:1 | 4:2 5:6")


def test_probabilities_are_tempered_scores():
    linkage = link(KNOWN, TARGET)
    table = linkage.scores([0, 1, 2]) * linkage.temperature
    for i in range(3):
        assert linkage.posterior[i] == pytest.approx(np.exp(table[i] - logsumexp(table[i])), abs=1e-9)
        assert linkage.posterior[i].sum() == pytest.approx(1)
    assert linkage.posterior[-1].tolist() == linkage.posterior[2].tolist() and len(linkage.posterior) == 3
    with pytest.raises(IndexError):
        linkage.posterior[3]


def test_in_an_open_world_somebody_may_be_missing():
    closed, opened = link(KNOWN, TARGET), link(KNOWN, TARGET, open_world=True, present=0.2)
    assert opened.hit == closed.hit and opened.temperature == closed.temperature
    for i, row in enumerate(opened.scores([0, 1, 2]) * opened.temperature):
        nobody = np.log(4 * 0.8 / 0.2)
        assert opened.posterior[i] == pytest.approx(np.exp(row - np.logaddexp(logsumexp(row), nobody)), abs=1e-9)
        assert opened.posterior[i].sum() < 1
    assert len(opened.named(0.5)) <= len(closed.named(0.5))


def test_pairs_are_named_at_a_confidence():
    linkage = link(KNOWN, TARGET)
    best = np.array([linkage.posterior[i].max() for i in range(3)])
    for share in (0.0, float(np.sort(best)[1]), 1.0):
        named = linkage.named(share)
        assert named.known.tolist() == np.flatnonzero(best >= share - 1e-12).tolist()
        if len(named):
            assert named.confidence == pytest.approx(best[named.known]) and named.promised == pytest.approx(
                best[named.known].mean()
            )
            assert named.achieved == pytest.approx(np.mean(named.target == named.known))
        else:
            assert named.promised is None and named.achieved is None
    with pytest.raises(ic.ParameterError):
        linkage.named(2)


def test_partners_are_named_where_everybody_has_one():
    known = crowd("0:1 1:1 2:2 | 0:1 1:1 2:1 3:1")
    target = crowd("0:1 1:1 2:2 3:2 | 4:1 5:1 6:1 7:1 8:1")
    together = link(known, target, one_to_one=True)
    named = together.named(0)
    assert named.target.tolist() == together.matches.tolist()
    assert named.confidence == pytest.approx([together.posterior[i][j] for i, j in enumerate(together.matches)])


def test_the_temperature_is_the_likeliest_one_on_halves():
    rng = np.random.default_rng(0)
    home = rng.integers(0, 30, 60)
    user = np.repeat(np.arange(60), 24)
    # Everybody stays for six slots: visits of one stay are no new evidence.
    stay = np.where(rng.random((60, 4)) < 0.5, home[:, None], rng.integers(0, 30, (60, 4)))
    data = ic.Visits.from_arrays(user, np.repeat(stay, 6, axis=1).ravel(), np.tile(np.arange(24), 60))
    linkage = link(data, data, views=("places",))
    first, second = halves(data)
    table = link(first, second, views=("places",)).scores(np.arange(60))

    def likelihood(t):
        return (t * np.diag(table) - logsumexp(t * table, axis=1)).sum()

    tau = linkage.temperature
    assert 0 < tau < 0.5 and likelihood(tau) >= max(likelihood(tau * 0.99), likelihood(tau * 1.01))


def test_too_short_to_halve():
    once = crowd("0:1 | 0:2 | 0:3")
    assert link(once, once).temperature == 1 and halves(once) is None
    assert link(KNOWN, KNOWN, score="overlap", views=("moments",)).temperature == 1


def test_halves_are_the_earlier_and_the_later_visits():
    first, second = halves(crowd("0:1 1:2 2:3 | 0:9 | 4:5 5:6"))
    assert first.users.tolist() == second.users.tolist() == [0, 2]
    assert (first.cell.tolist(), second.cell.tolist()) == ([1, 5], [2, 3, 6])
