import hashlib
import json
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import incrowd as ic
from incrowd.anonymize import Cut, publish
from incrowd.data import load

WRITER = """
import os, signal, sys, numpy as np, incrowd as ic
from pathlib import Path
from incrowd.anonymize import Cut, publish

rng = np.random.default_rng(0)
visits = ic.Visits.from_arrays(rng.integers(0, 9, 90), rng.integers(0, 5, 90), rng.integers(0, 48, 90),
                               slot_min=60, xy=rng.uniform(0, 9e3, (5, 2)))
release, left = Cut()(visits), [10**9]

def counted(call):
    def step(*given, **more):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*given, **more)
    return step

steps = [(Path, name) for name in ("rename", "replace", "write_text", "mkdir")] + [(os, "fsync"), (os, "unlink")]
for owner, name in steps:
    setattr(owner, name, counted(getattr(owner, name)))
if sys.argv[3]:
    publish(release, sys.argv[1], force=True)
left[0] = int(sys.argv[2])
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
    with pytest.raises(ic.ParameterError, match="not a release"):
        publish(Cut()(visits), target, force=True)
    assert [p.name for p in target.iterdir()] == ["precious"]
    (target / "precious").unlink()
    for _ in range(2):  # an empty folder, then an older release
        publish(Cut()(visits), target, force=True)
        assert is_whole(target)
    assert [p.name for p in tmp_path.iterdir()] == ["release"]


def test_a_failed_swap_keeps_the_older_release(visits, tmp_path, monkeypatch):
    target = publish(Cut()(visits), tmp_path / "release")
    before = (target / "manifest.json").read_text()
    rename = Path.rename
    monkeypatch.setattr(
        Path, "rename", lambda a, b: (_ for _ in ()).throw(OSError("full")) if a.suffix == ".part" else rename(a, b)
    )
    with pytest.raises(OSError, match="full"):
        publish(Cut()(visits), target, force=True, link=tmp_path / "link.csv", original=visits)
    assert (target / "manifest.json").read_text() == before
    assert [p.name for p in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize("where", ["release", "release/link.csv"])
def test_the_link_stays_out_of_the_release(visits, tmp_path, where):
    with pytest.raises(ic.ParameterError, match=r"keep it apart|does not exist"):
        publish(Cut()(visits), tmp_path / "release", link=tmp_path / where, original=visits)
    assert list(tmp_path.iterdir()) == []


def test_a_link_needs_the_data_the_release_was_made_from(visits, tmp_path):
    few = ic.Visits.from_arrays(["a"], [0], [0])
    for original in (None, few):
        with pytest.raises(ic.DataError, match="original"):
            publish(Cut()(visits), tmp_path / "release", link=tmp_path / "link.csv", original=original)
    assert list(tmp_path.iterdir()) == []


def test_the_link_file_is_private_and_true(visits, tmp_path):
    release = Cut()(visits)
    publish(release, tmp_path / "release", link=tmp_path / "link.csv", original=visits)
    link = tmp_path / "link.csv"
    assert stat.S_IMODE(link.stat().st_mode) == 0o600
    rows = [line.split(",") for line in link.read_text().splitlines()[1:]]
    assert len(rows) == len(release.data)
    stated = json.loads((tmp_path / "release" / "manifest.json").read_text())["id"]
    for pseudonym, user, ident in rows[:20]:
        assert visits.users[release.members[int(pseudonym)][0]] == user.strip('"') and ident == stated


def test_every_release_has_an_id_of_its_own_and_nothing_else_differs(visits, tmp_path):
    release = Cut()(visits, pseudonym_seed=1)
    one, other = (publish(release, tmp_path / name, residual_risk=None) for name in ("one", "other"))
    said = [json.loads((folder / "manifest.json").read_text()) for folder in (one, other)]
    assert said[0].pop("id") != said[1].pop("id") and said[0] == said[1]
    assert all((one / name).read_bytes() == (other / name).read_bytes() for name in said[0]["files"])


def test_a_failure_leaves_nothing(visits, tmp_path, monkeypatch):
    monkeypatch.setattr("incrowd.anonymize._publish.readme_of", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        publish(Cut()(visits), tmp_path / "release")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("older", [False, True], ids=["nothing there", "an older release"])
def test_killed_at_any_moment_the_target_is_absent_or_whole(tmp_path, older):
    """The writer kills itself before its n-th step, for every n, as kill -9 would."""
    target = tmp_path / "release"
    outcomes = []
    for step in range(100):
        run = [sys.executable, "-c", WRITER, str(target), str(step), "older" if older else ""]
        code = subprocess.run(run, check=False, capture_output=True).returncode
        assert code in (0, -signal.SIGKILL)
        assert not target.exists() or is_whole(target)
        outcomes.append(target.exists())
        if code == 0:
            break
        shutil.rmtree(target, ignore_errors=True)
    assert code == 0 and step > 5, "every step of the writing was reached"
    assert older or not all(outcomes)
    assert [p.name for p in tmp_path.iterdir()] == ["release"], "what killed runs left behind is swept"
