import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.kernels.cpu import link as compiled
from incrowd.kernels.reference import link as plain
from incrowd.kernels.reference.link import LEAST, PairLists


def flat(lists, dtype=np.int64):
    return np.cumsum([0, *map(len, lists)], dtype=np.int64), np.array([v for one in lists for v in one], dtype)


def pair_lists(known, lists, weights, kinds, apart=None, kind=None):
    """known: the lists of each trace, one list to a row; weights: of each list; kinds: of each candidate."""
    offsets, first = flat(known)
    starts, postings = flat(lists, np.int32)
    kinds, kind = np.array(kinds), np.zeros(len(known), np.int64) if kind is None else np.array(kind)
    table = np.zeros((kind.max() + 1, kinds.max() + 1), np.int64) if apart is None else np.array(apart)
    return PairLists(
        offsets,
        first,
        np.ones_like(first),
        first,
        np.array(weights, np.int64),
        starts,
        postings,
        kind,
        table,
        kinds,
        np.searchsorted(np.sort(kinds), np.arange(kinds.max() + 2)),
        np.argsort(kinds, kind="stable"),
    )


def test_candidates_rank_by_the_weights_of_the_lists_they_share():
    """0 and 1 are at list 0 (weight 5), 1 and 2 at list 1 (weight 3): 1 scores 8, 0 scores 5, 2 scores 3, 3 nothing."""
    lists = pair_lists([[0, 1], [0], []], [[0, 1], [1, 2]], [5, 3], [0] * 4)
    truth = flat([[2], [1, 3], [3]])
    for kernel in (plain, compiled):
        best, values, above, tied, true_tied, met = kernel.rank_candidates(lists, *truth, 2, False)
        assert best.tolist() == [[1, 0], [0, 1], [-1, -1]] and values.tolist() == [[8, 5], [5, 5], [0, 0]]
        assert (above.tolist(), tied.tolist(), true_tied.tolist()) == ([2, 0, 0], [1, 2, 4], [1, 1, 1])
        assert met.tolist() == [3, 2, 0]


def test_who_shares_nothing_may_be_better():
    """Candidate 1 shares a weight of 2 but is of a kind that scores -9; 0 and 2 share nothing and score -1 and -4."""
    lists = pair_lists([[0]], [[1]], [2], [0, 2, 1], apart=[[-1, -4, -9]])
    for kernel in (plain, compiled):
        best, values, above, tied, true_tied, met = kernel.rank_candidates(lists, *flat([[1]]), 4, True)
        assert best.tolist() == [[0, 2, 1, -1]] and values.tolist() == [[-1, -4, -7, LEAST]]
        assert (above.tolist(), tied.tolist(), true_tied.tolist(), met.tolist()) == ([2], [1], [1], [1])
        assert kernel.score_rows(lists).tolist() == [[-1, -7, -4]]
        assert kernel.log_sums(lists, 1.0) == pytest.approx(np.log(np.exp([-1, -7, -4]).sum()))
        assert kernel.best_offers(lists, np.array([9, -3, 0])).tolist() == [-4]


@st.composite
def questions(draw):
    users, count, known = draw(st.integers(1, 8)), draw(st.integers(1, 5)), draw(st.integers(1, 5))
    some = st.sets(st.integers(0, users - 1), max_size=users).map(sorted)
    lists = draw(st.lists(some, min_size=count, max_size=count))
    weights = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    rows = draw(st.lists(st.sets(st.integers(0, count - 1)).map(sorted), min_size=known, max_size=known))
    kinds = np.unique(draw(st.lists(st.integers(0, 2), min_size=users, max_size=users)), return_inverse=True)[1]
    apart = [sorted(draw(st.lists(st.integers(-4, 1), min_size=3, max_size=3)), reverse=True) for _ in range(2)]
    kind = draw(st.lists(st.integers(0, 1), min_size=known, max_size=known))
    truth = flat(draw(st.lists(some, min_size=known, max_size=known)))
    prices = np.array(draw(st.lists(st.integers(-9, 9), min_size=users, max_size=users)))
    table = np.array(apart)[:, : kinds.max() + 1]
    return pair_lists(rows, lists, weights, kinds, table, kind), truth, draw(st.integers(1, 10)), prices


@settings(deadline=None, max_examples=200)
@given(questions(), st.booleans())
def test_compiled_equals_plain(question, everybody):
    lists, truth, top, prices = question
    if not everybody:
        lists = lists._replace(apart=lists.apart * 0)
    one, other = (kernel.rank_candidates(lists, *truth, top, everybody) for kernel in (plain, compiled))
    assert [column.tolist() for column in one] == [column.tolist() for column in other]
    assert plain.score_rows(lists).tolist() == compiled.score_rows(lists).tolist()
    assert plain.best_offers(lists, prices).tolist() == compiled.best_offers(lists, prices).tolist()
    assert plain.log_sums(lists, 0.3) == pytest.approx(compiled.log_sums(lists, 0.3), rel=1e-12)
