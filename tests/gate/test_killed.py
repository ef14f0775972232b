"""A gate that is ended at any moment leaves nothing half-written, and the next night is like any other."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from incrowd.gate import gate
from incrowd.gate.records import runs_in
from nights import as_sqlite, small_gate

HISTORY = "incrowd-history.sqlite"
# Ends itself with SIGKILL right after a file was put where it belongs: the first is the link, the second the release.
KILLED = """
import os, pathlib, signal, sys
from incrowd.gate import gate
honest, done = pathlib.Path.rename, []
def rename(self, target):
    moved = honest(self, target)
    if pathlib.Path(target).parent.name in ("published", "private"):
        done.append(target)
        if len(done) == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
    return moved
pathlib.Path.rename = rename
gate(sys.argv[1])
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("moves", [1, 2])
def test_killed_between_the_link_and_the_release_or_before_the_history(second, moves):
    """The link of a release that never appeared goes with the next run; a release that appeared is attacked with."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(second / "incrowd.toml"), str(moves)], check=False)
    assert done.returncode == -signal.SIGKILL and len(names(second / "private")) == 3  # two links, one hidden folder
    assert len(list((second / "published").glob("[!.]*/release"))) == moves
    run = gate(second / "incrowd.toml")
    assert f"{moves} earlier release" in run.assessment.answer("earlier").note and run.exit_code == 0
    assert len(runs_in(second / HISTORY)) == 2 and not list(second.rglob("*.part"))
    assert len(names(second / "private")) == len(names(second / "published")) == moves + 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("step", ["read", "assess"])
def test_an_interrupted_command_removes_what_it_had_begun(second, tmp_path, how, step):
    """Copies of the source in the folder for temporary files too."""
    small_gate(second, 1, "night.sqlite")
    as_sqlite(second / "night.sqlite")
    before, copies = sorted(second.rglob("*")), tmp_path / "copies"
    copies.mkdir()
    words = [sys.executable, "-m", "incrowd", "gate", str(second / "incrowd.toml"), "--log-json"]
    environment = {**os.environ, "TMPDIR": str(copies), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        for line in process.stdout:
            if f'"{step}"' in line:
                time.sleep(0.2)
                process.send_signal(how)
                break
        _, errors = process.communicate()
    assert process.returncode == (130 if how is signal.SIGINT else 143), errors
    assert sorted(second.rglob("*")) == before and not list(copies.iterdir()) and "Traceback" not in errors
