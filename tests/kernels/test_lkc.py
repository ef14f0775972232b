"""Searches for sets and the choice of what to suppress: compiled equals definition."""

import time
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.kernels import Watch
from incrowd.kernels.cpu import lkc as compiled_suppression
from incrowd.kernels.cpu.lkc import frequent as mining
from incrowd.kernels.cpu.lkc import violating as sequences
from incrowd.kernels.reference import lkc as plain_mining
from incrowd.kernels.reference import lkc as plain_sequences
from incrowd.kernels.reference import lkc as plain_suppression
from incrowd.measure.lkc import stacked
from incrowd.progress import listening

ANY = settings(deadline=None, max_examples=150)
records = st.lists(st.sets(st.integers(0, 6), max_size=6), min_size=1, max_size=14)
set_lists = st.lists(st.frozensets(st.integers(0, 7), min_size=1, max_size=4), max_size=12)


def flat(rows):
    offsets = np.cumsum([0, *map(len, rows)])
    return np.array([i for row in rows for i in sorted(row)], np.int32), offsets


def watch(limit_s=60.0, limit_gib=1.0):
    return Watch(what="the search", advice="ask for less", limit_s=limit_s, limit_gib=limit_gib)


def antichain(sets):
    return [x for x in set(sets) if not any(x < y for y in sets)]


def as_sets(starts, items):
    return [frozenset(items[a:b].tolist()) for a, b in pairwise(starts)]


@ANY
@given(records, st.integers(1, 5), st.integers(1, 4), st.sampled_from([0.3, 0.5, 2 / 3, 1.0]), st.data())
def test_violating_sets_equal_the_definition(rows, longest, k, c, data):
    items, offsets = flat(rows)
    carried = data.draw(st.lists(st.sets(st.integers(0, 2), max_size=2), min_size=len(rows), max_size=len(rows)))
    codes, code_offsets = flat(carried)
    n = np.arange(len(rows) + 1)
    given_ = (items, offsets, code_offsets, codes, longest, k, np.floor(c * n).astype(np.int64), watch())
    got, expected = stacked(sequences.violating_sets(*given_)), stacked(plain_sequences.violating_sets(*given_))
    np.testing.assert_array_equal(got[0], expected[0])
    np.testing.assert_array_equal(got[1], expected[1])


@ANY
@given(records, st.integers(1, 5))
def test_maximal_sets_equal_the_definition(rows, min_support):
    items, offsets = flat(rows)
    got = mining.maximal_sets(items, offsets, min_support, watch())
    expected = plain_mining.maximal_sets(items, offsets, min_support, None)
    np.testing.assert_array_equal(got[0], expected[0])
    np.testing.assert_array_equal(got[1], expected[1])


def test_items_on_every_record_are_not_lost():
    # A well-known miner returns nothing here.
    assert as_sets(*mining.maximal_sets(*flat([{1}, {1}]), 2, watch())) == [{1}]


@pytest.mark.parametrize("seed", range(3))
def test_searches_agree_on_longer_records(seed):
    rng = np.random.default_rng(seed)
    routes = rng.integers(0, 3, (2, 8))
    cells = np.where(rng.random((40, 8)) < 0.2, rng.integers(0, 3, (40, 8)), routes[rng.integers(0, 2, 40)])
    items, offsets = flat([set((np.arange(8) * 3 + row).tolist()) for row in cells])
    for support in (2, 5, 15):
        got = mining.maximal_sets(items, offsets, support, watch())
        expected = plain_mining.maximal_sets(items, offsets, support, None)
        np.testing.assert_array_equal(got[1], expected[1])
        none = (np.zeros(41, np.int64), np.zeros(0, np.int32), 5, support, np.arange(41), watch())
        violating = stacked(sequences.violating_sets(items, offsets, *none))
        np.testing.assert_array_equal(violating[1], stacked(plain_sequences.violating_sets(items, offsets, *none))[1])


@ANY
@given(set_lists, set_lists, st.booleans())
def test_suppression_equals_the_definition(violating, frequent, recompute):
    v_items, v_starts = flat(antichain(violating))
    u_items, u_starts = flat(antichain(frequent))
    given_ = (v_starts, v_items, u_starts, u_items, 8, recompute, watch())
    for got, expected in zip(compiled_suppression.suppress(*given_), plain_suppression.suppress(*given_), strict=True):
        np.testing.assert_array_equal(got, expected)


@ANY
@given(set_lists, st.lists(st.integers(0, 7), unique=True, max_size=6))
def test_projection_equals_the_definition(frequent, gone):
    items, starts = flat(antichain(frequent))
    given_ = (starts, items, 8, np.array(gone, np.int32), watch())
    got, expected = compiled_suppression.project_sets(*given_), plain_suppression.project_sets(*given_)
    assert sorted(map(sorted, as_sets(*got))) == sorted(map(sorted, as_sets(*expected)))


def exploding():
    """Sixty people on one route of 60 slots, each missing a third of it: millions of maximal sets."""
    rng = np.random.default_rng(0)
    return flat([set(rng.permutation(60)[:40].tolist()) for _ in range(60)])


def test_a_search_ends_at_its_time():
    began = time.monotonic()
    with pytest.raises(ic.ParameterError, match=r"did not finish within 0\.3 s \(limit_s\); ask for less"):
        mining.maximal_sets(*exploding(), 6, watch(limit_s=0.3))
    assert time.monotonic() - began < 20


@cache
def halves(sets=100_000, size=60):
    """Half of the items each: what is left of a set is inside no other, which takes a look at half of them to see."""
    rows = np.sort(np.random.default_rng(0).random((sets, size)).argsort(axis=1)[:, ::2].astype(np.int32))
    return np.arange(0, rows.size + 1, size // 2), rows.ravel(), size


def suppressing(limits):
    """Every item violates, in minutes of work."""
    starts, items, size = halves()
    alone = np.arange(size + 1), np.arange(size, dtype=np.int32)
    return compiled_suppression.suppress(*alone, starts, items, size, True, limits)


def projecting(limits):
    """Every item is suppressed, in minutes of work."""
    return compiled_suppression.project_sets(*halves(), np.arange(60, dtype=np.int32), limits)


@pytest.mark.parametrize("step", [suppressing, projecting])
def test_a_suppression_ends_at_its_limits(step):
    with pytest.raises(ic.ParameterError, match=r"did not finish within 0\.3 s \(limit_s\); ask for less"):
        step(watch(limit_s=0.3))
    with pytest.raises(ic.ParameterError, match=r"within 0\.001 GiB \(limit_gib\)"):
        step(watch(limit_gib=0.001))


@pytest.mark.parametrize("step", [suppressing, projecting])
def test_a_suppression_tells_how_far_it_is_and_can_be_interrupted(step):
    told = []

    def interrupts(label, done, total):
        told.append((label, done, total))
        if len(told) == 3:
            raise KeyboardInterrupt

    with listening(interrupts), pytest.raises(KeyboardInterrupt):
        step(watch())
    assert {label for label, *_ in told} == {"the search"} and all(0 <= done < total for _, done, total in told)


def test_a_search_ends_at_its_memory():
    with pytest.raises(ic.ParameterError, match=r"within 0\.001 GiB \(limit_gib\)"):
        mining.maximal_sets(*exploding(), 8, watch(limit_gib=0.001))
    codes = (np.zeros(61, np.int64), np.zeros(0, np.int32))
    with pytest.raises(ic.ParameterError, match=r"within 0\.001 GiB"):
        sequences.violating_sets(*exploding(), *codes, 5, 12, np.arange(61), watch(limit_gib=0.001))
