import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.kernels.cpu.link import rank_candidates as compiled
from incrowd.kernels.reference.link import rank_candidates as plain


def flat(lists, dtype=np.int64):
    return np.cumsum([0, *map(len, lists)], dtype=np.int64), np.array([v for one in lists for v in one], dtype)


def asked(known, lists, weights, users, truths, top):
    (offsets, ids), (starts, postings), (truth_offsets, true) = (
        flat(known, np.int32),
        flat(lists, np.int32),
        flat(truths),
    )
    return offsets, ids, starts, postings, np.array(weights, np.int64), users, truth_offsets, true, top


def test_candidates_rank_by_the_weights_of_the_lists_they_share():
    """0 and 1 are at list 0 (weight 5), 1 and 2 at list 1 (weight 3): 1 scores 8, 0 scores 5, 2 scores 3, 3 nothing."""
    arguments = asked([[0, 1], [0], []], [[0, 1], [1, 2]], [5, 3], 4, [[2], [1, 3], [3]], 2)
    for rank_candidates in (plain, compiled):
        best, scores, above, tied, true_tied = rank_candidates(*arguments)
        assert best.tolist() == [[1, 0], [0, 1], [-1, -1]] and scores.tolist() == [[8, 5], [5, 5], [0, 0]]
        assert (above.tolist(), tied.tolist(), true_tied.tolist()) == ([2, 0, 0], [1, 2, 4], [1, 1, 1])


@st.composite
def questions(draw):
    users, count = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    some = st.sets(st.integers(0, users - 1), max_size=users).map(sorted)
    lists = draw(st.lists(some, min_size=count, max_size=count))
    weights = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    known = draw(st.lists(st.sets(st.integers(0, count - 1)).map(sorted), min_size=1, max_size=5))
    truths = draw(st.lists(some, min_size=len(known), max_size=len(known)))
    return asked(known, lists, weights, users, truths, draw(st.integers(1, 10)))


@settings(deadline=None, max_examples=150)
@given(questions())
def test_compiled_equals_plain(arguments):
    for one, other in zip(plain(*arguments), compiled(*arguments), strict=True):
        assert one.tolist() == other.tolist()
