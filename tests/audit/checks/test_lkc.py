"""LKC-privacy against the paper's tables, the corner cases, and enumeration."""

import re
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from audit.cases import on_disk, repeatable
from incrowd.anonymize.lkc import LKC
from incrowd.audit import check
from incrowd.audit.checks import lkc as module

TABLE_1 = "b2d3c4f6c7 f6c7e8 d3c4f6e8 b2c5c7e8 d3c7e8 c5f6e8 b2f6c7e8 b2c5f6c7"
TABLE_2 = "d3f6c7 f6c7e8 d3f6e8 c5c7e8 d3c7e8 c5f6e8 f6c7e8 c5f6c7"
DIAGNOSES = ["AIDS", "Flu", "Fever", "Flu", "Fever", "Diabetes", "Diabetes", "AIDS"]


def paths(text, sensitive=None):
    rows = [(u, ord(p[0]), int(p[1:])) for u, path in enumerate(text.split()) for p in re.findall(r"[a-z]\d+", path)]
    user, cell, slot = np.array(rows).T
    shown = None if sensitive is None else {"disease": sensitive}
    visits = ic.Visits.from_arrays(user, cell, slot, attributes=shown)
    return ic.Release.from_arrays(visits, [[u] for u in range(len(visits))])


def lkc(release, **asked):
    return check(release, **asked)["LKC-privacy"]


def test_the_papers_tables():
    asked = {"l": 2, "k": 2, "c": 0.5, "sensitive": "disease", "values": ["AIDS"]}
    raw, safe = paths(TABLE_1, DIAGNOSES), paths(TABLE_2, DIAGNOSES)
    assert lkc(raw, **asked).status == "fail"
    assert lkc(safe, **asked).status == "pass"
    assert lkc(safe, **{**asked, "k": 3}).status == "fail"
    assert lkc(safe, **{**asked, "l": 3}).status == "fail"  # d3f6c7 is in one record
    assert lkc(safe, **{**asked, "c": 0.3}).status == "fail"
    assert lkc(safe, **{**asked, "values": ["Fever"]}).status == "fail"  # d3e8: both have fever


def test_the_counterexample_is_named_by_position():
    found = lkc(paths("a1b2 a1b2 a1b2c3"), l=2, k=2)
    assert found.evidence.startswith("visits 2 of the pseudonym at position 2 form a sequence that is in 1 records")


def test_shares_are_compared_as_quotients():
    text = " ".join(["a1"] * 100)
    sick = ["yes"] * 29 + ["no"] * 71
    assert lkc(paths(text, sick), l=1, k=1, c=0.29, sensitive="disease", values=["yes"]).status == "pass"
    sick[29] = "yes"
    assert lkc(paths(text, sick), l=1, k=1, c=0.29, sensitive="disease", values=["yes"]).status == "fail"


def test_a_super_sequence_of_a_violating_one_may_be_fine():
    release = paths("a1b2 a1b2 a1", ["s", "n", "s"])
    found = lkc(release, l=2, k=1, c=0.5, sensitive="disease", values=["s"])
    assert "visits 0 of" in found.evidence and "2 of 3" in found.evidence


def test_containment_is_enough_for_lkc_but_not_for_k():
    verdict = check(paths("a1 a1b2 a1b2"), l=2, k=2)
    assert verdict["LKC-privacy"].status == "pass"
    assert verdict["k-anonymity"].status == "not asked"
    assert check(paths("a1 a1b2 a1b2"), k=2)["k-anonymity"].status == "fail"


def test_two_places_at_one_time_are_a_sequence_too():
    assert lkc(paths("a3b3 a3 b3"), l=2, k=2).status == "fail"
    assert lkc(paths("a3b3 a3 b3"), l=1, k=2).status == "pass"


def test_a_record_may_carry_several_values():
    release = paths("a1 a1 a1", [{"s", "q"}, "n", {"n", "q"}])
    assert lkc(release, l=1, k=1, c=0.5, sensitive="disease", values=["s"]).status == "pass"
    assert lkc(release, l=1, k=1, c=0.5, sensitive="disease", values=["q"]).status == "fail"


def test_an_unpublished_attribute_is_refused():
    with pytest.raises(ic.ParameterError, match="no column 'income'"):
        check(paths("a1 a1"), l=1, k=1, c=0.5, sensitive="income")


def test_too_many_sequences_are_refused():
    visits = ic.Visits.from_arrays(np.zeros(3000), np.arange(3000), np.arange(3000))
    with pytest.raises(ic.ParameterError, match="lower l"):
        check(ic.Release.from_arrays(visits, [[0]]), l=9, k=2)


@settings(deadline=None, max_examples=80)
@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 5), min_size=1, max_size=5), st.sampled_from("stn")), min_size=1, max_size=9
    ),
    st.integers(1, 4),
    st.integers(1, 4),
    st.sampled_from([1 / 3, 0.5, 2 / 3, 1.0]),
    st.integers(1, 6),
)
def test_the_verdict_is_that_of_enumeration(people, longest, k, c, budget):
    rows = [(u, item) for u, (items, _) in enumerate(people) for item in items]
    user, item = np.array(rows).T
    visits = ic.Visits.from_arrays(user, item % 3, item // 3, attributes={"s": [value for _, value in people]})
    release = ic.Release.from_arrays(visits, [[u] for u in range(len(people))])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BUDGET", budget)  # many pieces on small data
        got = lkc(release, l=longest, k=k, c=c, sensitive="s", values=["s", "t"])
    violated = any(_violates(q, people, k, c) for size in range(1, longest + 1) for q in combinations(range(6), size))
    assert got.status == ("fail" if violated else "pass")


def _violates(sequence, people, k, c):
    values = [value for items, value in people if set(sequence) <= items]
    if not values:
        return False
    most = max(values.count("s"), values.count("t"))
    return len(values) < k or Fraction(most, len(values)) > Fraction(c).limit_denominator(10)


def fractions_of(k):
    rng = np.random.default_rng(k)
    user = np.repeat([f"rider-{i:03d}" for i in range(90)], 5)
    slot = np.tile(np.arange(5), 90)
    visits = ic.Visits.from_arrays(
        user, rng.integers(0, 4, 450), slot, slot_min=60, start=0, attributes={"ill": list("abc" * 30)}
    )
    return visits, repeatable(LKC(l=3, k=k, c=Fraction(2, 3), sensitive="ill", values=["a", "b"]), visits)


@pytest.mark.parametrize("k", [2, 4, 12])
def test_what_the_suppressor_makes_holds_in_memory_and_on_disk(tmp_path, k):
    visits, release = fractions_of(k)
    assert check(release, original=visits)["LKC-privacy"].status == "pass"
    case = on_disk(tmp_path, release, visits)
    assert case.failed() == set()
    assert case.check()["LKC-privacy"].status == "pass"
    assert case.failed(k=89) == {"k-anonymity"}
    assert case.failed(l=2, k=89) == {"LKC-privacy"}
    case.say(claims={**case.manifest()["claims"], "c": "1/1000"})
    assert case.failed() == {"LKC-privacy", "manifest"}


def test_thirds_are_exact():
    release = paths("a1 a1 a1", ["s", "n", "n"])
    asked = {"l": 1, "k": 1, "sensitive": "disease", "values": ["s"]}
    assert lkc(release, c=Fraction(1, 3), **asked).status == "pass"
    assert lkc(release, c=Fraction(333, 1000), **asked).status == "fail"
