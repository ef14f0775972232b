"""People are compared a few at a time, so that the weights of their features fit into memory: the same numbers."""

import numpy as np
import pytest

import incrowd as ic
from incrowd.attack import link
from incrowd.attack.link import pair_scores, pairs, posterior
from incrowd.attack.link.meeting import Meeting

SIZES = ((pairs, "ENTRIES"), (pairs, "AT_ONCE"), (pairs, "BLOCK"), (posterior, "AT_ONCE"))


@pytest.fixture(scope="module")
def sides():
    city = ic.read.synthetic_city(users=60, towers=20, days=4, seed=1)
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60)
    middle = int(np.median(visits.slot))
    return visits.only(visits.slot < middle), visits.only(visits.slot >= middle)


@pytest.mark.parametrize("score", ["evidence", "histogram", "overlap"])
@pytest.mark.parametrize(("one_to_one", "size", "sizes"), [(False, 1, SIZES), (True, 40, SIZES), (False, 7, SIZES[2:])])
def test_a_few_at_a_time_are_linked_alike(sides, monkeypatch, score, one_to_one, size, sizes):
    whole = link(*sides, score=score, one_to_one=one_to_one)
    named, temperature, table = whole.named(0.5), whole.temperature, whole.scores(np.arange(60))
    for module, name in sizes:
        monkeypatch.setattr(module, name, size)
    parts = link(*sides, score=score, one_to_one=one_to_one)
    for name in ("rank", "best", "values", "matches", "right"):
        assert getattr(parts, name).tolist() == getattr(whole, name).tolist(), name
    assert parts.temperature == temperature and parts.scores(np.arange(60)).tolist() == table.tolist()
    assert parts.named(0.5).confidence.tolist() == named.confidence.tolist()


def test_no_call_holds_more_weights_than_allowed(sides, monkeypatch):
    scores = pair_scores(*sides, "histogram", ("places", "rhythm"), Meeting(), 0)
    each = [len(scores._pair_lists(np.array([i])).weights) for i in range(60)]
    monkeypatch.setattr(pairs, "ENTRIES", 2 * max(each))
    parts = scores._parts(np.arange(60))
    held = [len(scores._pair_lists(np.arange(part.start, part.stop)).weights) for part in parts]
    assert 1 < len(parts) < 60 and max(held) <= 2 * max(each) < sum(each)
    assert [i for part in parts for i in range(part.start, part.stop)] == list(range(60))
