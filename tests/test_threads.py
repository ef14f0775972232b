"""How many threads: what the environment asks for, else what the machine and its control groups grant."""

import os
import subprocess
import sys
import time
from importlib import import_module

import pytest

import incrowd as ic
from incrowd import progress
from incrowd.threads import Pool, _free, _processors, _quota, free_memory, in_blocks, threads


def test_the_environment_decides(monkeypatch):
    monkeypatch.setenv("INCROWD_THREADS", "3")
    assert threads() == 3
    monkeypatch.delenv("INCROWD_THREADS")
    assert threads() >= 1


@pytest.mark.parametrize("given", ["0", "-1", "two", "1.5", "99999", "٣"])
def test_what_is_no_number_of_threads_is_refused(monkeypatch, given):
    monkeypatch.setenv("INCROWD_THREADS", given)
    with pytest.raises(ic.ParameterError, match="INCROWD_THREADS must be a whole number"):
        threads()


@pytest.mark.parametrize(("text", "processors"), [("150000 100000", 2), ("max 100000", 0), ("nonsense", 0), ("5 0", 0)])
def test_a_quota_of_version_2_is_rounded_up(tmp_path, text, processors):
    (tmp_path / "cpu.max").write_text(text)
    assert _processors(tmp_path) == processors


def test_a_quota_of_version_1(tmp_path):
    (tmp_path / "cpu.cfs_quota_us").write_text("300000\n")
    (tmp_path / "cpu.cfs_period_us").write_text("100000\n")
    assert _processors(tmp_path) == 3
    (tmp_path / "cpu.cfs_quota_us").write_text("-1\n")
    assert _processors(tmp_path) == 0


def test_the_smallest_quota_on_the_way_up_holds(tmp_path):
    own, group = tmp_path / "own", tmp_path / "cgroup" / "outer" / "inner"
    group.mkdir(parents=True)
    own.write_text("0::/outer/inner\n")
    (group / "cpu.max").write_text("max 100000")
    (group.parent / "cpu.max").write_text("400000 100000")
    assert _quota(tmp_path / "cgroup", own) == 4
    (group / "cpu.max").write_text("200000 100000")
    assert _quota(tmp_path / "cgroup", own) == 2
    assert _quota(tmp_path / "nowhere", tmp_path / "nothing") == 4096


@pytest.mark.parametrize(("given", "numba"), [("1", 1), ("2", 2), ("64", 3)])
def test_numba_takes_as_many_and_never_above_its_own_limit(given, numba):
    environment = {**os.environ, "INCROWD_THREADS": given, "NUMBA_NUM_THREADS": "3"}
    code = "import incrowd.kernels.cpu; from numba import get_num_threads; print(get_num_threads())"
    done = subprocess.run([sys.executable, "-c", code], check=True, env=environment, capture_output=True, text=True)
    assert int(done.stdout) == numba


@pytest.mark.parametrize("given", ["1", "2"])
def test_every_pool_has_as_many_threads_as_the_environment_asks_for(monkeypatch, given):
    sizes = []

    class Counted(Pool):
        def __init__(self, workers):
            sizes.append(workers)
            super().__init__(workers)

    monkeypatch.setenv("INCROWD_THREADS", given)
    for module in ("threads", "measure._exposure", "measure.sweep", "attack.recover"):
        monkeypatch.setattr(import_module(f"incrowd.{module}"), "Pool", Counted)
    traces = ic.Traces.from_arrays([1, 1, 2], [0, 3600, 0], x=[0.0, 9.0, 0.0], y=[0.0, 9.0, 0.0])
    small = {"blocks": [1, 2], "minutes": [60], "points": [1], "samples": 10}
    ic.measure.sweep(traces, **small)
    ic.measure.sweep_estimate(traces, **small)
    slots = [0, 1, 2, 3] * 2
    visits = ic.Visits.from_arrays([1] * 4 + [2] * 4, [0, 1] * 4, slots, xy=[[0, 0], [9, 0]], slot_min=360, start=0)
    ic.measure.exposure(visits)
    ic.attack.recover(ic.discretize.counts(visits))
    in_blocks(lambda part: None, 10, block=4)
    assert len(sizes) >= 6 and set(sizes) == {int(given)}


@pytest.mark.parametrize("given", ["1", "3"])
def test_every_block_is_worked_on_by_one_thread_and_by_several(monkeypatch, given):
    monkeypatch.setenv("INCROWD_THREADS", given)
    done = []
    in_blocks(lambda part: done.append((part.start, part.stop)), 10, block=4)
    assert sorted(done) == [(0, 4), (4, 8), (8, 10)]


def test_who_listens_hears_every_thread_and_one_at_a_time(monkeypatch):
    monkeypatch.setenv("INCROWD_THREADS", "3")
    heard, inside = [], []

    def listen(label, done, total):
        inside.append(label)
        time.sleep(0.01)
        assert len(inside) == 1
        heard.append(done)
        inside.pop()

    with progress.listening(listen):
        in_blocks(lambda part: progress.tell("working", part.start, 10), 10, block=2)
    assert sorted(heard) == [0, 2, 4, 6, 8]


def test_the_least_free_memory_on_the_way_up_holds(tmp_path):
    own, meminfo, group = tmp_path / "own", tmp_path / "meminfo", tmp_path / "cgroup" / "outer" / "inner"
    group.mkdir(parents=True)
    own.write_text("0::/outer/inner\n")
    assert _free(meminfo, tmp_path / "cgroup", own) == sys.maxsize
    meminfo.write_text("MemTotal: 9 kB\nMemAvailable:    5 kB\nSwapFree: 7 kB\n")
    assert _free(meminfo, tmp_path / "cgroup", own) == 5 * 1024
    for folder, limit in ((group, "max"), (group.parent, "4000")):
        (folder / "memory.max").write_text(limit)
        (folder / "memory.current").write_text("3000")
        (folder / "memory.stat").write_text("active_file 7\ninactive_file 200\n")  # pages of files can go
    assert _free(meminfo, tmp_path / "cgroup", own) == 1200
    assert free_memory() > 0


def test_free_memory_of_version_1(tmp_path):
    group, nothing = tmp_path / "memory", tmp_path / "nothing"
    group.mkdir()
    pages = "inactive_file 5\ntotal_inactive_file 300\n"  # its own, and those of the groups below, too
    for name, text in (("limit_in_bytes", "900"), ("usage_in_bytes", "950"), ("stat", pages)):
        (group / f"memory.{name}").write_text(text)
    assert _free(nothing, tmp_path, nothing) == 250
    (group / "memory.usage_in_bytes").write_text("1950")
    assert _free(nothing, tmp_path, nothing) == 0
    (group / "memory.limit_in_bytes").write_text("-1")
    assert _free(nothing, tmp_path, nothing) == sys.maxsize


@pytest.mark.parametrize("stat", [None, "", "inactive_file", "inactive_file much", "\xff"])
def test_a_limit_of_memory_holds_whatever_is_said_of_its_pages(tmp_path, stat):
    (tmp_path / "memory.max").write_text("5000")
    (tmp_path / "memory.current").write_text("3000")
    if stat is not None:
        (tmp_path / "memory.stat").write_text(stat, encoding="latin-1")
    assert _free(tmp_path / "nothing", tmp_path, tmp_path / "nothing") == 2000


def test_the_system_may_say_nothing_of_memory_or_nonsense(tmp_path):
    meminfo, nothing = tmp_path / "meminfo", tmp_path / "nothing"
    for text, free in (("", sys.maxsize), ("MemAvailable:", sys.maxsize), ("MemAvailable: -5 kB", 0)):
        meminfo.write_text(text)
        assert _free(meminfo, nothing, nothing) == free
