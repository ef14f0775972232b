import numpy as np
import pytest

from incrowd.kernels.cpu import pairs as cpu
from incrowd.kernels.cpu import uniqueness
from incrowd.kernels.reference import pairs as reference

POINTS, PAIRS = 40, 500


def made(users, longest, seed):
    """Lists of users at rare and common points, the last of nobody; and pairs of any two of them, some of one twice."""
    rng = np.random.default_rng(seed)
    has = rng.random((users, POINTS)) < rng.random(POINTS)
    offsets, ids = np.append(0, np.cumsum(has.sum(1))).astype(np.int64), np.nonzero(has)[1].astype(np.int32)
    starts, postings = uniqueness.inverted(ids, offsets, POINTS + 1)
    many = np.flatnonzero(np.diff(starts) > longest)
    bit_row = np.full(POINTS + 1, -1, np.int32)
    bit_row[many] = np.arange(len(many))
    words = uniqueness.bitsets(starts, postings, many, users)
    known = rng.integers(0, POINTS + 1, (PAIRS, 2))
    known[::7, 1] = known[::7, 0]
    return (starts, postings, longest, bit_row, words), known


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("longest", [0, 30, 150, 1000])  # all lists as bitsets, most, some, none
@pytest.mark.parametrize("users", [1, 2, 64, 257])
def test_pairs_equal_reference_and_the_search(users, longest, dtype):
    lists, known = made(users, longest, users)
    known = known.astype(dtype)
    place, pairs = cpu.by_longer(lists[0], known)
    for got, expected in zip((place, pairs), reference.by_longer(lists[0], known), strict=True):
        np.testing.assert_array_equal(got, expected)
    counts = cpu.count_both(*lists, pairs, users)
    np.testing.assert_array_equal(counts, reference.count_both(*lists, pairs, users))
    searched = uniqueness.count_matches(*lists, known, np.full(PAIRS, -1, np.int32))
    np.testing.assert_array_equal(counts, searched[place])


def test_pairs_come_in_the_order_of_their_longer_list():
    lists, known = made(100, 1000, 3)
    place, pairs = cpu.by_longer(lists[0], known)
    length = np.diff(lists[0])[pairs]
    assert (length[:, 0] >= length[:, 1]).all()
    assert (np.diff(pairs[:, 0]) >= 0).all()
    np.testing.assert_array_equal(np.sort(pairs), np.sort(known[place]))
    assert sorted(place.tolist()) == list(range(PAIRS))
