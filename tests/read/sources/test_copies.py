"""An S3-compatible store on loopback: objects are read as the files that they are."""

import hashlib
import subprocess
import sys

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from incrowd.errors import DataError, ParameterError
from servers import SECRET, free_port, same

pytestmark = [pytest.mark.sources, pytest.mark.usefixtures("no_copy_left")]


def put(bucket, key, data):
    with bucket.open_output_stream(f"city/{key}", compression=None) as stream:
        stream.write(data)


@pytest.fixture
def objects(bucket, trips):
    """The records as CSV, as packed CSV, as Parquet, and one Parquet object for each person."""
    table = pc.read_csv(trips)
    put(bucket, "trips.csv", trips.read_bytes())
    put(bucket, "packed/trips.csv.gz", pa.compress(trips.read_bytes(), "gzip", asbytes=True) or b"")
    for key, rows in {"trips.parquet": table, "parts/one.parquet": table[:60], "parts/two.parquet": table[60:]}.items():
        sink = pa.BufferOutputStream()
        pq.write_table(rows, sink)
        put(bucket, key, sink.getvalue().to_pybytes())
    return bucket


@pytest.mark.parametrize("key", ["trips.csv", "trips.parquet", "parts", "parts/", "parts/*.parquet"])
def test_an_object_holds_what_its_file_holds(key, objects, trips):
    assert same(ic.read.table(f"s3://city/{key}"), ic.read.table(trips))


def test_a_list_of_objects_and_pieces(objects, trips):
    listed = ["s3://city/parts/one.parquet", "s3://city/parts/two.parquet"]
    visits = ic.discretize.grid(listed, cell_m=500, slot_min=60, memory_mb=1)
    assert visits.records == ic.discretize.grid(trips, cell_m=500, slot_min=60).records


def test_folders_that_name_the_person_do(bucket, tmp_path):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"t": [0, 60], "lon": [5.0, 5.1], "lat": [52.0, 52.0]}), sink)
    for person in ("ann", "bob"):
        put(bucket, f"hive/user={person}/part.parquet", sink.getvalue().to_pybytes())
    assert ic.read.table("s3://city/hive").users.tolist() == ["ann", "bob"]


def test_the_digest_is_that_of_the_object(objects, trips):
    head = ic.assess.assess("s3://city/trips.csv", advise=False, budget_s=5).head
    assert head.files[0].sha256 == hashlib.sha256(trips.read_bytes()).hexdigest()
    assert head.files[0].name == "trips.csv"


def test_what_incrowd_saved_is_known_again(bucket, trips, tmp_path):
    ic.discretize.grid(trips, cell_m=500, slot_min=60).save(tmp_path / "visits.parquet")
    put(bucket, "visits.parquet", (tmp_path / "visits.parquet").read_bytes())
    assert ic.read.kind("s3://city/visits.parquet") == "visits"
    assert ic.read.open("s3://city/visits.parquet").slot_min == 60


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("s3://city/nope.csv", "there is no object s3://city/nope.csv"),
        ("s3://city/nope-*.csv", "no object matches s3://city/nope-"),
        ("s3://nowhere/trips.csv", "nowhere"),
        ("s3://", "names no bucket"),
    ],
)
def test_what_is_not_there_is_one_sentence(address, words, objects):
    with pytest.raises(DataError, match=words) as refused:
        ic.read.table(address)
    assert "\n" not in str(refused.value)


def test_a_bad_row_is_named_in_its_object(bucket):
    put(bucket, "bad.csv", b"user,t,lon,lat\na,2024-01-01,5,52\na,2024-01-02,5,x\n")
    with pytest.raises(DataError, match=r"at line 3 of s3://city/bad\.csv"):
        ic.read.table("s3://city/bad.csv")


def test_a_store_that_does_not_answer_is_one_sentence(monkeypatch):
    for name, value in (("ENDPOINT_URL", f"http://127.0.0.1:{free_port()}"), ("ACCESS_KEY_ID", "key")):
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    with pytest.raises(DataError, match="the server cannot be reached") as refused:
        ic.read.table("s3://city/trips.csv")
    assert SECRET not in str(refused.value)


def test_a_key_in_the_address_is_refused():
    for address in (f"s3://key:{SECRET}@city/a.csv", f"s3://key:ab/{SECRET}@city/a.csv", f"s3://{SECRET}@city/a.csv"):
        with pytest.raises(ParameterError, match="AWS_SECRET_ACCESS_KEY") as refused:
            ic.read.table(address)
        assert SECRET not in str(refused.value)


def test_nothing_says_the_secret_key(bucket, trips, tmp_path, monkeypatch):
    """Pages, logs, the history and tracebacks of a gate that works and of commands that fail."""
    put(bucket, "trips.csv", trips.read_bytes())
    source = '[source]\nsource = "s3://city/{}"\n[anonymize]\nmethod = "cut"\n[assess]\nadvise = false\n'
    for name, key in (("incrowd.toml", "trips.csv"), ("gone.toml", "gone.csv")):
        (tmp_path / name).write_text(source.format(key) + '[output]\nfolder = "published"\n')
    more = ("--log-json", "--junit", "gate.xml")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        whole = [sys.executable, "-m", "incrowd", *words]
        return subprocess.run(whole, check=False, capture_output=True, text=True, cwd=tmp_path)

    outputs = [run("gate", "--first-run", *more), run("--debug", "gate", "gone.toml"), run("gate", "gone.toml", *more)]
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{free_port()}")
    outputs.append(run("--debug", "inspect", "s3://city/trips.csv"))
    assert [one.returncode for one in outputs] == [1, 1, 2, 1], [one.stderr[-300:] for one in outputs]
    assert not [one.args for one in outputs if SECRET in one.stdout + one.stderr]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 5 and not [path.name for path in files if SECRET.encode() in path.read_bytes()]
