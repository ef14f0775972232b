import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic

VISITS = ic.Visits.from_arrays(["a", "b"], cell=[0, 1], slot=[0, 1], xy=[[0, 0], [500, 0]], slot_min=60, start=0)
COUNTS = ic.Counts.from_arrays([[2, 0], [1, 1]], [[0, 0], [500, 0]], slot_min=720)
PRINTS = ic.Fingerprints.from_arrays(["a", "b"], x=[0, 100], y=[0, 0], t=[1, 2])
TRACES = ic.Traces.from_arrays(["a", "b"], [0, 60], [5.0, 5.1], [52.0, 52.1])
NOUNS = {"visits": VISITS, "counts": COUNTS, "fingerprints": PRINTS, "records": TRACES}


@pytest.mark.parametrize("kind", NOUNS)
def test_a_noun_its_file_and_its_arrow_table_are_of_one_kind_and_open_alike(tmp_path, kind):
    noun = NOUNS[kind]
    path = noun.save(tmp_path / "data_.parquet")
    assert ic.read.kind(noun) == ic.read.kind(path) == ic.read.kind(str(path)) == ic.read.kind(noun.to_arrow()) == kind
    assert ic.read.open(noun) is noun
    for again in (ic.read.open(path), ic.read.open(noun.to_arrow())):
        assert type(again) is type(noun) and again.to_arrow().equals(noun.to_arrow())
        assert again.to_dict() == noun.to_dict()
    with pytest.raises(ic.ParameterError, match="describes itself; leave columns out"):
        ic.read.open(path, columns={"user": "who"})


@pytest.mark.parametrize(
    ("header", "row", "kind", "options"),
    [
        ("user,t,lon,lat", "a,0,5,52", "records", {}),
        ("user,cell,slot", "a,0,1", "visits", {"slot_min": 60}),
        ("slot,cell,n", "0,0,3", "counts", {"slot_min": 720, "cells": [[0, 0]]}),
    ],
)
def test_a_table_is_known_by_its_columns(tmp_path, header, row, kind, options):
    path = tmp_path / "table.csv"
    path.write_text(f"{header}\n{row}\n")
    frame = pa.table({name: [value] for name, value in zip(header.split(","), row.split(","), strict=True)})
    assert ic.read.kind(path) == ic.read.kind(frame) == ic.read.kind(frame.to_pandas()) == kind
    assert type(ic.read.open(path, **options)) is type(NOUNS[kind])


def test_columns_that_are_named_decide(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("user,cell,slot\na,0,1\n")
    assert ic.read.kind(path) == "visits" and ic.read.kind(path, columns={"t": "slot"}) == "records"
    assert ic.read.kind([path]) == ic.read.kind(tmp_path / "none.csv") == "records"


@pytest.mark.parametrize("file", ["csv", "parquet"])
def test_the_folder_of_a_release_and_its_table_are_a_release(tmp_path, file):
    made = ic.anonymize.Cut(window_h=24)(VISITS)
    folder = ic.anonymize.publish(made, tmp_path / "release", file=file)
    for source in (folder, str(folder / f"data.{file}")):
        assert ic.read.kind(source) == ic.read.kind(made) == "release"
        assert isinstance(ic.read.open(source), ic.Visits)
    assert ic.read.open(made) is made.data


@pytest.mark.parametrize("read", ["kind", "open", "counts", "visits"])
def test_a_torn_parquet_file_gets_one_answer_from_whoever_asks(tmp_path, read):
    (tmp_path / "torn.parquet").write_bytes(b"PAR1xxxx")
    with pytest.raises(ic.DataError, match=r"^torn.parquet is not a readable Parquet file; check the path and the co"):
        getattr(ic.read, read)(tmp_path / "torn.parquet")


def test_damaged_notes_are_one_sentence(tmp_path):
    table = pa.table({"user": [1]})
    for notes in (b"{bad", b"[]", b"{}"):
        pq.write_table(table.replace_schema_metadata({b"incrowd": notes}), tmp_path / "odd.parquet")
        with pytest.raises(ic.DataError, match="save the file again"):
            ic.read.kind(tmp_path / "odd.parquet")
