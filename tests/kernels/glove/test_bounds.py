"""Bounds of GLOVE never exceed the true stretch, sample by sample, and are not so low that they exclude nobody."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

import incrowd as ic
from boxes import crowds, prints
from incrowd.kernels.cpu.glove import chart
from incrowd.kernels.cpu.glove import prints as laying
from incrowd.kernels.cpu.glove.bounds import (
    NEVER,
    costs_between,
    costs_from,
    costs_to,
    hulls_apart,
    joint_bound,
    run_bound,
    scratch_of,
    table_of,
)
from incrowd.kernels.cpu.glove.nearest import nearest
from incrowd.kernels.reference.glove import stretch as reference
from incrowd.measure.glove.stretch import layout

FROM, TO, BETWEEN = range(3)  # a table of a, a table of b, or the rectangles of both
ALL = settings(deadline=None, max_examples=40)


@njit
def bounds_of(p, a, b, way, s):
    """From the samples of a to their closest of b, per person: by places, by runs, and for each sample by times too."""
    if way == FROM:
        total = costs_from(p, b, table_of(p, a), s)
    elif way == TO:
        total = costs_to(p, a, table_of(p, b), s)
    else:
        total = costs_between(p, a, b, NEVER, s)
    runs = run_bound(p, a, b, total, NEVER, s)
    joint = joint_bound(p, a, b, total, NEVER, s)
    return total, runs, joint, s.part[: p.size[a]].copy()


def laid_out(data):
    laid = layout(data)
    users = np.split(laid.corners.astype(np.int64), laid.offsets[1:-1])
    return laid, users, prints_of_all(laid)


def prints_of_all(laid):
    return laying.prints_of(laid.corners, laid.offsets, laid.people, laid.scale)


def check(data):
    """Every ordered pair in every way; the largest share of a true stretch that a bound reached."""
    laid, users, p = laid_out(data)
    reached = 0.0
    for a, b in permutations(range(len(users)), 2):
        n_a, n_b = int(laid.people[a]), int(laid.people[b])
        space, time = reference.sample_parts(users[a], users[b], n_a, n_b, laid.scale)
        parts = np.array([[reference.parts(i, j, n_a, n_b, laid.scale) for j in users[b]] for i in users[a]])
        nearest_place = parts[:, :, 0].min(axis=1).sum()
        assert ((n_a + n_b) * np.array(hulls_apart(p, a, b)) <= parts.min(axis=(0, 1))).all()
        for way in (FROM, TO, BETWEEN):
            total, runs, joint, part = bounds_of(p, a, b, way, scratch_of(p))
            assert (n_a + n_b) * total <= nearest_place
            assert ((n_a + n_b) * part.astype(np.int64) <= space + time).all()
            assert total <= runs and (n_a + n_b) * runs <= (space + time).sum()
            assert total <= joint == part.sum()
            assert p.run[3, p.first[a] : p.first[a] + p.runs[a]].sum() == p.size[a]
            reached = max(reached, (n_a + n_b) * max(joint, runs) / max(1, (space + time).sum()))
    return reached


@ALL
@given(crowds(least_users=2, most_users=6, crowd=True, sizes=True))
def test_no_bound_exceeds_the_stretch_of_boxes_that_tie_and_saturate(data):
    check(data)


@ALL
@given(
    st.integers(0, 1 << 30),
    st.sampled_from([1, 100]),
    st.sampled_from([1, 2, 45]),
    st.sampled_from([(3, 6), (6, 6), (3, 4)]),
)
def test_no_bound_exceeds_the_stretch_of_scattered_boxes(seed, unit, side, shifts):
    """Crowds of very unequal size, boxes from a cell to wider than the cap, samples longer than all bins that are read,
    people of one sample; regions of one rectangle and of many."""
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(6), [1, 1, 4, 4, 9, 14])
    x, y = unit * rng.integers(0, rng.choice([3, 150, 900], 2)[:, None], (2, len(user)))
    dx, dy = unit * rng.integers(1, rng.choice([2, 40, 300], 2)[:, None], (2, len(user)))
    t, dt = rng.integers(0, rng.choice([60, 2000, 30_000]), len(user)), rng.choice([1, 7, 90, 900], len(user))
    crowd = rng.choice([1, 2, 50, 100_000], 6)
    data = ic.Fingerprints.from_arrays(user, x, y, t, dx=dx, dy=dy, dt=dt, crowd=crowd)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chart, "SIDE", side)
        patch.setattr(laying, "FINEST_SHIFT", shifts[0])
        patch.setattr(laying, "COARSE_SHIFT", shifts[1])
        check(data)


def test_runs_alone_tell_who_was_there_at_other_times():
    """Same place, a day apart: places say nothing, and runs reach the cap."""
    laid, _, p = laid_out(prints("0,0,0; 0,0,10; 0,0,70 | 0,0,2000; 0,0,2010; 0,0,2070"))
    total, runs, joint, _ = bounds_of(p, 0, 1, FROM, scratch_of(p))
    assert total == 0 and runs == joint == 3 * laid.scale.time * laid.scale.time_cap and p.runs[0] == 2


def test_a_long_sample_after_a_short_one_at_its_place_is_a_run_of_its_own():
    """Both begin in one bin; the long one lasts until the other person is there."""
    data = prints("0,100,0,100,0,1; 0,100,0,100,1,700 | 0,100,0,100,600,1")
    check(data)
    _, _, p = laid_out(data)
    assert p.runs.tolist() == [2, 1] and p.hours[0].tolist() == [1] + [0] * (p.hours.shape[1] - 1)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("0,0,0 | 300,400,0", 1),  # a gap of 2 and 3 cells and a cell of width: 7 cells each
        ("0,0,0 | 0,0,2000", 1),  # beyond the cap in time
        ("0,0,0; 0,0,5000 | 9000,0,0; 0,0,2000", 1),  # close in space or in time, never in both
        ("0,0,0 | 0,0,100", 94 / 100),  # the bin of 8 minutes begins at 96, a minute is left out below two
    ],
)
def test_bounds_are_as_high_as_the_layout_allows(text, share):
    assert check(prints(text)) == pytest.approx(share)


@pytest.mark.parametrize(
    ("text", "space", "time"),
    [
        ("0,0,0 | 300,400,100", 2 + 3, 99),  # cells and minutes between them
        ("300,400,100 | 0,0,0", 2 + 3, 99),
        ("0,0,0; 500,500,50 | 800,-300,90; 900,900,90", 2, 39),
        ("0,0,0 | 90000,0,5000", 200, 480),  # the caps
        ("0,0,0; 900,900,90 | 500,500,50", 0, 0),
        ("0,0,0 | 100,0,1", 0, 0),  # they touch
    ],
)
def test_hulls_are_as_far_apart_as_their_faces(text, space, time):
    laid, _, p = laid_out(prints(text))
    assert hulls_apart(p, 0, 1) == (laid.scale.space * space, laid.scale.time * time)


def test_a_search_that_abandons_a_pair_by_its_places_reads_nothing_that_was_not_written():
    """Many share a region, so the exact places exclude more than the bound; the first has more places than others."""
    rng = np.random.default_rng(5)
    count = np.append([40, 3], rng.integers(2, 30, 60))
    user = np.repeat(np.arange(len(count)), count)
    x, y, t = (rng.integers(0, top, len(user)) for top in (300, 300, 4000))
    data = ic.Fingerprints.from_arrays(user, 100 * x, 100 * y, t, crowd=rng.integers(1, 9, len(count)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chart, "SIDE", 3)
        laid, users, p = laid_out(data)
    everybody = np.arange(len(users))
    who, over, under, _ = nearest(p, everybody, everybody, 2, False)
    for a in everybody:
        keys = []
        for b in everybody[everybody != a]:
            n_a, n_b = int(laid.people[a]), int(laid.people[b])
            numerator = reference.stretch(users[a], users[b], n_a, n_b, laid.scale)[0]
            keys.append((numerator / ((n_a + n_b) * max(len(users[a]), len(users[b]))), b))
        expected = sorted(keys)[:2]
        assert who[a].tolist() == [b for _, b in expected]
        np.testing.assert_allclose(over[a] / under[a], [value for value, _ in expected], rtol=1e-12)
