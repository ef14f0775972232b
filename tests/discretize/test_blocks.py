"""Blocks of a box: the hand examples and what is and is not monotone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from builders import tracks
from incrowd.discretize import blocks
from incrowd.errors import DataError, ParameterError

EDGES = [((0, 0), 0), ((9, 9), 0), ((10, 0), 1), ((99, 0), 9), ((100, 0), 9), ((100, 100), 99)]
TEN = (0, 0, 100, 100)


def points(visits):
    return set(zip(visits.owner.tolist(), visits.slot.tolist(), visits.cell.tolist(), strict=True))


@pytest.mark.parametrize(("at", "cell"), EDGES)
def test_grid_edges(at, cell):
    assert blocks(tracks([(0, *at)]), blocks=10, box=TEN).cell.tolist() == [cell]


def test_outside_the_box_is_dropped_and_counted():
    visits = blocks(tracks([(0, 101, 0)], [(0, 0, 0), (1, 0, -0.001)]), blocks=10, box=TEN)
    assert visits.users.tolist() == [1]
    step = visits.ledger.steps[-1]
    assert step.dropped == {"outside the box": 2} and step.users == (2, 1)


def test_nothing_left_is_refused():
    with pytest.raises(DataError, match=r"no record is left \(1 outside the box\)"):
        blocks(tracks([(0, 101, 0)]), box=TEN)


def test_the_box_of_the_data_is_the_default_and_no_extent_is_block_0():
    assert blocks(tracks([(0, 5, 5)], [(0, 15, 5)]), blocks=4).cell.tolist() == [0, 3]


def test_degrees_are_whole_micro_degrees():
    # in floats (0.7 - 0.1) * 10 / (1.1 - 0.1) is 5.999..., which is the sixth line itself
    traces = ic.Traces.from_arrays([1], [0], lon=[0.7], lat=[0.1])
    assert blocks(traces, blocks=10, box=(0.1, 0.1, 1.1, 1.1)).cell.tolist() == [6]


def test_micro_degrees_are_rounded_not_cut():
    # 1.001 * 1e6 is a little less than 1001000 in floats
    traces = ic.Traces.from_arrays([1], [0], lon=[1.001], lat=[0.0])
    assert blocks(traces, blocks=2, box=(0, 0, 2.002, 0)).cell.tolist() == [1]


def test_centres_are_metres():
    planar = blocks(tracks([(0, 0, 0)]), blocks=2, box=(0, 0, 100, 200))
    assert planar.xy.tolist() == [[25, 50], [75, 50], [25, 150], [75, 150]] and planar.crs is None
    degrees = blocks(ic.Traces.from_arrays([1], [0], lon=[5.0], lat=[52.0]), blocks=2, box=(4, 51, 6, 53))
    assert "+proj=laea +lat_0=52 +lon_0=5" in degrees.crs
    west, east = degrees.xy[0], degrees.xy[1]
    assert west[0] == pytest.approx(-east[0]) and 60_000 < east[0] - west[0] < 80_000  # about a degree


@pytest.mark.parametrize(
    ("keep", "user"), [("set", [0, 3, 3]), ("vote", [0, 3]), ("vote_first", [0, 3])], ids=["set", "vote", "vote_first"]
)
def test_a_vehicle_has_one_point_a_period_only_when_voted(keep, user):
    traces = tracks([(0, 1, 1), (1, 1, 1), (2, 7, 7), (60, 7, 7)])
    visits = blocks(traces, blocks=2, slot_min=1, box=(0, 0, 8, 8), keep=keep)
    assert visits.cell.tolist() == user


def test_coarser_space_under_set_can_raise_uniqueness():
    a = [(0, 1, 1), (1, 3, 1), (60, 7, 7)]
    fine, coarse = (blocks(tracks(a, a[:2]), blocks=sr, slot_min=1, box=(0, 0, 8, 8), keep="set") for sr in (4, 2))
    assert [_expected(v) for v in (fine, coarse)] == pytest.approx([1 / 6, 1 / 4])


def test_coarser_time_under_set_can_raise_uniqueness():
    a = [(0, 1, 1), (60, 1, 1), (120, 7, 7)]
    fine, coarse = (blocks(tracks(a, a[:2]), blocks=4, slot_min=m, box=(0, 0, 8, 8), keep="set") for m in (1, 2))
    assert [_expected(v) for v in (fine, coarse)] == pytest.approx([1 / 6, 1 / 4])


def test_coarser_space_moves_the_vote():
    a = [(0, 1, 1), (1, 1, 1), (2, 5, 1), (3, 7, 1), (4, 5, 3)]
    fine, coarse = (blocks(tracks(a, a[:1]), blocks=sr, slot_min=1, box=(0, 0, 8, 8)) for sr in (4, 2))
    assert fine.cell.tolist() == [0, 0] and coarse.cell.tolist() == [1, 0]
    assert [_expected(v) for v in (fine, coarse)] == [0, 1]


def _expected(visits):
    """Mean over users of the share of their points that nobody else has: exact uniqueness of one point."""
    owner, slot, cell = visits.owner, visits.slot, visits.cell
    shared = [int(((slot == s) & (cell == c)).sum()) for s, c in zip(slot, cell, strict=True)]
    shares = [np.mean([n == 1 for n, o in zip(shared, owner, strict=True) if o == u]) for u in range(len(visits))]
    return float(np.mean(shares))


RECORDS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 7200), st.floats(0, 10), st.floats(0, 10)), min_size=1, max_size=25
)


@settings(deadline=None, max_examples=50)
@given(rows=RECORDS, nest=st.sampled_from([(10, 20), (50, 100), (30, 90), (40, 200)]), time=st.sampled_from([1, 2, 3]))
def test_set_is_a_homomorphism_of_nested_resolutions(rows, nest, time):
    coarse, fine = nest
    user, t, x, y = map(np.array, zip(*rows, strict=True))
    traces = ic.Traces.from_arrays(user, t, x=x.astype(float), y=y.astype(float))
    box = (0, 0, 10, 10)
    small = blocks(traces, blocks=fine, slot_min=20, box=box, keep="set")
    large = blocks(traces, blocks=coarse, slot_min=20 * time, box=box, keep="set")
    ratio = fine // coarse
    mapped = {(u, s // time, c // fine // ratio * coarse + c % fine // ratio) for u, s, c in points(small)}
    assert mapped == points(large)
    assert points(blocks(traces, blocks=fine, slot_min=20, box=box, keep="vote")) <= points(small)


@settings(deadline=None, max_examples=50)
@given(rows=RECORDS, sr=st.integers(1, 200), keep=st.sampled_from(["set", "vote", "vote_first"]))
def test_blocks_are_the_formula_in_python_integers(rows, sr, keep):
    user, t, x, y = map(np.array, zip(*rows, strict=True))
    visits = blocks(ic.Traces.from_arrays(user, t, x=x.astype(float), y=y.astype(float)), blocks=sr, keep=keep)
    mm = [(round(a * 1000), round(b * 1000)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    low = [min(c) for c in zip(*mm, strict=True)]
    wide = [max(max(c) - a, 1) for c, a in zip(zip(*mm, strict=True), low, strict=True)]
    cells = {tuple(min(sr - 1, (c - a) * sr // w) for c, a, w in zip(p, low, wide, strict=True)) for p in mm}
    ids = {iy * sr + ix for ix, iy in cells}
    assert set(visits.cell.tolist()) <= ids
    if keep == "set":
        assert set(visits.cell.tolist()) == ids
    step = visits.ledger.steps[-1]
    assert step.read == len(rows) and step.kept == visits.records


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"blocks": 0}, "blocks must be a whole number"),
        ({"blocks": 5000}, "at most 4096"),
        ({"box": (10, 0, 0, 10)}, "west <= east"),
        ({"keep": "most"}, "unknown keep 'most'; choose from set, vote, vote_first"),
        ({"box": (0, 0, 1e14, 1)}, "too far from 0"),
    ],
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        blocks(tracks([(0, 0, 0)]), **options)
