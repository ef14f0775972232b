"""One partner for everybody: the greatest total, its certificate, and classes of equal people."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import crowd
from incrowd.attack import link
from incrowd.attack.link import matching

people = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=5), min_size=1, max_size=6)


def visits(rows):
    """The cells of each person, one slot after the other."""
    flat = [(u, c, s) for u, cells in enumerate(rows) for s, c in enumerate(cells)]
    user, cell, slot = np.array(flat).T
    return ic.Visits.from_arrays(user, cell, slot, slot_min=60, start=0)


@settings(deadline=None, max_examples=60)
@given(
    people, people, st.sampled_from([("evidence", ("places",)), ("histogram", ("places",)), ("overlap", ("moments",))])
)
def test_no_permutation_has_a_greater_total(known, target, how):
    score, views = how
    linkage = link(visits(known), visits(target), truth=[-1] * len(known), score=score, views=views, one_to_one=True)
    table = linkage.scores(np.arange(len(known)))
    wide = table if len(known) <= len(target) else table.T
    best = max(sum(wide[i, j] for i, j in enumerate(p)) for p in permutations(range(wide.shape[1]), len(wide)))
    pairs = [(i, j) for i, j in enumerate(linkage.matches) if j >= 0]
    assert len(pairs) == len({j for _, j in pairs}) == len(wide)
    assert sum(table[i, j] for i, j in pairs) == pytest.approx(best, abs=1e-8)
    result = linkage.matching
    assert (result.gap, result.total, result.bound) == (0, pytest.approx(best, abs=1e-8), result.total)
    assert result.known_alone == len(known) - len(wide) and result.target_alone == len(target) - len(wide)


@settings(deadline=None, max_examples=40)
@given(people, st.randoms(use_true_random=False), st.sampled_from([1, 4_000_000]))
def test_a_copy_is_matched_with_its_equals(rows, random, all_pairs):
    """Exchanged labels: everybody is matched with somebody of equal counts, if there are two cells or more."""
    order = list(range(len(rows)))
    random.shuffle(order)
    known, target = visits(rows), visits([rows[i] for i in order])
    truth = [order.index(i) for i in range(len(rows))]
    before, matching.ALL_PAIRS = matching.ALL_PAIRS, all_pairs  # few candidates are enough here, too
    linkage = link(known, target, truth=truth, one_to_one=True, views=("places",))
    matching.ALL_PAIRS = before
    table = linkage.scores(np.arange(len(rows)))
    own = sum(table[i, truth[i]] for i in range(len(rows)))
    assert linkage.matching.gap == 0 and linkage.matching.total == pytest.approx(own, abs=len(rows) * 6 * 2**-32)
    equal = [np.bincount(row, minlength=4).tolist() for row in rows]
    if len({c for row in rows for c in row}) > 1:
        assert all(equal[i] == equal[order[j]] for i, j in enumerate(linkage.matches))
        assert linkage.right == pytest.approx([1 / equal.count(row) for row in equal])


def test_histogram_alone_finds_a_copy_wherever_shares_differ():
    rows = [[0, 0, 1], [0, 1, 1], [2, 0], [2]]
    assert link(visits(rows), visits(rows), score="histogram", views=("places",)).hit[1] == 1


def test_no_order_decides_within_a_class():
    """Two equal people on either side and two that differ: each of the equal ones is right with 1/2."""
    rows = [[0, 1], [1, 0], [2, 3], [3, 3, 3]]
    linkage = link(visits(rows), visits(rows), one_to_one=True, views=("places",))
    assert linkage.right.tolist() == [0.5, 0.5, 1, 1] and linkage.hit[1] == 0.75
    assert sorted(linkage.matches.tolist()) == [0, 1, 2, 3]


def test_the_best_of_each_may_be_the_same_and_the_matching_parts_them():
    known = crowd("0:1 1:1 2:2 | 0:1 1:1 2:1 3:1")
    target = crowd("0:1 1:1 2:2 3:2 | 4:1 5:1 6:1 7:1 8:1")
    together = link(known, target, one_to_one=True)
    assert sorted(together.matches.tolist()) == [0, 1] and together.hit[1] == 1


def test_refused_where_a_person_has_several_rows():
    known = crowd("0:1 | 0:2")
    with pytest.raises(ic.DataError, match="one_to_one needs one row"):
        link(known, crowd("0:1 | 0:2 | 0:2"), truth=[[0], [1, 2]], one_to_one=True)
    with pytest.raises(ic.DataError, match="one_to_one needs one row"):
        link(known, crowd("0:1 | 0:2"), truth=[[0], [0]], one_to_one=True)


def test_few_candidates_still_have_a_partner_and_a_bound(monkeypatch):
    """With one candidate of each side kept, nobody is left over, the gap covers the rest, and more pairs close it."""
    monkeypatch.setattr(matching, "ALL_PAIRS", 1)
    rng = np.random.default_rng(3)
    known, target = (visits([rng.integers(0, 6, 8).tolist() for _ in range(40)]) for _ in range(2))
    exact = link(known, target, one_to_one=True).matching
    monkeypatch.setattr(matching, "KEPT", 1)
    proved = link(known, target, one_to_one=True).matching
    assert (proved.total, proved.gap) == (exact.total, 0) and proved.candidates < exact.candidates
    monkeypatch.setattr(matching, "PROOFS", 1)
    rough = link(known, target, one_to_one=True).matching
    assert exact.gap == 0 and rough.known_alone == rough.target_alone == 0
    assert rough.candidates < proved.candidates < exact.candidates <= 1600
    assert rough.total < exact.total <= rough.bound + 1e-9 and rough.gap > 0
