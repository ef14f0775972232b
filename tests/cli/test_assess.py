"""incrowd assess: one page, a gate, a report."""

import json
import os
import subprocess
import sys

import pytest

import incrowd as ic
from incrowd.assess.limits import DEFAULTS

ALL = ("identified", "single_visit", "pieces", "later", "home_work", "counts")


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
    assert (
        code == 0
        and out.startswith("Do not publish: 7 of 7 tests exceed your limits. Worst: ")
        and f"report: {page}" in out
    )
    assert "The attacker knows 4 random visits" in out and "Can a sensitive attribute be inferred?" in out
    assert "500 m cells, 60 min slots; seed 0" in out and "same cell and slot" in out
    assert f"in Python: ic.assess.assess('{log}', attributes=('illness',), sensitive='illness')" in out
    assert err.startswith("assess: about") and "identified         about 1 s" in err
    html = page.read_text()
    assert html.index("Does any test exceed your limits?") < html.index("What is in the data?")
    for question in (
        "How many people are identified by 4 known visits?",
        "How many people are identified by a single visit?",
        "How much blurring until everyone looks like one other person?",
        "Can a sensitive attribute be inferred?",
        "conventions that you can change, not law",
        "What happened to every record?",
    ):
        assert question in html


def test_the_gate(incrowd, log):
    assert incrowd("assess", log, "--fail-above")[0] == 1
    loose = [word for name in ALL for word in ("--limit", f"{name}=1")]
    code, out, _ = incrowd("assess", log, "--fail-above", *loose)
    assert code == 0 and out.startswith("Nothing above your limits: 6 tests, none missing.")
    assert incrowd("assess", log, "--fail-above", *loose, "--limit", "identified=0")[0] == 1
    none = [word for name in ALL for word in ("--limit", f"{name}=none")]
    code, out, _ = incrowd("assess", log, "--fail-above", *none)
    assert code == 1 and out.startswith("No verdict: no test was compared with a limit.")
    assert "(--sensitive)" in out and "--\n" not in out  # options are not broken


def test_the_gate_reads_what_a_release_publishes(incrowd, log, tmp_path):
    release, link = tmp_path / "release", tmp_path / "link.csv"
    asked = ("--sensitive", "illness", "--same-time", "order", "--l", 1, "--k", 2, "--c", 1)
    code, _, err = incrowd("anonymize", "lkc", log, "-o", release, *asked, "--keep-link", link)
    assert code == 0, err  # the attribute is read along
    words = ("assess", log, "--sensitive", "illness", "--release", release / "data.parquet", "--link", link)
    told = {one["name"]: one for one in json.loads(incrowd(*words, "--json")[1])["answers"]}
    assert told["release_sensitive"]["value"] is not None and told["release_sensitive"]["decides"]
    assert told["guarantees"]["value"] is not None  # the table stands for its folder
    code, _, err = incrowd("anonymize", "lkc", log, "-o", tmp_path / "x", "--k", 2)
    assert code == 2 and "--same-time order" in err and "--keep vote" in err


def test_what_was_not_asked_does_not_open_the_gate(incrowd, log):
    code, out, _ = incrowd("assess", log, "--budget", "0.001s", "--fail-above")
    assert code == 1 and out.startswith("Do not publish: 6 tests are missing. Not run: ")
    assert "Not run: would take about 1 s" in " ".join(out.split())
    assert incrowd("assess", log, "--budget", "0.001s")[0] == 0


def test_json_is_the_whole_record(incrowd, log):
    code, out, _ = incrowd("assess", log, "--json", "--budget", "5m", "--limit", "counts=none")
    found = json.loads(out)
    assert code == 0 and found["people"] == 25 and found["budget_s"] == 300 and found["interrupted"] is False
    answers = {answer["name"]: answer for answer in found["answers"]}
    assert answers["counts"]["verdict"] == "no limit" and answers["counts"]["value"] is not None
    assert answers["identified"]["numbers"]["curve"][0]["interval"]


def test_the_estimate_stops_there(incrowd, log, tmp_path):
    code, out, _ = incrowd("assess", log, "--estimate", "-o", tmp_path / "page.html")
    assert code == 0 and "counts             about" in out and not (tmp_path / "page.html").exists()
    estimates = json.loads(incrowd("assess", log, "--estimate", "--json")[1])
    assert {"name", "asks", "seconds", "lacks"} == set(estimates[0])


def test_a_release_folder_is_linked_and_audited(incrowd, log, tmp_path):
    visits, release, link = (tmp_path / name for name in ("visits.parquet", "release", "link.csv"))
    incrowd("discretize", log, "-o", visits, "--cell-m", 500, "--slot-min", 60)
    incrowd("anonymize", "cut", visits, "-o", release, "--keep-link", link)
    code, out, _ = incrowd("assess", visits, "--release", release, "--link", link, "--json")
    answers = {answer["name"]: answer for answer in json.loads(out)["answers"]}
    assert code == 0 and answers["matched"]["value"] > 0.5
    assert answers["guarantees"]["number"].startswith("0.0 % (0 of ")
    answers = json.loads(incrowd("assess", visits, "--release", release, "--json")[1])["answers"]
    assert "no link file was given" in next(one["note"] for one in answers if one["name"] == "matched")
    for source in (release, release / "data.parquet"):
        code, _, err = incrowd("assess", source)
        assert code == 2 and "release is a release; give the data it was made from" in err
    loose = [word for name in DEFAULTS for word in ("--limit", f"{name}=none")] + ["--limit", "matched=1"]
    code, out, _ = incrowd("assess", visits, "--release", release, "--fail-above", *loose)
    # What cannot be answered does not open the gate.
    assert code == 1 and "No answer: matched (no link file was given" in out
    assert incrowd("assess", visits, "--release", release, "--link", link, "--fail-above", *loose)[0] == 0


def test_the_gate_is_about_the_release(incrowd, log, tmp_path):
    release, link = tmp_path / "release", tmp_path / "link.csv"
    incrowd("anonymize", "glove", log, "--k", 5, "-o", release, "--keep-link", link)
    words = ("assess", log, "--release", release, "--link", link, "--fail-above")
    code, out, _ = incrowd(*words)
    assert code == 0 and out.startswith("Nothing above your limits: 2 tests, none missing.")
    assert "The original data. Values in brackets" in out
    assert incrowd(*words, "--limit", "identified=0.1")[0] == 1
    assert incrowd("assess", log, "--fail-above")[0] == 1  # the data themselves
    assert incrowd("assess", log, "--release", release, "--fail-above")[0] == 1  # no link file was given
    groups = {
        one["name"]: (one["group"], one["decides"]) for one in json.loads(incrowd(*words, "--json")[1])["answers"]
    }
    assert groups["matched"] == ("release", True) and groups["identified"] == ("before", False)


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
    assert "2 days; towers, 60 min slots" in out and f"towers=ic.read.towers('{places}')" in out


def test_ctrl_c_prints_what_is_there(incrowd, log, monkeypatch):
    def stop(*_args, **_more):
        raise KeyboardInterrupt

    monkeypatch.setattr("incrowd.assess.questions.linking.relink", stop)
    code, out, err = incrowd("assess", log)
    assert code == 130 and "How many people are identified by 4 known visits?" in out
    assert "Not run: interrupted before" in " ".join(out.split())
    assert "what was answered before is printed" in err and "half-written" not in err


def test_ctrl_c_while_the_page_is_written_keeps_the_answer(incrowd, log, monkeypatch, tmp_path):
    def stop(*_args, **_more):
        raise KeyboardInterrupt

    monkeypatch.setattr("incrowd.report.write", stop)
    code, out, err = incrowd("assess", log, "-o", tmp_path / "page.html")
    assert code == 130 and "How many people are identified by 4 known visits?" in out and "report:" not in out
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
        ((log, "--limit", "magic=1"), "unknown test 'magic'"),
        ((log, "--limit", "counts=lots"), "such as counts=10%"),
        ((log, "--limit", "counts=7"), "must be in [0, 1]"),
        ((log, "--limit", "sensitive=0.1"), "was not given; give it"),
        ((log, "--sensitive", "hobby"), "hobby"),
        ((log, "--release", tmp_path / "nowhere"), "there is no release"),
        ((log, "--link", tmp_path / "nowhere"), "give the release too"),
        ((log, "-o", page), "--force"),
    ):
        code, out, err = incrowd("assess", *words)
        assert code == 2 and out == "" and said in err and "Traceback" not in err, words


def test_the_call_in_python_gives_the_same_numbers(incrowd, log, tmp_path):
    out = incrowd("assess", log, "--cell-m", 1000, "--limit", "identified=20%", "--seed", 3)[1]
    call = out.partition("in Python: ")[2].splitlines()[0]
    assert "cell_m=1000" in call and "limits={'identified': 0.2}" in call and "seed=3" in call
    again = eval(call, {"ic": ic})
    record = json.loads(incrowd("assess", log, "--cell-m", 1000, "--limit", "identified=20%", "--seed", 3, "--json")[1])
    assert [one.value for one in again.answers] == [one["value"] for one in record["answers"]]
    assert again.passed == record["passed"]


@pytest.mark.filterwarnings("always")
def test_the_old_option_works_with_a_notice(incrowd, log):
    code, out, err = incrowd("assess", log, "--threshold", "singling_out=0.2", "--json")
    assert code == 0 and "--threshold is now --limit; the old name works until 0.3." in err
    assert "singling_out is now identified" in err
    assert next(one["limit"] for one in json.loads(out)["answers"] if one["name"] == "identified") == 0.2


def test_help_has_every_limit(incrowd):
    words = " ".join(incrowd("assess", "--help")[1].replace("\u2502", " ").split())
    assert all(f"{name} " in words for name in DEFAULTS) and "identified 10 %" in words and "blurring none" in words
