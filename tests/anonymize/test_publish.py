import hashlib
import json
import random
import signal
import stat
import subprocess
import sys
import time

import numpy as np
import pytest

import incrowd as ic
from incrowd.anonymize import Cut, publish
from incrowd.data import load

WRITER = """
import sys, numpy as np, incrowd as ic
from incrowd.anonymize import Cut, publish
rng = np.random.default_rng(0)
visits = ic.Visits.from_arrays(rng.integers(0, 500, 60_000), rng.integers(0, 50, 60_000), rng.integers(0, 168, 60_000),
                               slot_min=60, xy=rng.uniform(0, 9e3, (50, 2)))
release = Cut()(visits)
print("ready", flush=True)
publish(release, sys.argv[1], force=True)
"""


@pytest.fixture
def visits():
    rng = np.random.default_rng(0)
    labels = [f"person-{i:06d}" for i in rng.integers(0, 60, 900)]
    return ic.Visits.from_arrays(
        labels, rng.integers(0, 9, 900), rng.integers(0, 48, 900), slot_min=60, start=0, xy=rng.uniform(0, 9e3, (9, 2))
    )


def is_whole(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    found = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.iterdir() if p.name != "manifest.json"}
    return manifest["files"] == found


@pytest.mark.parametrize("file", ["parquet", "csv"])
def test_the_folder_holds_what_the_page_says(visits, tmp_path, file):
    folder = publish(Cut()(visits), tmp_path / "release", file=file)
    assert {p.name for p in folder.iterdir()} == {f"data.{file}", "cells.csv", "manifest.json", "README.md"}
    assert is_whole(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["method"] == "Cut" and manifest["parameters"]["window_h"] == 6
    assert manifest["pseudonyms"] == "operating system"
    assert manifest["guarantee"].startswith("none (heuristic)")
    everything = b"".join(p.read_bytes() for p in folder.iterdir())
    assert b"person-" not in everything and str(tmp_path).encode() not in everything


def test_the_table_reads_back(visits, tmp_path):
    release = Cut()(visits)
    again = load(publish(release, tmp_path / "release") / "data.parquet")
    assert (again.cell == release.data.cell).all() and (again.slot == release.data.slot).all()
    assert (again.offsets == release.data.offsets).all()


def test_a_seeded_release_says_so_but_not_the_seed(visits, tmp_path):
    folder = publish(Cut()(visits, pseudonym_seed=987_654), tmp_path / "release")
    text = (folder / "manifest.json").read_text()
    assert json.loads(text)["pseudonyms"] == "seeded"
    assert "987654" not in text


def test_an_existing_folder_is_refused_and_replaced_only_with_force(visits, tmp_path):
    target = tmp_path / "release"
    target.mkdir()
    (target / "precious").write_text("mine")
    with pytest.raises(ic.ParameterError, match="exists"):
        publish(Cut()(visits), target)
    assert [p.name for p in target.iterdir()] == ["precious"]
    publish(Cut()(visits), target, force=True)
    assert is_whole(target)
    assert [p.name for p in tmp_path.iterdir()] == ["release"]


def test_the_link_file_is_private_and_true(visits, tmp_path):
    release = Cut()(visits)
    publish(release, tmp_path / "release", link=tmp_path / "link.csv", original=visits)
    link = tmp_path / "link.csv"
    assert stat.S_IMODE(link.stat().st_mode) == 0o600
    rows = [line.split(",") for line in link.read_text().splitlines()[1:]]
    assert len(rows) == len(release.data)
    for pseudonym, user in rows[:20]:
        assert visits.users[release.members[int(pseudonym)][0]] == user.strip('"')


def test_a_failure_leaves_nothing(visits, tmp_path, monkeypatch):
    monkeypatch.setattr("incrowd.anonymize.folder._readme", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        publish(Cut()(visits), tmp_path / "release")
    assert list(tmp_path.iterdir()) == []


def test_killed_at_any_moment_the_target_is_absent_or_whole(tmp_path):
    target = tmp_path / "release"
    rng = random.Random(7)
    seen = set()
    for _ in range(6):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(rng.uniform(0, 0.25))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert not target.exists() or is_whole(target)
        seen.add(target.exists())
    subprocess.run([sys.executable, "-c", WRITER, str(target)], check=True, capture_output=True)
    assert is_whole(target)
    assert [p.name for p in tmp_path.iterdir()] == ["release"], "what killed runs left behind is swept"
