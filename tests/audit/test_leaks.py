"""Identifiers in disguise: within texts, nested, as bytes, hashed; and data published as they were."""

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from audit.cases import names, on_disk, people_visits, repeatable
from incrowd.anonymize import Cut, publish
from incrowd.audit import check
from incrowd.audit.reading.texts import leaves

RIDER = "rider-0005"
UNDECLARED = {"manifest"}  # Cut publishes no attribute, whatever is in it
DIGEST = hashlib.md5(RIDER.encode()).hexdigest()
WITHIN = ["id=rider-0005", "seen by rider-0005 today", " rider-0005", '{"a":"rider-0005"}', "x_rider-0005_y"]
NESTED = {
    "struct": lambda n: pa.array([{"a": RIDER}] * n),
    "struct in a list": lambda n: pa.array([[{"a": "x"}, {"a": RIDER}]] * n),
    "map": lambda n: pa.array([[("a", RIDER)]] * n, pa.map_(pa.string(), pa.string())),
    "map key": lambda n: pa.array([[(RIDER, 1)]] * n, pa.map_(pa.string(), pa.int64())),
    "bytes": lambda n: pa.array([RIDER.encode()] * n),
    "fixed list": lambda n: pa.array([["x", RIDER]] * n, pa.list_(pa.string(), 2)),
    "large list": lambda n: pa.array([["x", RIDER]] * n, pa.large_list(pa.string())),
    "dictionary": lambda n: pa.array([RIDER] * n).dictionary_encode(),
}


@pytest.mark.parametrize("text", WITHIN)
def test_a_label_within_a_text_is_caught(cut, text):
    cut.add("note", np.where(cut.of_user(10), text, "nothing"))
    assert cut.failed() - UNDECLARED == {"identifiers"}


@pytest.mark.parametrize("make", NESTED.values(), ids=NESTED)
def test_a_label_in_a_nested_column_is_caught(cut, make):
    cut.add("note", make(cut.table().num_rows))
    assert cut.failed() - UNDECLARED == {"identifiers"}


HASHED = {
    "upper case": [hashlib.md5(b"RIDER-0005").hexdigest()],
    "salt and colon": [hashlib.sha1(b"salt:rider-0005").hexdigest()],
    "salt behind": [hashlib.sha256(b"rider-0005_pepper").hexdigest()],
    "letter before": ["u" + DIGEST],
    "digit before": ["a" + DIGEST],
    "its end": [DIGEST[-16:]],
    "decimal": [str(int(DIGEST, 16))],
    "bytes": [bytes.fromhex(DIGEST)],
    "struct": [{"a": DIGEST}],
    "twelve digits of everybody": [hashlib.md5(name.encode()).hexdigest()[:12] for name in names()],
    "six digits of everybody": [hashlib.sha1(name.encode()).hexdigest()[:6] for name in names()],
    "numbers of everybody": [int(hashlib.md5(name.encode()).hexdigest()[:8], 16) for name in names()],
}


@pytest.mark.parametrize("values", HASHED.values(), ids=HASHED)
def test_hashes_in_disguise_are_caught(cut, values):
    user = cut.table()["user"].to_pylist()
    cut.add("code", [values[u % len(values)] for u in user])
    assert cut.failed() - UNDECLARED == {"hashed identifiers"}


def test_short_hashes_of_others_are_chance(cut):
    codes = [hashlib.md5(b"other %d" % u).hexdigest()[:6] for u in cut.table()["user"].to_pylist()]
    cut.add("code", codes)
    assert cut.failed() == UNDECLARED
    assert "could be hashes" in cut.check()["hashed identifiers"].evidence


def raw(tmp_path, data):
    table = data.to_arrow().replace_schema_metadata(None)
    pq.write_table(table, tmp_path / "raw.parquet")
    return {c.name for c in check(tmp_path / "raw.parquet", original=data).failed}


@pytest.mark.parametrize(
    ("labels", "caught"),
    [
        ([f"u{i}" for i in range(99)], "identifiers"),
        (names(99), "identifiers"),
        (list(range(1, 100)), "numeric identifiers"),
        ([str(i) for i in range(99)], "numeric identifiers"),
    ],
    ids=["short", "long", "dense", "digits"],
)
def test_data_published_as_they_were_are_caught_without_a_link(tmp_path, labels, caught):
    assert raw(tmp_path, people_visits(labels)) == {caught}


def test_traces_and_fingerprints_published_as_they_were_are_caught(tmp_path):
    rng = np.random.default_rng(0)
    user, t = np.repeat(np.arange(60), 5), rng.integers(0, 86_400, 300)
    traces = ic.Traces.from_arrays(user, t, lon=5 + rng.random(300), lat=52 + rng.random(300))
    assert raw(tmp_path, traces) == {"numeric identifiers"}
    prints = ic.Fingerprints.from_arrays(user, rng.integers(0, 90, 300) * 100, rng.integers(0, 90, 300) * 100, t // 60)
    assert raw(tmp_path, prints) == {"numeric identifiers"}


@pytest.mark.parametrize("seed", range(6))
def test_random_dense_pseudonyms_raise_no_alarm_without_a_link(tmp_path, seed):
    visits = people_visits(np.random.default_rng(seed).permutation(150), seed)
    case = on_disk(tmp_path, repeatable(Cut(window_h=24), visits, seed), visits)
    assert check(case.folder, original=visits)["numeric identifiers"].status == "pass"


def test_a_tenth_of_the_labels_kept_is_caught_without_a_link(tmp_path):
    visits = people_visits(np.arange(200))
    label = np.arange(200)
    label[20:] = 20 + np.random.default_rng(0).permutation(180)
    shown = ic.Visits.from_arrays(label[visits.owner], visits.cell, visits.slot)
    pq.write_table(shown.to_arrow().replace_schema_metadata(None), tmp_path / "some.parquet")
    assert check(tmp_path / "some.parquet", original=visits)["numeric identifiers"].status == "fail"


def test_ordinary_words_of_every_release_name_nobody(tmp_path):
    visits = people_visits([*names(60), "Windows", "mobility", "parameters", "heuristic"])
    folder = publish(repeatable(Cut(), visits), tmp_path / "release")
    assert check(folder, original=visits)["identifiers"].status == "pass"
    readme = folder / "README.md"
    readme.write_text(readme.read_text() + "Thanks to rider-0007.\n")
    assert check(folder, original=visits)["identifiers"].status == "fail"


def test_leaves_know_the_row_of_each_value():
    column = pa.chunked_array(
        [[[{"a": 1}], None], [[], [{"a": 2}, None, {"a": 3}]]], pa.list_(pa.struct([("a", "i8")]))
    )
    found = [
        (value, row) for values, rows in leaves(column) for value, row in zip(values.to_pylist(), rows, strict=True)
    ]
    assert found == [(1, 0), (2, 3), (None, 3), (3, 3)]
