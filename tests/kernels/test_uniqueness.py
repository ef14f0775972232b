import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.kernels.cpu import uniqueness as cpu
from incrowd.kernels.reference import uniqueness as reference


def random_crowd(users, points, seed):
    """Offsets and ids of users who each have some of the points, and one list that nobody is on."""
    rng = np.random.default_rng(seed)
    has = rng.random((users, points)) < rng.random(points)  # rare and common points
    offsets = np.append(0, np.cumsum(has.sum(1))).astype(np.int64)
    return offsets, np.nonzero(has)[1].astype(np.int32), points + 1


def index(kernel, offsets, ids, lists, longest):
    starts, postings = kernel.inverted(ids, offsets, lists)
    users = len(offsets) - 1
    long = np.flatnonzero(np.diff(starts) > longest)
    bit_row = np.full(lists, -1, np.int32)
    bit_row[long] = np.arange(len(long))
    return starts, postings, longest, bit_row, kernel.bitsets(starts, postings, long, users)


@pytest.mark.parametrize("longest", [0, 3, 1000])  # all lists as bitsets, some, none
@pytest.mark.parametrize("users", [1, 2, 64, 65, 257])
def test_index_equals_reference(users, longest):
    crowd = random_crowd(users, 12, users)
    for got, expected in zip(index(cpu, *crowd, longest), index(reference, *crowd, longest), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("points", [1, 2, 3, 5])
@pytest.mark.parametrize("longest", [0, 3, 30, 1000])
@pytest.mark.parametrize("users", [1, 2, 64, 257])
def test_count_matches_equals_reference(users, longest, points, own):
    offsets, ids, lists = random_crowd(users, 12, users)
    made = index(cpu, offsets, ids, lists, longest)
    rng = np.random.default_rng(points)
    if own:  # repeated points, all of one user
        some = np.flatnonzero(np.diff(offsets))
        mine = some[rng.integers(0, len(some), 200)].astype(np.int32)
        known = ids[rng.integers(offsets[mine][:, None], offsets[mine + 1][:, None], (200, points))]
    else:  # any points, the one that nobody has among them
        known = rng.integers(0, lists, (200, points)).astype(np.int32)
        mine = np.full(200, -1, np.int32)
    got = cpu.count_matches(*made, known, mine)
    np.testing.assert_array_equal(got, reference.count_matches(*made, known, mine))
    assert not own or got.min() >= 1


def test_count_matches_leaves_its_input_alone():
    offsets, ids, lists = random_crowd(20, 12, 0)
    known = np.array([[5, 1, 5]], np.int32)
    cpu.count_matches(*index(cpu, offsets, ids, lists, 1000), known, np.array([-1], np.int32))
    assert known.tolist() == [[5, 1, 5]]


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 2**64 - 1))
def test_ones_counts_bits(word):
    assert cpu.ones(np.uint64(word)) == word.bit_count()
