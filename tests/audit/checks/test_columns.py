"""Nothing is published that is not looked at: no other column, no other file, no lost digit."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from audit.cases import on_disk, people_visits, repeatable
from incrowd.anonymize import LKC, Cut
from incrowd.audit import check


@pytest.mark.parametrize("name", ["lon", "seen_at", "mood"])
def test_columns_that_the_manifest_does_not_declare_are_caught(cut, name):
    cut.add(name, np.random.default_rng(0).random(cut.table().num_rows), declared=False)
    assert cut.failed() == {"columns"}


def test_a_place_is_no_attribute_even_if_declared(cut):
    cut.add("lon", np.zeros(cut.table().num_rows))
    assert cut.failed() == {"columns", "manifest"}


def test_an_attribute_is_one_value_of_a_person(cut):
    cut.add("mood", np.where(cut.of_user(0), 1, 0))
    assert cut.failed() == {"manifest"}  # Cut publishes none
    cut.add("place", np.arange(cut.table().num_rows) / 7)
    assert cut.failed() == {"columns", "manifest"}


def test_a_column_that_cannot_be_read_is_caught():
    visits = people_visits(["rider-1", "rider-2"])
    release = Cut(window_h=24)(visits)
    odd = pa.UnionArray.from_sparse(pa.array([0] * visits.records, pa.int8()), [pa.array(["x"] * visits.records)])
    from dataclasses import replace

    from incrowd.audit.checks.columns import columns
    from incrowd.audit.reading.opened import published

    shown = published(release)
    extras = pa.table({"odd": odd})
    broken = replace(shown, table=shown.table._replace(extras=extras))
    assert columns(broken, sensitive="odd", longest=None).status == "fail"
    assert columns(shown, sensitive=None, longest=None).status == "pass"


def test_a_sensitive_attribute_is_declared_by_the_claim(tmp_path):
    user, slot = np.repeat([f"rider-{i:03d}" for i in range(60)], 4), np.tile(np.arange(4), 60)
    attributes = {"ill": ["flu", "cold", "none"] * 20}
    visits = ic.Visits.from_arrays(user, slot % 2, slot, slot_min=60, start=0, attributes=attributes)
    case = on_disk(tmp_path, repeatable(LKC(l=2, k=2, sensitive="ill"), visits), visits)
    assert case.failed() == set()
    case.say(claims={"l": 2, "k": 2}, parameters={}, attributes=[])
    assert case.failed() == {"columns", "manifest"}


def test_more_columns_of_a_plain_table_are_part_of_a_fingerprint(tmp_path):
    path = tmp_path / "any.parquet"
    table = {"user": [1, 2], "cell": [1, 1], "slot": [1, 1]}
    pq.write_table(pa.table(table), path)
    assert check(path, k=2).passed
    pq.write_table(pa.table({**table, "lon": [5.123, 5.456], "ill": ["a", "b"]}), path)
    verdict = check(path, k=2)
    assert verdict["k-anonymity"].status == "fail"
    assert "2 columns" in verdict["columns"].evidence
    pq.write_table(pa.table({**table, "ill": [["a"], ["a"]]}), path)
    assert check(path, k=2).passed
    assert {c.name for c in check(path, k=2, l=1).failed} == {"columns"}
    assert check(path, k=2, l=1, sensitive="ill").passed


def second_table(case):
    pq.write_table(case.original.to_arrow().replace_schema_metadata(None), case.folder / "more.parquet")


def other_data(case):
    (case.folder / "data.csv").write_text("user,cell,slot\n1,9,9\n")


def packed(case):
    (case.folder / "more.csv.gz").write_bytes(gzip.compress(b"rider-0005"))


def in_a_folder(case):
    (case.folder / "more").mkdir()


@pytest.mark.parametrize("add", [second_table, other_data, packed, in_a_folder], ids=lambda f: f.__name__)
def test_files_that_are_no_part_of_a_release_are_caught_even_if_listed(cut, add):
    add(cut)
    cut.write(cut.table())
    assert "files" in cut.failed()
    (cut.folder / "manifest.json").unlink()
    assert check(cut.folder)["files"].status == "fail"


COLLAPSING = {
    "beyond 63 bits": "user,cell,slot\n1,9223372036854775809,1\n2,9223372036854775810,1\n",
    "decimals": "user,cell,slot\n1,0.12345678901234567890,1\n2,0.12345678901234567891,1\n",
}


@pytest.mark.parametrize("text", COLLAPSING.values(), ids=COLLAPSING)
def test_numbers_that_would_fall_together_are_refused(tmp_path, text):
    (tmp_path / "any.csv").write_text(text)
    with pytest.raises(ic.DataError, match="tell apart"):
        check(tmp_path / "any.csv", k=2)


def test_wide_numbers_of_parquet_are_exact_or_refused(tmp_path):
    path = tmp_path / "any.parquet"
    for cell in (pa.array([2**64 - 1, 2**64 - 2], pa.uint64()), pa.array([10**25, 10**25 + 1], pa.decimal128(38, 0))):
        pq.write_table(pa.table({"user": [1, 2], "cell": cell, "slot": [1, 1]}), path)
        with pytest.raises(ic.DataError, match="tell apart"):
            check(path, k=2)
    cell = pa.array([3, 3], pa.decimal128(38, 0))
    pq.write_table(
        pa.table({"user": pa.array([2**64 - 1, 2**64 - 2], pa.uint64()), "cell": cell, "slot": [1, 1]}), path
    )
    assert check(path, k=2)["k-anonymity"].status == "pass"
    assert check(path, k=3)["k-anonymity"].status == "fail"


def test_pseudonyms_of_a_csv_are_read_as_written(tmp_path):
    path = tmp_path / "any.csv"
    path.write_text("user,cell,slot\n" + "5,1,1\n" * 30_000 + "abc,1,1\n")
    assert check(path, k=2)["k-anonymity"].status == "pass"
    path.write_text("user,cell,slot\n007,1,1\n7,1,1\n7,2,2\n")
    assert "2 of 2 pseudonyms" in check(path, k=2)["k-anonymity"].evidence
