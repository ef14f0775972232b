"""One page about a tiny city: every question, its attacker, its verdict, and what a budget leaves out."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

import incrowd as ic
from incrowd import assess, attack, measure
from incrowd.assess._assess import Budget, OutOfTime, PreparedAssessment, prepared
from incrowd.assess.dataset import Dataset, within
from incrowd.assess.limits import DEFAULTS
from incrowd.assess.options import Options, seconds_of
from incrowd.assess.questions import QUESTIONS
from incrowd.data.table import some_people
from incrowd.plain import in_words, to_json
from incrowd.progress import track

MODULE = sys.modules["incrowd.assess._assess"]  # the package shows the function of that name


@pytest.fixture(scope="module")
def city():
    return ic.read.synthetic_city(users=40, towers=12, days=3, seed=1)


@pytest.fixture(scope="module")
def visits(city):
    return ic.discretize.towers(city.traces, city.towers, slot_min=60)


@pytest.fixture(scope="module")
def found(city, visits):
    release = ic.anonymize.Cut(window_h=6)(visits, pseudonym_seed=1)
    return assess.assess(city.traces, towers=city.towers, release=release)


def by_name(found):
    return {answer.name: answer for answer in found.answers}


def test_every_question_is_answered_with_its_attacker(found):
    answers = by_name(found)
    assert set(answers) == set(DEFAULTS) == {question.name for question in QUESTIONS}
    for name in ("sensitive", "release_sensitive"):
        assert answers.pop(name).note == "no sensitive attribute was named (--sensitive)"
    for answer in answers.values():
        assert answer.value is not None and answer.numbers and 0 <= answer.value <= 1, answer.name
        assert answer.attacker.startswith(("The attacker ", "No attacker ")) and "." not in answer.attacker[:-1]
    order = ("singling out", "linkability", "inference", "aggregates")
    placed = [(one.group == "before", order.index(one.about)) for one in found.answers]
    assert placed == sorted(placed)


def test_the_numbers_are_those_of_the_calls_behind_them(found, city, visits):
    answers = by_name(found)
    assert answers["identified"].value == measure.uniqueness(visits, points=4, short="all").value
    curve = answers["identified"].numbers["curve"]
    assert [(one["short"], one["points"]) for one in curve] == [
        (s, m) for s in ("drop", "all", "zero") for m in range(1, 6)
    ]
    for one in curve:
        assert one == measure.uniqueness(visits, points=one["points"], short=one["short"]).to_dict()
    exposed = measure.exposure(visits, max_points=2)
    assert answers["single_visit"].value == (exposed.points == 1).mean()
    places = attack.home_work(visits)
    assert answers["home_work"].value == places.pair_unique
    cut = ic.anonymize.Cut(window_h=24)(visits, pseudonym_seed=0)
    score = attack.relink(cut, seed=0).score
    assert answers["pieces"].value == score.share and answers["pieces"].numbers["chance"] == score.chance
    first, second = within(visits, 0, 24), within(visits, 24, 10**6)
    assert (
        answers["later"].value
        == attack.link(first, second, period_slots=24, score="overlap", views=("moments",)).hit[1]
    )
    people = ic.discretize.filled(visits)
    recovered = attack.recover(ic.discretize.counts(people), seed=0)
    accuracy = attack.recovery_score(recovered, people).accuracy
    chance = attack.chance_accuracy(ic.discretize.counts(people), people, seed=0)
    assert answers["counts"].numbers["accuracy"] == accuracy and answers["counts"].numbers["chance"] == chance
    assert answers["counts"].value == max(accuracy, *chance.values())
    gap = measure.kgap(ic.discretize.fingerprints(city.traces))
    assert answers["blurring"].value == np.median(gap.value)


def test_a_release_is_attacked_and_audited(found, visits):
    answers = by_name(found)
    release = ic.anonymize.Cut(window_h=6)(visits, pseudonym_seed=1)
    assert (
        answers["matched"].value
        == attack.link(visits, release, score="overlap", views=("moments",)).hit[1]
        > answers["matched"].numbers["chance"][1]
    )
    assert answers["guarantees"].verdict == "above"  # pseudonyms from a seed fail the audit
    assert answers["guarantees"].numbers["failed"] and "failed: " in answers["guarantees"].note


def test_verdicts_follow_the_limits_the_user_sets(visits):
    singled = by_name(assess.assess(visits))["identified"]
    assert singled.verdict == "above" and singled.limit == 0.1
    others = ("matched", "release_identified", "release_sensitive", "guarantees", "sensitive", "blurring")
    loose = dict.fromkeys(DEFAULTS, 1.0) | dict.fromkeys(others)
    found = assess.assess(visits, limits=loose)
    assert found.passed and not found.above and by_name(found)["identified"].verdict == "within"
    assert found.verdict == "Nothing above your limits: 6 tests, none missing."
    exact = assess.assess(visits, limits={"identified": singled.value})
    assert by_name(exact)["identified"].verdict == "within"  # at the limit is not above it
    none = assess.assess(visits, limits=dict.fromkeys(DEFAULTS))
    assert by_name(none)["identified"].verdict == "no limit"
    assert not none.passed and none.verdict == "No verdict: no test was compared with a limit."
    assert none.gate == "does not pass: nothing was compared with a limit"


def test_visits_say_what_they_cannot_answer(visits):
    answers = by_name(assess.assess(visits))
    assert answers["blurring"].verdict == "does not apply" and "trajectories" in answers["blurring"].note
    assert answers["counts"].value is not None
    bare = ic.Visits.from_arrays([1, 1, 2], cell=[5, 6, 5], slot=[0, 1, 0])
    answers = by_name(assess.assess(bare))
    unanswered = {name for name, answer in answers.items() if answer.verdict == "does not apply"}
    assert unanswered == set(DEFAULTS) - {"identified", "single_visit"}
    assert "slot_min" in answers["pieces"].note and "xy" in answers["counts"].note


def test_two_cells_in_a_slot_are_voted_where_the_records_are_there(city):
    on_grid = assess.assess(city.traces, cell_m=300)
    assert by_name(on_grid)["counts"].value is not None
    several = ic.discretize.grid(city.traces, cell_m=300, slot_min=60)
    answer = by_name(assess.assess(several))["counts"]
    assert answer.verdict == "no answer" and "two cells in one slot" in answer.note


def test_words_agree_with_one_person():
    user = [1] * 5 + [2] * 5 + [3]
    visits = ic.Visits.from_arrays(user, cell=np.arange(11) % 3, slot=np.arange(11))
    assert "1 person has fewer than 5 visits" in by_name(assess.assess(visits))["identified"].note


def test_a_question_that_does_not_fit_is_not_run(visits, monkeypatch):
    slow = tuple(replace(one, seconds=lambda _: 1e4) if one.name == "counts" else one for one in QUESTIONS)
    monkeypatch.setattr(MODULE, "QUESTIONS", slow)
    found = assess.assess(visits)
    assert by_name(found)["counts"].verdict == "not run"
    assert by_name(found)["counts"].note.startswith("would take about 2.8 h, 10 min are left")
    assert by_name(found)["home_work"].value is not None
    assert [one.name for one in found.open] == ["counts"] and "1 test is missing. Worst: " in found.verdict
    assert found.verdict.endswith("limit 5 %. Not run: counts.")
    assert not assess.assess(visits, limits={**dict.fromkeys(DEFAULTS), "counts": 1.0}).passed


def test_a_spent_budget_stops_cleanly(visits):
    found = assess.assess(visits, budget_s=1e-6)
    assert all(answer.value is None for answer in found.answers)
    assert {answer.verdict for answer in found.answers} == {"not run", "does not apply"}
    assert "would take about 1 s" in by_name(found)["identified"].note and not found.passed
    assert found.verdict.startswith("Do not publish: 6 tests are missing. Not run: identified, ")


def test_a_question_that_takes_longer_than_expected_is_stopped(visits, monkeypatch):
    quick = tuple(replace(one, seconds=lambda _: 0.0) for one in QUESTIONS)
    monkeypatch.setattr(MODULE, "QUESTIONS", quick)
    monkeypatch.setattr(Budget, "left_s", property(lambda _: 0.0))
    found = assess.assess(visits)
    assert by_name(found)["counts"].note == "took longer than expected, and the budget is spent"
    with pytest.raises(OutOfTime), Budget(1e-9).watched():
        list(track(range(2), "work"))


def test_ctrl_c_keeps_what_is_there(visits, monkeypatch):
    def stop(_):
        raise KeyboardInterrupt

    stopped = tuple(replace(one, run=stop) if one.name == "single_visit" else one for one in QUESTIONS)
    monkeypatch.setattr(MODULE, "QUESTIONS", stopped)
    found = assess.assess(visits)
    answers = by_name(found)
    assert found.interrupted and answers["home_work"].value is not None
    assert answers["single_visit"].note == "interrupted" and answers["counts"].note == "interrupted before"
    assert answers["counts"].verdict == "not run" and "of 10 min, interrupted)" in str(found)
    for name in ("blurring", "matched", "sensitive"):  # what could not have been asked does not apply
        assert answers[name].verdict == "does not apply", name


def test_estimates_come_before_work_in_the_order_of_work(city):
    asked = prepared(city.traces, Options(towers=city.towers), {})
    assert [one.name for one in asked.estimates] == [question.name for question in QUESTIONS]
    assert all(one.seconds > 0 or one.lacks for one in asked.estimates)
    assert str(asked.estimates[0]) == "identified         about 1 s"
    assert asked.data.visits is PreparedAssessment.over(asked.data).data.visits


def test_people_are_drawn_where_a_step_needs_it_and_it_is_said(city, monkeypatch):
    monkeypatch.setattr("incrowd.assess.questions.singling.KGAP_PEOPLE", 10)
    monkeypatch.setattr("incrowd.assess.questions.linking.RELINK_PEOPLE", 20)
    monkeypatch.setattr("incrowd.assess.questions.linking.KNOWN_PEOPLE", 15)
    monkeypatch.setattr("incrowd.assess.questions.counting.MOST_PEOPLE", 25)
    monkeypatch.setattr("incrowd.assess.questions.counting.MOST_DAYS", 1)
    answers = by_name(assess.assess(city.traces, towers=city.towers))
    assert "10 of 40 people, drawn at random" in answers["blurring"].note
    assert "20 of 40 people, drawn at random" in answers["pieces"].note
    assert "15 of 40 people, drawn at random and looked for among 40" in answers["later"].note
    assert "25 of 40 people, drawn at random" in answers["counts"].note
    assert "the 40 of 40 people seen in the busiest 1 of 3 days" in answers["counts"].note
    assert answers["counts"].numbers["slots"] == 24


def test_nothing_shown_is_about_one_person(found, city):
    record = json.loads(to_json(found))
    assert record["passed"] is False and len(record["answers"]) == len(DEFAULTS)
    shown = to_json(found) + str(found) + repr(found) + found._repr_html_()
    assert not any(f'"{user}"' in shown for user in city.traces.users[:5].tolist() if isinstance(user, str))
    assert 'neighbours": [' not in shown and "The attacker knows 4 random visits" in found._repr_html_()


def test_bad_options_are_refused_before_the_data_are_read(tmp_path):
    for options, said in (
        ({"budget_s": 0}, "budget_s must be above 0"),
        ({"cell_m": -1}, "cell_m must be above 0"),
        ({"slot_min": 1.5}, "slot_min must be a whole number"),
        ({"seed": -1}, "seed must be"),
        ({"confidence": 2}, "confidence must be a share between 0 and 1, got 2"),
        ({"confidence": 0}, "confidence must be above 0"),
        ({"known_visits": 3}, "known_visits must be 1 or 2"),
        ({"limits": {"magic": 0.1}}, "unknown test 'magic'; choose from identified"),
        ({"limits": {"counts": 3}}, r"the limit of counts must be in \[0, 1\]"),
        ({"limits": {"sensitive": 0.1}}, "about the sensitive attribute, which was not given"),
        ({"limits": {"matched": 0.1}}, "about a release, which was not given"),
        ({"limits": {"counts": True}}, r"the limit of counts must be in \[0, 1\]"),
        ({"limits": [("counts", 1)]}, "limits must map names of tests to shares, got a list"),
        ({"known_visits": True}, "known_visits must be 1 or 2"),
        ({"release": 5}, "release must be a Release, visits or a path, got a int"),
        ({"link": "link.csv"}, "give the release too"),
        ({"release": tmp_path / "nowhere"}, "there is no release at nowhere"),
    ):
        with pytest.raises(ic.IncrowdError, match=said):
            assess.assess("nothing.csv", **options)


def test_data_that_cannot_be_assessed_are_refused(visits):
    with pytest.raises(ic.DataError, match="Counts cannot be assessed"):
        assess.assess(ic.discretize.counts(ic.discretize.filled(visits)))
    with pytest.raises(ic.ParameterError, match=r"no attribute 'illness' \(they have: none\)"):
        assess.assess(visits, sensitive="illness")


def test_saved_data_are_assessed_as_they_are(visits, tmp_path):
    path = visits.save(tmp_path / "visits.parquet")
    assert by_name(assess.assess(path))["identified"].value == by_name(assess.assess(visits))["identified"].value


def test_large_sources_are_streamed(city, tmp_path, monkeypatch):
    frame = city.traces.to_pandas()
    frame.to_csv(tmp_path / "log.csv", index=False)
    whole = assess.assess(tmp_path / "log.csv")
    monkeypatch.setattr("incrowd.assess.dataset.MOST_IN_MEMORY", 10)
    found = assess.assess(tmp_path / "log.csv")
    assert found.records is None and whole.records == city.traces.records
    assert by_name(found)["identified"].value == by_name(whole)["identified"].value
    assert "this test needs the original positions" in by_name(found)["blurring"].note


def test_a_release_of_other_things_says_why_not(city, visits):
    glove = ic.anonymize.Glove(k=2)(ic.discretize.fingerprints(city.traces))
    answers = by_name(assess.assess(city.traces, towers=city.towers, release=glove))
    assert answers["matched"].value == 0 and answers["matched"].numbers["crowd_least"] >= 2
    answers = by_name(assess.assess(visits, release=glove))
    assert (
        answers["matched"].verdict == "no answer"
        and "needs the original positions; give the trajectories" in answers["matched"].note
    )
    known = replace(visits, users=np.char.add("p", visits.users.astype(str)))
    answers = by_name(assess.assess(known, release=known))
    assert answers["matched"].value is not None and "states no guarantees" in answers["guarantees"].note
    strangers = replace(
        visits, users=visits.users + 10**6 if visits.users.dtype.kind == "i" else np.char.add("x", visits.users)
    )
    answers = by_name(assess.assess(visits, release=strangers))
    assert "no link file was given" in answers["matched"].note


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
    assert some_people(visits, people=40, seed=0) is visits and within(visits, 0, 10**6) is visits
    assert isinstance(Dataset(None, visits, Options()).days, int)


def test_tails_take_a_gap_that_is_known(city):
    prints = ic.discretize.fingerprints(city.traces)
    gap = measure.kgap(prints)
    np.testing.assert_array_equal(measure.tails(prints, gap=gap).delta, measure.tails(prints).delta)
    with pytest.raises(ic.DataError, match="the 2-gap of 40 users; give the 3-gap"):
        measure.tails(prints, k=3, gap=gap)


def test_fewer_people_are_drawn_for_the_gap_if_trajectories_are_long(city, monkeypatch):
    from incrowd.assess.questions import singling

    data = Dataset(city.traces, None, Options())
    monkeypatch.setattr(singling, "KGAP_PEOPLE", 32)
    monkeypatch.setattr(singling, "KGAP_FEWEST", 4)
    for most_s, people in ((1e9, 32), (singling._blurring_s(data, 8), 8), (0, 4)):
        monkeypatch.setattr(singling, "KGAP_S", most_s)
        assert singling._gap_people(data) == people and singling._blurring_s(data) == singling._blurring_s(data, people)
