"""LKC: what is suppressed, what is published, and what the greedy choice does and does not promise."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.anonymize import lkc_cost
from incrowd.anonymize._manifest import ReleaseStatement
from incrowd.anonymize._publish import publish
from incrowd.anonymize.lkc import LKC
from incrowd.measure.lkc import frequent_sequences, violating_sequences
from incrowd.measure.lkc.suppression import candidate_scores
from incrowd.papers.mohammed2009 import METHOD, table_1

ANY = settings(deadline=None, max_examples=60)


def table(text, carried=None):
    """One user per bar, one visit per word: a letter for the cell, a digit for the slot."""
    rows = [(u, ord(w[0]) - ord("a"), int(w[1:])) for u, part in enumerate(text.split("|")) for w in part.split()]
    user, cell, slot = np.array(rows).T
    return ic.Visits.from_arrays(
        user,
        cell,
        slot,
        attributes={}
        if carried is None
        else {"s": carried, "name": user[:0].tolist() or [str(u) for u in range(len(carried))]},
    )


def words(pairs):
    return [f"{chr(97 + cell)}{slot}" for cell, slot in pairs]


@st.composite
def tables(draw):
    """Up to ten users, six slots, at most one cell of two in each; one of two values."""
    paths = draw(st.lists(st.dictionaries(st.integers(0, 5), st.integers(0, 1), min_size=1), min_size=1, max_size=10))
    carried = draw(st.lists(st.sampled_from("xy"), min_size=len(paths), max_size=len(paths)))
    rows = [(u, cell, slot) for u, path in enumerate(paths) for slot, cell in path.items()]
    user, cell, slot = np.array(rows).T
    return ic.Visits.from_arrays(user, cell, slot, attributes={"s": carried})


methods = st.builds(
    LKC,
    l=st.integers(1, 3),
    k=st.integers(1, 4),
    c=st.sampled_from([0.5, Fraction(2, 3), 1.0]),
    sensitive=st.just("s"),
    values=st.sampled_from([None, ("x",)]),
    min_support=st.integers(1, 3),
    scores=st.sampled_from(["static", "recompute"]),
)


def asked(method):
    return {"l": method.l, "k": method.k, "c": method.c, "sensitive": method.sensitive, "values": method.values}


def without(sequences, gone):
    return [q for q in sequences if not set(q) & set(gone)]


@ANY
@given(tables(), methods)
def test_the_release_has_no_violating_sequence(visits, method):
    release = method(visits)
    assert violating_sequences(release.data, **asked(method)) == []
    before = violating_sequences(visits, **asked(method))
    assert all(set(v) & set(release.suppressed) for v in before)
    assert set(release.suppressed) <= {pair for v in before for pair in v}


@ANY
@given(tables(), methods)
def test_exactly_the_suppressed_pairs_leave(visits, method):
    release = method(visits)
    gone = set(release.suppressed)
    for j, (position,) in enumerate(release.members):
        theirs = slice(*visits.offsets[position : position + 2])
        ours = slice(*release.data.offsets[j : j + 2])
        left = [p for p in zip(visits.cell[theirs], visits.slot[theirs], strict=True) if p not in gone]
        assert left == list(zip(release.data.cell[ours], release.data.slot[ours], strict=True))
        assert release.data.attributes["s"][j] == visits.attributes["s"][position]


@ANY
@given(tables(), methods, st.integers(1, 3))
def test_suppression_makes_no_new_violating_sequence(visits, method, rounds):
    before = violating_sequences(visits, **asked(method))
    gone = method(visits).suppressed[:rounds]
    keep = np.array([(c, s) not in set(gone) for c, s in zip(visits.cell.tolist(), visits.slot.tolist(), strict=True)])
    if keep.any():
        owner = visits.owner[keep]
        kept, carried = np.unique(owner), visits.attributes["s"]
        some = ic.Visits.from_arrays(owner, visits.cell[keep], visits.slot[keep], attributes={"s": carried[kept]})
        assert violating_sequences(some, **asked(method)) == without(before, gone)


@ANY
@given(tables(), methods)
def test_frequent_sequences_after_are_those_of_the_release(visits, method):
    release = method(visits)
    told = release.provenance["suppression"]
    before, after = (frequent_sequences(data, method.min_support) for data in (visits, release.data))
    assert told.frequent_before.to_list() == before and told.frequent_after.to_list() == after
    kept = without(before, release.suppressed)
    assert set(kept) <= set(after) and len(after) <= len(before)
    assert told.preserved == len(kept)
    assert told.preserved_share == (len(kept) / len(before) if before else 1)


@ANY
@given(tables(), methods)
def test_every_winner_has_the_highest_score(visits, method):
    told = method(visits).provenance["suppression"]
    violating, frequent = violating_sequences(visits, **asked(method)), frequent_sequences(visits, method.min_support)
    for pair, score in told.rounds:
        scores = candidate_scores(violating, frequent)
        best = min(scores, key=lambda p: (-scores[p].value, -scores[p].gain, p[1], p[0]))
        assert (pair, score) == (best, scores[best])
        violating = without(violating, [pair])
        frequent = without(frequent, [pair]) if method.scores == "static" else _shrunk(frequent, pair)
    assert violating == []


def _shrunk(frequent, gone):
    left = {tuple(p for p in q if p != gone) for q in frequent} - {()}
    return [q for q in left if not any(set(q) < set(p) for p in left)]


SIX = "a3 a4 | a3 a4 | a1 a2 a4 a6 | a2 a3 a5 a6 | a1 a2 a3 a4 | a2 a5 a6"


@pytest.mark.parametrize(("scores", "suppressed"), [("static", "a6 a5 a1"), ("recompute", "a6 a3")])
def test_static_and_recomputed_scores_differ(scores, suppressed):
    assert words(LKC(l=2, k=2, min_support=2, scores=scores)(table(SIX)).suppressed) == suppressed.split()


def test_greedy_is_not_optimal():
    visits = table("a3 a6 | a3 a4 | a2 a4 | a1 a5 | a1 a2 a4 a6")
    release = LKC(l=2, k=2, min_support=2)(visits)
    assert words(release.suppressed) == ["a6", "a1", "a5", "a3"]
    before = frequent_sequences(visits, 2)
    assert len(before) == 4 and release.provenance["suppression"].preserved == 1
    better = [(0, 2), (0, 4), (0, 5), (0, 6)]
    assert len(without(before, better)) == 2 and without(violating_sequences(visits, 2, 2), better) == []


def test_greedy_is_not_minimal():
    visits = table("b3 a4 a5 | a4 a5 | a1 b2 a5 | a1 b3 a5 | b2 a3 b5", ["s", "n", "n", "n", "n"])
    method = LKC(l=3, k=2, c=0.5, sensitive="s", values=["s"], min_support=2)
    suppressed = method(visits).suppressed
    assert words(suppressed) == ["a1", "a3", "b5", "b2", "b3"]
    assert without(violating_sequences(visits, **asked(method)), suppressed[1:]) == []


@pytest.mark.parametrize("asked_as", [{"c": (1, 2), "values": "s"}, {"c": Fraction(1, 2), "values": {"s"}}])
def test_however_the_share_and_the_values_are_written_the_release_passes_its_audit(tmp_path, asked_as):
    visits = table("a1 b2 | a1 b2 | a1 | a1 c3 | c3", ["s", "n", "n", "s", "n"])
    release = LKC(l=2, k=2, sensitive="s", **asked_as)(visits)
    assert release.params["c"] == Fraction(1, 2) and release.params["values"] == ["s"]
    for published in (release, ic.anonymize.publish(release, tmp_path / "release")):
        assert ic.audit.check(published, original=visits).passed


def test_users_without_a_visit_stay_and_are_counted():
    release = LKC(l=1, k=2)(table("a1 | a1 | b2"))
    assert len(release.data) == 3 and sorted(np.diff(release.data.offsets)) == [0, 1, 1]
    step = release.ledger.steps[-1]
    assert (step.read, step.kept, step.dropped, step.users) == (3, 2, {"suppressed pair": 1}, (3, 3))
    assert step.notes["users without a visit"] == 1
    assert ReleaseStatement.of(release).counts == {"pseudonyms": 3, "rows": 2, "people": 3, "bare": 1}


def test_a_release_can_be_anonymized_again():
    again = LKC(l=2, k=2)(LKC(l=1, k=2)(table("a1 | a1 | b2")).data)
    assert again.suppressed == []


def test_only_the_sensitive_attribute_is_published():
    visits = table("a1 | a1 | a1", ["x", "y", {"x", "y"}])
    release = LKC(l=1, k=2, c=0.9, sensitive="s", values={"y", "x", "z"})(visits)
    assert list(release.data.attributes) == ["s"] and release.provenance["dropped_attributes"] == ["name"]
    assert [visits.attributes["s"][p] for (p,) in release.members] == list(release.data.attributes["s"])
    assert release.claims == {"l": 1, "k": 2, "c": 0.9, "sensitive": "s", "values": ["x", "y", "z"]}
    assert release.ledger.steps[-1].notes["sensitive values nobody carries"] == 1
    assert LKC(l=1, k=2)(visits).data.attributes == {}


def test_the_manifest_tells_nothing_of_what_was_suppressed(tmp_path):
    visits = table("a1 | a1 | a1 b2", ["x", "y", "x"])
    method = LKC(l=2, k=2, c=Fraction(2, 3), sensitive="s", values=("x",))
    folder = publish(method(visits), tmp_path / "release")
    text = (folder / "manifest.json").read_text()
    assert '"suppressed pair": 1' in text and "frequent" not in text and '"c": "2/3"' in text


def test_pseudonyms_are_new_each_time():
    visits = table(" | ".join(["a1"] * 200), [str(i) for i in range(200)])
    first, second = (LKC(l=1, k=2, sensitive="s")(visits) for _ in range(2))
    assert first.members.positions.tolist() != second.members.positions.tolist() != list(range(200))
    seeded = [LKC(l=1, k=2)(visits, pseudonym_seed=4).members.positions.tolist() for _ in range(2)]
    assert seeded[0] == seeded[1]


def test_bad_parameters_are_refused_before_the_work():
    visits = table("a1 | a1")
    with pytest.raises(ic.ParameterError, match="unknown scores 'fast'; choose from static, recompute"):
        LKC(scores="fast")(visits)
    with pytest.raises(ic.ParameterError, match="k must be a whole number of at least 1"):
        LKC(k=0)(visits)
    with pytest.raises(ic.DataError, match="LKC needs Visits, got Traces; make them with"):
        LKC()(ic.Traces.from_arrays([1], [0], lon=[5.0], lat=[52.0]))


def test_other_releases_name_no_suppressed_pairs():
    release = ic.Release.from_arrays(table("a1"), members=[[0]], params={"method": "Cut"})
    with pytest.raises(ic.ParameterError, match="Cut makes releases without 'suppressed'"):
        _ = release.suppressed


def test_one_parameter_moves_at_a_time():
    cost = lkc_cost(table_1(), METHOD, l=(1, 2), k=(3,), c=(Fraction(1),), min_support=(3,))
    moved = [(run.varied, run.l, run.k, run.c, run.min_support) for run in cost.runs]
    ls = [("l", 1, 2, 0.5, 2), ("l", 2, 2, 0.5, 2)]
    assert moved == [*ls, ("k", 2, 3, 0.5, 2), ("c", 2, 2, 1.0, 2), ("min_support", 2, 2, 0.5, 3)]
    second = cost.along("l")[1]
    assert (second.violating, second.suppressed_pairs, second.users_without_visit) == (5, 2, 0)
    assert (second.frequent_before, second.frequent_after, second.preserved_share) == (9, 7, 5 / 9)
    assert second.suppressed_visits == 1 - 24 / 30
    assert (cost.users, cost.visits, cost.pairs) == (8, 30, 7)


def test_the_cost_is_drawn_along_each_parameter_that_moved(tmp_path):
    cost = lkc_cost(table_1(), METHOD, name="<eight> patients", l=(1, 2), k=(2, 3), c=(0.5,), min_support=(2, 3))
    shown = cost.section()
    assert [panel.caption.split(" (")[0] for panel in shown.panels] == [
        "Cost against visits an attacker may know, L",
        "Cost against people who must share them, K",
        "Cost against people who make a pattern frequent, K'",
    ]
    assert "n = 8 records, K = 2, C = 0.5, K' = 2" in shown.panels[0].caption
    assert len(shown.tables[0].rows) == 7 and all(len(row) == len(shown.tables[0].head) for row in shown.tables[0].rows)
    page = ic.report.write(tmp_path / "report.html", cost).read_text()
    assert "&lt;eight&gt; patients" in page and page.count('role="img"') == 3
