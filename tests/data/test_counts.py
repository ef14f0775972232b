import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes
from hypothesis.extra.numpy import arrays as tables

import incrowd as ic


@settings(deadline=None)
@given(tables(np.int64, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=st.integers(-9, 9)))
def test_counts_are_kept_and_listed(n):
    counts = ic.Counts.from_arrays(n, xy=np.zeros((n.shape[1], 2)))
    assert counts.shape == n.shape
    np.testing.assert_array_equal(counts.n, n)
    listed = np.zeros_like(n)
    columns = counts.columns()
    listed[columns["slot"], columns["cell"]] = columns["n"]
    np.testing.assert_array_equal(listed, n)
    assert (columns["n"] != 0).all()
    assert counts.ledger.steps[0].read == counts.ledger.steps[0].kept == n.size


@pytest.mark.parametrize(
    ("arguments", "error", "what"),
    [
        ({"n": [[1.5, np.inf]]}, ic.DataError, "missing or infinite"),
        ({"n": [[np.nan, 0]]}, ic.DataError, "missing"),
        ({"n": [1, 2]}, ic.DataError, "one row per slot"),
        ({"n": [[2**34 + 1, 0]]}, ic.DataError, "exceeds 17,179,869,184"),
        ({"n": [[0, -(2**62)]]}, ic.DataError, "exceeds"),
        ({"n": [[]]}, ic.DataError, "at least one"),
        ({"n": [[1], [1, 2]]}, ic.DataError, "equal length"),
        ({"xy": [[0, 0]]}, ic.DataError, "1 rows for 2 cells"),
        ({"xy": [[0, 0], [0, np.nan]]}, ic.DataError, "xy is missing"),
        ({"slot_min": -1}, ic.ParameterError, "slot_min"),
        ({"start_min": 1440}, ic.ParameterError, "start_min"),
        ({"start_min": -1}, ic.ParameterError, "start_min"),
    ],
)
def test_refusals(arguments, error, what):
    with pytest.raises(error, match=what):
        ic.Counts.from_arrays(**{"n": [[1, 2]], "xy": [[0, 0], [1, 1]], **arguments})


def test_the_callers_arrays_are_neither_shared_nor_changed():
    n, xy = np.array([[1, 2]]), np.zeros((2, 2))
    counts = ic.Counts.from_arrays(n, xy)
    n[:], xy[:] = 9, 9
    assert n.flags.writeable and xy.flags.writeable
    assert counts.n.tolist() == [[1, 2]]
    assert not counts.xy.any()
    assert not counts.n.flags.writeable and not counts.xy.flags.writeable


def test_repr_and_frames():
    counts = ic.Counts.from_arrays([[2, 1], [1, 0]], xy=[[0, 0], [1, 1]])
    assert repr(counts) == "Counts(slots=2, cells=2, most_in_slot=3)"
    assert repr(ic.Counts.from_arrays([[2, 1], [0, 3]], xy=[[0, 0], [1, 1]])) == "Counts(slots=2, cells=2, people=3)"
    assert "people" not in repr(ic.Counts.from_arrays([[0], [3]], xy=[[0, 0]]))
    rows = [{"slot": 0, "cell": 0, "n": 2}, {"slot": 0, "cell": 1, "n": 1}, {"slot": 1, "cell": 0, "n": 1}]
    assert counts.to_arrow().to_pylist() == counts.to_polars().to_dicts() == rows
    assert counts.to_pandas()["n"].tolist() == [2, 1, 1]


def test_counts_that_are_not_whole_stay_as_they_are(tmp_path):
    noisy = ic.Counts.from_arrays([[1.5, 0.0], [-0.25, 3.0]], xy=[[0, 0], [1, 1]])
    assert not noisy.whole and noisy.n.dtype == np.float64
    back = ic.read.saved(noisy.save(tmp_path / "noisy.parquet"))
    assert back.n.tolist() == [[1.5, 0.0], [-0.25, 3.0]]
    whole = ic.Counts.from_arrays([[1.0, 0.0]], xy=[[0, 0], [1, 1]])
    assert whole.whole and whole.n.dtype == np.int64
