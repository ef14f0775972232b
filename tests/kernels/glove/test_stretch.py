from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from boxes import crowds, prints
from incrowd.kernels.cpu import compiled
from incrowd.kernels.cpu.glove import nearest
from incrowd.kernels.cpu.glove import stretch as cpu
from incrowd.kernels.cpu.glove.prints import prints_of
from incrowd.kernels.reference.glove import stretch as reference
from incrowd.kernels.types import CELLS, METRES, full
from incrowd.measure.glove.stretch import layout

closest, compare = compiled(cpu.closest), compiled(nearest.compare)

ALL = settings(deadline=None, max_examples=60)


def samples(text):
    return [laid_users(prints(text))[u] for u in range(text.count("|") + 1)]


def laid_users(data):
    laid = layout(data)
    return [laid.corners[a:b].astype(np.int64) for a, b in zip(laid.offsets[:-1], laid.offsets[1:], strict=True)]


def delta(text, n_a=1, n_b=1):
    a, b = samples(text)
    return Fraction(sum(reference.parts(a[0], b[0], n_a, n_b, CELLS)), (n_a + n_b) * full(CELLS))


def test_stretch_of_two_samples():
    assert delta("0,0,0 | 300,400,10") == Fraction(67, 2400)
    a, b = samples("0,0,0 | 300,400,10")
    assert reference.outreach(a[0], b[0], 1, 1) == (14, 20)


def test_weights_count_the_people():
    pair = "0,1000,0,100,0,60 | 200,100,0,100,30,1"
    assert delta(pair, 3, 1) == Fraction(403, 19200)
    assert delta(pair, 1, 3) == Fraction(403, 6400)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("30000,0,600", 1),
        ("25000,0,0", Fraction(1, 2)),
        ("0,0,540", Fraction(1, 2)),
        ("20000,0,480", 1),
        ("12000,9000,0", Fraction(1, 2)),
        ("0,0,0", 0),
    ],
)
def test_stretch_is_capped_at_20_km_and_8_h(other, expected):
    assert delta(f"0,0,0 | {other}") == expected


def test_ties_go_to_the_first_or_to_the_closest_without_caps():
    sample, others = samples("0,0,5000 | 0,0,0; 0,0,2000; 0,0,4000; 50000,0,4990")
    for scale in (CELLS, METRES):
        unit = 1 if scale == CELLS else 100
        a, b = sample.copy(), others.copy()
        a[:, 2:] *= unit
        b[:, 2:] *= unit
        for uncapped, expected in ((False, 0), (True, 2)):
            assert reference.closest(a[0], b, 1, 1, scale, uncapped) == expected
            assert closest(a[0], b, 1, 1, np.array(scale), uncapped)[0] == expected


@ALL
@given(crowds(least_users=2, sizes=True), st.integers(1, 4), st.integers(1, 4))
def test_compiled_stretch_is_the_reference(data, n_a, n_b):
    users, scale = laid_users(data), layout(data).scale
    for a, b in pairwise(users):
        assert cpu.stretch(a, b, n_a, n_b, np.array(scale)) == reference.stretch(a, b, n_a, n_b, scale)
        for got, expected in zip(
            cpu.sample_parts(a, b, n_a, n_b, np.array(scale)),
            reference.sample_parts(a, b, n_a, n_b, scale),
            strict=True,
        ):
            np.testing.assert_array_equal(got, expected)


@ALL
@given(crowds(most_users=12, crowd=True, sizes=True), st.integers(1, 4), st.booleans())
def test_nearest_is_the_sorted_list_of_all(data, take, below):
    laid, users = layout(data), laid_users(data)
    p = prints_of(laid.corners, laid.offsets, laid.people, laid.scale)
    everybody = np.arange(len(users))
    who, over, under, _ = nearest.nearest(p, everybody, everybody, take, below)
    for a in everybody:
        expected = []
        for b in range(a) if below else everybody[everybody != a]:
            n = int(laid.people[a] + laid.people[b])
            total, _ = reference.stretch(users[a], users[b], int(laid.people[a]), int(laid.people[b]), laid.scale)
            expected.append((Fraction(total, n * max(len(users[a]), len(users[b]))), b))
        expected = sorted(expected)[:take]
        found = [b for b in who[a].tolist() if b >= 0]
        assert found == [b for _, b in expected]
        assert [Fraction(int(o), int(u)) for o, u in zip(over[a], under[a], strict=True)][: len(found)] == [
            v for v, _ in expected
        ]


def in_order(laid, users, row, among):
    """Who is nearest to a row, as exact stretches of all samples against all, ties by position."""
    scale, keys = np.array(laid.scale), []
    for b in among[among != row].tolist():
        n_a, n_b = int(laid.people[row]), int(laid.people[b])
        total, _ = cpu.stretch(users[row], users[b], n_a, n_b, scale)
        keys.append((Fraction(int(total), (n_a + n_b) * max(len(users[row]), len(users[b]))), b))
    return sorted(keys)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1 << 30), st.integers(1, 4), st.integers(1, 3))
def test_nearest_among_more_than_are_asked_first(seed, take, times):
    """Bounds by place and by hour are low for many who were never there at that time, and ties are many."""
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(60), rng.integers(1, 5, 60))
    place, time = rng.integers(0, 3, len(user)), rng.integers(0, times, len(user))
    jitter = rng.integers(0, rng.choice([1, 3]), len(user))
    crowd = rng.integers(1, rng.choice([2, 4]), 60)
    data = ic.Fingerprints.from_arrays(user, 9000 * place, 100 * jitter, 3000 * time, crowd=crowd)
    laid, users = layout(data), laid_users(data)
    p, everybody = prints_of(laid.corners, laid.offsets, laid.people, laid.scale), np.arange(60)
    rows = rng.permutation(60)[:20]
    who, over, under, _ = nearest.nearest(p, rows, everybody, take, False)
    alive = np.flatnonzero(rng.random(60) < 0.8)
    for k, row in enumerate(rows):
        expected = in_order(laid, users, row, everybody)
        assert who[k].tolist() == [b for _, b in expected[:take]]
        assert [Fraction(int(o), int(u)) for o, u in zip(over[k], under[k], strict=True)] == [
            v for v, _ in expected[:take]
        ]
        # Nobody is below this; that somebody is as near ends the search only when the whole list is.
        floor, left = expected[0][0], [b for _, b in expected if b in alive]
        least = np.array([[floor.numerator, floor.denominator]])
        again, *_ = nearest.nearest(p, rows[k : k + 1], alive, take, False, least)
        assert again[0].tolist() == left[:take]


def test_the_last_is_nearest_and_those_before_only_look_near():
    """Forty were at both places and at both times, but never as the first; each bound but the exact one says 0."""
    text = "0,0,0; 9000,0,5000" + " | 9000,0,0; 0,0,5000" * 40 + " | 0,0,0; 9000,0,5040"
    laid = layout(prints(text))
    p = prints_of(laid.corners, laid.offsets, laid.people, laid.scale)
    who, over, *_ = nearest.nearest(p, np.arange(1), np.arange(42), 2, False)
    assert who.tolist() == [[41, 1]] and over[0, 0] == 40 * 2 * laid.scale.time


@pytest.mark.parametrize(("samples", "late"), [(2, 1), (9, 1), (11, 5), (13, 0), (21, 9)])
def test_of_two_that_tie_the_smaller_id_is_nearest_though_it_is_compared_last(samples, late):
    """Twelve minutes cost what five cells do. The bound of minutes in one bin is 0, that of cells is exact, and what it
    is divided by makes floats that are too small or too large."""
    row, moved = ([f"{100_000 * i},0,{1000 * i + later}" for i in range(samples)] for later in (0, 90_000))
    rest = moved[1 : late + 1] + row[late + 1 :]
    look_near, cells, minutes = ([first, *rest] for first in ("0,0,30", "500,0,0", "0,0,12"))
    laid = layout(prints(" | ".join("; ".join(user) for user in (row, *[look_near] * 15, cells, minutes))))
    p = prints_of(laid.corners, laid.offsets, laid.people, laid.scale)
    total = laid.scale.space * 5 + laid.scale.time * laid.scale.time_cap * late
    for least in (None, np.array([[total, samples]])):
        who, over, under, _ = nearest.nearest(p, np.arange(1), np.arange(18), 1, False, least)
        assert (who[0, 0], over[0, 0], under[0, 0]) == (16, 2 * total, 2 * samples)


def test_threads_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    text = " | ".join("; ".join(f"{x * 100},0,{t}" for x, t in rng.integers(0, 900, (4, 2))) for _ in range(40))
    laid = layout(prints(text))
    p = prints_of(laid.corners, laid.offsets, laid.people, laid.scale)
    everybody = np.arange(40)
    alone = nearest.nearest(p, everybody, everybody, 3, False)
    monkeypatch.setattr(nearest, "WORTH_THREADS", 0)
    for one, two in zip(alone, nearest.nearest(p, everybody, everybody, 3, False), strict=True):
        np.testing.assert_array_equal(one, two)


@settings(deadline=None, max_examples=300)
@given(*[st.integers(0, 1 << 50), st.integers(1, 1 << 40)] * 2, st.integers(1, 1000))
def test_compare_is_exact(p, q, r, s, factor):
    assert compare(p, q, r, s) == (p * s > r * q) - (p * s < r * q)
    assert compare(p * factor, q * factor, p, q) == 0


@pytest.mark.parametrize("compare", [nearest.compare, compare])
@pytest.mark.parametrize(
    ("p", "q", "r", "s"),  # p/q is less than r/s, by less than a float can tell
    [
        ((1 << 60) + 8, (1 << 60) + 7, (1 << 60) + 7, (1 << 60) + 6),
        (7, 7, (1 << 60) + 1, 1 << 60),  # ends at a whole number, at once
        ((1 << 60) - 1, 1 << 60, 7, 7),
        (3, 2, (3 << 58) + 1, 2 << 58),  # and later
        ((3 << 58) - 1, 2 << 58, 3, 2),
        ((1 << 53) + 2, (1 << 53) + 1, (1 << 53) + 1, 1 << 53),  # numbers made floats are in another order
    ],
)
def test_compare_tells_what_floats_cannot(compare, p, q, r, s):
    assert compare(p, q, r, s) == -1 and compare(r, s, p, q) == 1
    assert compare(p, q, p, q) == compare(r, s, r, s) == 0
