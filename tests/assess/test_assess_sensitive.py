"""Sensitive values told by a few visits, against the definition read out loud."""

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
    assert found.carriers == found.asked == sum(map(bool, values))


def test_what_everybody_has_needs_no_visit():
    visits = ic.Visits.from_arrays([1, 2, 3, 4], [0, 0, 0, 0], [0, 0, 0, 0], attributes={"ill": ["a", "a", "a", "b"]})
    assert sensitive_inference(visits, sensitive="ill", confidence=0.75).inferred == {0: 0.75, 1: 0.75, 2: 0.75}
    assert sensitive_inference(visits, sensitive="ill", confidence=0.76).inferred == {0: 0.0, 1: 0.0, 2: 0.0}


def test_people_are_drawn_where_there_are_too_many_sets(monkeypatch):
    user, slot = np.repeat(np.arange(20), 4), np.tile(np.arange(4), 20)
    visits = ic.Visits.from_arrays(user, user % 3, slot, attributes={"ill": ["a"] * 20})
    monkeypatch.setattr("incrowd.assess.questions.sensitive.MOST_SETS", 30)
    found = sensitive_inference(visits, sensitive="ill", confidence=1.0)
    assert (found.carriers, found.asked) == (20, 5)
    assert sensitive_inference(visits, sensitive="ill", known_visits=1).asked == 7


def test_bad_questions_are_refused():
    visits = ic.Visits.from_arrays([1], [0], [0], attributes={"ill": ["a"]})
    with pytest.raises(ic.ParameterError, match="known_visits must be 1 or 2"):
        sensitive_inference(visits, sensitive="ill", known_visits=3)
    with pytest.raises(ic.ParameterError, match="c must lie above 0"):
        sensitive_inference(visits, sensitive="ill", confidence=0)
