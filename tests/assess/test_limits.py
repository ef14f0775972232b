"""Limits of tests, and the names of version 0.1, which work in this one with a notice."""

import json

import pytest

import incrowd as ic
from incrowd.assess.limits import DEFAULTS, OLD_NAMES, in_words, limits_of, parse
from incrowd.assess.questions import QUESTIONS
from incrowd.errors import IncrowdWarning
from incrowd.plain import to_json

VISITS = ic.Visits.from_arrays([1, 1, 2, 2], cell=[5, 5, 8, 8], slot=[0, 1, 0, 1])


def test_every_test_has_one_name_and_one_question():
    assert {one.name for one in QUESTIONS} == set(DEFAULTS) and len({one.asks for one in QUESTIONS}) == len(QUESTIONS)
    assert set(OLD_NAMES.values()) < set(DEFAULTS) and not set(OLD_NAMES) & set(DEFAULTS)
    assert all("?" in one.asks for one in QUESTIONS)


def test_limits_are_written_as_shares_or_percentages():
    assert parse(["identified=7.5%", "counts = 0.2", "home_work=none"]) == {
        "identified": 0.075,
        "counts": 0.2,
        "home_work": None,
    }
    assert in_words(1 / 11) == "9.09091 %" and in_words(0.0) == "0 %" and in_words(1.0) == "100 %"
    for text, why in (("magic=1", "unknown test"), ("counts=lots", "such as counts=10%"), ("counts=101%", "in .0, 1.")):
        with pytest.raises(ic.ParameterError, match=why):
            parse([text])


@pytest.mark.parametrize(("old", "new"), OLD_NAMES.items())
def test_old_names_of_tests_work_with_a_notice(old, new):
    with pytest.warns(IncrowdWarning, match=f"^{old} is now {new}; the old name works until 0.3.$"):
        assert limits_of({old: 0.2}) == {new: 0.2}
    with pytest.warns(IncrowdWarning):
        assert parse([f"{old}=0.2"]) == {new: 0.2}


def test_old_keywords_fields_and_keys_work_with_a_notice(recwarn):
    with pytest.warns(IncrowdWarning, match="thresholds is now limits"):
        old = ic.assess.assess(VISITS, thresholds={"identified": 0.2})
    new = ic.assess.assess(VISITS, limits={"identified": 0.2})
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
    with pytest.raises(ic.ParameterError, match="unknown test 'magic'; choose from identified"):
        ic.assess.assess(VISITS).answer("magic")


def test_an_assessment_is_a_table_of_its_tests():
    table = ic.assess.assess(VISITS).to_arrow()
    assert table.num_rows == len(DEFAULTS) and set(table.column("name").to_pylist()) == set(DEFAULTS)
    assert table.column("verdict").to_pylist()[0] == "above"


def test_an_answer_explains_itself():
    answer = ic.assess.assess(VISITS).answer("identified")
    assert str(answer).splitlines()[0] == "100.0 % (2 of 2 people), limit 10 %: above."
    part = answer.section()
    assert part.question == answer.asks and (part.number, part.number_of) == ("100.0 %", "2 of 2 people")
    unanswered = ic.assess.assess(VISITS).answer("counts").section()
    assert unanswered.answer == "Does not apply: counts need visits with xy and slot_min."
