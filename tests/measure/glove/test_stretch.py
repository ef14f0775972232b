from fractions import Fraction

import pytest
from hypothesis import given, settings

import incrowd as ic
from boxes import crowds, prints
from incrowd.errors import DataError, ParameterError
from incrowd.measure.glove.stretch import layout, stretch


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0,0,0 | 300,400,10", Fraction(67, 2400)),  # E1
        ("0,0,0; 0,0,30; 1000,0,600 | 0,0,10; 1000,0,620", Fraction(5, 288)),  # E4
        ("0,0,100; 0,0,110; 0,0,300 | 0,0,50; 0,0,105; 0,0,310", Fraction(1, 144)),  # E5
        ("0,0,0 | 0,0,400; 0,0,401; 0,0,402", Fraction(401, 960)),  # E16
        ("0,0,0 | 0,0,0; 0,0,400", Fraction(200, 960)),
        ("0,0,0; 0,0,400 | 0,0,400; 0,0,401; 0,0,402", Fraction(1, 960)),
        ("7,13,0 | 307,413,10", Fraction(67, 2400)),  # off the grid of 100 m
    ],
)
def test_stretch_is_the_exact_fraction_both_ways(text, expected):
    data = prints(text)
    assert stretch(data, 0, 1) == stretch(data, 1, 0) == pytest.approx(float(expected), abs=1e-15)


def test_crowds_are_weights():
    pair = "0,1000,0,100,0,60 | 200,100,0,100,30,1"
    assert stretch(prints(pair, crowd=[3, 1]), 0, 1) == pytest.approx(403 / 19200)
    assert stretch(prints(pair, crowd=[1, 3]), 0, 1) == pytest.approx(403 / 6400)


def test_no_triangle_inequality():
    data = prints("0,0,0 | 0,0,400; 0,0,401; 0,0,402 | 0,0,0; 0,0,400")
    assert stretch(data, 0, 1) > stretch(data, 0, 2) + stretch(data, 2, 1)


@settings(deadline=None, max_examples=60)
@given(crowds(least_users=2, crowd=True))
def test_bounded_symmetric_and_zero_for_equals_only(data):
    sets = [
        {tuple(row) for row in layout(data).corners[a:b].tolist()}
        for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True)
    ]
    for a in range(len(data)):
        for b in range(a):
            value = stretch(data, a, b)
            assert 0 <= value <= 1 and value == stretch(data, b, a)
            assert (value == 0) == (sets[a] == sets[b])


@settings(deadline=None, max_examples=40)
@given(crowds(least_users=2, sizes=True, crowd=True))
def test_moving_scaling_weights_and_swapping_axes_change_nothing(data):
    user = data.users[data.owner]
    size = {"dt": data.dt, "start": None}
    moved = ic.Fingerprints.from_arrays(
        user, data.x + 900, data.y - 300, data.t + 77, dx=data.dx, dy=data.dy, crowd=data.crowd, **size
    )
    heavier = ic.Fingerprints.from_arrays(
        user, data.x, data.y, data.t, dx=data.dx, dy=data.dy, crowd=3 * data.crowd, **size
    )
    swapped = ic.Fingerprints.from_arrays(
        user, data.y, data.x, data.t, dx=data.dy, dy=data.dx, crowd=data.crowd, **size
    )
    for other in (moved, heavier, swapped):
        assert stretch(other, 0, 1) == pytest.approx(stretch(data, 0, 1), abs=1e-15)


def test_the_form_in_metres_is_the_form_in_cells():
    cells, metres = prints("0,0,0; 500,0,12 | 700,100,3"), prints("0,0,0; 500,0,12 | 700,100,3 | 1,0,0")
    assert layout(cells).unit_m == 100 and layout(metres).unit_m == 1
    assert stretch(cells, 0, 1) == stretch(metres, 0, 1)


def test_five_hundred_metres_cost_twelve_minutes():
    data = prints("0,0,0 | 500,0,0 | 0,0,12")
    assert stretch(data, 0, 1) == stretch(data, 0, 2)


def test_refusals():
    with pytest.raises(ParameterError, match="position 2"):
        stretch(prints("0,0,0 | 0,0,1"), 0, 2)
    for position in (0.0, "a", True, None):
        with pytest.raises(ParameterError, match="whole number"):
            stretch(prints("0,0,0 | 0,0,1"), position, 1)
    with pytest.raises(DataError, match="span"):
        stretch(prints(f"0,0,0 | 0,0,{2**40}"), 0, 1)
    with pytest.raises(DataError, match="crowd"):
        stretch(prints("0,0,0 | 0,0,1", crowd=2**50), 0, 1)


@pytest.mark.parametrize("crowd", [[2**62] * 4, [2**62, 2**62, 1, 1], [2**63 - 1, 2**63 - 1, 2, 1]])
def test_crowds_are_added_up_without_wrapping(crowd):
    with pytest.raises(DataError, match="crowd"):
        layout(prints("0,0,0 | 0,0,1 | 0,0,2 | 0,0,3", crowd=crowd))


@pytest.mark.parametrize("bad", [5, "x", None, [1, 2]])
def test_only_fingerprints_are_measured(bad):
    with pytest.raises(
        DataError, match=r"^stretch needs Fingerprints, got .*; make them with .ic\.discretize\.fingerprints"
    ):
        stretch(bad, 0, 1)
