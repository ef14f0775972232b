"""incrowd gate, history and init: what they print, write and end with."""

import json
import warnings
from xml.etree import ElementTree as ET

import pytest

from incrowd.errors import IncrowdWarning
from incrowd.gate import pipeline
from nights import small_gate

INIT = ("init", "night.csv", "--column", "x=x", "--column", "y=y", "-o", "new.toml")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    small_gate(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def failures(path) -> tuple[int, int]:
    suite = ET.parse(path).getroot().find("testsuite")
    return int(suite.get("failures")), int(suite.get("errors"))


def test_two_nights_from_the_shell(folder, incrowd):
    code, out, _ = incrowd("gate", "--first-run", "--junit", "gate.xml")
    assert code == 0 and "published: " in out and out.startswith("Nothing above your limits")
    assert failures(folder / "gate.xml") == (0, 0)
    small_gate(folder, 1)
    assert incrowd("gate", "--quiet") == (0, "", "")
    code, out, _ = incrowd("history", "-o", "history.html")
    assert code == 0 and "2 runs of 2 published a release" in out and "<svg" in (folder / "history.html").read_text()
    code, out, _ = incrowd("history", "--json")
    assert code == 0 and [run["exit_code"] for run in json.loads(out)["runs"]] == [0, 0]


def test_quiet_keeps_warnings_to_itself(folder, incrowd, monkeypatch):
    honest = pipeline.cleaned

    def warned(*given):
        warnings.warn("a warning of the data", IncrowdWarning, stacklevel=2)
        return honest(*given)

    monkeypatch.setattr(pipeline, "cleaned", warned)
    assert incrowd("gate", "--first-run", "--quiet") == (0, "", "")
    small_gate(folder, 1)
    assert "IncrowdWarning" in incrowd("gate")[2]  # here a warning that is heard is an error


@pytest.mark.parametrize("log", [True, False])
def test_an_xml_that_cannot_be_written_does_not_hide_that_the_release_is_published(folder, incrowd, monkeypatch, log):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("incrowd.gate.junit.write_junit", full)
    code, out, err = incrowd("gate", "--first-run", "--junit", "gate.xml", *(["--log-json"] if log else []))
    assert code == 0 and "the run is complete, but gate.xml cannot be written" in (out if log else err)
    assert not (folder / "gate.xml").exists() and len(list((folder / "published").glob("*/release"))) == 1


def test_a_shut_gate_ends_with_1_and_every_line_of_its_log_is_json(folder, incrowd):
    code, out, err = incrowd("gate", "--log-json", "--junit", "gate.xml")  # nobody said that it is the first run
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 1 and err == "" and all("time" in line for line in lines)
    assert lines[-1]["event"] == "end" and lines[-1]["exit_code"] == 1 and lines[-1]["passed"] is False
    assert failures(folder / "gate.xml") == (2, 0) and "rider" not in out


@pytest.mark.parametrize("log", [True, False])
def test_a_mistake_ends_with_2_in_the_log_and_the_xml_and_leaves_no_verdict_of_before(folder, incrowd, log):
    (folder / "gate.xml").write_text("<testsuites/>")
    text = (folder / "incrowd.toml").read_text().replace("k = 12", 'k = "12"')
    (folder / "incrowd.toml").write_text(text)
    code, out, err = incrowd("gate", "--junit", "gate.xml", *(["--log-json"] if log else []))
    said = json.loads(out)["message"] if log else err
    assert code == 2 and "incrowd.toml line 8: k must be a whole number, got a text." in said
    assert failures(folder / "gate.xml") == (0, 1)


@pytest.mark.parametrize("target", ["incrowd-history.sqlite", "night.csv", "incrowd.toml"])
def test_the_xml_replaces_nothing_but_xml(folder, incrowd, target):
    assert incrowd("gate", "--first-run", "--quiet")[0] == 0
    before = (folder / target).read_bytes()
    code, _, err = incrowd("gate", "--junit", target)
    assert code == 2 and "must end in .xml" in err and (folder / target).read_bytes() == before


def test_init_writes_a_file_that_runs_and_is_not_overwritten(folder, incrowd):
    code, out, _ = incrowd(*INIT)
    assert code == 0 and "incrowd gate new.toml --first-run" in out
    assert incrowd(*INIT)[0] == 2
    assert incrowd("gate", "new.toml", "--first-run", "--quiet") == (0, "", "")
