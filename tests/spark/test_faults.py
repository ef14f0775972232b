"""What is killed leaves no half release, and a lost executor changes no number."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import psutil
import pytest

import incrowd as ic
from spark.conftest import MASTER, SETTINGS
from spark.parity import assert_same_risk, assert_same_table, release_in

pytestmark = pytest.mark.spark
GRAIN = {"cell_m": 500, "slot_min": 60}
DRIVER = """
import sys, time, warnings
warnings.simplefilter("ignore")
from pathlib import Path
import incrowd as ic, incrowd.spark
staging = sys.modules["incrowd.spark.staging"]
city, folder, settings = sys.argv[1], Path(sys.argv[2]), eval(sys.argv[3])
read = staging._batches
def wait(parts, schema):
    for batch in read(parts, schema):
        yield batch
        (folder.parent / "begun").touch()
        time.sleep(600)
staging._batches = wait
spark = incrowd.spark.session("local[2]", settings)
blocks = incrowd.spark.grid(spark, city, cell_m=500, slot_min=60, parts=2)
incrowd.spark.release(blocks, ic.anonymize.Cut(), folder)
"""


def test_a_killed_driver_leaves_no_folder_and_the_next_run_removes_its_staging(spark, city, tmp_path):
    from incrowd.spark import grid, release

    folder = tmp_path / "release"
    words = [sys.executable, "-c", DRIVER, str(city), str(folder), repr(SETTINGS)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as driver:
        deadline = time.monotonic() + 400
        while not (tmp_path / "begun").exists() and driver.poll() is None and time.monotonic() < deadline:
            time.sleep(0.2)
        assert driver.poll() is None
        children = psutil.Process(driver.pid).children(recursive=True)
        driver.kill()
    for child in children:
        if child.is_running():
            child.kill()
    left = {path.name.rpartition(".")[2]: path for path in tmp_path.iterdir() if path.name.startswith(".release.")}
    assert not folder.exists() and sorted(left) == ["part", "staging"]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o700 for path in left.values())
    release(grid(spark, city, parts=2, **GRAIN), ic.anonymize.Cut(), folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["begun", "release"]


@pytest.fixture
def executors(spark):
    """The processes of the executors; only those of this session."""
    if MASTER.startswith("local["):
        pytest.skip("executors are processes of their own in a cluster alone; run make spark")

    def running():
        mine = psutil.Process(os.getpid()).children(recursive=True)
        alive = [process for process in mine if process.status() != psutil.STATUS_ZOMBIE]
        return [process for process in alive if "CoarseGrainedExecutorBackend" in " ".join(process.cmdline())]

    return running


@contextmanager
def one_killed(spark, executors):
    """Kill an executor as soon as every core works on a task of ours; both must be there before."""
    deadline, done, hit = time.monotonic() + 120, threading.Event(), threading.Event()
    while len(executors()) < 2 and time.monotonic() < deadline:
        time.sleep(0.5)
    victim, tracker = executors()[0], spark.sparkContext.statusTracker()

    def watch():
        while not done.wait(0.02) and not hit.is_set():
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            if any(stage and stage.name.startswith("collect") and stage.numActiveTasks >= 2 for stage in stages):
                victim.send_signal(signal.SIGKILL)
                hit.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    yield
    done.set()
    watcher.join()
    assert hit.is_set()


def test_a_lost_executor_changes_no_number(spark, city, executors, tmp_path):
    from incrowd.spark import grid, release, uniqueness

    visits = ic.discretize.grid(city, **GRAIN)
    with one_killed(spark, executors):
        blocks = grid(spark, city, parts=4, **GRAIN)
    assert_same_table(blocks.collect(), visits)
    with one_killed(spark, executors):
        there = uniqueness(blocks, points=3, repeats=2)
    assert_same_risk(there, ic.measure.uniqueness(visits, points=3, repeats=2))
    cut = ic.anonymize.Cut(window_h=12)
    with one_killed(spark, executors):
        release(blocks, cut, tmp_path / "there", pseudonym_seed=1)
    ic.anonymize.publish(cut(visits, pseudonym_seed=1), tmp_path / "here")
    assert release_in(tmp_path / "there") == release_in(tmp_path / "here")
