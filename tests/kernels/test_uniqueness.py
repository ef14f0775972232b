from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.kernels.cpu import compiled
from incrowd.kernels.cpu import uniqueness as cpu
from incrowd.kernels.reference import uniqueness as reference
from incrowd.measure.uniqueness.choices import binomials

ones = compiled(cpu.ones)  # as within a kernel: its arithmetic overflows on purpose


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
    assert ones(np.uint64(word)) == word.bit_count()


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 6), st.integers(0, 30), st.integers(0, 2**32))
def test_without_replacement_equals_reference(points, spare, seed):
    sizes = points + np.random.default_rng(seed).integers(0, spare + 1, 20)
    draws = np.random.default_rng(seed).integers(0, sizes[:, None] - np.arange(points))
    got = cpu.without_replacement(draws)
    np.testing.assert_array_equal(got, reference.without_replacement(draws))
    assert all(len(set(row)) == points for row in got.tolist())
    assert (got < sizes[:, None]).all()


def test_every_order_is_drawn_once():
    places = np.array([[a, b, c] for a in range(4) for b in range(3) for c in range(2)])
    assert len({tuple(row) for row in cpu.without_replacement(places).tolist()}) == 24


@pytest.mark.parametrize("points", [1, 2, 3, 5])
@pytest.mark.parametrize("size", [5, 6, 9])
def test_subsets_are_all_combinations_once(size, points):
    ranks = np.arange(comb(size, points))
    expected = sorted(combinations(range(size), points), key=lambda c: c[::-1])
    for kernel in (cpu, reference):
        assert kernel.subsets(ranks, points, binomials(size, points)).tolist() == [list(c) for c in expected]


def test_reference_subsets_take_any_integer():
    rank = np.array([comb(5000, 12) - 1], object)
    assert reference.subsets(rank, 12, np.empty((5000, 0), np.int64)).tolist() == [list(range(4988, 5000))]


close = st.tuples(
    st.lists(st.lists(st.integers(-6, 12), min_size=0, max_size=9), min_size=1, max_size=4),
    st.integers(-3, 6),  # nearest
    st.integers(-1, 9),  # farthest
    st.sampled_from([100, 4, 2]),  # slots per block
    st.integers(2, 4),  # points
)


@settings(deadline=None, max_examples=150)
@given(close)
def test_close_subsets_equal_enumeration(case):
    slots, nearest, farthest, width, points = case
    slots = [sorted(part) for part in slots]
    slot = np.array([s for part in slots for s in part], np.int64)
    sizes = np.array([len(part) for part in slots], np.int64)
    starts = np.cumsum(sizes) - sizes
    limits = (slot // width, nearest, farthest)
    near, far = cpu.reach(starts, sizes, slot, *limits)
    for got, expected in zip((near, far), reference.reach(starts, sizes, slot, *limits), strict=True):
        np.testing.assert_array_equal(got, expected)
    table = binomials(9, points)
    ways = np.ascontiguousarray(table[:, points - 1])
    for start, size in zip(starts.tolist(), sizes.tolist(), strict=True):
        wanted = _close(slot, start, size, nearest, farthest, width, points)
        weights = np.zeros(len(slot), np.int64)
        weights[start : start + size] = np.cumsum((ways[far] - ways[near - 1])[start : start + size])
        total = int(weights[start : start + size].max(initial=0))
        assert total == len(wanted)
        ranks = np.arange(total)
        each = np.full(total, start), np.full(total, size), near, weights, ways, ranks
        first, rest = cpu.firsts(*each)
        for got, expected in zip((first, rest), reference.firsts(*each), strict=True):
            np.testing.assert_array_equal(got, expected)
        later = cpu.subsets(rest, points - 1, table) + (first + 1)[:, None]
        assert {tuple(row) for row in np.column_stack([first, later]).tolist()} == wanted


def _close(slot, start, size, nearest, farthest, width, points):
    """Every subset, by the definition."""
    found = set()
    for rows in combinations(range(start, start + size), points):
        blocks = {slot[r] // width for r in rows}
        if nearest <= slot[rows[-1]] - slot[rows[0]] <= farthest and len(blocks) == 1:
            found.add(rows)
    return found
