"""The commands one after another, their errors, exit codes and help."""

import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest

import incrowd as ic
from incrowd.cli import main
from incrowd.data import load


def test_read_clean_discretize_measure_anonymize_audit(incrowd, trips, tmp_path):
    traces, clean, visits = (tmp_path / f"{name}.parquet" for name in ("traces", "clean", "visits"))
    assert incrowd("read", trips, "-o", traces)[0] == 0
    assert incrowd("clean", traces, "-o", clean)[0] == 0
    assert incrowd("discretize", clean, "-o", visits, "--cell-m", 500, "--slot-min", 60)[0] == 0
    assert load(visits).records == 40
    code, out, err = incrowd("measure", "uniqueness", visits, "--points", "1-2", "--json")
    assert code == 0 and err == ""
    risks = json.loads(out)
    assert [(r["points"], r["short"]) for r in risks] == [(m, s) for m in (1, 2) for s in ("drop", "all", "zero")]
    measured = ("--residual-points", 1)
    assert incrowd("anonymize", "cut", visits, "-o", tmp_path / "release", "--window-h", 3, *measured)[0] == 0
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert [risk["short"] for risk in manifest["residual_risk"]] == ["drop", "all"]
    code, out, _ = incrowd("audit", tmp_path / "release", "--original", visits)
    assert code == 0, out


def test_the_ledger_goes_through_files(incrowd, trips, tmp_path):
    traces, clean = tmp_path / "traces.parquet", tmp_path / "clean.parquet"
    incrowd("read", trips, "-o", traces)
    code, out, _ = incrowd("clean", traces, "-o", clean, "--json")
    ledger = json.loads(out)["ledger"]
    assert code == 0
    assert ledger[0]["read"] == 40
    assert all(
        step["read"] + sum(step["created"].values()) == step["kept"] + sum(step["dropped"].values()) for step in ledger
    )


def test_inspect_says_what_is_there_and_names_nobody(incrowd, trips):
    code, out, err = incrowd("inspect", trips)
    assert code == 0 and err == ""
    assert "people" in out and "40" in out
    assert "rider" not in out and "52.0" not in out


def test_options_that_do_not_fit_are_refused(incrowd, trips, tmp_path):
    code, _, err = incrowd("discretize", trips, "-o", tmp_path / "v.parquet", "--into", "towers")
    assert code == 2 and "--towers" in err
    code, _, err = incrowd("discretize", trips, "-o", tmp_path / "v.parquet", "--into", "grid", "--blocks", 5)
    assert code == 2 and "--blocks has no use with --into grid" in err
    code, _, err = incrowd("read", trips, "-o", tmp_path / "v.xlsx")
    assert code == 2 and ".parquet or .csv" in err
    code, _, err = incrowd("read", trips, "-o", tmp_path / "v.csv", "--bad-rows", tmp_path / "v.csv")
    assert code == 2 and "--bad-rows" in err
    code, _, err = incrowd("clean", trips, "-o", tmp_path / "v.parquet", "--steps", "dupes")
    assert code == 2 and "unknown step 'dupes'" in err
    assert [p.name for p in tmp_path.iterdir()] == ["trips.csv"]


def test_an_existing_output_is_kept(incrowd, trips, tmp_path):
    target = tmp_path / "traces.parquet"
    target.write_text("mine")
    code, _, err = incrowd("read", trips, "-o", target)
    assert code == 2 and err.startswith("incrowd: ") and "--force" in err
    assert target.read_text() == "mine"
    assert incrowd("read", trips, "-o", target, "--force")[0] == 0


def test_bad_rows_stop_or_go_aside(incrowd, trips, tmp_path):
    trips.write_text(trips.read_text() + "rider9,yesterday,52,5\n")
    code, out, err = incrowd("read", trips, "-o", tmp_path / "traces.parquet")
    assert code == 2 and out == ""
    assert "line 42" in err and "yesterday" not in err and err.count("\n") == 1
    assert not (tmp_path / "traces.parquet").exists()
    code, out, _ = incrowd("read", trips, "-o", tmp_path / "traces.parquet", "--bad-rows", tmp_path / "bad.csv")
    assert code == 0 and "-1 " in out
    assert (tmp_path / "bad.csv").exists()


def test_every_measure(incrowd, trips, tmp_path):
    visits, release = tmp_path / "visits.parquet", tmp_path / "release"
    incrowd("discretize", trips, "-o", visits, "--cell-m", 500, "--slot-min", 60)
    code, out, _ = incrowd("measure", "exposure", visits)
    assert code == 0 and "4 people" in out
    code, out, _ = incrowd("measure", "cut-risk", visits, "--windows", 2, "--points", 1)
    assert code == 0 and "8 pieces" in out and "an attacker who knew the visits before the cut" in out
    code, out, _ = incrowd("measure", "sequences", visits, "--k", 2)
    assert code == 0 and "minimal violating" in out
    incrowd("anonymize", "cut", visits, "-o", release)
    code, out, _ = incrowd("measure", "utility", visits, release, "--json")
    assert code == 0 and json.loads(out)["visits_shared"] == 1
    code, out, _ = incrowd("measure", "utility", visits, release, "--common-m", 250)
    assert code == 0 and "compared in cells of 500 m and slots of 60 min; cells of 250 m would be finer" in out


def test_demo_writes_a_report(incrowd, tmp_path):
    code, out, err = incrowd("demo", "-o", tmp_path / "demo", "--users", 60, "--towers", 20, "--days", 2)
    assert code == 0, err
    assert "cut: Do not publish" in out
    assert all(f"{name}: Nothing above your limits" in out for name in ("glove", "counts"))
    assert "cleaning" in err
    page = (tmp_path / "demo" / "report.html").read_text()
    assert "Which release of this city can be published?" in page and "cut.html" in page
    for name in ("cut", "glove", "counts"):
        assert (tmp_path / "demo" / name / "manifest.json").exists()
        signed = (tmp_path / "demo" / f"{name}.html").read_text()
        files = [tmp_path / "demo" / name / "data.parquet", tmp_path / "demo" / "private" / f"{name}-data.parquet"]
        assert all(hashlib.sha256(file.read_bytes()).hexdigest() in signed for file in files)
        assert signed.count(f"incrowd assess {files[1]}") >= 1 and "in memory" not in signed.partition("<details")[0]


def test_the_command_on_a_page_of_the_demo_writes_that_page(incrowd, tmp_path):
    code, out, err = incrowd("demo", "-o", tmp_path / "demo", "--users", 40, "--towers", 12, "--days", 2)
    assert code == 0, err
    page = tmp_path / "demo" / "glove.html"
    command = page.read_text().partition("<dt>Command</dt><dd><code>")[2].partition("</code>")[0]
    words = shlex.split(re.sub("<[^>]*>", "", command))
    page.unlink()
    code, again, err = incrowd(*words[1:])
    assert code == 0, err
    verdict = out.partition("glove: ")[2].partition("\n")[0]
    assert verdict in again and page.exists()


def test_an_internal_error_shows_no_traceback_and_no_value(incrowd, trips, tmp_path, monkeypatch):
    def bug(*_args, **_more):
        raise KeyError("rider1 at 52.01")

    monkeypatch.setattr("incrowd.read.table", bug)
    code, out, err = incrowd("read", trips, "-o", tmp_path / "t.parquet")
    assert code == 2 and out == ""
    assert "internal error (KeyError)" in err and "rider1" not in err and "Traceback" not in err
    monkeypatch.setattr(sys, "argv", ["incrowd", "read", str(trips), "-o", str(tmp_path / "t.parquet"), "--debug"])
    with pytest.raises(KeyError):
        main()


def test_version_and_help(incrowd):
    assert incrowd("--version")[1] == f"incrowd {ic.__version__}\n"
    for verb in ("demo", "read", "inspect", "clean", "discretize", "measure", "anonymize", "audit"):
        code, out, _ = incrowd(verb, "--help")
        assert code == 0 and f"incrowd {verb}" in out


def test_a_flag_is_shown_without_a_value(incrowd):
    for command in ((), ("read",), ("anonymize",), ("anonymize", "glove"), ("papers", "gramaglia2015")):
        code, out, _ = incrowd(*command, "--help")
        assert code == 0 and "--help" in out and "<bool>" not in out


def test_ctrl_c_leaves_nothing(tmp_path):
    target = tmp_path / "demo"
    command = [sys.executable, "-m", "incrowd", "demo", "-o", str(target), "--users", "20000"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "NO_COLOR": "1"})
    assert "building" in process.stderr.readline()
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT)  # both read as 130 in a shell
    assert "interrupted" in err and "Traceback" not in err
    assert not target.exists()


def test_sweep_and_report(incrowd, trips, tmp_path):
    small = ("--blocks", "2,4", "--minutes", "60", "--points", "1-2", "--samples", 50)
    code, out, _ = incrowd("measure", "sweep", trips, *small, "--estimate")
    assert code == 0 and "2 resolutions" in out
    code, out, _ = incrowd("measure", "sweep", trips, *small, "-o", tmp_path / "s.csv", "--report", tmp_path / "s.html")
    assert code == 0 and "finest" in out
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 5 and (tmp_path / "s.html").exists()
    visits = tmp_path / "visits.parquet"
    incrowd("discretize", trips, "-o", visits)
    incrowd("anonymize", "cut", visits, "-o", tmp_path / "release")
    code, _, _ = incrowd("report", visits, "--release", tmp_path / "release", "-o", tmp_path / "r.html")
    assert code == 0 and "Does the release meet the guarantees it states?" in (tmp_path / "r.html").read_text()


def test_sensitive_values_are_matched_as_the_data_hold_them(incrowd, tmp_path):
    visits = ic.Visits.from_arrays(range(8), [0] * 8, [0] * 8, slot_min=60, attributes={"code": [1] * 6 + [2, 3]})
    saved, asked = visits.save(tmp_path / "v.parquet"), ("--l", 1, "--k", 2, "--c", 0.5, "--sensitive", "code")
    code, out, _ = incrowd("measure", "sequences", saved, *asked, "--value", 1, "--json")
    assert code == 0 and json.loads(out)["minimal violating"] == {"1": 1}
    code, _, err = incrowd("measure", "sequences", saved, *asked, "--value", 9)
    assert code == 2 and "nobody carries" in err
    code, _, err = incrowd("anonymize", "lkc", saved, "-o", tmp_path / "release", *asked, "--value", 1)
    assert code == 2 and "nothing is left to publish" in err
    code, _, err = incrowd("papers", "mohammed2009", "--report", tmp_path / "x.html")
    assert code == 2 and "--data" in err
