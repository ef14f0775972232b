"""incrowd assess: one page, a gate, a report."""

import json
import os
import subprocess
import sys

import pytest

import incrowd as ic
from assess.asking import OF_ROWS
from incrowd.assess.limits import DEFAULTS

LOOSE = [word for name in (*OF_ROWS, "worst") for word in ("--limit", f"{name}=1")]


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
    code, out, err = incrowd("assess", log, "-o", page, "--sensitive", "illness", "--no-advise")
    assert code == 0 and f"report: {page}" in out
    assert out.startswith("Do not publish: 6 of 7 tests exceed your limits. Worst: ")  # illness is nobody's own
    assert "The attacker knows 4 random visits" in out and "Can a sensitive attribute be inferred?" in out
    assert (
        "500 m cells, 60 min slots; seed " in out and ", derived from the data" in out and "same cell and slot" in out
    )
    assert f"in Python: ic.assess.assess('{log}', attributes=('illness',), sensitive='illness')" in out
    assert err.startswith("assess: about") and "identified      less than 1 s" in err
    html = page.read_text()
    assert html.index("Does any test exceed your limits?") < html.index("What is in the data?")
    for question in (
        "How often is a person guessed rightly from 4 known records?",
        "How many people are identified by 4 known visits?",
        "How many people are identified by a single visit?",
        "How much blurring until everyone looks like one other person?",
        "Can a sensitive attribute be inferred?",
        "conventions that you can change, not law",
        "What happened to every record?",
    ):
        assert question in html


def test_the_gate_and_its_exit_codes(incrowd, log):
    words = ("assess", log, "--fail-above", "--no-advise")
    assert incrowd(*words)[0] == 1
    code, out, err = incrowd(*words, *LOOSE)
    assert code == 2 and out == "" and "the limit of lookup is 100 %; " in err and "--override" in err
    code, out, _ = incrowd(*words, *LOOSE, "--override", "a drill")
    assert code == 3 and out.startswith("Override: a drill (the limit of lookup is 100 %; ")
    assert "Nothing above your limits: 5 tests, none missing." in " ".join(out.split())
    assert incrowd(*words, *LOOSE, "--override", "a drill", "--limit", "identified=0")[0] == 1
    assert incrowd("assess", log, "--no-advise", *LOOSE)[0] == 0  # without a gate it is said only
    none = [word for name in (*OF_ROWS, "worst") for word in ("--limit", f"{name}=none")]
    code, out, _ = incrowd(*words, *none, "--override", "a drill")
    assert code == 1 and "No verdict: no test was compared with a limit." in out
    assert "(--sensitive)" in out and "--\n" not in out  # options are not broken


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (("--records", 3), "only 3 known records are assumed"),
        (("--cell-m", 1000), "cell_m was set to 1000 m, coarser than what is published"),
        (("--people", 20), "only 20 people are asked about"),
        (("--limit", "worst=60%"), "the limit of worst is 60 %"),
    ],
)
def test_what_makes_the_verdict_easier_is_refused_under_the_gate(incrowd, log, setting, said):
    code, out, err = incrowd("assess", log, "--fail-above", "--no-advise", *setting)
    assert code == 2 and out == "" and said in err and "Traceback" not in err
    code, out, _ = incrowd("assess", log, "--no-advise", *setting)
    assert code == 0 and f"Refused without a reason (--override): {said}" in " ".join(out.split())


def test_a_release_to_take_is_looked_for(incrowd, log):
    code, out, _ = incrowd("assess", log, "--json", "--budget", "20s")
    advice = json.loads(out)["advice"]
    assert code == 0 and advice["best"] is None and advice["command"] == ""  # halves of 25 people are too few
    assert 0 < len(advice["tried"]) <= 24 and not any(one["confirmed"] for one in advice["tried"])
    assert json.loads(incrowd("assess", log, "--json", "--no-advise")[1])["advice"] is None


def test_the_gate_reads_what_a_release_publishes(incrowd, log, tmp_path):
    release, link = tmp_path / "release", tmp_path / "link.csv"
    asked = ("--sensitive", "illness", "--same-time", "order", "--l", 1, "--k", 2, "--c", 1)
    code, _, err = incrowd("anonymize", "lkc", log, "-o", release, *asked, "--keep-link", link)
    assert code == 0, err  # the attribute is read along
    words = ("assess", log, "--sensitive", "illness", "--release", release / "data.parquet", "--link", link)
    told = {one["name"]: one for one in json.loads(incrowd(*words, "--json", "--no-advise")[1])["answers"]}
    assert told["sensitive"]["value"] is not None and told["sensitive"]["due"]
    assert told["guarantees"]["value"] is not None  # the table stands for its folder
    code, _, err = incrowd("anonymize", "lkc", log, "-o", tmp_path / "x", "--k", 2)
    assert code == 2 and "--same-time order" in err and "--keep vote" in err


def test_what_was_not_asked_does_not_open_the_gate(incrowd, log):
    code, out, _ = incrowd("assess", log, "--budget", "0.001s", "--fail-above")
    assert code == 1 and out.startswith("Do not publish: 5 tests are missing. Not run: ")
    assert "Not run: would take less than 1 s" in " ".join(out.split())
    assert incrowd("assess", log, "--budget", "0.001s")[0] == 0


def test_json_is_the_whole_record(incrowd, log):
    code, out, _ = incrowd("assess", log, "--json", "--budget", "5m", "--limit", "later=none", "--no-advise")
    found = json.loads(out)
    assert code == 0 and found["people"] == 25 and found["budget_s"] == 300 and found["interrupted"] is False
    answers = {answer["name"]: answer for answer in found["answers"]}
    main, worst = answers["later"]["judged"]
    assert (main["verdict"], main["limit_value"], worst["limit_value"]) == ("no limit", None, 0.01)
    assert answers["lookup"]["judged"][0]["source"].startswith("one in eleven")
    assert answers["identified"]["numbers"]["curve"][0]["interval"]


def test_the_estimate_stops_there(incrowd, log, tmp_path):
    code, out, _ = incrowd("assess", log, "--estimate", "-o", tmp_path / "page.html")
    assert code == 0 and "lookup          less than 1 s" in out and not (tmp_path / "page.html").exists()
    estimates = json.loads(incrowd("assess", log, "--estimate", "--json")[1])
    assert {"name", "asks", "seconds", "bytes", "lacks"} <= set(estimates[0])


def test_memory_is_told_before_the_work_and_that_it_is_more_than_there_is(incrowd, log, monkeypatch):
    enough = incrowd("assess", log, "--estimate")[1].splitlines()
    assert " MiB" in enough[0] and "with memory on top of the data" in enough[0] and "more than" not in enough[0]
    assert all(" MiB" in line or " no " in line or "nothing" in line for line in enough[1:])
    monkeypatch.setattr("incrowd.estimate.free_memory", lambda: 0)
    code, out, err = incrowd("assess", log, "--no-advise")
    assert code == 0 and "more than the 1 MiB of free memory" in err.splitlines()[0] and "Do not publish" in out


def test_a_release_folder_is_linked_and_audited(incrowd, log, tmp_path):
    visits, release, link = (tmp_path / name for name in ("visits.parquet", "release", "link.csv"))
    incrowd("discretize", log, "-o", visits, "--cell-m", 500, "--slot-min", 60)
    incrowd("anonymize", "cut", visits, "-o", release, "--keep-link", link)
    words = ("assess", visits, "--release", release, "--no-advise")
    code, out, _ = incrowd(*words, "--link", link, "--json")
    answers = {answer["name"]: answer for answer in json.loads(out)["answers"]}
    assert code == 0 and answers["release_full"]["value"] > 0.5 and answers["release_full"]["verdict"] == "no limit"
    assert answers["guarantees"]["number"].startswith("0 (of ") and answers["pieces"]["value"] is not None
    answers = json.loads(incrowd(*words, "--json")[1])["answers"]
    assert "who is who is not known" in next(one["note"] for one in answers if one["name"] == "lookup")
    for source in (release, release / "data.parquet"):
        code, _, err = incrowd("assess", source)
        assert code == 2 and "release is a release; give the data it was made from" in err
    asked = ("lookup", "identified", "single_visit", "later", "pieces", "worst")
    loose = [word for name in asked for word in ("--limit", f"{name}=1")]
    gate = (*words, "--fail-above", "--override", "a drill", *loose)
    code, out, _ = incrowd(*gate)
    # What cannot be answered does not open the gate.
    missing = "No answer: lookup, identified, single_visit, later, pieces, home_work (who is who is not known"
    assert code == 1 and missing in " ".join(out.split())
    assert incrowd(*gate, "--link", link)[0] == 3
    code, out, err = incrowd(*words, "--same-labels")
    assert code == 2 and out == "" and "labels of people; give its link file instead" in err


def test_the_gate_is_about_the_release(incrowd, log, tmp_path):
    release, link = tmp_path / "release", tmp_path / "link.csv"
    incrowd("anonymize", "glove", log, "--k", 12, "-o", release, "--keep-link", link)
    words = ("assess", log, "--release", release, "--no-advise", "--fail-above")
    code, out, _ = incrowd(*words, "--link", link)
    assert code == 0 and out.startswith("Nothing above your limits: 4 tests, none missing.")
    assert "The release. Higher is riskier." in out
    assert incrowd(*words, "--link", link, "--level", "high")[0] == 1  # 1 in 12 is above 5 %
    assert incrowd(*words, "--link", link, "--limit", "lookup=1/13")[0] == 1
    assert incrowd("assess", log, "--fail-above", "--no-advise")[0] == 1  # the data themselves
    assert incrowd(*words)[0] == 1  # no link file was given
    found = json.loads(incrowd(*words, "--link", link, "--json")[1])
    assert found["judges"] == "release" and found["passed"] and found["gate"] == "passes"
    due = {one["name"] for one in found["answers"] if one["due"]}
    assert due == {"lookup", "single_visit", "later", "guarantees"}


def test_a_sensitive_value_is_named(incrowd, log):
    words = ("assess", log, "--sensitive", "illness", "--json", "--no-advise", "--limit", "worst=1")
    told = [
        next(one for one in json.loads(out)["answers"] if one["name"] == "sensitive")
        for out in (incrowd(*words)[1], incrowd(*words, "--value", "flu")[1])
    ]
    assert [one["numbers"]["people"] for one in told] == [25, 25] and told[0]["control"] == 17 / 25
    assert told[0]["value"] == told[1]["value"] == 1  # everybody is alone
    for more, said in (
        (("--sensitive", "illness", "--value", "gout"), "nobody carries the value 'gout'"),
        (("--value", "flu"), "name it too"),
    ):
        code, _, err = incrowd("assess", log, *more)
        assert code == 2 and said in err


def test_a_column_that_nobody_named_is_missing(incrowd, log):
    words = ("assess", log, "--publish-columns", "illness", "--no-advise")
    for more, verdict in (
        ((), "no answer"),
        (("--harmless", "illness"), "within"),
        (("--sensitive", "illness"), "within"),
    ):
        answers = json.loads(incrowd(*words, *more, "--json")[1])["answers"]
        assert next(one["verdict"] for one in answers if one["name"] == "columns") == verdict, more


def test_towers_are_read(incrowd, log, tmp_path):
    places = tmp_path / "towers.csv"
    city = ic.read.synthetic_city(users=25, towers=8, days=2, seed=2)
    places.write_text("lon,lat\n" + "\n".join(f"{lon},{lat}" for lon, lat in city.towers) + "\n")
    out = incrowd("assess", log, "--towers", places, "--no-advise")[1]
    assert "2 days; towers, 60 min slots" in out and f"towers=ic.read.towers('{places}')" in out


def test_ctrl_c_prints_what_is_there(incrowd, log, monkeypatch):
    def stop(*_args, **_more):
        raise KeyboardInterrupt

    monkeypatch.setattr("incrowd.assess.questions.inferring.home_work", stop)
    code, out, err = incrowd("assess", log)
    assert code == 130 and "How many people are identified by 4 known visits?" in out
    assert "Not run: interrupted before" in " ".join(out.split())
    assert "what was answered before is printed" in err and "half-written" not in err


def test_ctrl_c_while_the_page_is_written_keeps_the_answer(incrowd, log, monkeypatch, tmp_path):
    def stop(*_args, **_more):
        raise KeyboardInterrupt

    monkeypatch.setattr("incrowd.report.write", stop)
    code, out, err = incrowd("assess", log, "-o", tmp_path / "page.html", "--no-advise")
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
        ((log, "--level", "low"), "low"),
        ((log, "--override", " "), "override needs a reason"),
        ((log, "--sensitive", "hobby"), "hobby"),
        ((log, "--release", tmp_path / "nowhere"), "there is no release"),
        ((log, "--link", tmp_path / "nowhere"), "give the release too"),
        ((log, "-o", page), "--force"),
    ):
        code, out, err = incrowd("assess", *words)
        assert code == 2 and out == "" and said in err and "Traceback" not in err, words


def test_the_call_in_python_gives_the_same_numbers(incrowd, log):
    words = ("assess", log, "--cell-m", 400, "--limit", "identified=20%", "--level", "medium", "--no-advise")
    out = incrowd(*words)[1]
    call = out.partition("in Python: ")[2].splitlines()[0]
    assert "cell_m=400" in call and "limits={'identified': '1/5'}" in call and "level='medium'" in call
    again = eval(call.removesuffix(")") + ", advise=False)", {"ic": ic})  # the seed follows from the file
    record = json.loads(incrowd(*words, "--json")[1])
    assert [one.value for one in again.answers] == [one["value"] for one in record["answers"]]
    assert again.seed == record["seed"] > 0 and again.passed == record["passed"]


@pytest.mark.filterwarnings("always")
def test_the_old_option_works_with_a_notice(incrowd, log):
    code, out, err = incrowd("assess", log, "--threshold", "singling_out=0.2", "--json", "--no-advise")
    assert code == 0 and "--threshold is now --limit; the old name works until 0.3." in err
    assert "singling_out is now identified" in err
    assert next(one["limit"] for one in json.loads(out)["answers"] if one["name"] == "identified") == 0.2


def test_help_has_every_limit_and_exit_code(incrowd):
    words = " ".join(incrowd("assess", "--help")[1].replace("\u2502", " ").split())
    assert all(name in words for name in DEFAULTS) and "9.1 % (1 in 11)" in words and "blurring: none" in words
    assert (
        "Exit codes: 0 done or passed, 1 the gate is shut, 2 bad input or a refused setting, 3 passed with an" in words
    )
