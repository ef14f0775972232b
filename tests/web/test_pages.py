"""What pages hold and what they never hold."""

import hashlib
import re
import sqlite3
import time
from pathlib import Path

import pytest

import incrowd as ic
import incrowd.web
from incrowd.web.app import ROUTES
from incrowd.web.openapi import description
from incrowd.web.pages import STEPS

STATIC = Path(incrowd.web.__file__).parent / "static"
PLACED = {"use:who": "user", "use:when": "t", "use:east": "x", "use:north": "y"}


@pytest.mark.parametrize("step", STEPS)
def test_a_page_has_no_inline_script_or_style_and_asks_nobody_else(visitor, step):
    text = visitor.get(f"/{step}").text
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text)
    assert all(
        re.fullmatch(r' src="/static/\w+(\.min)?\.js" defer', tag) for tag in re.findall(r"<script([^>]*)>", text)
    )
    assert not re.search(r'(?:src|href|action)="(?:https?:)?//', text)
    assert len(text) < 100_000


def test_style_and_scripts_ask_nobody_else():
    for path in STATIC.glob("*.*s"):
        if path.name != "htmx.min.js":
            assert not re.search(r"https?://|url\(|@import", path.read_text()), path.name


def test_htmx_is_the_file_that_its_note_names_and_carries_its_licence():
    digest = hashlib.sha256((STATIC / "htmx.min.js").read_bytes()).hexdigest()
    assert digest in (STATIC / "README.md").read_text()
    assert "Zero-Clause BSD" in (STATIC / "htmx.LICENSE").read_text()


def test_the_first_page_is_there_within_300_ms(visitor):
    visitor.get("/data")
    times = []
    for _ in range(5):
        began = time.perf_counter()
        visitor.get("/data")
        times.append(time.perf_counter() - began)
    assert min(times) < 0.3


def test_a_step_that_comes_too_early_says_where_to_begin(visitor):
    assert "No data were chosen yet" in visitor.get("/risk").words
    assert visitor.get("/nothing").status == 404


def test_columns_are_told_in_counts_and_never_in_values(visitor):
    words = visitor.get("/data/columns?source=trips.csv").words
    assert "7 different values" in words
    assert "4 different values" in words
    assert not re.search(r"p[0-6]\b|f[0-3]\b|52\.\d|2024-01", words)


def test_who_comes_back_finds_the_uses_as_they_were(visitor):
    visitor.studio.queue.at_a_time = 0
    uses = {"use:rider_id": "user", "use:ts": "t", "use:lon": "lon", "use:lat": "lat", "use:fare": "harmless"}
    visitor.post("/data", {"kind": "file", "source": "trips.csv", "time-zone": "Europe/Amsterdam", **uses})
    again = re.search(r'id="columns"[^>]* hx-get="(/data/columns[^"]*)"', visitor.get("/data").text)[1]
    text = visitor.get(again.replace("&amp;", "&")).text
    assert '<option value="harmless" selected>' in text
    assert 'value="Europe/Amsterdam"' in text


def test_a_file_that_cannot_be_read_is_explained_without_its_content(visitor, folder):
    (folder / "bad.csv").write_text("alice,4.4444,51.5555\nbob,4.4,51.5\n")
    words = visitor.get("/data/columns?source=bad.csv").words
    assert "columns cannot be shown" in words
    assert "alice" not in words
    assert "4.4444" not in words


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"use:a": "user", "use:b": "user"}, "the same use"),
        ({**PLACED, "use:a": "sensitive", "use:b": "sensitive"}, "one column can be sensitive"),
        ({"use:a": "king"}, "unknown use"),
        ({"use:a": "user", "use:b": "lon", "use:c": "lat"}, "no column is the time; choose one"),
        ({"use:a": "user", "use:b": "t", "use:c": "lon"}, "no column is the position"),
        ({"time-zone": "Mars/Base"}, "unknown time_zone"),
        ({"time-format": "%H"}, "time_format"),
        ({"time-format": "%d/%m/%Y %é"}, "time_format"),
        ({"kind": "city", "users": "1"}, "users must be"),
        ({"kind": "city", "users": "many"}, "users must be"),
        ({"kind": "database"}, "names no database"),
    ],
)
def test_a_wrong_form_is_refused_in_a_sentence_and_starts_nothing(visitor, fields, reason):
    answer = visitor.post("/data", {"kind": "file", "source": "trips.csv", "days": "2", **fields})
    assert answer.status == 422
    assert reason.lower() in answer.words.lower()
    assert visitor.studio.store.jobs() == []


@pytest.mark.parametrize(
    ("who", "words"), [("me", "db.example/trips"), ("me:geheim", "holds a password or key; leave it out")]
)
def test_the_database_of_incrowd_toml_is_offered_without_its_password(visitor, folder, who, words):
    (folder / "incrowd.toml").write_text(
        f'[source]\nsource = "postgresql://{who}@db.example/trips"\ntable = "trips"\n'
        '[anonymize]\nmethod = "glove"\nk = 11\n[output]\nfolder = "published"\nlinks = "private"\n'
    )
    text = visitor.get("/data").text
    assert words in text
    assert "geheim" not in text


def test_the_description_names_every_address():
    paths = {(path, method) for path, verbs in description()["paths"].items() for method in verbs}
    routed = {(route.path, method.lower()) for route in ROUTES for method in route.methods - {"HEAD"}}
    assert routed - paths == {("/", "get"), ("/openapi.json", "get")}
    assert paths <= routed


@pytest.mark.parametrize("step", STEPS)
def test_every_step_of_data_that_were_read_has_a_page(ready, step):
    answer = ready.get(f"/{step}")
    assert answer.status == 200
    assert "One step too early" not in answer.words


def test_earlier_data_and_their_runs_can_be_gone_back_to(ready):
    store = ready.studio.store
    first = store.dataset()
    store.move(store.add_job(first.id, "run", "GLOVE, k = 11", [["a"]]), "failed", expected="waiting")
    store.add_dataset("wrong.csv", "wrong.csv", {})
    assert "GLOVE, k = 11" not in ready.get("/protect").text
    words = ready.get("/data").words
    assert "Earlier data" in words
    assert f"trips.csv no. {first.id} 1 run" in words
    assert ready.post("/data/earlier", {"dataset": first.id}).status == 303
    assert "GLOVE, k = 11" in ready.get("/protect").text
    assert "Earlier data" not in ready.get("/data").words  # the wrong file was never read
    for wrong in ("99", "", "x", "²"):
        assert ready.post("/data/earlier", {"dataset": wrong}).status == 422
    assert store.dataset() == first


def test_a_run_of_other_data_is_neither_shown_nor_signed_nor_repeated(ready):
    store = ready.studio.store
    details = {"method": "glove", "options": {"k": 11}}
    run = store.add_job(store.dataset().id, "run", "GLOVE, k = 11", [["a"]], details)
    store.move(run, "finished", expected="waiting")
    other = store.add_dataset("other.csv", "other.csv", {})
    store.move(store.add_job(other.id, "clean", "Reading", [["a"], ["b"]]), "finished", expected="waiting")
    answers = [ready.get(f"/release?run={run}"), ready.get(f"/assessment?run={run}"), ready.post(f"/jobs/{run}/again")]
    answers += [ready.post("/release/sign", {"run": run}), ready.get(f"/release/download?run={run}")]
    for answer in answers:
        assert answer.status == 422
        assert "of other data" in answer.words
    assert store.jobs(other.id, "sign") == store.jobs(other.id, "run") == []


def test_the_columns_that_incrowd_toml_names_are_those_of_the_page(visitor, folder):
    with sqlite3.connect(folder / "trips.sqlite") as db:
        db.execute("CREATE TABLE trips (id INTEGER, badge TEXT, t TEXT, lon REAL, lat REAL)")
        db.executemany("INSERT INTO trips VALUES (?, 'b', '2024-01-01T00:00:00', 5.0, 52.0)", [(1,), (2,)])
    (folder / "incrowd.toml").write_text(
        '[source]\nsource = "trips.sqlite"\ncolumns = {user = "badge"}\n[anonymize]\nmethod = "glove"\nk = 11\n'
        '[output]\nfolder = "published"\nlinks = "private"\n'
    )
    text = visitor.get("/data/columns?kind=database").text
    chosen = dict(re.findall(r'name="use:(\w+)".*?value="(\w+)" selected', text, re.DOTALL))
    assert chosen == {"id": "leave", "badge": "user", "t": "t", "lon": "lon", "lat": "lat"}


@pytest.mark.parametrize("query", ["kind=city&source=trips.csv", "kind=file", "kind=database"])
def test_a_source_without_columns_takes_those_of_another_from_the_page(visitor, query):
    answer = visitor.get(f"/data/columns?{query}")
    assert answer.status == 200
    assert answer.words == ""


def test_a_file_that_incrowd_wrote_is_read_as_it_says(visitor, folder):
    visitor.studio.queue.at_a_time = 0
    traces = ic.read.synthetic_city(users=20, days=2).traces
    traces.save(folder / "city.parquet")
    assert "Nothing to choose" in visitor.get("/data/columns?source=city.parquet").words
    taxis = ic.Traces.from_arrays(["a", "a", "b"], [1, 2, 3], [5.0] * 3, [52.0] * 3, attributes={"kind": ["x", "y"]})
    taxis.save(folder / "taxis.parquet")
    text = visitor.get("/data/columns?source=taxis.parquet").text
    assert re.findall(r'name="(use:\w+|described)"', text) == ["use:kind", "described"]
    form = {"kind": "file", "source": "taxis.parquet", "described": "yes", "use:kind": "sensitive"}
    assert visitor.post("/data", form).status == 303
    (words, _) = visitor.studio.store.jobs()[0].commands
    assert "--column" not in words
    assert words[words.index("--attribute") + 1] == "kind"


def test_a_file_without_trajectories_is_refused_before_it_is_read(visitor, folder):
    (folder / "visits.csv").write_text("user,cell,slot\nalice,1,2\nbob,1,2\n")
    words = visitor.get("/data/columns?source=visits.csv").words
    assert "holds visits, not who was where and when" in words
    assert "alice" not in words


def test_what_failed_is_said_without_the_credentials_of_the_source(visitor, folder):
    address = "s3://trips/may.parquet?X-Amz-Signature=geheim"
    (folder / "incrowd.toml").write_text(
        f'[source]\nsource = "{address}"\n[anonymize]\nmethod = "glove"\nk = 11\n'
        '[output]\nfolder = "published"\nlinks = "private"\n'
    )
    visitor.studio.queue.at_a_time = 0
    seen = visitor.get("/data/columns?kind=database").text
    assert "columns cannot be shown" in seen
    assert visitor.post("/data", {"kind": "database"}).status == 303
    visitor.studio.store.move(1, "failed", expected="waiting", message=f"{address} cannot be read; check it.")
    failed = visitor.get("/data").text
    assert "s3://trips/may.parquet" in failed
    assert "geheim" not in seen + failed
