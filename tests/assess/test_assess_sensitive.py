"""Sensitive values guessed from the crowd of a few known records, against the definition read out loud."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.anonymize._publish import publish
from incrowd.assess._assess import prepared
from incrowd.assess.options import Options
from incrowd.assess.questions.inferring import SENSITIVE


def assessed(data, **options):
    return ic.assess.assess(data, sensitive="ill", advise=False, **options)


def told(data, **options):
    return assessed(data, **options).answer("sensitive")


def by_definition(people):
    """How often the commonest value among those who made all visits of a person is its own, and without visits."""
    rights = []
    for mine, own in people:
        if own is not None:
            crowd = Counter(value for theirs, value in people if mine <= theirs and value is not None)
            commonest = [value for value, many in crowd.items() if many == max(crowd.values())]
            rights.append(Fraction(own in commonest, len(commonest)))
    values = Counter(value for _, value in people if value is not None)
    return sum(rights) / len(rights), Fraction(max(values.values()), values.total())


people = st.lists(
    st.tuples(
        st.frozensets(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=4),
        st.sampled_from(["flu", "gout", "none", None]),
    ),
    min_size=1,
    max_size=9,
)


def visits_of(crowd):
    rows = [(user, cell, slot) for user, (mine, _) in enumerate(crowd) for cell, slot in mine]
    user, cell, slot = np.array(rows).T
    return ic.Visits.from_arrays(user, cell, slot, attributes={"ill": [value for _, value in crowd]})


@settings(deadline=None, max_examples=60)
@given(people)
def test_it_is_the_definition(crowd):
    """Nobody has more than the four records that are known, so nothing is drawn."""
    data = prepared(visits_of(crowd), Options(sensitive="ill"), {}).data
    blanks = [(mine, "blank" if value is None else value) for mine, value in crowd]  # that somebody has none tells too
    told_apart = [people for people in (crowd, blanks) if len({value for _, value in people} - {None}) > 1]
    if not any(value is not None for _, value in crowd) or not told_apart:
        with pytest.raises(ic.DataError, match=r"everybody has the same|nobody has a value"):
            SENSITIVE.run(data)
        return
    found = SENSITIVE.run(data)
    (number,) = found.judged
    shares = [by_definition(people) for people in told_apart]
    assert number.value == max((right - control) / (1 - control) for right, control in shares)
    right, control = (
        Fraction(found.numbers["right"]).limit_denominator(1000),
        Fraction(found.control).limit_denominator(9),
    )
    assert (right, control) in shares and number.interval is None


def test_what_is_guessed_without_the_data_is_no_advantage():
    """All but one of 40 are well, and all are in one place: a guess is as right with the data as without."""
    crowd = [(frozenset({(0, 0)}), "ill" if user == 0 else "well") for user in range(40)]
    answer = told(visits_of(crowd))
    assert (answer.value, answer.control, answer.verdict) == (0, 39 / 40, "within")
    assert answer.note == "guessed rightly for 97.5 % of people, without the data for 97.5 %"
    alone = [({(user, 0)}, value) for user, (_, value) in enumerate(crowd)]  # a crowd of one is read off
    assert (told(visits_of(alone)).value, told(visits_of(alone)).verdict) == (1, "above")


def test_where_records_are_drawn_the_upper_end_is_judged():
    """Everybody walks with everybody else, and half have a visit of their own among 30."""
    user, slot = np.repeat(np.arange(40), 30), np.tile(np.arange(30), 40)
    cell = np.where((slot == 7) & (user % 4 < 2), 100 + user, 0)
    visits = ic.Visits.from_arrays(user, cell, slot, attributes={"ill": ["a", "b"] * 20})
    answer = told(visits)
    low, high = answer.main.interval
    assert low < answer.value < high == answer.main.judged
    right = answer.numbers["right"]
    assert 0.5 < right < 0.75 and answer.control == 0.5 and answer.value == pytest.approx(2 * right - 1)
    assert told(visits, records=30).value == pytest.approx(0.5)  # all is known of the half that is alone


def test_values_that_do_not_count_are_alike():
    """Three kinds that are nobody's business less than gout: only gout or not is to be guessed."""
    crowd = [(frozenset({(user % 4, 0)}), ("a", "b", "c", "gout")[user % 4]) for user in range(40)]
    assert told(visits_of(crowd)).control == 1 / 4
    few = told(visits_of(crowd), values=["gout"])
    assert (few.control, few.value, few.numbers["people"]) == (3 / 4, 1, 40)
    nobody = told(visits_of(crowd), values=["plague"])
    assert nobody.verdict == "no answer" and nobody.due and "check how values are written" in nobody.note
    with pytest.raises(ic.ParameterError, match="name it too"):
        ic.assess.assess(visits_of(crowd), values=["gout"])


def test_an_attack_that_was_misled_is_no_answer():
    """Each of 60 who are well is where a few of 40 who are ill have been too: the crowd says the wrong thing."""
    well = [(frozenset({(user // 2, 0)}), "well") for user in range(60)]
    ill = [(frozenset(((4 * user + step) % 30, 0) for step in range(4)), "ill") for user in range(40)]
    assert by_definition(well + ill) == (Fraction(2, 5), Fraction(3, 5))
    answer = told(visits_of(well + ill))
    assert answer.verdict == "no answer" and answer.due
    assert answer.note.startswith("the guess is right less often (40.0 %) than without the data (60.0 %)")


def test_what_a_release_publishes_may_be_inferred(tmp_path):
    """Everybody in a cell has the same illness, and nobody is alone there."""
    user = np.repeat(np.arange(40), 2)
    cell, slot = user // 4, np.tile([0, 1], 40)
    ill = {"ill": [f"kind {u // 4}" for u in range(40)]}
    xy = np.column_stack([np.arange(10) * 500.0, np.zeros(10)])
    visits = ic.Visits.from_arrays(user, cell, slot, xy=xy, slot_min=60, start=0, attributes=ill)
    shown = ic.anonymize.LKC(l=2, k=4, c=1.0, sensitive="ill")(visits)
    folder = publish(shown, tmp_path / "csv", file="csv", link=tmp_path / "link.csv", original=visits)
    for how in ({"release": shown}, {"release": folder, "link": tmp_path / "link.csv"}):
        for name in ({"sensitive": "ill"}, {}):  # the release says itself what is sensitive
            found = ic.assess.assess(visits, advise=False, **how, **name)
            answer = found.answer("sensitive")
            assert answer.value == 1 and answer in found.above and not found.passed
            assert answer.number == "100.0 % (advantage over guessing, of 40 people)" and answer.control == 1 / 10
    hidden = ic.anonymize.LKC(l=2, k=4)(visits)
    quiet = told(visits, release=hidden)
    assert quiet.verdict == "does not apply" and quiet.note == "the release does not publish it"
