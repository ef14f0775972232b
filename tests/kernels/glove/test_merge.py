from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxes import crowds, prints
from incrowd.kernels.cpu import compiled
from incrowd.kernels.cpu.glove import merge as cpu
from incrowd.kernels.reference.glove import merge as reference
from incrowd.kernels.reference.glove.stretch import stretch
from incrowd.kernels.types import CELLS
from incrowd.measure.glove.stretch import layout

merge, union, split = compiled(cpu.merge), compiled(cpu.union), compiled(cpu.split)

ALL = settings(deadline=None, max_examples=80)


def users_of(data):
    laid = layout(data)
    return [laid.corners[a:b].astype(np.int64) for a, b in zip(laid.offsets[:-1], laid.offsets[1:], strict=True)]


def merged(text, n=(1, 1)):
    a, b = users_of(prints(text))
    _, first = stretch(a, b, *n, CELLS)
    longer, shorter = (a, b) if first else (b, a)
    rows, *_ = reference.merge(longer, shorter, *(n if first else n[::-1]), CELLS, False)
    return rows.tolist()


def test_samples_merge_into_the_nearest_of_the_shorter():
    assert merged("0,0,0; 0,0,30; 1000,0,600 | 0,0,10; 1000,0,620") == [[0, 31, 0, 1, 0, 1], [600, 621, 10, 11, 0, 1]]


def test_equal_lengths_and_a_second_stage():
    text = "0,0,100; 0,0,110; 0,0,300 | 0,0,50; 0,0,105; 0,0,310"
    # The earliest minute is 50, the origin of the layout.
    assert merged(text) == [[0, 61, 0, 1, 0, 1], [250, 261, 0, 1, 0, 1]]


def test_a_box_of_the_first_stage_hides_both_sides():
    text = "0,0,0; 0,0,99; 3000,0,166; 3000,0,167 | 3000,0,50; 0,0,100; 3000,0,165"
    assert merged(text) == [[0, 101, 0, 31, 0, 1], [165, 168, 30, 31, 0, 1]]


def test_boxes_are_put_in_order_by_every_side_and_equal_ones_stay():
    rows = np.array([*product([0, 1], repeat=6)] * 2)[np.random.default_rng(0).permutation(128)]
    order = np.lexsort(rows.T[::-1])
    where = np.empty_like(order)
    where[order] = np.arange(128)
    got, *targets = compiled(cpu._in_order)(rows, np.arange(128), np.arange(127, -1, -1))
    np.testing.assert_array_equal(got, rows[order])
    np.testing.assert_array_equal(targets, [where, where[::-1]])


@ALL
@given(crowds(least_users=2, most_samples=7, sizes=True), st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_compiled_merge_is_the_reference(data, n_a, n_b, uncapped):
    scale = layout(data).scale
    users = users_of(data)
    for a, b in pairwise(users):
        expected = reference.merge(a, b, n_a, n_b, scale, uncapped)
        for got, want in zip(merge(a, b, n_a, n_b, np.array(scale), uncapped), expected, strict=True):
            np.testing.assert_array_equal(got, want)


@ALL
@given(crowds(most_users=4, most_samples=8, sizes=True))
def test_compiled_reshaping_is_the_reference(data):
    for rows in users_of(data):
        np.testing.assert_array_equal(union(rows), reference.union(rows))
        np.testing.assert_array_equal(split(rows), reference.split(rows))


def test_a_list_that_is_used_up_comes_first_where_the_next_may_be_as_near_and_smaller():
    """Fingerprint 7 knew 2 to 5, who are gone, and 6 may be as near to it as to 8, who is later."""
    slot, ids = np.arange(9), np.full((9, 4), -1)
    slot[2:6] = -1
    ids[7], ids[8, 0] = [2, 3, 4, 5], 6
    over, under, whole = np.full((9, 4), 10), np.full((9, 4), 3), np.zeros(9, bool)
    assert cpu.pick(np.array([7, 8]), slot, ids, over, under, whole, 0) == (7, -1)
    over[7] += 1
    assert cpu.pick(np.array([7, 8]), slot, ids, over, under, whole, 0) == (8, 6)


def reshaped(how, *spans):
    rows = np.array(sorted((t, end, x, x + 1, 0, 1) for x, t, end in spans))
    return [(t, end, x, wide) for t, end, x, wide, *_ in getattr(reference, how)(rows).tolist()]


@pytest.mark.parametrize(
    ("spans", "union", "split"),
    [
        ([(0, 1, 5), (9, 3, 8)], [(1, 8, 0, 10)], [(1, 3, 0, 1), (3, 5, 0, 10), (5, 8, 9, 10)]),
        ([(0, 0, 10), (9, 4, 6)], [(0, 10, 0, 10)], [(0, 4, 0, 1), (4, 6, 0, 10), (6, 10, 0, 1)]),
        ([(0, 0, 4), (9, 4, 6)], [(0, 4, 0, 1), (4, 6, 9, 10)], [(0, 4, 0, 1), (4, 6, 9, 10)]),
    ],
)
def test_overlapping_boxes_are_united_or_split(spans, union, split):
    assert reshaped("union", *spans) == union
    assert reshaped("split", *spans) == split


def test_a_chain_of_overlaps_becomes_one_box():
    chain = [(0, 0, 3), (9, 2, 5), (0, 4, 7), (0, 9, 10)]
    assert reshaped("union", *chain) == [(0, 7, 0, 10), (9, 10, 0, 1)]


@ALL
@given(crowds(most_users=3, most_samples=8, sizes=True))
def test_reshaping_keeps_covered_time_and_can_be_repeated(data):
    for rows in users_of(data):
        covered = {minute for start, end in rows[:, :2].tolist() for minute in range(start, end)}
        for how in (reference.union, reference.split):
            made = how(rows)
            assert (made[1:, 0] >= made[:-1, 1]).all()
            assert sum(made[:, 1] - made[:, 0]) == len(covered)
            np.testing.assert_array_equal(how(made), made)
