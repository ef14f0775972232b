import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incrowd as ic

BOX = (4.0, 51.0, 6.0, 53.0)


def log(*places, order="log"):
    """One user per place, and user 0 in the middle of the box before and after them."""
    lon, lat = zip((5.0, 52.0), *places, (5.0, 52.0), strict=True)
    user = [0, *range(1, len(places) + 1), 0]
    return ic.Traces.from_arrays(user, range(len(user), 0, -1), lon, lat, order=order)


@pytest.mark.parametrize("order", ["log", "time"])
def test_records_at_zero_and_outside_leave_with_their_users(order):
    traces = log((0, 0), (0.0009, -0.0009), (0.001, 0), (3.9, 52), (5, 53.1), (4, 51), (6, 53), order=order)
    left = ic.clean.outside(traces, BOX)
    step = left.ledger.steps[-1]
    assert (step.name, step.read, step.kept) == ("outside", 9, 4)
    assert step.dropped == {"at (0, 0)": 2, "outside the box": 3}
    assert step.users == (8, 3) and left.users.tolist() == [0, 6, 7]
    assert left.ordered == (order == "time")
    assert left.t.tolist() == ([9, 1, 3, 2] if order == "log" else [1, 9, 3, 2])


def test_either_alone():
    traces = log((0, 0), (9, 52))
    assert ic.clean.outside(traces).records == 3
    assert ic.clean.outside(traces, (-1, -1, 6, 53), zero=False).records == 3
    assert ic.clean.outside(traces, zero=False).records == 4
    assert ic.clean.outside(traces, BOX, zero=False).ledger.steps[-1].dropped["outside the box"] == 2


def test_metres_have_no_zero():
    traces = ic.Traces.from_arrays([1, 1], [0, 1], x=[0.0, 9.0], y=[0.0, 9.0])
    assert ic.clean.outside(traces).records == 2
    assert ic.clean.outside(traces, (0, 0, 5, 5)).x.tolist() == [0.0]


@pytest.mark.parametrize("box", [(6, 51, 4, 53), (4, 53, 6, 51), (4, 51, 6), (np.nan, 51, 6, 53)])
def test_what_is_no_box_is_refused(box):
    with pytest.raises(ic.ParameterError, match="west <= east"):
        ic.clean.outside(log(), box)


degrees = st.sampled_from([0.0, 0.0005, 1.0, -1.0, 5.0])


@given(st.lists(st.tuples(st.integers(0, 3), degrees, degrees), min_size=1, max_size=20), st.booleans())
def test_every_record_is_accounted_for(rows, zero):
    user, lon, lat = zip(*rows, strict=True)
    traces = ic.Traces.from_arrays(user, range(len(user)), lon, lat, order="log")
    left = ic.clean.outside(traces, (-1, -1, 1, 1), zero=zero)
    stay = [r for r in rows if max(map(abs, r[1:])) <= 1 and not (zero and max(map(abs, r[1:])) < 0.001)]
    assert sorted(zip(left.users[left.owner].tolist(), left.lon.tolist(), left.lat.tolist(), strict=True)) == sorted(
        stay
    )
    assert left.ledger.steps[-1].users == (len(set(user)), len({u for u, *_ in stay}))
