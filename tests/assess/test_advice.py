"""Advice: the release that loses least and passes on both halves of the people, or that nothing tried does."""

from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from incrowd.assess import advice
from incrowd.assess._assess import prepared
from incrowd.assess.advice import Tried, _Search, advised
from incrowd.assess.options import Options
from incrowd.assess.prepared import Budget
from incrowd.plain import to_json


@pytest.fixture(scope="module")
def asked():
    """60 people who walk through a town alone."""
    traces = ic.read.synthetic_city(users=60, towers=12, days=2, seed=4).traces
    return prepared(traces, Options(budget_s=600), {})


@pytest.fixture(scope="module")
def shut(asked):
    return asked.run()


def outcomes(monkeypatch, passes):
    """Attempts that pass as told, by method, settings and half, and every one that was made."""
    made = []

    def attempt(self, method, settings, *, half):
        made.append((method, dict(settings), half))
        passed = passes(method, settings, half)
        return Tried(
            method=method,
            settings=settings,
            loss=len(made),
            left="much.",
            passed=passed,
            why="" if passed else "lookup",
        )

    monkeypatch.setattr(_Search, "attempt", attempt)
    return made


def test_the_first_that_passes_is_confirmed_with_the_next_stronger_one(asked, shut, monkeypatch):
    made = outcomes(monkeypatch, lambda _, settings, __: settings.get("k", 0) >= 15)
    found = advised(shut, asked, sources=["my trips.csv"]).advice
    assert str(found.best) == "glove (k=15)" and found.best.confirmed
    assert [(settings["k"], half) for _, settings, half in made] == [(11, 0), (15, 0), (22, 0), (15, 1)]
    assert found.command == "incrowd anonymize glove 'my trips.csv' --k 15 -o release --keep-link link.csv"
    assert found.section().answer == f"glove (k=15) passes: much. Run: {found.command}"


@pytest.mark.parametrize(
    "passes",
    [
        lambda method, settings, half: method == "glove" and settings["k"] == 15,  # the next stronger one does not
        lambda method, settings, half: half == 0,  # not on other people
        lambda method, settings, half: settings == {"k": 33},  # nothing stronger was tried
    ],
)
def test_luck_is_not_recommended(asked, shut, monkeypatch, passes):
    outcomes(monkeypatch, passes)
    found = advised(shut, asked).advice
    assert found.best is None and found.command == "" and not any(one.confirmed for one in found.tried)
    assert found.section().answer.startswith("Nothing tried passes: ")


def test_every_setting_is_listed_by_its_loss_and_the_given_method_comes_first(asked, shut, monkeypatch):
    made = outcomes(monkeypatch, lambda *_: False)
    found = advised(shut, asked).advice
    assert len(found.tried) == len(made) == 14 <= advice.MOST and not found.out_of_time
    assert [one.loss for one in found.tried] == sorted(one.loss for one in found.tried)
    assert len(found.section().tables[0].rows) == 14
    made.clear()
    release = ic.anonymize.Generalize(cell_m=1000, slot_min=60)(asked.data.traces)
    again = prepared(asked.data.traces, Options(release=release), {})
    advised(shut, again)
    assert made[0][0] == "generalize"


def test_a_spent_budget_ends_the_search(asked, shut, monkeypatch):
    outcomes(monkeypatch, lambda *_: False)
    late = replace(asked, budget=Budget(0.0))
    found = advised(shut, late).advice
    assert found.tried == () and found.out_of_time and "Time ran out" in found.section().answer


def test_a_setting_that_keeps_nothing_is_never_recommended(asked):
    """30 people are fewer than 500, so that GLOVE drops them all."""
    tried = _Search(asked).attempt("glove", {"k": 500}, half=0)
    assert (tried.passed, tried.left, tried.loss, tried.why) == (False, "nothing.", np.inf, "it keeps no record")
    assert "Infinity" not in to_json(tried)


def test_a_setting_that_cannot_be_made_says_why(asked):
    tried = _Search(asked).attempt("generalize", {"cell_m": -1, "slot_min": 60}, half=0)
    assert not tried.passed and tried.why.startswith("cell_m must be above 0")


def test_what_is_advised_passes_when_it_is_made():
    traces = ic.read.synthetic_city(users=120, towers=12, days=2, seed=1).traces
    found = ic.assess.assess(traces, budget_s=120)
    assert not found.passed and found.advice.best is not None
    best = found.advice.best
    prints = ic.discretize.fingerprints(traces)
    assert best.method == "glove" and len(found.advice.tried) <= advice.MOST
    release = ic.anonymize.Glove(**best.settings)(prints)
    assert ic.assess.assess(traces, release=release, advise=False).passed
