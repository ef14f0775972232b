"""PostgreSQL with PostGIS, started from Debian's packages: the same records as a file, and nothing of the password."""

import re
import subprocess
import sys

import pytest

import incrowd as ic
from incrowd.errors import DataError, MissingExtra, ParameterError
from servers import SECRET, free_port, same

pytestmark = [pytest.mark.sources, pytest.mark.usefixtures("no_copy_left")]


@pytest.mark.parametrize("table", ["trips", "public.trips", "points", "dutch"])
def test_a_table_holds_what_its_file_holds(table, postgres, trips):
    traces, known = ic.read.table(postgres.address, table=table), ic.read.table(trips)
    if table == "dutch":  # there and back again, to a millimetre
        assert abs(traces.lon - known.lon).max() < 1e-8
        assert (traces.t == known.t).all()
    else:
        assert same(traces, known)


def test_a_query_may_name_and_cast_as_it_likes(postgres, trips):
    query = """
        SELECT "user" AS who, extract(epoch FROM t) AS t, lat::numeric AS lat, lon::numeric(8, 5) AS lon, plan
        FROM trips;  """
    traces = ic.read.table(postgres.address, query=query, columns={"user": "who"}, attributes=["plan"])
    assert same(traces, ic.read.table(trips))
    assert traces.attributes["plan"].tolist() == ["a", "b", "c", "a"]


def test_columns_that_no_step_can_use_are_left_out(postgres):
    postgres.do("""
        CREATE TABLE wide AS SELECT md5("user")::uuid AS user, t::timestamp AS t, lon::real AS lon, lat,
        '{}'::jsonb AS more, interval '1 day' AS wait, '\\x00'::bytea AS raw, ARRAY['a', 'b'] AS tags FROM trips""")
    try:
        traces = ic.read.table(postgres.address, table="wide", attributes=["tags"])
    finally:
        postgres.do("DROP TABLE wide")
    assert len(traces) == 4
    assert re.fullmatch(r"[0-9a-f-]{36}", traces.users[0])
    assert traces.attributes["tags"][0] == frozenset({"a", "b"})


def test_long_numbers_stay_two_people(postgres):
    ids = "(VALUES (9007199254740993::numeric), (9007199254740992)) AS ids (id)"
    query = f"SELECT id AS user, 0 AS t, 4.9 AS lon, 52.3 AS lat FROM {ids}"
    assert sorted(ic.read.table(postgres.address, query=query).users.tolist()) == [9007199254740992, 9007199254740993]


def test_it_is_streamed_in_pieces(postgres, trips):
    visits = ic.discretize.grid(postgres.address, table="trips", cell_m=500, slot_min=60, memory_mb=1)
    known = ic.discretize.grid(ic.read.table(trips), cell_m=500, slot_min=60)
    assert visits.records == known.records
    assert (visits.cell == known.cell).all()


def test_visits_and_counts_are_known_by_their_columns(postgres):
    visits = "SELECT 'a' AS user, 3 AS cell, 0 AS slot"
    assert ic.read.kind(postgres.address, query=visits) == "visits"
    assert ic.read.open(postgres.address, query=visits, slot_min=60).records == 1
    assert ic.read.visits(postgres.address, query=visits, slot_min=60).records == 1
    assert ic.read.kind(postgres.address, table="trips") == "records"


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"table": "nope"}, r"there is no table 'nope' of .* \(has: dutch, empty, other.trips, points, trips\)"),
        ({}, "name a table of"),
        ({"query": "SELECT nope FROM trips"}, "a column that is not there"),
        ({"query": "SELECT * FROM nope"}, "a table that is not there"),
        ({"query": "SELEC 1"}, "not one SELECT statement"),
        ({"query": "DELETE FROM trips RETURNING *"}, "not one SELECT statement"),
        ({"query": "SELECT nextval('s') AS t"}, "did not give the records"),
        ({"query": "SELECT 1 / (lat::int - 52) AS t FROM trips"}, "stopped while reading"),
        ({"query": "SELECT 1 AS a, 2 AS a"}, "two columns"),
        ({"table": "empty"}, "has no rows"),
        (
            {"query": "SELECT t, lon, lat FROM trips"},
            r"column 'user' is missing in postgresql://.* \(has: t, lon, lat\)",
        ),
        ({"query": 'SELECT "user", t, ST_MakePoint(1, 2) AS geom FROM trips'}, "SRID 0"),
        ({"query": 'SELECT "user", t, ST_MakeLine(geom, geom) AS geom FROM points'}, "holds LINESTRING"),
        ({"query": 'SELECT "user", t, geom, geom AS again FROM points'}, "2 columns of geometry"),
    ],
)
def test_what_is_wrong_is_one_sentence(how, words, postgres):
    with pytest.raises(DataError, match=words) as refused:
        ic.read.table(postgres.address, **how)
    assert "\n" not in str(refused.value)
    assert "rider" not in str(refused.value)


def test_a_point_that_is_none_is_named_by_its_row(postgres):
    line = "CASE WHEN ST_Y(geom) > 52.305 THEN ST_MakeLine(geom, geom) ELSE geom END"
    query = f'SELECT "user", t, {line} AS geom FROM points'
    with pytest.raises(DataError, match="no point in column 'geom' at row 3 of postgresql://"):
        ic.read.table(postgres.address, query=query)


def test_the_digest_is_that_of_the_records(postgres):
    first = ic.assess.assess(postgres.address, table="trips", advise=False, budget_s=5).head.files[0]
    again = ic.assess.assess(postgres.address, table="trips", advise=False, budget_s=5).head.files[0]
    query = "SELECT * FROM trips WHERE \"user\" <> 'rider0'"
    other = ic.assess.assess(postgres.address, query=query, advise=False, budget_s=5).head.files[0]
    assert first == again
    assert first.name == f"postgresql://127.0.0.1:{postgres.port}/city, trips"
    assert (first.files, other.sha256 == first.sha256) == (0, False)


def test_a_service_file_says_the_rest(server, tmp_path, monkeypatch, trips):
    file = tmp_path / "services"
    lines = ["[city]", "host=127.0.0.1", f"port={server.port}", "user=reader", "dbname=city", f"password={SECRET}"]
    file.write_text("\n".join(lines))
    monkeypatch.setenv("PGSERVICEFILE", str(file))
    assert same(ic.read.table("postgresql:///?service=city", table="trips"), ic.read.table(trips))


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql.dbapi", None)
    with pytest.raises(MissingExtra, match=r"pip install 'incrowd\[sql\]'"):
        ic.read.table("postgresql://127.0.0.1/city", table="trips")


def test_nothing_says_the_password(server, tmp_path, monkeypatch):
    """Every output of commands that work and that fail is searched for it."""
    good, page = f"postgresql://reader@127.0.0.1:{server.port}/city", tmp_path / "page.html"
    inside = good.replace("reader@", f"reader:{SECRET}@")
    option = f"{good}?password={SECRET}"
    away = good.replace(str(server.port), str(free_port()))
    more = ("--table", "trips")
    outputs = (
        "-o",
        str(page),
        "--attest-file",
        str(tmp_path / "a.assessment.json"),
        "--evidence",
        str(tmp_path / "e.md"),
    )
    runs = [
        (("assess", good, *more, *outputs), 0),
        (("assess", good, *more, "--json"), 0),
        (("inspect", good, *more), 0),
        (("read", good, *more, "-o", str(tmp_path / "t.parquet"), "--json"), 0),
        (("anonymize", "cut", good, *more, "-o", str(tmp_path / "release")), 0),
        (("gate", "--first-run", "--log-json", "--junit", str(tmp_path / "gate.xml")), 1),
        (("history", "-o", str(tmp_path / "history.html")), 0),
        (("init", good, *more, "-o", str(tmp_path / "drafted.toml")), 0),
        *((("--debug", "inspect", address, *more), code) for address, code in ((inside, 1), (option, 1), (away, 1))),
        *((("inspect", address, *more), 2) for address in (inside, option, away, inside.replace("city", "nope"))),
        (("inspect", inside.replace("postgresql:", "mysql:")), 2),
        (("inspect", f"host=127.0.0.1 password={SECRET}"), 2),
        (("inspect", good, "--query", f"SELECT dblink('password={SECRET}')"), 2),
        (("audit", inside), 2),
    ]
    source = f'[source]\nsource = "{good}"\ntable = "trips"\n[anonymize]\nmethod = "glove"\n'
    (tmp_path / "incrowd.toml").write_text(f'{source}[assess]\nadvise = false\n[output]\nfolder = "published"\n')
    environment = {"PGPASSWORD": SECRET, "PATH": "/usr/bin:/bin", "COLUMNS": "100", "HOME": str(tmp_path)}

    def run(*words, **changed):
        whole = [sys.executable, "-m", "incrowd", *words]
        how = {"capture_output": True, "text": True, "cwd": tmp_path}
        return subprocess.run(whole, check=False, env={**environment, **changed}, **how)

    for words, code in runs:
        result = run(*words)
        assert result.returncode == code, (words[0], result.stderr[-500:])
        assert SECRET not in result.stdout + result.stderr, words[:2]
    wrong = run("inspect", good, *more, PGPASSWORD="other-secret-7")
    assert "user or password are wrong" in wrong.stderr
    assert "other-secret-7" not in wrong.stderr
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 5
    assert not [path.name for path in files if SECRET.encode() in path.read_bytes()]


def test_a_password_in_the_library_is_refused_before_anything_else(server):
    with pytest.raises(ParameterError, match="holds a password") as refused:
        ic.read.table(f"postgresql://reader:{SECRET}@127.0.0.1:{server.port}/city", table="trips")
    assert SECRET not in repr(refused.value)
