import array
from datetime import datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd import DataError, columns

INT64 = st.integers(-(2**63), 2**63 - 1)
SOURCES = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "objects": lambda v: np.array(v, dtype=object),
    "pandas": pd.Series,
    "polars": pl.Series,
    "arrow": pa.array,
    "chunks": lambda v: pa.chunked_array([v[:1], v[1:]]),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@settings(deadline=None, max_examples=25)
@given(st.lists(INT64, min_size=1))
def test_whole_numbers_survive_any_source(source, values):
    result = columns.ints(source(values), "n")
    assert result.dtype == np.int64
    assert result.tolist() == values


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@settings(deadline=None, max_examples=25)
@given(st.lists(st.floats(-1e15, 1e15), min_size=1))
def test_numbers_survive_any_source(source, values):
    assert columns.floats(source(values), "x").tolist() == values


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@settings(deadline=None, max_examples=25)
@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1))
def test_text_labels_survive_any_source(source, values):
    result = columns.labels(source(values))
    assert result.dtype.kind == "U"
    assert result.tolist() == values


def test_whole_floats_small_integers_and_booleans_convert():
    assert columns.ints(np.array([1.0, -3.0]), "n").tolist() == [1, -3]
    assert columns.ints(np.array([1, 255], np.uint8), "n").tolist() == [1, 255]
    assert columns.ints([True, False], "n").tolist() == [1, 0]
    assert columns.floats(np.array([0.5], np.float32), "x").tolist() == [0.5]
    assert columns.labels(pd.Categorical(["b", "a"])).tolist() == ["b", "a"]
    assert columns.labels(np.array(["b", "a"], np.dtypes.StringDType())).tolist() == ["b", "a"]


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ([1.5], "not a whole number"),
        ([float("nan")], "missing"),
        ([float("inf")], "infinite"),
        ([None, 1], "missing"),
        ([pd.NA, 1], "missing"),
        ([2**63], "overflows"),
        ([-(2**63) - 1], "overflows"),
        ([2.0**63], "overflows"),
        (np.array([2**63], np.uint64), "overflows"),
        (np.array([2**70, 1.0], object), "overflows"),
        (["1"], "whole numbers"),
        ([1j], "whole numbers"),
        ([[1], [2]], "dimensions"),
        ([[1], [2, 3]], "equal length"),
        (np.array([object()]), "not a number"),
        (7, "dimensions"),
        (np.ma.array([1, 2], mask=[False, True]), "missing at row 1"),
        (pa.array([1, None]), "missing"),
        (pl.Series([1, None]), "missing"),
    ],
)
def test_what_is_no_whole_number_is_refused(values, what):
    with pytest.raises(DataError, match=what):
        columns.ints(values, "n")


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ([float("nan"), 1.0], "missing"),
        ([1.0, -float("inf")], "infinite at row 1"),
        ([2**53 + 1], "digits"),
        ([2**63 - 1], "digits"),
        (np.array([2**64 - 1], np.uint64), "digits"),
        (np.array([1], np.longdouble) / 3, "digits"),
        (["5.1"], "numbers"),
        ([None, 1.0], "missing"),
        ([[1.0]], "dimensions"),
        (np.array(["2020"], "datetime64[Y]"), "numbers"),
    ],
)
def test_what_is_no_finite_number_is_refused(values, what):
    with pytest.raises(DataError, match=what):
        columns.floats(values, "x")


@settings(deadline=None, max_examples=50)
@given(st.integers(-62_167_219_200, 253_402_300_799), st.sampled_from(["ms", "us"]))
def test_dates_become_whole_utc_seconds(second, unit):
    given_as = np.array([second], "datetime64[s]").astype(f"datetime64[{unit}]")
    assert columns.seconds(given_as).tolist() == [second]
    assert columns.seconds([second]).tolist() == [second]
    assert columns.seconds(pa.array(given_as)).tolist() == [second]
    assert columns.seconds(pl.Series(given_as)).tolist() == [second]


def test_datetimes_of_python_are_utc_unless_they_say_otherwise():
    east = datetime(1970, 1, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    assert columns.seconds([datetime(1970, 1, 1, 0, 1), east]).tolist() == [60, 60]
    assert columns.seconds(pd.Series([pd.Timestamp(60, unit="s"), pd.Timestamp(east)], dtype=object)).tolist() == [
        60,
        60,
    ]
    with pytest.raises(DataError, match="t is missing"):
        columns.seconds([datetime(1970, 1, 1), pd.NaT])
    with pytest.raises(DataError, match="finer than a second"):
        columns.seconds([datetime(1970, 1, 1, 0, 0, 0, 5)])


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (np.array(["NaT"], "datetime64[s]"), "missing"),
        (np.array([1500], "datetime64[ms]"), "finer than a second"),
        (np.array([2**60], "datetime64[D]"), "row 0"),
        ([253_402_300_800], "outside the years"),
        ([-62_167_219_201], "outside the years"),
        ([-(2**63)], "outside the years"),
        ([1_700_000_000_000], "milliseconds"),
    ],
)
def test_times_beyond_the_calendar_are_refused(values, what):
    with pytest.raises(DataError, match=what):
        columns.seconds(values)


@pytest.mark.parametrize(
    "values",
    [
        [1, "1"],
        ("a", 2),
        ["a", None],
        np.array(["a", 3], object),
        [b"a"],
        [1.5],
        [None],
        [float("nan")],
        ["a\0"],
        np.array(["a", "a\0"], object),
        np.array(["2020"], "datetime64[Y]"),
        pa.array(["a", None]),
    ],
)
def test_labels_of_mixed_kinds_missing_or_lossy_are_refused(values):
    with pytest.raises(DataError, match="user"):
        columns.labels(values)


def test_a_null_character_inside_a_label_is_refused():
    for values in (np.array(["b", "a\0b", "a\0b"]), np.array(["b", "a\0b"], ">U9"), ["b", "a\0"]):
        with pytest.raises(DataError, match=r"null character.* at row 1"):
            columns.first_seen(columns.labels(values))
    assert columns.first_seen(np.array(["b", "abc", ""]))[1].tolist() == [0, 1, 2]


@settings(deadline=None)
@given(st.lists(st.integers(-5, 5)))
def test_first_seen_keeps_the_order_of_appearance(values):
    distinct, position = columns.first_seen(np.array(values, np.int64))
    assert distinct.tolist() == list(dict.fromkeys(values))
    assert distinct[position].tolist() == values


@pytest.mark.parametrize("given_as", [np.array, pd.Series, pl.Series, pa.array, lambda v: array.array("q", v)])
def test_owned_never_shares_memory_with_the_caller(given_as):
    values = given_as([1, 2, 3])
    mine = columns.owned(columns.ints(values, "n"), values)
    assert not np.may_share_memory(mine, np.asarray(values))


def test_attributes_are_sets_for_all_users_or_for_none():
    assert columns.per_user([1, None], "a", 2).tolist() == [1, None]
    mixed = columns.per_user([1, {2, 3}, [4], np.array([5]), None, ()], "a", 6)
    assert mixed.tolist() == [{1}, {2, 3}, {4}, {5}, None, set()]
    with pytest.raises(DataError, match="1 values for 2 users"):
        columns.per_user([1], "a", 2)
    with pytest.raises(ValueError, match="read-only"):
        mixed[0] = 7
