import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic

user = st.integers(0, 4) | st.sampled_from(["ann", "bob", "", "ünal"])
rows = st.lists(
    st.tuples(st.integers(0, 4), st.integers(-100, 100), st.floats(-180, 180), st.floats(-90, 90)), min_size=1
)


def columns(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def table(traces):
    return list(zip(*(column.tolist() for column in traces.columns().values()), strict=True))


@settings(deadline=None)
@given(rows, st.booleans())
def test_log_order_keeps_each_users_rows_as_given(rows, planar):
    who, t, first, second = columns(rows)
    where = {"x": first, "y": second} if planar else {"lon": first, "lat": second}
    traces = ic.Traces.from_arrays(who, t, **where, order="log")
    assert traces.users.tolist() == list(dict.fromkeys(who))
    assert table(traces) == sorted(rows, key=lambda row: traces.users.tolist().index(row[0]))
    assert traces.planar == planar
    times = [[row[1] for row in rows if row[0] == u] for u in traces.users]
    assert traces.ordered == all(t == sorted(t) for t in times)


@settings(deadline=None)
@given(rows, st.booleans())
def test_time_order_sorts_each_user_stably_and_counts_what_moved(rows, as_text):
    who, t, lon, lat = columns(rows)
    who = [f"user {u}" if as_text else u for u in who]
    traces = ic.Traces.from_arrays(who, t, lon, lat)
    users = traces.users.tolist()
    given_rows = list(zip(who, t, lon, lat, strict=True))
    assert table(traces) == sorted(given_rows, key=lambda row: (users.index(row[0]), row[1]))
    assert traces.ordered
    step = traces.ledger.steps[0]
    behind = [
        earlier[1] > later[1]
        for u in users
        for earlier, later in zip(*[[row for row in given_rows if row[0] == u][i:] for i in (0, 1)], strict=False)
    ]
    assert step.notes == {"put in time order": sum(behind)}
    assert step.read == step.kept == len(rows)


@pytest.mark.parametrize("kind", [np.array, pd.Series, pl.Series, pa.array])
def test_columns_of_any_library(kind):
    traces = ic.Traces.from_arrays(
        kind(["b", "a"]), kind(np.array([5000, 6000], "datetime64[ms]")), kind([4.5, 5.5]), kind([52.0, 53.0])
    )
    assert table(traces) == [("b", 5, 4.5, 52.0), ("a", 6, 5.5, 53.0)]


@pytest.mark.parametrize("order", ["time", "log"])
@pytest.mark.parametrize("planar", [True, False])
def test_the_callers_arrays_are_neither_shared_nor_changed(order, planar):
    given_arrays = [np.array([1, 1]), np.array([0, 5]), np.array([1.0, 2.0]), np.array([3.0, 4.0])]
    who, t, first, second = given_arrays
    where = {"x": first, "y": second} if planar else {"lon": first, "lat": second}
    traces = ic.Traces.from_arrays(who, t, **where, order=order)
    for column in given_arrays:
        assert column.flags.writeable
        column[:] = 9
    assert table(traces) == [(1, 0, 1.0, 3.0), (1, 5, 2.0, 4.0)]


def test_everything_is_read_only():
    traces = ic.Traces.from_arrays([1], [0], [5], [52], attributes={"home": ["x"]})
    for column in (traces.users, traces.offsets, traces.t, traces.lon, traces.lat, traces.attributes["home"]):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0
    with pytest.raises(AttributeError):
        traces.t = None
    with pytest.raises(TypeError):
        traces.attributes["home"] = None


@pytest.mark.parametrize(
    ("lon", "lat", "what"),
    [
        ([5, 181], [52, 52], r"longitude outside \[-180, 180\] at row 1"),
        ([5, 5], [52, -90.5], r"latitude outside \[-90, 90\] at row 1"),
        ([52, 52], [113.9, 113.9], "not swapped"),
        ([5, np.nan], [52, 52], "lon is missing or infinite"),
        ([5, 5], [np.inf, 52], "lat is missing or infinite"),
        ([5], [52], "differ in length"),
    ],
)
def test_impossible_degrees_are_refused(lon, lat, what):
    with pytest.raises(ic.DataError, match=what):
        ic.Traces.from_arrays([1, 1], [0, 1], lon, lat)


def test_the_edges_of_the_map_are_on_it():
    assert ic.Traces.from_arrays([1, 1], [0, 1], [-180, 180], [-90, 90]).records == 2


def test_only_records_with_both_degrees_near_zero_are_at_zero():
    lon, lat = [0, 0.0009, -0.0009, 0.001, 0, 5], [0, -0.0009, 0.0009, 0, 52, 0]
    assert ic.Traces.from_arrays([1] * 6, range(6), lon, lat).at_zero.tolist() == [True] * 3 + [False] * 3
    assert not ic.Traces.from_arrays([1], [0], x=[0], y=[0]).at_zero.any()  # metres have an honest (0, 0)


@pytest.mark.parametrize("names", [(), ("lon",), ("x",), ("lon", "lat", "x"), ("lon", "y")])
def test_half_a_coordinate_is_refused(names):
    with pytest.raises(ic.DataError, match="incomplete"):
        ic.Traces.from_arrays([1], [0], **{name: [1] for name in names})


def test_no_record_and_an_unknown_order_are_refused():
    with pytest.raises(ic.DataError, match="no record"):
        ic.Traces.from_arrays([], [], [], [])
    with pytest.raises(ic.ParameterError, match="time, log"):
        ic.Traces.from_arrays([1], [0], [1], [1], order="random")


@pytest.mark.parametrize("name", ["user", "t", "lon", "x", "cell", "crowd"])
def test_an_attribute_cannot_take_the_name_of_a_column(name):
    with pytest.raises(ic.DataError, match="rename it"):
        ic.Traces.from_arrays([1], [0], [1], [1], attributes={name: ["a"]})


def test_attributes_follow_the_order_of_users():
    traces = ic.Traces.from_arrays(["b", "a", "b"], [0, 0, 1], [1] * 3, [1] * 3, attributes={"age": [20, 30]})
    assert table(traces) == [("b", 0, 1.0, 1.0, 20), ("b", 1, 1.0, 1.0, 20), ("a", 0, 1.0, 1.0, 30)]


@settings(deadline=None)
@given(rows, st.data())
def test_where_keeps_rows_and_drops_empty_users(rows, data):
    who, t, lon, lat = columns(rows)
    traces = ic.Traces.from_arrays(who, t, lon, lat, attributes={"name": [f"n{u}" for u in dict.fromkeys(who)]})
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))), np.bool_)
    left = traces.where(keep, traces.ledger)
    assert table(left) == [row for row, kept in zip(table(traces), keep, strict=True) if kept]
    assert (np.diff(left.offsets) > 0).all()
    assert len(left.attributes["name"]) == len(left)


def test_repr_holds_counts_only():
    traces = ic.Traces.from_arrays(["secret"] * 1200, np.arange(1200), [5.125] * 1200, [52.5] * 1200)
    assert repr(traces) == str(traces) == "Traces(users=1, records=1,200)"


def test_frames():
    traces = ic.Traces.from_arrays(["b", "a"], [0, 1], [5, 6], [52, 53], attributes={"jobs": [{"x", "y"}, {"z"}]})
    rows = [
        {"user": "b", "t": 0, "lon": 5.0, "lat": 52.0, "jobs": ["x", "y"]},
        {"user": "a", "t": 1, "lon": 6.0, "lat": 53.0, "jobs": ["z"]},
    ]
    assert traces.to_arrow().to_pylist() == rows
    assert traces.to_polars().to_dicts() == rows
    frame = traces.to_pandas()
    assert frame["user"].tolist() == ["b", "a"]
    assert frame["jobs"].map(list).tolist() == [["x", "y"], ["z"]]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_missing_library_is_named_with_its_installation(library, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, library, None)
    traces = ic.Traces.from_arrays([1], [0], [1], [1])
    with pytest.raises(ic.MissingExtra, match=f"pip install {library}"):
        getattr(traces, f"to_{library}")()
