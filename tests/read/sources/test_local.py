"""How sources are written, without passwords; standard input and workbooks: copied whole, read as files, and gone."""

import datetime as dt
import hashlib
import os
import pickle
import pty
import signal
import subprocess
import sys
import time
import warnings

import openpyxl
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from incrowd.errors import DataError, IncrowdWarning, MissingExtra, ParameterError, named, naming
from incrowd.read.sources.local import Address, address_of, as_given, check_query, copy_at, local
from incrowd.read.sources.postgres import with_timeout
from servers import HEADER, RECORDS, same


def incrowd(*words, stdin=None, folder, **more):
    environment = {**os.environ, "COLUMNS": "100", "TMPDIR": str(folder)}
    whole = [sys.executable, "-m", "incrowd", *map(str, words)]
    return subprocess.run(whole, check=False, stdin=stdin, capture_output=True, env=environment, text=True, **more)


@pytest.fixture
def copies(tmp_path):
    """Where commands put their copies; it must be empty in the end."""
    folder = tmp_path / "copies"
    folder.mkdir()
    yield folder
    assert not list(folder.iterdir())


@pytest.fixture
def workbook(tmp_path):
    """The records in the second sheet, with an empty row in between."""
    book = openpyxl.Workbook()
    book.active.title = "notes"
    sheet = book.create_sheet("trips")
    sheet.append(HEADER)
    for user, t, lon, lat, plan in RECORDS[:60]:
        sheet.append([user, t.replace(tzinfo=None), lon, lat, plan])
    sheet.append([])
    for user, t, lon, lat, plan in RECORDS[60:]:
        sheet.append([user, t.replace(tzinfo=None), lon, lat, plan])
    path = tmp_path / "trips.xlsx"
    book.save(path)
    return path


def written(tmp_path, rows, name="book.xlsx"):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / name)
    return tmp_path / name


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "gpx"])
def test_standard_input_is_what_its_first_bytes_say(kind, trips, tmp_path, copies):
    path = tmp_path / f"log.{kind}"
    if kind == "parquet":
        pq.write_table(pc.read_csv(trips), path)
    elif kind == "gpx":
        point = '<trkpt lon="5" lat="52"><time>2024-03-01T08:00:00Z</time></trkpt>'
        path.write_text(f'<?xml version="1.0"?><gpx><trk><trkseg>{point}</trkseg></trk></gpx>')
    else:
        import gzip

        path.write_bytes(gzip.compress(trips.read_bytes()) if kind == "csv.gz" else trips.read_bytes())
    with path.open("rb") as stream:
        run = incrowd("read", "-", "-o", tmp_path / "out.parquet", stdin=stream, folder=copies)
    assert (run.returncode, run.stderr) == (0, "")
    assert "ic.read.table('-')" in run.stdout
    if kind != "gpx":
        assert same(ic.read.saved(tmp_path / "out.parquet"), ic.read.table(trips))


def test_a_bad_line_of_standard_input_is_named(tmp_path, copies):
    data = "user,t,lon,lat\na,2024-01-01,5,52\na,2024-01-02,5,x\n"
    run = incrowd("inspect", "-", input=data, folder=copies)
    assert run.returncode == 2
    assert "no number in column 'lat' at line 3 of standard input;" in run.stderr
    run = incrowd("read", "-", "-o", tmp_path / "o.csv", "--bad-rows", tmp_path / "b.csv", input=data, folder=copies)
    assert run.returncode == 0
    assert (tmp_path / "b.csv").read_text().splitlines()[1].startswith("standard input,line,3,lat,")


def test_the_digest_of_standard_input_is_that_of_its_bytes(trips, tmp_path, copies):
    page = tmp_path / "a.assessment.json"
    with trips.open("rb") as stream:
        run = incrowd("assess", "-", "--attest-file", page, "--no-advise", stdin=stream, folder=copies)
    assert run.returncode == 0, run.stderr
    assert hashlib.sha256(trips.read_bytes()).hexdigest() in page.read_text()
    assert str(copies) not in page.read_text() + run.stdout


@pytest.mark.parametrize(
    ("data", "words"),
    [("", "standard input is empty"), (None, "standard input is a terminal")],
    ids=["empty", "terminal"],
)
def test_standard_input_without_data_is_one_sentence(data, words, copies):
    if data is None:
        master, slave = pty.openpty()
        run = incrowd("inspect", "-", stdin=slave, folder=copies)
        os.close(master)
        os.close(slave)
    else:
        run = incrowd("inspect", "-", input=data, folder=copies)
    assert run.returncode == 2
    assert words in run.stderr
    assert run.stderr.count("\n") == 1


def test_standard_input_is_given_once(no_copy_left):
    with pytest.raises(ParameterError, match="only once"):
        ic.read.table(["-", "-"])


def test_a_sheet_holds_what_its_file_holds(workbook, trips, no_copy_left):
    traces = ic.read.table(workbook, table="trips", attributes=["plan"])
    assert same(traces, ic.read.table(trips))
    assert traces.attributes["plan"].tolist() == ["a", "b", "c", "a"]


def test_a_workbook_is_digested_as_the_file_it_is(workbook, no_copy_left):
    judged = ic.assess.assess(workbook, table="trips", advise=False, budget_s=5).head.files[0]
    assert judged.sha256 == hashlib.sha256(workbook.read_bytes()).hexdigest()
    assert (judged.name, judged.files) == ("trips.xlsx, trips", 1)


def test_numbers_times_and_users_of_a_sheet_are_exact(tmp_path, no_copy_left):
    at = dt.datetime(2024, 1, 1, 7, 59, 59)
    rows = [["user", "t", "lon", "lat"], [7, at, 4.123456789012345, 52], [8.0, at, 5, 52.5], ["007", at, 5, 52]]
    traces = ic.read.table(written(tmp_path, rows))
    assert traces.users.tolist() == ["7", "8", "007"]
    assert traces.lon[0] == 4.123456789012345
    assert traces.t[0] == at.replace(tzinfo=dt.UTC).timestamp()
    rows = [["user", "t", "lon", "lat"], [7, 1704096000, 5, 52]]
    assert ic.read.table(written(tmp_path, rows)).t.tolist() == [1704096000]


def test_what_is_wrong_with_a_workbook_is_one_sentence(workbook, tmp_path, no_copy_left):
    cases = {
        workbook: r"several sheets \(notes, trips\)",
        written(tmp_path, [], "empty.xlsx"): "is empty",
        written(tmp_path, [["user", "t", "lon"], ["a", 0, 5]], "two.xlsx"): r"column 'lat' is missing in .*two\.xlsx",
        written(tmp_path, [HEADER[:4], ["a", 0, 5, 52], ["a", 1, 5, "x"]], "bad.xlsx"): r"line 3 of .*bad\.xlsx",
        tmp_path / "none.xlsx": "does not exist",
    }
    (tmp_path / "text.xlsx").write_text("user,t,lon,lat")
    cases[tmp_path / "text.xlsx"] = "is not a readable .xlsx workbook"
    for path, words in cases.items():
        with pytest.raises(DataError, match=words) as refused:
            ic.read.table(path)
        assert "copied" not in str(refused.value)
    with pytest.raises(DataError, match="has no sheet 'nope'"):
        ic.read.table(workbook, table="nope")
    with pytest.raises(ParameterError, match="leave query out"):
        ic.read.table(workbook, query="SELECT 1")


def test_a_missing_extra_is_named(workbook, monkeypatch, no_copy_left):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtra, match=r"pip install 'incrowd\[excel\]'"):
        ic.read.table(workbook, table="trips")


def test_a_copy_is_private_and_gone(workbook, no_copy_left):
    with local(workbook, "trips") as path:
        assert copy_at(path).given == str(workbook)
        assert as_given(f"read {path}") == f"read {workbook}"
        assert not next(no_copy_left.iterdir()).stat().st_mode & 0o077
        with local(path, "trips") as again:
            assert again == path
    assert copy_at(path) is None


def test_a_copy_is_gone_after_the_command_is_ended(tmp_path, copies):
    """Standard input stays open, so the command waits; it is then ended as a scheduler does."""
    environment = {**os.environ, "TMPDIR": str(copies)}
    words = [sys.executable, "-m", "incrowd", "inspect", "-"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as running:
        running.stdin.write(b"user,t,lon,lat\n")
        running.stdin.flush()
        for _ in range(2_400):
            if list(copies.iterdir()):
                break
            time.sleep(0.05)
        assert list(copies.iterdir())
        running.send_signal(signal.SIGTERM)
        running.wait(120)
    assert running.returncode == 143


KINDS = {
    "trips.csv": None,
    "folder": None,
    "-": "stdin",
    "trips.DuckDB": "duckdb",
    "a/trips.sqlite3": "sqlite",
    "trips.db": "sqlite",
    "trips.xlsx": "excel",
    "postgres://host/city": "postgresql",
    "postgresql://me@host:5432,other:5433/city?sslmode=require": "postgresql",
    "postgresql://me@[::1]:5432/city": "postgresql",
    "postgresql:///city?host=/run/postgresql": "postgresql",
    "s3://bucket/a@b/trips.csv": "s3",
}


@pytest.mark.parametrize("source", KINDS)
def test_a_source_is_known_by_how_it_is_written(source):
    address = address_of(source)
    assert (address and address.kind) == KINDS[source]


SECRETS = [
    "postgresql://me:geheim@host/city",
    "postgresql://me:@host/city",
    "postgresql://me:ge/heim@host/city",
    "postgresql://me:ge@heim@host/city",
    "postgresql://:geheim@/city",
    "postgresql://me:geheim",
    "postgresql://host/city?password=geheim",
    "postgresql://host/city?user=me&sslpassword=geheim",
    "  PostgreSQL://me:geheim@host/city",
    "mysql://me:geheim@host/city",
    "https://me:geheim@host/city.csv",
    "s3://key:geheim@bucket/a.csv",
    "s3://key:ab/geheim@bucket/a.csv",
    "host=localhost user=me password=geheim",
    "host=localhost user=me password = geheim",
    "me:geheim@host/db",
    "postgres:me:geheim@host/db",
    "postgresql://me%3Ageheim@host/db",
    "s3://bucket/x?secret_key=geheim",
    "pwd=geheim;server=x",
]


@pytest.mark.parametrize("source", SECRETS)
def test_a_password_is_refused_and_not_repeated(source):
    with pytest.raises(ParameterError) as refused:
        address_of(source)
    assert "heim" not in str(refused.value)
    assert str(refused.value).endswith(".")


def test_a_password_in_a_query_is_refused():
    with pytest.raises(ParameterError, match="the query holds a password"):
        check_query("SELECT * FROM dblink('host=a password=geheim', 'SELECT 1')")
    check_query("SELECT passwords FROM t WHERE a = 'password'")


def test_pages_do_not_say_who_connects():
    assert Address("postgresql", "postgresql://me@host/city?application_name=x").bare() == "postgresql://host/city"
    assert Address("sqlite", "/home/me/city.db").bare() == "city.db"
    assert with_timeout("postgresql://host/city?connect_timeout=3", 10).endswith("?connect_timeout=3")


def test_errors_and_warnings_call_a_copy_by_its_source():
    with naming() as names:
        names["/tmp/x/copied.csv"] = "standard input"
        assert str(DataError("no row in /tmp/x/copied.csv.")) == "no row in standard input."
        with pytest.warns(IncrowdWarning, match="no row in standard input"):
            warnings.warn("no row in /tmp/x/copied.csv.", IncrowdWarning, stacklevel=1)
        kept = pickle.dumps(DataError("no row in /tmp/x/copied.csv."))
    assert str(pickle.loads(kept)) == "no row in standard input."
    assert named("/tmp/x/copied.csv") == "/tmp/x/copied.csv"


def test_no_error_says_a_password_whatever_the_address():
    assert str(DataError("http://me:ge@host/x does not exist.")) == "http://***@host/x does not exist."
    assert str(DataError("s3://bucket/a:b does not exist.")) == "s3://bucket/a:b does not exist."
    assert str(DataError("there is no postgresql:/me:ge@heim@host/x.")) == "there is no postgresql:/***@host/x."
