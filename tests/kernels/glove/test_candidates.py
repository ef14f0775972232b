"""Bounds against many candidates never exceed the true stretch, rise from one to the next, and reach it if they can."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

import incrowd as ic
from boxes import crowds, prints
from incrowd.kernels.cpu.glove import candidates as many
from incrowd.kernels.cpu.glove import chart
from incrowd.kernels.cpu.glove import prints as laying
from incrowd.kernels.cpu.glove.bounds import scratch_of, table_of
from incrowd.kernels.cpu.glove.merge import join
from incrowd.kernels.cpu.glove.nearest import nearest
from incrowd.kernels.cpu.glove.prints import corners
from incrowd.kernels.reference.glove import stretch as reference
from incrowd.kernels.types import UNLIMITED
from incrowd.measure.glove.stretch import LARGEST, layout

ALL = settings(deadline=None, max_examples=60)


@njit
def scores_of(p, a, candidates, most, room, s):
    """The scores by places, then by hours, then by runs, where they are not above `most`; and some seeds."""
    table, rows = table_of(p, a), np.empty((3, len(candidates)))
    seeds = np.full(room, -1)
    many.by_places(p, a, candidates, rows[0], table, s)
    many.by_hours(p, a, candidates, rows[0], np.inf, seeds)
    rows[1] = rows[0]
    many.by_hours(p, a, candidates, rows[1], most, seeds[:0])
    rows[2] = rows[1]
    many.by_runs(p, a, candidates, rows[2], most, table, s)
    return rows, seeds


def prints_of(data):
    laid = layout(data)
    return laying.prints_of(laid.corners, laid.offsets, laid.people, laid.scale, room=len(laid.corners)), laid


def check(p, scale, slots):
    """All scores of each slot against the others; the largest share of a true stretch that each bound reached."""
    users = {slot: corners(p, slot).astype(np.int64) for slot in slots}
    reached = np.zeros(3)
    for a in slots:
        rows, seeds = scores_of(p, a, slots, np.inf, 4, scratch_of(p))
        assert np.isinf(rows[:, slots == a]).all()
        assert (np.diff(rows[:, slots != a], axis=0) >= 0).all()
        in_order = np.argsort(np.where(slots == a, np.inf, rows[1]), kind="stable")[: min(4, len(slots) - 1)]
        assert seeds[seeds >= 0].tolist() == in_order.tolist()
        for c, b in enumerate(slots):
            if a == b:
                continue
            n_a, n_b = int(p.people[a]), int(p.people[b])
            numerator = reference.stretch(users[a], users[b], n_a, n_b, scale)[0]
            true = numerator / ((n_a + n_b) * max(len(users[a]), len(users[b])))
            assert (rows[:, c] <= true * (1 + 1e-12)).all()
            reached = np.maximum(reached, rows[:, c] / max(true, 1e-9))
            # With a limit only what is not above it is raised, and what ends below it is as high as without.
            low, _ = scores_of(p, a, slots[c : c + 1], true, 1, scratch_of(p))
            assert rows[0, c] == low[0, 0] and low[2, 0] <= true * (1 + 1e-12)
            assert low[2, 0] == rows[2, c] or rows[2, c] > true
    return reached


@ALL
@given(crowds(least_users=2, most_users=6, crowd=True, sizes=True))
def test_no_score_exceeds_the_stretch_of_boxes_that_tie_and_saturate(data):
    p, laid = prints_of(data)
    check(p, laid.scale, np.arange(len(data)))


@ALL
@given(st.integers(0, 1 << 30), st.sampled_from([1, 100]), st.sampled_from([1, 2, 45]), st.sampled_from([3, 6]))
def test_no_score_exceeds_the_stretch_of_scattered_boxes_and_of_merged_ones(seed, unit, side, shift):
    """Crowds of very unequal size, boxes wider than the cap, regions of one rectangle and of many, and slots that were
    merged: their rectangles have no region, but a chart."""
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(7), [1, 1, 4, 4, 9, 14, 14])
    x, y = unit * rng.integers(0, rng.choice([3, 150, 900], 2)[:, None], (2, len(user)))
    dx, dy = unit * rng.integers(1, rng.choice([2, 40, 300], 2)[:, None], (2, len(user)))
    t, dt = rng.integers(0, rng.choice([60, 2000, 30_000]), len(user)), rng.choice([1, 7, 90, 900], len(user))
    crowd = rng.choice([1, 2, 50, 100_000], 7)
    data = ic.Fingerprints.from_arrays(user, x, y, t, dx=dx, dy=dy, dt=dt, crowd=crowd)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chart, "SIDE", side)
        patch.setattr(laying, "FINEST_SHIFT", shift)
        p, laid = prints_of(data)
    check(p, laid.scale, np.arange(7))
    parent = np.full(2 * len(laid.corners), -1, np.int32)
    pairs = rng.permutation(7)[:4].reshape(2, 2)
    for a, b in pairs:
        join(p, a, b, False, np.array([UNLIMITED, UNLIMITED]), parent)
    check(p, laid.scale, np.setdiff1d(np.arange(7), pairs[:, 1]))


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("0,0,0 | 300,400,0", (1, 1, 1)),  # a gap of 2 and 3 cells and a cell of width: 7 cells each
        ("0,0,0; 100,0,0 | 300,400,0", (1, 1, 1)),
        ("0,0,0 | 300,400,0; 300,500,0", (1, 1, 1)),
        ("0,0,0; 90000,0,0 | 0,0,0; 100,0,0", (1, 1, 1)),  # of two directions the cheaper: a cell, not the cap
        ("0,0,0 | 0,0,2000", (0, 1, 1)),  # beyond the cap in time
        ("0,0,0; 0,0,2000 | 0,0,0", (0, 1, 1)),
        ("0,0,0; 9000,0,5000 | 9000,0,0; 0,0,5000", (0, 0, 1)),  # near in space and in time, never in both
        (
            "0,0,0; 300,0,5000; 300,0,5001 | 0,0,0; 600,0,0",
            (36 / 2436, 1, 1),
        ),  # each adds: a gap in space to one of hours
    ],
)
def test_scores_are_as_high_as_the_layout_allows(text, shares):
    p, laid = prints_of(prints(text))
    np.testing.assert_allclose(check(p, laid.scale, np.arange(len(p.size))), shares)


def test_more_samples_in_an_hour_than_a_byte_counts_make_a_lower_bound():
    busy = "; ".join(f"{100 * (i % 20)},0,{i // 20}" for i in range(400))
    p, laid = prints_of(prints(f"{busy} | 0,0,2000"))
    assert p.hours[0].max() == 255
    assert 0.6 < check(p, laid.scale, np.arange(2))[1] < 0.7  # 255 of 400 samples


@pytest.mark.parametrize("side", [1, 3, 45])
def test_a_region_holds_its_rectangles_and_is_as_narrow_as_the_narrowest(monkeypatch, side):
    monkeypatch.setattr(chart, "SIDE", side)
    rng = np.random.default_rng(1)
    low, size = rng.integers(0, 500, (2, 300)), rng.integers(1, 90, (2, 300))
    rectangles = np.array([low[0], low[0] + size[0], low[1], low[1] + size[1]], np.int32)
    region, sides = chart.divide(rectangles)
    for r in range(1, sides.shape[1]):
        x, x_end, y, y_end = rectangles[:, region == r]
        edges = [x.min(), x_end.max(), y.min(), y_end.max()]
        assert sides[:, r].tolist() == [*edges, (x_end - x).min(), (y_end - y).min()]
    assert region.min() == 1 and region.max() == sides.shape[1] - 1 <= side**2
    assert sides[:, 0].tolist() == [-LARGEST, LARGEST, -LARGEST, LARGEST, 0, 0]  # everywhere


def test_a_chart_holds_the_cap_in_a_byte_and_rounds_down():
    data = ic.Fingerprints.from_arrays([0, 1, 2], x=[0, 158, 90_000], y=[0, 0, 0], t=[0, 0, 0], dx=1, dy=1)
    p, laid = prints_of(data)
    assert laid.scale.space_cap == 20_000 and chart.step_of(20_000) == 79 and chart.step_of(200) == 1
    total = np.empty(3, np.int32)
    many.spread(p, 0, total)
    assert total.tolist() == [0, 158, 79 * (20_000 // 79)]  # 158 metres are whole steps; the cap is not


def test_a_sum_over_more_samples_than_fit_stays_below(monkeypatch):
    p, _ = prints_of(prints("; ".join(f"0,0,{t}" for t in range(50)) + " | 900,0,0"))
    total = np.empty(2, np.int32)
    many.spread(p, 0, total)
    assert total.tolist() == [0, 50 * 9]
    monkeypatch.setattr(many, "MOST", 200 * 30)  # 30 samples at the cap
    many.spread(p, 0, total)
    assert total.tolist() == [0, 30 * 9]


@ALL
@given(crowds(most_users=40, most_samples=3, least_users=8, crowd=True), st.integers(1, 3), st.integers(0, 1 << 30))
def test_a_floor_that_nobody_is_below_changes_no_tie(data, take, seed):
    """Searches again begin from the last of the list before; those as near as that are many, and the ids decide."""
    p, _ = prints_of(data)
    everybody = np.arange(len(data))
    who, over, under, _ = nearest(p, everybody, everybody, len(data), False)
    alive = np.flatnonzero(np.random.default_rng(seed).random(len(data)) < 0.7)
    for row in everybody:
        listed = [c for c, b in enumerate(who[row]) if b in alive]
        if not listed:
            continue
        floor = np.array([[over[row, listed[0]], under[row, listed[0]]]])
        again, *_ = nearest(p, everybody[row : row + 1], alive, take, False, floor)
        expected = [int(who[row, c]) for c in listed[:take]]
        assert again[0].tolist() == expected + [-1] * (take - len(expected))
