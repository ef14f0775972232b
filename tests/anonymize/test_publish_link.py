"""No release stands without its link (docs/release.md): the order of renames, and what killed runs leave."""

import signal
import subprocess
import sys

import numpy as np
import pytest

import incrowd as ic
from incrowd.anonymize import Cut, publish
from incrowd.data.release_folder import id_in, link_id
from incrowd.errors import IncrowdWarning

WRITER = """
import os, signal, sys, warnings, numpy as np, incrowd as ic
from pathlib import Path
from incrowd.anonymize import Cut, publish

warnings.simplefilter("ignore")
visits = ic.Visits.from_arrays(np.arange(9) % 3, np.arange(9), np.arange(9), slot_min=60)
release, left = Cut()(visits), [10**9]

def counted(call):
    def step(*given, **more):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*given, **more)
    return step

for owner, name in [(Path, "rename"), (Path, "replace"), (Path, "unlink"), (os, "fsync")]:
    setattr(owner, name, counted(getattr(owner, name)))
left[0] = int(sys.argv[3])
publish(release, sys.argv[1], link=sys.argv[2], original=visits, force=True)
"""


@pytest.fixture
def visits():
    return ic.Visits.from_arrays(np.arange(9) % 3, np.arange(9), np.arange(9), slot_min=60)


def links_of(folder):
    return [path for path in folder.iterdir() if path.suffix == ".csv" and not path.name.startswith(".")]


@pytest.mark.parametrize("older", [False, True], ids=["nothing there", "an older release"])
def test_killed_at_any_moment_a_release_has_its_link(visits, tmp_path, older):
    folder, link = tmp_path / "release", tmp_path / "link.csv"
    for step in range(60):
        if older and not folder.exists():
            publish(Cut()(visits), folder, link=link, original=visits, force=True)
        run = [sys.executable, "-c", WRITER, str(folder), str(link), str(step)]
        code = subprocess.run(run, check=False, capture_output=True).returncode
        assert code in (0, -signal.SIGKILL)
        if folder.exists():
            assert id_in(folder) in {link_id(path) for path in links_of(tmp_path)}, step
        if code == 0:
            break
    assert code == 0 and step > 5
    assert link_id(link) == id_in(folder) and links_of(tmp_path) == [link]


def test_a_link_whose_release_was_never_finished_is_replaced_and_named(visits, tmp_path):
    folder, link = tmp_path / "release", tmp_path / "link.csv"
    publish(Cut()(visits), folder, link=link, original=visits)
    folder.rename(tmp_path / "moved")
    with pytest.raises(ic.ParameterError, match="exists"):  # its release stands, under another name
        publish(Cut()(visits), folder, link=link, original=visits)
    import shutil

    shutil.rmtree(tmp_path / "moved")
    with pytest.warns(IncrowdWarning, match="never finished"):
        publish(Cut()(visits), folder, link=link, original=visits)
    assert link_id(link) == id_in(folder)


def test_a_file_that_is_no_link_is_never_replaced_unasked(visits, tmp_path):
    (tmp_path / "link.csv").write_text("precious\n1\n")
    with pytest.raises(ic.ParameterError, match="exists"):
        publish(Cut()(visits), tmp_path / "release", link=tmp_path / "link.csv", original=visits)


@pytest.mark.parametrize("name", ["link.csv", "link.txt", "link", "l=1.csv", "l[1].dat"])
def test_every_link_that_can_be_written_can_be_read(visits, tmp_path, name):
    folder = publish(Cut()(visits), tmp_path / "release", link=tmp_path / name, original=visits)
    assert ic.audit.check(folder, original=visits, link=tmp_path / name).passed


def test_people_held_out_are_listed_and_are_in_no_release(tmp_path):
    everybody = ic.Visits.from_arrays(np.arange(60) % 6, np.arange(60) % 4, np.arange(60) // 2, slot_min=60, start=0)
    keep = everybody.owner != 5
    some = ic.Visits.from_arrays(
        everybody.owner[keep], everybody.cell[keep], everybody.slot[keep], slot_min=60, start=0
    )
    folder = publish(Cut()(some), tmp_path / "release", link=tmp_path / "link.csv", original=some, held_out=[5])
    assert (tmp_path / "link.csv").read_text().splitlines()[-1].startswith(',"5",')
    for original in (some, everybody):
        verdict = ic.audit.check(folder, original=original, link=tmp_path / "link.csv")
        assert verdict.passed, verdict
    assert "held out" in verdict["records"].evidence
    without = (tmp_path / "link.csv").read_text().splitlines()[:-1]
    (tmp_path / "short.csv").write_text("\n".join(without) + "\n")
    assert not ic.audit.check(folder, original=everybody, link=tmp_path / "short.csv").passed


def test_pseudonyms_that_are_no_ranks_are_not_published(visits, tmp_path):
    with pytest.raises(ic.DataError, match="0 to n - 1"):
        publish(ic.Release.from_arrays(visits, [[0], [1], [2]], params={}), tmp_path / "fine") and publish(
            ic.Release.from_arrays(ic.Visits.from_arrays(["a"], [0], [0]), [[0]]), tmp_path / "release"
        )


def test_equal_boxes_of_a_crowd_are_published_once(tmp_path):
    twice = ic.Fingerprints.from_arrays([0, 0], x=[0, 0], y=[0, 0], t=[0, 0], crowd=2, collapse=False, start=0)
    folder = publish(ic.Release.from_arrays(twice, [[0, 1]], ledger=twice.ledger), tmp_path / "release")
    assert ic.read.release(folder).records == 1


def test_counts_are_a_kind_of_release(tmp_path):
    counts = ic.Counts.from_arrays([[5, 0], [7, 9]], xy=[[0, 0], [500, 0]], slot_min=60)
    release = ic.Release.from_arrays(counts, [], params={"method": "Counts", "suppress_below": 5})
    for file in ("parquet", "csv"):
        folder = publish(release, tmp_path / file, file=file)
        assert ic.audit.check(folder).passed
        assert (ic.read.release(folder).n == counts.n).all()
