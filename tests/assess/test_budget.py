"""A budget: what it leaves out is said, what takes longer is stopped, and people are drawn where all are too many."""

import sys
from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from assess.asking import OF_ROWS, assessed
from incrowd import measure
from incrowd.assess._assess import prepared
from incrowd.assess.dataset import Dataset
from incrowd.assess.options import Options, seconds_of
from incrowd.assess.prepared import Budget, OutOfTime, PreparedAssessment
from incrowd.assess.questions import QUESTIONS, singling
from incrowd.data.table import some_people
from incrowd.plain import in_words
from incrowd.progress import track

MODULE = sys.modules["incrowd.assess.prepared"]


@pytest.fixture(scope="module")
def city():
    return ic.read.synthetic_city(users=40, towers=12, days=3, seed=1)


@pytest.fixture(scope="module")
def visits(city):
    return ic.discretize.towers(city.traces, city.towers, slot_min=60)


def test_a_question_that_does_not_fit_is_not_run(visits, monkeypatch):
    slow = tuple(replace(one, seconds=lambda _: 1e4) if one.name == "later" else one for one in QUESTIONS)
    monkeypatch.setattr(MODULE, "QUESTIONS", slow)
    found = assessed(visits)
    assert found.answer("later").verdict == "not run"
    assert found.answer("later").note.startswith("would take about 2.8 h, 10 min are left")
    assert found.answer("home_work").value is not None
    assert [one.name for one in found.open] == ["later"] and " and 1 test is missing. Worst: " in found.verdict
    assert found.verdict.endswith("limit of 9.1 % (1 in 11). Not run: later.")
    loose = dict.fromkeys((*OF_ROWS, "worst"), 1.0)
    assert not assessed(visits, limits=loose, override="a drill").passed
    free = assessed(visits, limits={**loose, "later": None}, override="a drill")
    assert free.answer("later").verdict == "not run" and not free.answer("later").due and free.passed


def test_a_spent_budget_stops_cleanly(visits):
    found = assessed(visits, budget_s=1e-6)
    assert all(answer.value is None for answer in found.answers)
    assert {answer.verdict for answer in found.answers} == {"not run", "does not apply"}
    assert "would take less than 1 s" in found.answer("identified").note and not found.passed
    assert (
        found.verdict
        == "Do not publish: 5 tests are missing. Not run: lookup, identified, single_visit, later, home_work."
    )


def test_a_question_that_takes_longer_than_expected_is_stopped(visits, monkeypatch):
    quick = tuple(replace(one, seconds=lambda _: 0.0) for one in QUESTIONS)
    monkeypatch.setattr(MODULE, "QUESTIONS", quick)
    monkeypatch.setattr(Budget, "left_s", property(lambda _: 0.0))
    assert assessed(visits).answer("lookup").note == "took longer than expected, and the budget is spent"
    with pytest.raises(OutOfTime), Budget(1e-9).watched():
        list(track(range(2), "work"))


def test_ctrl_c_keeps_what_is_there(visits, monkeypatch):
    def stop(_):
        raise KeyboardInterrupt

    stopped = tuple(replace(one, run=stop) if one.name == "home_work" else one for one in QUESTIONS)
    monkeypatch.setattr(MODULE, "QUESTIONS", stopped)
    found = assessed(visits)
    assert found.interrupted and found.answer("single_visit").value is not None and not found.passed
    assert found.answer("home_work").note == "interrupted" and found.answer("later").note == "interrupted before"
    assert found.answer("later").verdict == "not run" and "of 10 min, interrupted)" in str(found)
    for name in ("blurring", "release_full", "sensitive"):  # what could not have been asked does not apply
        assert found.answer(name).verdict == "does not apply", name


def test_estimates_come_before_work_in_the_order_of_work(city):
    asked = prepared(city.traces, Options(towers=city.towers), {})
    assert [one.name for one in asked.estimates] == [question.name for question in QUESTIONS]
    assert all(one.seconds > 0 or one.lacks for one in asked.estimates)
    assert str(asked.estimates[0]) == "lookup          less than 1 s, 1 MiB"
    assert asked.data.visits is PreparedAssessment.over(asked.data).data.visits


def test_people_are_drawn_where_a_step_needs_it_and_it_is_said(city, monkeypatch):
    monkeypatch.setattr("incrowd.assess.questions.singling.KGAP_PEOPLE", 10)
    found = assessed(city.traces, towers=city.towers, people=15)
    assert "10 of 40 people, drawn at random" in found.answer("blurring").note
    assert "15 of 40 people, drawn at random and looked for among 40" in found.answer("later").note
    assert found.shopping == ("only 15 people are asked about, fewer than 1,000",)
    assert found.answer("lookup").number.endswith("of 40 people)")  # cheap enough for everybody


def test_budgets_and_times_in_words():
    assert [seconds_of(text) for text in ("90s", "10m", "1h", "45", "2 min", "0.5m")] == [90, 600, 3600, 45, 120, 30]
    for text in ("", "soon", "-1m", "0s", "1d", "1e3s", "١m"):
        with pytest.raises(ic.ParameterError, match="such as 90s, 10m or 1h"):
            seconds_of(text)
    assert in_words(7199) == "120 min" and in_words(119) == "119 s"


def test_drawing_accounts_for_everybody(city, visits):
    for table in (city.traces, visits):
        some = some_people(table, people=7, seed=3)
        assert len(some) == 7 and some.ledger.steps[-1].users == (40, 7)
        place = np.flatnonzero(table.users == some.users[2])[0]
        rows = slice(table.offsets[place], table.offsets[place + 1])
        column = "t" if table is city.traces else "cell"
        np.testing.assert_array_equal(
            getattr(table, column)[rows], getattr(some, column)[some.offsets[2] : some.offsets[3]]
        )
    assert some_people(visits, people=40, seed=0) is visits
    assert isinstance(Dataset(None, visits, Options()).days, int)


def test_tails_take_a_gap_that_is_known(city):
    prints = ic.discretize.fingerprints(city.traces)
    gap = measure.kgap(prints)
    np.testing.assert_array_equal(measure.tails(prints, gap=gap).delta, measure.tails(prints).delta)
    with pytest.raises(ic.DataError, match="the 2-gap of 40 users; give the 3-gap"):
        measure.tails(prints, k=3, gap=gap)


def test_fewer_people_are_drawn_for_the_gap_if_trajectories_are_long(city, monkeypatch):
    data = Dataset(city.traces, None, Options())
    monkeypatch.setattr(singling, "KGAP_PEOPLE", 32)
    monkeypatch.setattr(singling, "KGAP_FEWEST", 4)
    for most_s, people in ((1e9, 32), (singling._blurring_s(data, 8), 8), (0, 4)):
        monkeypatch.setattr(singling, "KGAP_S", most_s)
        assert singling._gap_people(data) == people and singling._blurring_s(data) == singling._blurring_s(data, people)
