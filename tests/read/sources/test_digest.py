"""One digest for the same records, whatever batches or types of text they come in, and another for any other."""

import numpy as np
import pyarrow as pa
import pytest

from incrowd.read.sources.digest import RecordDigest

COLUMNS = {
    "user": pa.array(["ann", None, "", "bob", "ann"]),
    "t": pa.array([0, 60, None, 2**40, -1], pa.timestamp("us", "UTC")),
    "lon": pa.array([1.5, None, -0.0, 1e300, 5.0]),
    "n": pa.array([1, 2, 3, None, 5], pa.decimal128(38, 9)),
    "plan": pa.array(["a", "b", "a", None, "b"]).dictionary_encode(),
    "tags": pa.array([["x"], [], None, ["y", None, "xx"], ["z"]]),
    "flag": pa.array([True, None, False, True, False]),
    "point": pa.array([b"\x00", b"", None, b"\x01\x02", b"x"], pa.binary()),
}


def digest(*batches):
    made = RecordDigest(batches[0].schema)
    for batch in batches:
        made.add(batch)
    return made.hexdigest()


BATCH = pa.record_batch(COLUMNS)
WHOLE = digest(BATCH)


@pytest.mark.parametrize("cut", range(6))
def test_batches_do_not_matter(cut):
    assert digest(BATCH.slice(0, cut), BATCH.slice(cut)) == WHOLE


def test_what_lies_under_a_missing_value_does_not_matter():
    values = pa.Array.from_buffers(pa.int64(), 2, [pa.py_buffer(b"\x01"), pa.py_buffer(np.array([7, 99]).tobytes())])
    assert digest(pa.record_batch({"t": values})) == digest(pa.record_batch({"t": pa.array([7, None])}))


@pytest.mark.parametrize("name", COLUMNS)
def test_every_value_name_and_place_matters(name):
    others = {
        digest(BATCH.take(pa.array([1, 0, 2, 3, 4]))),
        digest(pa.record_batch({**COLUMNS, name: COLUMNS[name].take(pa.array([0, 1, 2, 4, 3]))})),
        digest(pa.record_batch({**COLUMNS, name: pa.nulls(5, COLUMNS[name].type)})),
        digest(BATCH.drop_columns([name])),
        digest(BATCH.rename_columns([f"{one}2" if one == name else one for one in COLUMNS])),
    }
    assert len(others | {WHOLE}) == 6


def test_texts_do_not_flow_into_each_other():
    one, two = pa.record_batch({"a": ["ab", "c"]}), pa.record_batch({"a": ["a", "bc"]})
    assert digest(one) != digest(two)
