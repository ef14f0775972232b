"""One page about a tiny city: every question, its attacker, its numbers and its verdict."""

import json
from fractions import Fraction

import numpy as np
import pytest

import incrowd as ic
from assess.asking import OF_ROWS, assessed
from incrowd import assess, attack, measure
from incrowd.assess.dataset import Dataset
from incrowd.assess.limits import DEFAULTS, ONE_IN_ELEVEN
from incrowd.assess.options import Options
from incrowd.assess.questions import ABOUT, QUESTIONS
from incrowd.data.table import some_rows
from incrowd.measure.uniqueness.question import wilson
from incrowd.plain import to_json


@pytest.fixture(scope="module")
def city():
    return ic.read.synthetic_city(users=40, towers=12, days=3, seed=1)


@pytest.fixture(scope="module")
def visits(city):
    return ic.discretize.towers(city.traces, city.towers, slot_min=60)


@pytest.fixture(scope="module")
def cut(visits):
    return ic.anonymize.Cut(window_h=6)(visits, pseudonym_seed=1)


@pytest.fixture(scope="module")
def found(city):
    """The data as they are."""
    return assess.assess(city.traces, towers=city.towers, advise=False)


@pytest.fixture(scope="module")
def released(city, cut):
    return assess.assess(city.traces, towers=city.towers, release=cut, advise=False)


def test_every_question_is_answered_with_its_attacker(found, released):
    names = {question.name for question in QUESTIONS}
    assert names == set(DEFAULTS) - {"worst", "membership_1pct"}  # limits of second numbers
    unanswered = {
        "sensitive": "no sensitive attribute was named (--sensitive)",
        "columns": "no column is published beyond those of the kind",
        **dict.fromkeys(("counts", "membership", "smallest_count"), "no counts are published"),
    }
    of_data = dict.fromkeys(("release_full", "guarantees", "earlier"), "no release was given (--release)")
    of_release = {
        "blurring": "it is about the data as they are, and a release is judged",
        "earlier": "no earlier releases were named (--earlier)",
        "home_work": "home and work can be inferred for nobody",  # windows of 6 h
    }
    for result, more in ((found, of_data | {"pieces": "nothing was cut into pieces"}), (released, of_release)):
        answers = {one.name: one for one in result.answers}
        assert set(answers) == names
        for name, why in (unanswered | more).items():
            answer = answers.pop(name)
            assert (answer.verdict, answer.note, answer.judged, answer.due) == ("does not apply", why, (), False)
        for answer in answers.values():
            assert answer.value is not None and answer.numbers and 0 <= answer.value <= 1, answer.name
            assert answer.attacker.startswith(("The attacker ", "No attacker ")) and "." not in answer.attacker[:-1]
        places = [ABOUT.index(one.about) for one in result.answers]
        assert places == sorted(places)


def test_the_numbers_are_those_of_the_calls_behind_them(found, city, visits):
    sizes = measure.uniqueness(visits, points=4, short="all").crowd_sizes[0]
    identified = found.answer("identified")
    assert identified.main.value == sum(Fraction(1, size) for size in sizes.tolist()) / 40
    assert identified.judged[1].value == Fraction(int((sizes <= 2).sum()), 40)
    curve = identified.numbers["curve"]
    assert [(one["short"], one["points"]) for one in curve] == [
        (s, m) for s in ("drop", "all", "zero") for m in range(1, 6)
    ]
    for one in curve:
        assert one == measure.uniqueness(visits, points=one["points"], short=one["short"]).to_dict()
    assert found.answer("lookup").value == attack.lookup(city.traces, city.traces, records=4).value
    exposed = measure.exposure(visits, max_points=2)
    assert found.answer("single_visit").numbers["alone"] == (exposed.points == 1).sum()
    home = found.answer("home_work").numbers
    assert home["alone"] / home["people"] == attack.home_work(visits).pair_unique == home["pair_unique"]
    first, second = (some_rows(visits, (visits.slot < 24) == early, "half", "other half") for early in (True, False))
    ways = [(score, alone) for score in ("evidence", "histogram") for alone in (False, True)]
    hits = [attack.link(first, second, score=score, one_to_one=alone).hit[1] for score, alone in ways]
    assert found.answer("later").value == max(hits) and "best of 4 attacks: " in found.answer("later").note
    gap = measure.kgap(ic.discretize.fingerprints(city.traces))
    assert found.answer("blurring").value == np.median(gap.value)


def test_a_release_is_attacked_and_audited(released, cut, visits):
    full = attack.link(visits, cut, score="overlap", views=("moments",))
    answer = released.answer("release_full")
    assert answer.value == full.hit[1] > answer.chance == full.chance[1]
    assert answer.verdict == "no limit" and not answer.due and answer.note == "not judged unless you set a limit"
    assert released.answer("lookup").value == attack.lookup(cut, visits, records=4).value
    scores = [attack.relink(cut, score=score, seed=0).score for score in ("gain", "evidence")]
    best = max(scores, key=lambda one: one.share)
    assert (released.answer("pieces").value, released.answer("pieces").chance) == (best.share, best.chance)
    audited = released.answer("guarantees")
    assert audited.verdict == "above" and audited.value == 1  # pseudonyms from a seed fail the audit
    assert audited.numbers["failed"] == ["pseudonym source"] and audited.note.startswith("failed: pseudonym source; ")


def test_the_upper_end_of_what_was_drawn_is_judged(released):
    """Nobody of 40 is named with confidence, which does not show that fewer than 1 in 100 are."""
    mean, named = released.answer("later").judged
    assert named.limit == "worst" and named.value == 0 and named.cap == 1
    assert named.judged == pytest.approx(wilson(0.0, 40)[1]) and named.verdict == "above"
    for answer in (released.answer(name) for name in ("lookup", "identified", "later", "pieces")):
        main, worst = answer.judged
        assert (main.limit, worst.limit) == (answer.name, "worst") and main.value < main.judged == main.interval[1] <= 1
    assert [one.interval for one in released.answer("single_visit").judged] == [None, None]  # nothing was drawn
    mean, worst = released.answer("lookup").judged
    assert mean.verdict == worst.verdict == "above" and released.answer("lookup").tightest is mean


def test_verdicts_follow_the_limits_the_user_sets(visits, found):
    identified = found.answer("identified")
    assert identified.verdict == "above" and identified.main.limited.value == ONE_IN_ELEVEN
    loose = dict.fromkeys((*OF_ROWS, "worst"), 1.0)
    shopped = assessed(visits, limits=loose)
    assert not shopped.above and not shopped.open and len(shopped.held) == 5
    assert shopped.gate == "does not pass: 6 refused" and not shopped.passed  # nothing can exceed 100 %
    assert shopped.verdict.startswith("Do not publish: 6 settings make the verdict easier. Refused without a reason ")
    allowed = assessed(visits, limits=loose, override="a drill")
    assert allowed.passed and allowed.overridden and allowed.gate == "passes with an override"
    assert allowed.verdict == "Nothing above your limits: 5 tests, none missing."
    assert str(allowed).startswith("Override: a drill (the limit of lookup is 100 %; ")
    none = assessed(visits, limits=dict.fromkeys(DEFAULTS), override="a drill")
    assert none.answer("identified").verdict == "no limit" and not none.held
    assert not none.passed and none.verdict == "No verdict: no test was compared with a limit."
    assert none.gate == "does not pass: nothing that identifies people was compared with a limit"


@pytest.mark.parametrize(("people", "verdict"), [(11, "within"), (10, "above")])
def test_exactly_at_the_limit_is_within(people, verdict):
    """1 in 11 is not above 1 in 11, though no float is 1/11."""
    crowd = ic.Visits.from_arrays(np.arange(people), np.zeros(people, int), np.zeros(people, int))
    answer = assessed(crowd).answer("identified")
    assert answer.main.value == Fraction(1, people) and answer.main.interval is None and answer.verdict == verdict
    assert assessed(crowd, limits={"identified": f"1/{people}"}).answer("identified").verdict == "within"


def test_levels_are_stricter():
    for level, limit in (("standard", ONE_IN_ELEVEN), ("medium", Fraction(3, 40)), ("high", Fraction(1, 20))):
        options = Options(level=level, limits={"later": 0.2})
        assert options.limit("lookup").value == limit and options.limit("later").value == Fraction(1, 5)
        assert options.limit("worst").value == Fraction(1, 100)
    with pytest.raises(ic.ParameterError, match="unknown level 'low'"):
        Options(level="low")


def test_visits_say_what_they_cannot_answer(visits):
    blurring = assessed(visits).answer("blurring")
    assert blurring.verdict == "does not apply" and "give the trajectories" in blurring.note
    bare = ic.Visits.from_arrays([1, 1, 2], cell=[5, 6, 5], slot=[0, 1, 0])
    found = assessed(bare)
    assert {one.name for one in found.answers if one.verdict != "does not apply"} == {
        "lookup",
        "identified",
        "single_visit",
        "later",
    }
    assert found.answer("home_work").note == "nothing says when slots begin, so night and day cannot be told apart"


def test_two_cells_in_a_slot_are_voted_where_the_records_are_there(city):
    several = ic.discretize.grid(city.traces, cell_m=300, slot_min=60)
    voted = Dataset(city.traces, several, Options(cell_m=300)).one_cell_per_slot
    assert (
        voted.records < several.records
        and len(np.unique(np.stack([voted.owner, voted.slot]), axis=1).T) == voted.records
    )
    with pytest.raises(ic.DataError, match="two cells in one slot: give the trajectories"):
        _ = Dataset(several, several, Options(), "give the trajectories").one_cell_per_slot


def test_people_with_few_visits_are_asked_about_with_all_they_have():
    """With one visit of its own a person is guessed among those who made it, not left out."""
    user = [1] * 5 + [2] * 5 + [3]
    visits = ic.Visits.from_arrays(user, cell=[0, 1, 2, 3, 4] * 2 + [0], slot=[0, 1, 2, 3, 4] * 2 + [0])
    answer = assessed(visits).answer("identified")
    assert answer.main.value == (Fraction(1, 2) * 2 + Fraction(1, 3)) / 3 and "of 3 people" in answer.number


def test_nothing_shown_is_about_one_person(released, city):
    record = json.loads(to_json(released))
    assert record["passed"] is False and len(record["answers"]) == len(QUESTIONS)
    shown = to_json(released) + str(released) + repr(released) + released._repr_html_()
    assert not any(f'"{user}"' in shown for user in city.traces.users[:5].tolist() if isinstance(user, str))
    assert 'neighbours": [' not in shown and "The attacker knows 4 random visits" in released._repr_html_()


def test_bad_options_are_refused_before_the_data_are_read(tmp_path):
    for options, said in (
        ({"budget_s": 0}, "budget_s must be above 0"),
        ({"cell_m": -1}, "cell_m must be above 0"),
        ({"slot_min": 1.5}, "slot_min must be a whole number"),
        ({"seed": -1}, "seed must be"),
        ({"records": 0}, "records must be a whole number of at least 1"),
        ({"people": 2.5}, "people must be a whole number"),
        ({"known_visits": 2}, "known_visits"),
        ({"confidence": 0.5}, "confidence"),
        ({"override": " "}, "override needs a reason"),
        ({"limits": {"magic": 0.1}}, "unknown test 'magic'; choose from lookup"),
        ({"limits": {"counts": 3}}, r"the limit of counts must be in \[0, 1\]"),
        ({"limits": {"smallest_count": -1}}, "the limit of smallest_count must be 0 or more"),
        ({"limits": {"counts": True}}, "the limit of counts must be a number"),
        ({"limits": [("counts", 1)]}, "limits must map names of tests to shares, got a list"),
        ({"release": 5}, "a Release, Visits or a path, got an int"),
        ({"link": "link.csv"}, "give the release too"),
        ({"values": ["flu"]}, "name it too"),
        ({"release": tmp_path / "nowhere"}, "there is no release at nowhere"),
        ({"release": tmp_path, "same_labels": True}, "labels of people; give its link file instead"),
    ):
        with pytest.raises(ic.IncrowdError, match=said):
            assess.assess("nothing.csv", **options)


def test_a_limit_of_what_cannot_be_asked_is_missing(visits):
    for name in ("sensitive", "release_full", "counts"):
        found = assessed(visits, limits={name: 0.1})
        assert found.answer(name).verdict == "no answer" and found.answer(name) in found.open, name


def test_data_that_cannot_be_assessed_are_refused(visits):
    with pytest.raises(ic.DataError, match="Counts cannot be assessed"):
        assess.assess(ic.discretize.counts(ic.discretize.filled(visits)))
    with pytest.raises(ic.ParameterError, match=r"no attribute 'illness' \(they have: none\)"):
        assess.assess(visits, sensitive="illness")


def test_saved_data_are_assessed_as_they_are(visits, tmp_path):
    path = visits.save(tmp_path / "visits.parquet")
    one, other = assessed(path, seed=0), assessed(visits)
    assert [each.value for each in one.answers] == [each.value for each in other.answers]
    seeds = [assessed(path, budget_s=1e-6), assessed(path, budget_s=1e-6, seed=5)]
    assert (seeds[0].seed_given, seeds[1].seed_given, seeds[1].seed) == (False, True, 5) and seeds[0].seed > 0


def test_large_sources_are_streamed(city, tmp_path, monkeypatch):
    frame = city.traces.to_pandas()
    frame.to_csv(tmp_path / "log.csv", index=False)
    whole = assessed(tmp_path / "log.csv")
    monkeypatch.setattr("incrowd.assess._assess.MOST_IN_MEMORY", 10)
    found = assessed(tmp_path / "log.csv")
    assert found.records is None and whole.records == city.traces.records
    assert "this test needs the original positions" in found.answer("blurring").note
    for name in ("identified", "single_visit", "home_work", "later"):
        assert found.answer(name).value == whole.answer(name).value is not None, name
    assert [one.name for one in found.open] == ["lookup"]  # which is asked at the precision of the records
