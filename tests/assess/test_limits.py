"""Limits of tests, and the names of version 0.1, which work in this one with a notice."""

import json
from fractions import Fraction

import pytest

import incrowd as ic
from incrowd.assess.limits import DEFAULTS, OLD_NAMES, ONE_IN_ELEVEN, WHO, Limit, exactly, in_words, limits_of, parse
from incrowd.assess.options import Options
from incrowd.assess.questions import QUESTIONS
from incrowd.errors import IncrowdWarning
from incrowd.plain import to_json

VISITS = ic.Visits.from_arrays([1, 1, 2, 2], cell=[5, 5, 8, 8], slot=[0, 1, 0, 1])


def assessed(**options):
    return ic.assess.assess(VISITS, advise=False, **options)


def test_every_test_has_one_name_and_one_question():
    seconds = {"worst", "membership_1pct"}  # numbers that stand beside the main one of a test
    names = {one.name for one in QUESTIONS}
    assert names | seconds == set(DEFAULTS) and len({one.asks for one in QUESTIONS}) == len(QUESTIONS)
    assert set(OLD_NAMES.values()) < names and not set(OLD_NAMES) & set(DEFAULTS)
    assert all("?" in one.asks for one in QUESTIONS)
    who = {one.name for one in QUESTIONS if one.who}
    assert who < set(WHO) and {DEFAULTS[name].value for name in WHO} == {ONE_IN_ELEVEN}


def test_every_limit_has_its_value_and_its_source():
    values = {name: str(limit) for name, limit in DEFAULTS.items() if name not in WHO}
    assert values == {
        "worst": "1 %",
        "release_full": "-",
        "sensitive": "10 %",
        "counts": "10 %",
        "membership": "0.600",
        "membership_1pct": "5 %",
        "smallest_count": "11",
        "guarantees": "0",
        "blurring": "-",
    }
    assert "medicines regulators" in DEFAULTS["lookup"].source and "convention" in DEFAULTS["worst"].source
    limits = limits_of({"later": 0.05}, "high")
    assert limits["later"].by_user and limits["later"].source == "you set it"
    assert limits["lookup"].source == "level high" and not limits["lookup"].by_user


def test_limits_are_written_as_shares_percentages_or_fractions():
    assert parse(["identified=7.5%", "counts = 0.2", "home_work=none", "lookup=1/11"]) == {
        "identified": Fraction(3, 40),
        "counts": Fraction(1, 5),
        "home_work": None,
        "lookup": ONE_IN_ELEVEN,
    }
    assert exactly("smallest_count", 20) == 20 and exactly("guarantees", 2) == 2  # not shares
    assert in_words(Fraction(1, 11)) == "9.1 % (1 in 11)" and in_words(0.0) == "0 %" and in_words(1.0) == "100 %"
    for text, why in (
        ("magic=1", "unknown test"),
        ("counts=lots", "such as counts=10%"),
        ("counts=1/0", "such as counts=10%"),
        ("counts=nan", "such as counts=10%"),
        ("counts=101%", "in .0, 1."),
        ("smallest_count=-1", "0 or more"),
    ):
        with pytest.raises(ic.ParameterError, match=why):
            parse([text])


@pytest.mark.parametrize(
    ("limit", "exceeded", "within"),
    [
        (Limit(ONE_IN_ELEVEN, ""), Fraction(1, 10), ONE_IN_ELEVEN),
        (Limit(Fraction(1, 10), ""), 0.1, Fraction(1, 10)),  # the float is a little above
        (Limit(Fraction(11), "", "count"), 10, 11),
        (Limit(Fraction(0), "", "failures"), 1, 0),
    ],
)
def test_only_beyond_a_limit_is_too_much(limit, exceeded, within):
    assert limit.exceeded(exceeded) and not limit.exceeded(within)
    assert not Limit(None, "").exceeded(1)


@pytest.mark.parametrize(
    ("name", "allowed", "shopped"),
    [
        ("lookup", "50%", "50.1%"),
        ("sensitive", 0.5, 0.51),
        ("membership", 0.75, 0.76),
        ("membership_1pct", 0.2, 0.21),
        ("smallest_count", 5, 4),
        ("guarantees", 0, 1),
        ("worst", 0.5, None),
    ],
)
def test_limits_that_nothing_would_exceed_are_shopping(name, allowed, shopped):
    assert not list(Options(limits={name: allowed}).shopping())
    (said,) = Options(limits={name: shopped}).shopping()
    assert said.startswith(f"the limit of {name} is ")


def test_weaker_attackers_and_coarser_grains_are_shopping():
    for options, said in (
        ({"records": 3}, "only 3 known records are assumed, fewer than 4"),
        ({"people": 999}, "only 999 people are asked about, fewer than 1,000"),
        ({"cell_m": 501}, "cell_m was set to 501 m, coarser than what is published"),
        ({"slot_min": 61}, "slot_min was set to 61 min, coarser than what is published"),
    ):
        assert list(Options(**options).shopping(everybody=2000)) == [said]
    assert not list(Options(records=4, people=999, cell_m=500, slot_min=60).shopping(everybody=999))
    coarse = ic.discretize.grid(ic.Traces.from_arrays([1], [0], x=[0.0], y=[0.0]), cell_m=1000, slot_min=120)
    assert not list(Options(cell_m=1000, slot_min=120).shopping(coarse, everybody=2000))
    unread = Options(records=3, people=5, cell_m=1000)  # of data not read yet only what is clear is said
    assert list(unread.shopping()) == ["only 3 known records are assumed, fewer than 4"]
    free = {"release_full": 0.9, "blurring": None}  # no looser than without
    assert not list(Options(limits=free).shopping())


@pytest.mark.parametrize(("old", "new"), OLD_NAMES.items())
def test_old_names_of_tests_work_with_a_notice(old, new):
    with pytest.warns(IncrowdWarning, match=f"^{old} is now {new}; the old name works until 0.3.$"):
        assert limits_of({old: 0.2})[new].value == Fraction(1, 5)
    with pytest.warns(IncrowdWarning):
        assert parse([f"{old}=0.2"]) == {new: Fraction(1, 5)}


def test_old_keywords_fields_and_keys_work_with_a_notice(recwarn):
    with pytest.warns(IncrowdWarning, match="thresholds is now limits"):
        old = assessed(thresholds={"identified": 0.2})
    new = assessed(limits={"identified": 0.2})
    assert not recwarn  # the new names say nothing
    with pytest.warns(IncrowdWarning, match="threshold is now limit;"):
        assert old.answer("identified").threshold == new.answer("identified").limit == 0.2
    with pytest.warns(IncrowdWarning, match="singling_out is now identified"):
        assert old.answer("singling_out") is old.answer("identified")
    record = json.loads(to_json(new))
    for one in record["answers"]:
        assert one["threshold"] == one["limit"] and OLD_NAMES.get(one["old_name"], one["name"]) == one["name"]
    assert record["renamed"] == {**OLD_NAMES, "threshold": "limit"}


def test_an_unknown_test_is_refused():
    with pytest.raises(ic.ParameterError, match="unknown test 'magic'; choose from lookup"):
        assessed().answer("magic")


def test_an_assessment_is_a_table_of_its_tests():
    table = assessed().to_arrow()
    assert table.num_rows == len(QUESTIONS) and set(table.column("name").to_pylist()) == {one.name for one in QUESTIONS}
    assert table.column("verdict").to_pylist()[0] == "above"


def test_an_answer_explains_itself():
    found = assessed()
    answer = found.answer("identified")
    assert str(answer).splitlines()[0] == (
        "100.0 % (2 of 2 people); right guesses on average 100.0 %, above the limit of 9.1 % (1 in 11); people guessed "
        "rightly half of the time or more 100.0 %, above the limit of 1 %."
    )
    part = answer.section()
    assert part.question == answer.asks and (part.number, part.number_of) == ("100.0 %", "2 of 2 people")
    assert found.answer("counts").section().answer == "Does not apply: no counts are published."
    assert found.remark == "no release of so few people can pass: 2 people, and a limit of 1 in 11"
