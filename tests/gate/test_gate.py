"""A gate runs everything in one go: what it writes appears together, and only what passes is published."""

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from incrowd import discretize
from incrowd.assess.recheck import check_page
from incrowd.audit import check
from incrowd.errors import DataError, ParameterError
from incrowd.gate import gate, history, load
from incrowd.gate.junit import junit
from incrowd.gate.records import runs_in
from nights import BOXES, gate_file, together

WRITTEN = {"page.html", "evidence.md", "release.assessment.json"}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_an_open_gate_publishes_release_page_evidence_attestation_and_link_together(one_night):
    (run,) = (one_night / "published").iterdir()
    assert names(run) == WRITTEN | {"release"}
    assert names(one_night) == {"incrowd-history.sqlite", "incrowd.toml", "night.csv", "private", "published"}
    (link,) = (one_night / "private").iterdir()
    assert link.name == f"{run.name}.csv" and stat.S_IMODE(link.stat().st_mode) == 0o600
    visits = discretize.grid(str(one_night / "night.csv"), columns={"x": "x", "y": "y"}, cell_m=1000, slot_min=60)
    assert check(run / "release", original=visits, link=link).passed
    assert not check_page(run / "release.assessment.json", link=link, original=[str(one_night / "night.csv")]).failed


def test_the_next_night_is_attacked_with_the_first_and_scored(yesterday):
    run = gate(yesterday / "incrowd.toml")
    answer = run.assessment.answer("earlier")
    assert run.exit_code == 0 and answer.verdict == "within" and "1 earlier release" in answer.note
    assert "not scored" not in answer.number and len(names(yesterday / "published")) == 2
    assert [one.exit_code for one in history(yesterday / "incrowd-history.sqlite").runs] == [0, 0]


def test_a_shut_gate_writes_the_page_that_says_why_and_no_release_and_no_link(yesterday):
    gate_file(yesterday, 0)  # the same night again, under new pseudonyms
    run = gate(yesterday / "incrowd.toml")
    assert run.exit_code == 1 and run.release is None and [one.name for one in run.assessment.above] == ["earlier"]
    assert names(run.folder) == WRITTEN and "published before" in (run.folder / "page.html").read_text()
    assert (
        len(names(yesterday / "private")) == 1 and runs_in(yesterday / "incrowd-history.sqlite")[-1].release_id is None
    )


def test_an_override_passes_with_3_and_is_the_first_line_of_the_page(yesterday):
    gate_file(yesterday, 1, more='override = "a pilot among ourselves"\n[limits]\nhome_work = 0.6')
    run = gate(yesterday / "incrowd.toml")
    assert run.exit_code == 3 and run.release is not None
    assert "a pilot among ourselves" in (run.folder / "page.html").read_text()


def test_steps_are_told_without_anything_about_people(yesterday):
    told = []
    gate(yesterday / "incrowd.toml", log=told.append)
    assert [one["step"] for one in told if one["event"] == "done"] == ["read", "clean", "anonymize", "assess", "write"]
    assert json.dumps(told) and told[1]["people"] == 2000


def test_bad_input_leaves_everything_as_it_was(yesterday):
    before = sorted(path for path in yesterday.rglob("*"))
    (yesterday / "night.csv").write_text("user,t,x,y\n1,never,5,5\n")
    with pytest.raises(DataError):
        gate(yesterday / "incrowd.toml")
    assert sorted(path for path in yesterday.rglob("*")) == before


def test_junit_has_a_case_for_each_test_and_counts_missing_answers_as_failures(yesterday):
    run = gate(yesterday / "incrowd.toml")
    suite = junit(run.assessment).find("testsuite")
    assert len(suite) == len(run.assessment.answers) + 1 == int(suite.get("tests")) and suite.get("failures") == "0"
    (yesterday / "incrowd-history.sqlite").unlink()
    for folder in (yesterday / "published").iterdir():
        folder.rename(yesterday / f"gone-{folder.name}")
    shut = gate(yesterday / "incrowd.toml")
    suite = ET.fromstring(ET.tostring(junit(shut.assessment))).find("testsuite")
    failed = {case.get("name"): case.find("failure").get("type") for case in suite if case.find("failure") is not None}
    assert failed == {"earlier": "missing", "verdict": "shut"} and suite.get("failures") == "2"


def test_two_gates_at_once_do_not_both_publish_what_was_not_attacked_with_the_other(yesterday):
    """The second finds a release that it was not attacked with, and stops; run again, it is attacked with it."""
    command = [sys.executable, "-c", f"from incrowd.gate import gate; gate({str(yesterday / 'incrowd.toml')!r})"]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    ends = [process.communicate()[1] for process in both]
    codes = sorted(process.returncode for process in both)
    runs = runs_in(yesterday / "incrowd-history.sqlite")
    if codes == [0, 0]:  # one began after the other had ended: then it was attacked with it, and shut
        assert [run.exit_code for run in runs] == [0, 0, 1]
    else:
        assert sum("run the gate again" in end for end in ends) == 1 and [run.exit_code for run in runs] == [0, 0]
    releases = list((yesterday / "published").glob("*/release"))
    assert len(releases) == 2 and not list(yesterday.rglob("*.part"))


@pytest.mark.parametrize("after_s", [0.5, 2.5, 4.0, 5.0, 6.0])
def test_a_killed_gate_leaves_everything_or_nothing_and_the_next_one_clears_up(yesterday, after_s):
    command = [sys.executable, "-c", f"from incrowd.gate import gate; gate({str(yesterday / 'incrowd.toml')!r})"]
    process = subprocess.Popen(command)
    time.sleep(after_s)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    runs = runs_in(yesterday / "incrowd-history.sqlite")
    visible = [path for path in (yesterday / "published").iterdir() if not path.name.startswith(".")]
    assert all(names(path) == WRITTEN | {"release"} for path in visible) and len(visible) in (len(runs), len(runs) + 1)
    run = gate(yesterday / "incrowd.toml")
    assert run.exit_code == (0 if len(visible) == 1 else 1) and not list(yesterday.rglob("*.part"))


def test_a_changed_row_of_the_history_is_found(yesterday):
    path = yesterday / "incrowd-history.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("UPDATE runs SET people = 3")
    database.close()
    with pytest.raises(DataError, match=r"run 1 of the history .* is not as it was written"):
        gate(yesterday / "incrowd.toml")
    path.write_text("this is no database, and long enough to be looked at as one" * 20)
    with pytest.raises(DataError, match="is not a history"):
        gate(yesterday / "incrowd.toml")


def test_a_full_disk_is_called_one_and_takes_everything_back(yesterday, monkeypatch):
    """The history is written last, when the release is there already."""
    honest = sqlite3.connect

    def full(*given, **how):
        database = honest(*given, **how)
        pages = database.execute("PRAGMA page_count").fetchone()[0]
        database.execute(f"PRAGMA max_page_count = {pages}")
        return database

    before = sorted(yesterday.rglob("*"))
    numbers = {str(number): {"verdict": "within"} for number in range(1_000)}
    monkeypatch.setattr(sqlite3, "connect", full)
    monkeypatch.setattr("incrowd.gate._gate._numbers", lambda _: numbers)
    with pytest.raises(DataError, match="the disk is full"):
        gate(yesterday / "incrowd.toml")
    assert sorted(yesterday.rglob("*")) == before


def test_the_history_holds_no_person_and_makes_a_table_and_a_figure(yesterday):
    gate(yesterday / "incrowd.toml")
    past = history(yesterday / "incrowd-history.sqlite")
    section = past.section()
    assert len(past) == 2 and past.passed == 2 and section.panels[0].lines and len(section.tables[0].rows) == 2
    raw = (yesterday / "incrowd-history.sqlite").read_bytes()
    assert b"night.csv" not in raw and str(yesterday).encode() not in raw


@pytest.mark.parametrize(
    ("anonymize", "noun"),
    [
        (BOXES, "Fingerprints"),
        ('method = "generalize"\ncell_m = 1000\nslot_min = 1440', "Visits"),
        ('method = "w4m"\nk = 12', "Traces"),
        ('method = "counts"\nrule = "11"', "Counts"),
        ('method = "lkc"\nl = 2\nk = 12\nfile = "csv"', "Visits"),
    ],
)
def test_every_kind_of_release_goes_through_two_nights(tmp_path, anonymize, noun):
    path = gate_file(tmp_path, anonymize=anonymize)
    if "counts" not in anonymize and "lkc" not in anonymize:
        path.write_text(path.read_text().replace("[discretize]\ncell_m = 1000\nslot_min = 60\n", ""))
    for day in (0, 1):
        together(day).save(tmp_path / "night.csv", force=True)
        run = gate(load(path), first_run=day == 0)
        assert run.assessment.head.published["noun"] == noun and run.exit_code in (0, 1)
    answer = run.assessment.answer("earlier")
    if noun == "Fingerprints":
        assert run.exit_code == 0 and answer.verdict == "within"
    if run.record.number == 2 and runs_in(tmp_path / "incrowd-history.sqlite")[0].release_id:
        assert answer.judged or answer.verdict == "no answer"


def test_settings_that_have_no_use_are_refused(tmp_path):
    path = gate_file(tmp_path, anonymize=BOXES)
    path.write_text(path.read_text().replace("slot_min = 60", 'slot_min = 60\nkeep = "vote"'))
    with pytest.raises(ParameterError, match=r"keep of \[discretize\] has no use here"):
        gate(path, first_run=True)
