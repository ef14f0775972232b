"""incrowd assess: one page, a gate, a report."""

import json
import os
import subprocess
import sys

import pytest

import incrowd as ic
from incrowd.assess.thresholds import DEFAULTS

ALL = ("singling_out", "worst_off", "windows", "releases", "home_work", "counts")


@pytest.fixture
def log(tmp_path):
    """Two days of a hamlet in a CSV file, with something that is nobody's business."""
    city = ic.read.synthetic_city(users=25, towers=8, days=2, seed=2)
    frame = city.traces.to_pandas()
    frame["illness"] = ["flu" if user % 3 else "none" for user in frame["user"].rank(method="dense").astype(int)]
    path = tmp_path / "log.csv"
    frame.to_csv(path, index=False)
    return path


def test_one_page_with_estimates_before_it(incrowd, log, tmp_path):
    page = tmp_path / "page.html"
    code, out, err = incrowd("assess", log, "-o", page, "--sensitive", "illness")
    assert code == 0 and out.startswith("25 people, ") and f"report: {page}" in out
    for words in ("singling out", "linkability", "inference", "aggregates", "The attacker knows 4 random visits"):
        assert words in out
    assert "Whose sensitive value is told?" in out and "conventions that you can set, not law" in out
    assert err.startswith("assess: about") and "singling_out      about 1 s" in err
    html = page.read_text()
    assert html.index("Is it safe to publish?") < html.index("What is in the data?")
    for question in (
        "How easily are people singled out?",
        "Who is worst off?",
        "How far is everybody from hiding among 2?",
        "Do homes and workplaces give people away?",
        "How much of it is true?",
        "Whose illness is inferred?",
        "What happened to every record?",
    ):
        assert question in html


def test_the_gate(incrowd, log):
    assert incrowd("assess", log, "--fail-above")[0] == 1
    loose = [word for name in ALL for word in ("--threshold", f"{name}=1")]
    code, out, _ = incrowd("assess", log, "--fail-above", *loose)
    assert code == 0 and "0 of 6 answers are above" in out
    assert incrowd("assess", log, "--fail-above", *loose, "--threshold", "singling_out=0")[0] == 1
    none = [word for name in ALL for word in ("--threshold", f"{name}=none")]
    code, out, _ = incrowd("assess", log, "--fail-above", *none)
    assert code == 1 and "Gate: does not pass: nothing was held against a threshold." in out
    assert "(--sensitive)" in out and "--\n" not in out  # options are not broken


def test_the_gate_reads_what_a_release_publishes(incrowd, log, tmp_path):
    release, link = tmp_path / "release", tmp_path / "link.csv"
    asked = ("--sensitive", "illness", "--same-time", "order", "--l", 1, "--k", 2, "--c", 1)
    code, _, err = incrowd("anonymize", "lkc", log, "-o", release, *asked, "--keep-link", link)
    assert code == 0, err  # the attribute is read along
    words = ("assess", log, "--sensitive", "illness", "--release", release / "data.parquet", "--link", link)
    told = {one["name"]: one for one in json.loads(incrowd(*words, "--json")[1])["answers"]}
    assert told["release_sensitive"]["value"] is not None and told["release_sensitive"]["decides"]
    assert told["audit"]["value"] is not None  # the table stands for its folder
    code, _, err = incrowd("anonymize", "lkc", log, "-o", tmp_path / "x", "--k", 2)
    assert code == 2 and "--same-time order" in err and "--keep vote" in err


def test_what_was_not_asked_does_not_open_the_gate(incrowd, log):
    code, out, _ = incrowd("assess", log, "--budget", "0.001s", "--fail-above")
    assert code == 1 and "not run: would take about 1 s" in out and "6 more were not asked" in out
    assert incrowd("assess", log, "--budget", "0.001s")[0] == 0


def test_json_is_the_whole_record(incrowd, log):
    code, out, _ = incrowd("assess", log, "--json", "--budget", "5m", "--threshold", "counts=none")
    found = json.loads(out)
    assert code == 0 and found["people"] == 25 and found["budget_s"] == 300 and found["interrupted"] is False
    answers = {answer["name"]: answer for answer in found["answers"]}
    assert answers["counts"]["verdict"] == "no threshold" and answers["counts"]["value"] is not None
    assert answers["singling_out"]["numbers"]["curve"][0]["interval"]


def test_the_estimate_stops_there(incrowd, log, tmp_path):
    code, out, _ = incrowd("assess", log, "--estimate", "-o", tmp_path / "page.html")
    assert code == 0 and "counts            about" in out and not (tmp_path / "page.html").exists()
    estimates = json.loads(incrowd("assess", log, "--estimate", "--json")[1])
    assert {"name", "asks", "seconds", "lacks"} == set(estimates[0])


def test_a_release_folder_is_linked_and_audited(incrowd, log, tmp_path):
    visits, release, link = (tmp_path / name for name in ("visits.parquet", "release", "link.csv"))
    incrowd("discretize", log, "-o", visits, "--cell-m", 500, "--slot-min", 60)
    incrowd("anonymize", "cut", visits, "-o", release, "--keep-link", link)
    code, out, _ = incrowd("assess", visits, "--release", release, "--link", link, "--json")
    answers = {answer["name"]: answer for answer in json.loads(out)["answers"]}
    assert code == 0 and answers["release"]["value"] > 0.5 and answers["audit"]["number"].startswith("0 of ")
    answers = json.loads(incrowd("assess", visits, "--release", release, "--json")[1])["answers"]
    assert "no link file was given" in next(one["note"] for one in answers if one["name"] == "release")
    for source in (release, release / "data.parquet"):
        code, _, err = incrowd("assess", source)
        assert code == 2 and "release is a release; give the data it was made of, and it as the release" in err
    loose = [word for name in DEFAULTS for word in ("--threshold", f"{name}=none")] + ["--threshold", "release=1"]
    code, out, _ = incrowd("assess", visits, "--release", release, "--fail-above", *loose)
    assert code == 1 and "without an answer: release" in out  # what cannot be answered does not open the gate
    assert incrowd("assess", visits, "--release", release, "--link", link, "--fail-above", *loose)[0] == 0


def test_the_gate_is_about_the_release(incrowd, log, tmp_path):
    release, link = tmp_path / "release", tmp_path / "link.csv"
    incrowd("anonymize", "glove", log, "--k", 5, "-o", release, "--keep-link", link)
    words = ("assess", log, "--release", release, "--link", link, "--fail-above")
    code, out, _ = incrowd(*words)
    assert code == 0 and "The release: 0 of 2 answers are above" in out and "before, the data as they are" in out
    assert incrowd(*words, "--threshold", "singling_out=0.1")[0] == 1
    assert incrowd("assess", log, "--fail-above")[0] == 1  # the data themselves
    assert incrowd("assess", log, "--release", release, "--fail-above")[0] == 1  # no link file was given
    groups = {
        one["name"]: (one["group"], one["decides"]) for one in json.loads(incrowd(*words, "--json")[1])["answers"]
    }
    assert groups["release"] == ("release", True) and groups["singling_out"] == ("before", False)


def test_a_sensitive_value_is_named(incrowd, log):
    words = ("assess", log, "--sensitive", "illness", "--json")
    carriers = [
        next(one["numbers"]["carriers"] for one in json.loads(out)["answers"] if one["name"] == "sensitive")
        for out in (incrowd(*words)[1], incrowd(*words, "--value", "flu")[1])
    ]
    assert carriers[0] == 25 > carriers[1] > 0
    for more, said in (
        (("--sensitive", "illness", "--value", "gout"), "nobody carries the value 'gout'"),
        (("--value", "flu"), "name it too"),
    ):
        code, _, err = incrowd("assess", log, *more)
        assert code == 2 and said in err


def test_towers_are_read(incrowd, log, tmp_path):
    places = tmp_path / "towers.csv"
    city = ic.read.synthetic_city(users=25, towers=8, days=2, seed=2)
    places.write_text("lon,lat\n" + "\n".join(f"{lon},{lat}" for lon, lat in city.towers) + "\n")
    out = incrowd("assess", log, "--towers", places)[1]
    assert "2 days (towers x 60 min)" in out


def test_ctrl_c_prints_what_is_there(incrowd, log, monkeypatch):
    def stop(*_args, **_more):
        raise KeyboardInterrupt

    monkeypatch.setattr("incrowd.assess.questions.linking.relink", stop)
    code, out, err = incrowd("assess", log)
    assert code == 130 and "Who is alone with 4 visits?" in out
    assert "not run: interrupted before" in out
    assert "what was answered before is printed" in err and "half-written" not in err


def test_ctrl_c_while_the_page_is_written_keeps_the_answer(incrowd, log, monkeypatch, tmp_path):
    def stop(*_args, **_more):
        raise KeyboardInterrupt

    monkeypatch.setattr("incrowd.report.write", stop)
    code, out, err = incrowd("assess", log, "-o", tmp_path / "page.html")
    assert code == 130 and "Who is alone with 4 visits?" in out and "report:" not in out
    assert "what was answered before is printed" in err and not (tmp_path / "page.html").exists()


def test_ctrl_c_while_loading_is_one_line(tmp_path):
    stopped = tmp_path / "typer.py"
    stopped.write_text("raise KeyboardInterrupt\n")  # loaded before any command can answer
    path = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-m", "incrowd"], env=path, capture_output=True, text=True, check=False)
    assert ended.returncode == 130 and ended.stderr == "incrowd: interrupted before it began.\n"


def test_bad_input_is_one_sentence(incrowd, log, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("here already")
    for words, said in (
        (("nothing.csv",), "nothing.csv"),
        ((log, "--budget", "soon"), "such as 90s, 10m or 1h"),
        ((log, "--threshold", "magic=1"), "unknown threshold 'magic'"),
        ((log, "--threshold", "counts=lots"), "such as counts=0.1"),
        ((log, "--threshold", "counts=7"), "must lie in 0 to 1"),
        ((log, "--threshold", "sensitive=0.1"), "was not given; give it"),
        ((log, "--sensitive", "hobby"), "hobby"),
        ((log, "--release", tmp_path / "nowhere"), "there is no release"),
        ((log, "--link", tmp_path / "nowhere"), "give the release too"),
        ((log, "-o", page), "--force"),
    ):
        code, out, err = incrowd("assess", *words)
        assert code == 2 and out == "" and said in err and "Traceback" not in err, words
