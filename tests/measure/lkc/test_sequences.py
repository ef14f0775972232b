"""Violating and frequent sequences: the running example, and what must hold on any table."""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import crowd
from incrowd.kernels import using
from incrowd.measure.lkc import allowed_counts, frequent_sequences, violating_sequences

ANY = settings(deadline=None, max_examples=80)


def table(text, carried=None):
    """One user per bar, one visit per word: a letter for the cell, a digit for the slot; one value per user."""
    rows = [
        (u, ord(word[0]) - ord("a"), int(word[1:])) for u, part in enumerate(text.split("|")) for word in part.split()
    ]
    user, cell, slot = np.array(rows).T
    secrets = None if carried is None else {"s": carried}
    return ic.Visits.from_arrays(user, cell, slot, attributes=secrets)


def words(sequences):
    return ["".join(f"{chr(97 + cell)}{slot}" for cell, slot in sequence) for sequence in sequences]


def all_violating(visits, longest, k, c, values):
    """Every violating sequence, straight from the definition."""
    users = [
        list(zip(visits.cell[a:b].tolist(), visits.slot[a:b].tolist(), strict=True))
        for a, b in zip(visits.offsets[:-1], visits.offsets[1:], strict=True)
    ]
    known = {q for pairs in users for size in range(1, longest + 1) for q in combinations(pairs, size)}
    bad = set()
    for q in known:
        who = [u for u, pairs in enumerate(users) if set(q) <= set(pairs)]
        shared = max((sum(s in _values(visits, u) for u in who) for s in values), default=0)
        if len(who) < k or shared / len(who) > c:
            bad.add(q)
    return bad


def _values(visits, u):
    value = visits.attributes["s"][u]
    return value if isinstance(value, frozenset) else {value}


def minimal(bad):
    return {q for q in bad if not any(set(p) < set(q) for p in bad)}


def supports(visits):
    users = [
        list(zip(visits.cell[a:b].tolist(), visits.slot[a:b].tolist(), strict=True))
        for a, b in zip(visits.offsets[:-1], visits.offsets[1:], strict=True)
    ]
    known = {q for pairs in users for size in range(1, len(pairs) + 1) for q in combinations(pairs, size)}
    return {q: sum(set(q) <= set(pairs) for pairs in users) for q in known}


@st.composite
def tables(draw):
    """Up to nine users, six slots, at most one cell of three in each; each carries one of four values or two."""
    paths = draw(st.lists(st.dictionaries(st.integers(0, 5), st.integers(0, 2), min_size=1), min_size=1, max_size=9))
    secret = st.one_of(st.sampled_from("xyz"), st.none(), st.just(frozenset("xy")))
    carried = draw(st.lists(secret, min_size=len(paths), max_size=len(paths)))
    rows = [(u, cell, slot) for u, path in enumerate(paths) for slot, cell in path.items()]
    user, cell, slot = np.array(rows).T
    return ic.Visits.from_arrays(user, cell, slot, attributes={"s": carried})


@ANY
@given(tables(), st.integers(1, 5), st.integers(1, 4), st.sampled_from([1 / 3, 0.5, 0.75, 1.0]))
def test_minimal_violating_sequences_equal_the_definition(visits, longest, k, c):
    bad = all_violating(visits, longest, k, c, "xy")
    found = violating_sequences(visits, longest, k, c, "s", ["x", "y"])
    assert set(found) == minimal(bad) and len(found) == len(set(found))
    assert all(any(set(v) <= set(q) for v in found) for q in bad)
    with using("reference"):
        assert found == violating_sequences(visits, longest, k, c=c, sensitive="s", values=("x", "y"))


@ANY
@given(tables(), st.integers(1, 4))
def test_frequent_sequences_equal_the_definition(visits, min_support):
    frequent = {q for q, n in supports(visits).items() if n >= min_support}
    found = frequent_sequences(visits, min_support)
    assert set(found) == {q for q in frequent if not any(set(q) < set(p) for p in frequent)}
    with using("reference"):
        assert found == frequent_sequences(visits, min_support)


@ANY
@given(tables(), st.integers(1, 4), st.integers(1, 4))
def test_shorter_knowledge_finds_the_shorter_ones(visits, longest, k):
    longer = violating_sequences(visits, longest + 1, k, 0.5, "s")
    assert violating_sequences(visits, longest, k, 0.5, "s") == [v for v in longer if len(v) <= longest]


@ANY
@given(tables(), st.integers(1, 3), st.integers(1, 4))
def test_more_is_violating_for_larger_k_and_smaller_c(visits, longest, k):
    def covers(tight, loose):
        return all(any(set(v) <= set(w) for v in tight) for w in loose)

    loose = violating_sequences(visits, longest, k, 0.6, "s")
    assert covers(violating_sequences(visits, longest, k + 1, 0.6, "s"), loose)
    assert covers(violating_sequences(visits, longest, k, 0.4, "s"), loose)


@ANY
@given(tables())
def test_the_order_is_length_slots_cells(visits):
    found = violating_sequences(visits, 3, 3) + frequent_sequences(visits, 2)
    key = [(len(q), [s for _, s in q], [c for c, _ in q]) for q in violating_sequences(visits, 3, 3)]
    assert key == sorted(key) and all([s for _, s in q] == sorted(s for _, s in q) for q in found)


def test_a_sequence_stays_violating_only_where_k_decides():
    visits = table("a1 b2 | a1 b2 | a1", ["s", "n", "s"])
    assert words(violating_sequences(visits, 2, 1, 0.5, "s", "s")) == ["a1"]
    assert ((0, 1), (1, 2)) not in all_violating(visits, 2, 1, 0.5, "s")


def test_there_may_be_fewer_with_a_larger_k():
    visits = table("a1 b2 | a1 c2 | b2 | b2 | c2 | c2")
    assert len(violating_sequences(visits, 2, 3)) < len(violating_sequences(visits, 2, 2))


def test_taking_a_record_out_may_break_privacy():
    assert violating_sequences(table("a1 | a1 b2 | a1 b2"), 2, 2) == []
    assert words(violating_sequences(table("a1 | a1 b2"), 2, 2)) == ["b2"]


def test_only_minimal_ones_are_found_from_length_four_on():
    # Algorithm 1 as printed adds a1b2c3d4, having pruned what would forbid it.
    visits = table("a1 b2 c3 | a1 b2 d4 | a1 b2 c3 d4")
    assert words(violating_sequences(visits, 4, 2)) == ["c3d4"]


def test_nothing_longer_than_l_is_found():
    text = "b2 d3 c4 f6 c7 | f6 c7 e8 | d3 c4 f6 e8 | b2 c5 c7 e8 | d3 c7 e8 | c5 f6 e8 | b2 f6 c7 e8 | b2 c5 f6 c7"
    assert max(map(len, violating_sequences(table(text), 2, 2))) == 2
    assert max(map(len, violating_sequences(table(text), 3, 2))) == 3


def test_two_cells_at_one_time_are_refused_or_ordered():
    visits = table("a3 b3 | a3 | b3")
    with pytest.raises(ic.DataError, match="1 users are in two cells in one slot, the first at position 0; keep one"):
        violating_sequences(visits, 2, 2)
    with pytest.raises(ic.DataError, match="same_time='order'"):
        frequent_sequences(visits, 2)
    assert words(violating_sequences(visits, 2, 2, same_time="order")) == ["a3b3"]
    assert words(frequent_sequences(visits, 2, same_time="order")) == ["a3", "b3"]
    with pytest.raises(ic.ParameterError, match="unknown same_time"):
        frequent_sequences(visits, 2, same_time="drop")


def test_traces_are_refused_with_what_to_call():
    traces = ic.Traces.from_arrays([1], [0], lon=[5.0], lat=[52.0])
    for search in (lambda: violating_sequences(traces, 2, 2), lambda: frequent_sequences(traces, 2)):
        with pytest.raises(
            ic.DataError, match=r"_sequences needs Visits, got Traces; make them with `ic\.discretize\.grid"
        ):
            search()


def test_shares_are_compared_as_quotients():
    assert allowed_counts(0.29, 100)[100] == 29  # 0.29 * 100 is below 29
    assert allowed_counts(Fraction(29, 100), 100)[100] == 29
    assert allowed_counts((1, 3), 6).tolist() == [0, 0, 0, 1, 1, 1, 2]
    for c in (0.1, 0.29, 1 / 3, 0.57, 0.999, 1.0):
        most = allowed_counts(c, 400)
        for n in range(1, 401):
            assert most[n] / n <= c < (most[n] + 1) / n


@pytest.mark.parametrize("c", [0.29, Fraction(29, 100), (29, 100)])
def test_a_share_of_exactly_c_is_fine(c):
    visits = table(" | ".join(["a1"] * 100), ["s"] * 29 + ["n"] * 71)
    assert violating_sequences(visits, 1, 2, c, "s", ["s"]) == []
    assert len(violating_sequences(visits, 1, 2, 0.28, "s", ["s"])) == 1


def test_several_values_count_one_by_one():
    visits = table("a1 | a1 | a1 | a1", [{"x", "y"}, "x", "y", None])
    assert violating_sequences(visits, 1, 2, 0.5, "s") == []
    assert len(violating_sequences(visits, 1, 2, 0.49, "s")) == 1
    assert violating_sequences(visits, 1, 2, 0.49, "s", ["z"]) == []


def test_bad_questions_are_refused():
    visits = table("a1 | a1", ["x", "y"])
    for asked in ({"l": 0, "k": 2}, {"l": 2, "k": 0}, {"l": 1.5, "k": 2}):
        with pytest.raises(ic.ParameterError, match="whole number of at least 1"):
            violating_sequences(visits, **asked)
    with pytest.raises(ic.ParameterError, match="min_support must be a whole number of at least 1"):
        frequent_sequences(visits, 0)
    for c in (0, 1.01, float("nan"), Fraction(3, 2)):
        with pytest.raises(ic.ParameterError, match=r"c must be in \(0, 1\]"):
            violating_sequences(visits, 1, 2, c, "s")
    with pytest.raises(ic.ParameterError, match="pass its name as sensitive="):
        violating_sequences(visits, 1, 2, 0.5)
    with pytest.raises(ic.ParameterError, match=r"no attribute 'job' \(they have: s\)"):
        violating_sequences(visits, 1, 2, 0.5, "job")
    with pytest.raises(ic.ParameterError, match="limit_s must be above 0"):
        frequent_sequences(visits, 1, limit_s=0)


@ANY
@given(tables(), st.integers(1, 3))
def test_no_violating_sequence_means_nobody_is_unique(visits, longest):
    alone = {q for q, n in supports(visits).items() if n == 1 and len(q) <= longest}
    assert (violating_sequences(visits, longest, 2) == []) == (not alone)


@pytest.mark.parametrize("c", ["x", None, [1, 2], (1, 2, 3), (0.5, 1), (1, 0), "0.5"])
def test_a_share_that_is_no_number_is_refused(c):
    with pytest.raises(ic.ParameterError, match="c must"):
        ic.measure.violating_sequences(crowd("0:1 | 0:1"), 1, 2, c)


@pytest.mark.parametrize("values", [(), 3, [["a"]], iter(["a"])])
def test_values_are_listed(values):
    visits = ic.Visits.from_arrays([1, 2], [0, 0], [0, 0], attributes={"ill": ["a", "b"]})
    with pytest.raises(ic.ParameterError, match="values must list"):
        ic.measure.violating_sequences(visits, 1, 2, 0.5, "ill", values)


def test_rare_values_are_left_out_exactly():
    rng = np.random.default_rng(4)
    for _ in range(60):
        user, slot = rng.integers(0, 12, 40), rng.integers(0, 4, 40)
        ill = [frozenset(rng.choice(["a", "b", "c", "d", "e"], 2).tolist()) for _ in np.unique(user)]
        visits = ic.Visits.from_arrays(user, slot % 2, slot, attributes={"ill": ill})
        asked = {"l": 3, "k": int(rng.integers(1, 5)), "c": float(rng.choice([0.2, 0.4, 0.6])), "sensitive": "ill"}
        fast = ic.measure.violating_sequences(visits, **asked)
        with using("reference"):
            assert fast == ic.measure.violating_sequences(visits, **asked)
        assert fast == brute_violating(visits, asked["l"], asked["k"], asked["c"], ill)


def brute_violating(visits, longest, k, c, ill):
    paths = [
        frozenset(zip(visits.cell[a:b].tolist(), visits.slot[a:b].tolist(), strict=True))
        for a, b in pairwise(visits.offsets)
    ]
    pairs, found = sorted(set().union(*paths), key=lambda p: (p[1], p[0])), []
    for size in range(1, longest + 1):
        for q in combinations(pairs, size):
            crowd_of = [held for path, held in zip(paths, ill, strict=True) if set(q) <= path]
            worst = max((sum(v in held for held in crowd_of) for v in "abcde"), default=0)
            bad = bool(crowd_of) and (len(crowd_of) < k or worst / len(crowd_of) > c)
            if bad and not any(set(v) <= set(q) for v in found):
                found.append(q)
    return sorted(found, key=lambda q: (len(q), [p[1] for p in q], [p[0] for p in q]))
