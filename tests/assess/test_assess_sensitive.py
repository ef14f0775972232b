"""Sensitive values inferred from a few visits, against the definition read out loud."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.assess.questions.sensitive import sensitive_inference


def by_definition(visits, values, l, c):  # noqa: E741
    """Share of people with a value for whom some set of at most l own visits has Conf >= c."""
    sets = [
        set(zip(visits.cell[a:b].tolist(), visits.slot[a:b].tolist(), strict=True))
        for a, b in zip(visits.offsets[:-1], visits.offsets[1:], strict=True)
    ]
    told = []
    for mine, held in zip(sets, values, strict=True):
        if not held:
            continue
        chosen = [set(q) for size in range(l + 1) for q in combinations(sorted(mine), size)]
        crowds = [[other for other, theirs in zip(values, sets, strict=True) if q <= theirs] for q in chosen]
        told.append(any(sum(v in other for other in crowd) / len(crowd) >= c for crowd in crowds for v in held))
    return float(np.mean(told))


people = st.lists(
    st.tuples(
        st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=5),
        st.frozensets(st.sampled_from(["flu", "hiv", "none"]), max_size=2),
    ),
    min_size=1,
    max_size=7,
)


@settings(deadline=None, max_examples=60)
@given(people, st.sampled_from([1, 2]), st.sampled_from([0.3, 0.5, 2 / 3, 0.8, 1.0]))
def test_it_is_the_definition(crowd, l, c):  # noqa: E741
    values = [held for _, held in crowd]
    rows = [(user, cell, slot) for user, (mine, _) in enumerate(crowd) for cell, slot in mine]
    user, cell, slot = np.array(rows).T
    visits = ic.Visits.from_arrays(user, cell, slot, attributes={"ill": values})
    if not any(values):
        with pytest.raises(ic.DataError, match="nobody has a value of 'ill'"):
            sensitive_inference(visits, sensitive="ill")
        return
    found = sensitive_inference(visits, sensitive="ill", known_visits=l, confidence=c)
    assert found.inferred[l] == pytest.approx(by_definition(visits, values, l, c))
    assert found.carriers == sum(map(bool, values)) and not found.undecided and found.at_most == found.inferred[l]


def test_what_everybody_has_needs_no_visit():
    visits = ic.Visits.from_arrays([1, 2, 3, 4], [0, 0, 0, 0], [0, 0, 0, 0], attributes={"ill": ["a", "a", "a", "b"]})
    assert sensitive_inference(visits, sensitive="ill", confidence=0.75).inferred == {0: 0.75, 1: 0.75, 2: 0.75}
    assert sensitive_inference(visits, sensitive="ill", confidence=0.76).inferred == {0: 0.0, 1: 0.0, 2: 0.0}


def long_traces(people=40, told=20, visits=300):
    """Everybody carries one of two values and walks with everybody else; some have a visit of their own."""
    user, slot = np.repeat(np.arange(people), visits), np.tile(np.arange(visits), people)
    cell = np.where((slot == 7) & (user < told), 100 + user, 0)
    return ic.Visits.from_arrays(user, cell, slot, attributes={"ill": ["a", "b"] * (people // 2)})


@pytest.mark.parametrize("seed", range(4))
def test_everybody_is_asked_however_long_the_traces(seed, monkeypatch):
    monkeypatch.setattr("incrowd.assess.questions.sensitive.MOST_PAIRS", 4_000)
    found = sensitive_inference(long_traces(), sensitive="ill", seed=seed)
    assert found.carriers == 40 and found.inferred == {0: 0.0, 1: 0.5, 2: 0.5}
    assert found.undecided == 20 and found.at_most == 1  # not every pair was tried: nobody is called safe
    answers = ic.assess.assess(long_traces(), sensitive="ill", seed=seed).answers
    answer = next(one for one in answers if one.name == "sensitive")
    assert (
        answer.verdict == "above" and answer.value == 1 and answer.number == "50.0 % to 100.0 % (20 to 40 of 40 people)"
    )
    assert "for 20 people not every pair of visits was tried" in answer.note


def test_pairs_are_shared_out_so_that_short_traces_are_tried_in_full(monkeypatch):
    visits = long_traces(people=4, told=0, visits=12)
    few = ic.Visits.from_arrays([9, 9, 9], [0, 0, 0], [0, 1, 2], attributes={"ill": ["b"]})
    user = np.concatenate([visits.owner, np.full(3, 4)])
    both = ic.Visits.from_arrays(
        user,
        np.append(visits.cell, few.cell),
        np.append(visits.slot, few.slot),
        attributes={"ill": ["a", "b", "a", "b", "b"]},
    )
    monkeypatch.setattr("incrowd.assess.questions.sensitive.MOST_PAIRS", 4 * 66 + 3)
    assert sensitive_inference(both, sensitive="ill").undecided == 0
    monkeypatch.setattr("incrowd.assess.questions.sensitive.MOST_PAIRS", 4 * 66 + 2)
    assert sensitive_inference(both, sensitive="ill").undecided == 4


def test_a_common_value_need_not_count():
    ill = ["none"] * 9 + ["flu"]
    visits = ic.Visits.from_arrays(np.arange(10), np.zeros(10, int), np.zeros(10, int), attributes={"ill": ill})
    assert sensitive_inference(visits, sensitive="ill").inferred[1] == 0.9
    found = sensitive_inference(visits, sensitive="ill", values=["flu"])
    assert (found.carriers, found.values, found.inferred[2]) == (1, ("flu",), 0.0)
    for values, verdict in ((None, "above"), (["flu"], "within")):
        answers = ic.assess.assess(visits, sensitive="ill", values=values).answers
        assert next(one.verdict for one in answers if one.name == "sensitive") == verdict
    with pytest.raises(ic.ParameterError, match="name it too"):
        ic.assess.assess(visits, values=["flu"])


def test_bad_questions_are_refused():
    visits = ic.Visits.from_arrays([1], [0], [0], attributes={"ill": ["a"]})
    with pytest.raises(ic.ParameterError, match="known_visits must be 1 or 2"):
        ic.assess.assess(visits, sensitive="ill", known_visits=3)
    with pytest.raises(ic.ParameterError, match="c must"):
        sensitive_inference(visits, sensitive="ill", confidence=0)
