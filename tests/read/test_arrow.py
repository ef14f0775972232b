"""Codes in order of first appearance, however the batches fall."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.columns import first_seen
from incrowd.read.arrow import Coder, TextLabels, Values

numbers = st.one_of(st.integers(0, 20), st.integers(2**24 - 2, 2**24 + 2), st.integers(-(2**63), 2**63 - 1))


@settings(deadline=None, max_examples=100)
@given(st.one_of(st.lists(st.lists(numbers)), st.lists(st.lists(st.text(max_size=3)))))
def test_codes_are_those_of_first_seen(batches):
    coder = Coder()
    kind = pa.string() if any(isinstance(v, str) for batch in batches for v in batch) else pa.int64()
    codes = [coder.codes(pa.array(batch, kind)) for batch in batches]
    flat = [value for batch in batches for value in batch]
    if flat:
        distinct = list(dict.fromkeys(flat))
        assert coder.values().to_pylist() == distinct and len(coder) == len(distinct)
        assert np.concatenate(codes).tolist() == [distinct.index(value) for value in flat]


def test_labels_agree_with_from_arrays():
    coder = Coder()
    coder.codes(pa.array([5, 3, 5, 9]))
    labels, _ = first_seen(np.array([5, 3, 5, 9]))
    assert coder.labels().tolist() == labels.tolist() and coder.labels().dtype == np.int64


@pytest.mark.parametrize(("number", "digits"), [(7, 3), (100_000, 3), (7, 2)])
def test_a_number_written_in_another_way_is_text(number, digits):
    coder = Coder()
    coder.codes_as_written(pa.array([number]), pa.array([len(str(number))], pa.uint8()))
    with pytest.raises(TextLabels):
        coder.codes_as_written(pa.array([number]), pa.array([digits], pa.uint8()))
    with pytest.raises(TextLabels):
        Coder().codes_as_written(pa.array([number]), pa.array([digits], pa.uint8()))


def test_values_are_gathered_over_batches():
    values = Values()
    values.add(np.array([0, 1, 0]), pa.array(["a", None, "a"]))
    values.add(np.array([0, 2]), pa.array(["b", "c"]))
    assert values.per_user(4) == [frozenset("ab"), None, "c", None]
    lists = Values()
    lists.add(np.array([1, 0]), pa.array([["x", "y"], ["x"]]))
    assert lists.per_user(2) == ["x", frozenset("xy")]
