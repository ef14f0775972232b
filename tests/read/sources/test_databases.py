"""DuckDB and SQLite files: a table or a query holds what a file of its records holds."""

import sqlite3

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.errors import DataError, ParameterError
from incrowd.read.sources.databases import RecordDigest
from servers import HEADER, RECORDS, same

pytestmark = pytest.mark.usefixtures("no_copy_left")


@pytest.fixture(params=["duckdb", "sqlite"])
def database(request, tmp_path):
    """The records in a table `trips`, beside one without rows."""
    if request.param == "duckdb":
        path = tmp_path / "city.duckdb"
        with duckdb.connect(path) as made:
            made.execute('CREATE TABLE trips ("user" TEXT, t TIMESTAMPTZ, lon DOUBLE, lat DOUBLE, plan TEXT)')
            made.executemany("INSERT INTO trips VALUES (?, ?, ?, ?, ?)", RECORDS)
            made.execute("CREATE TABLE empty AS FROM trips LIMIT 0")
        return path
    path = tmp_path / "city.db"
    with sqlite3.connect(path) as made:
        made.execute(f"CREATE TABLE trips ({', '.join(HEADER)})")
        rows = [(user, t.isoformat(), lon, lat, plan) for user, t, lon, lat, plan in RECORDS]
        made.executemany("INSERT INTO trips VALUES (?, ?, ?, ?, ?)", rows)
        made.execute("CREATE TABLE empty AS SELECT * FROM trips LIMIT 0")
    made.close()
    return path


def test_a_table_holds_what_its_file_holds(database, trips):
    traces = ic.read.table(database, table="trips", attributes=["plan"])
    assert same(traces, ic.read.table(trips))
    assert traces.attributes["plan"].tolist() == ["a", "b", "c", "a"]


def test_a_query_is_one_select(database):
    query = 'SELECT "user" AS who, t, lon, lat FROM trips WHERE "user" = \'rider2\' -- one person'
    assert ic.read.table(str(database), query=query, columns={"user": "who"}).users.tolist() == ["rider2"]


def test_it_is_streamed_in_pieces(database, trips):
    visits = ic.discretize.grid(database, table="trips", cell_m=500, slot_min=60, memory_mb=1)
    assert visits.records == ic.discretize.grid(trips, cell_m=500, slot_min=60).records


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({}, r"name a table of .*city\.(db|duckdb) \(has: empty, trips\)"),
        ({"table": "nope"}, "there is no table 'nope'"),
        ({"table": "empty"}, "has no rows"),
        ({"query": "SELECT nope FROM trips"}, "did not give the records"),
        ({"query": "SELECT * FROM nope"}, "did not give the records"),
        ({"query": "DELETE FROM trips"}, "did not give the records"),
        ({"query": "DROP TABLE trips; SELECT 1"}, "did not give the records"),
        ({"query": "SELECT t, lon, lat FROM trips"}, r"column 'user' is missing in .*city"),
        ({"query": 'SELECT "user", t, lon, 200 AS lat FROM trips'}, "a latitude outside .* at row 0 of .*city"),
    ],
)
def test_what_is_wrong_is_one_sentence(how, words, database):
    with pytest.raises(DataError, match=words) as refused:
        ic.read.table(database, **how)
    assert "\n" not in str(refused.value)
    assert "copied" not in str(refused.value)
    assert "rider" not in str(refused.value)


def test_options_that_make_no_sense_are_refused(database, trips):
    with pytest.raises(ParameterError, match="a table and a query"):
        ic.read.table(database, table="trips", query="SELECT 1")
    with pytest.raises(ParameterError, match="no database or workbook; leave table out"):
        ic.read.table(trips, table="trips")
    with pytest.raises(ParameterError, match="no database; leave query out"):
        ic.read.table(trips, query="SELECT 1")


def test_a_file_that_is_no_database_is_one_sentence(tmp_path):
    for name in ("a.duckdb", "a.sqlite"):
        (tmp_path / name).write_text("user,t,lon,lat\n" * 100)
        with pytest.raises(DataError, match=r"a DuckDB database|an SQLite database"):
            ic.read.table(tmp_path / name)
    with pytest.raises(DataError, match="does not exist"):
        ic.read.table(tmp_path / "none.db")


def test_the_only_table_is_meant_and_several_files_are_one_source(tmp_path):
    for person in ("ann", "bob"):
        with duckdb.connect(tmp_path / f"{person}.duckdb") as made:
            made.execute(f"CREATE TABLE trips AS SELECT '{person}' AS user, 0 AS t, 5 AS lon, 52 AS lat")
    assert ic.read.table(tmp_path / "*.duckdb").users.tolist() == ["ann", "bob"]


def test_a_query_of_duckdb_reads_no_other_file(tmp_path, trips):
    duckdb.connect(tmp_path / "a.duckdb").close()
    with pytest.raises(DataError, match="did not give the records"):
        ic.read.table(tmp_path / "a.duckdb", query=f"SELECT * FROM read_csv('{trips}')")


def test_points_of_duckdb(tmp_path):
    with duckdb.connect(tmp_path / "a.duckdb") as made:
        made.execute("CREATE TABLE p AS SELECT 'a' AS user, 0 AS t, 'POINT (4.9 52.3)'::GEOMETRY AS place")
    traces = ic.read.table(tmp_path / "a.duckdb")
    assert (traces.lon[0], traces.lat[0]) == (4.9, 52.3)


def test_a_column_of_sqlite_may_mix_types(tmp_path):
    with sqlite3.connect(tmp_path / "a.db") as made:
        made.execute("CREATE TABLE r (user, t, lat, lon, photo)")
        rows = [(7, 0, 52, 5.0, b"x"), ("007", 0, 52.123456789012345, 5, b"x"), (7, 60, "n/a", 5, None)]
        made.executemany("INSERT INTO r VALUES (?, ?, ?, ?, ?)", rows)
    made.close()
    traces = ic.read.table(tmp_path / "a.db", bad_rows=tmp_path / "bad.csv")
    assert traces.users.tolist() == ["7", "007"]
    assert traces.lat.tolist() == [52, 52.123456789012345]
    assert f"{tmp_path}/a.db,row,2,lat,no number" in (tmp_path / "bad.csv").read_text()


def test_the_digest_is_that_of_the_records_in_their_order(database):
    def digest(query):
        return ic.assess.assess(database, query=query, advise=False, budget_s=5).head.files[0]

    one = digest("SELECT * FROM trips")
    assert one == digest("SELECT * FROM trips")
    assert one.sha256 != digest("SELECT * FROM trips WHERE plan = 'a'").sha256
    assert one.name == f"{database.name}, a query"
    assert one.files == 0


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
