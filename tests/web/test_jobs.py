"""Jobs run in processes of their own: they can be cancelled, they outlive the server, and a crash stays their own."""

import os
import pickle
import signal
import subprocess
import sys
import time

import pytest

from incrowd.errors import DataError
from incrowd.web import runner
from incrowd.web.queue import Queue
from incrowd.web.store import Store
from web.asking import until

QUICK, LONG = [["--version"]], [["synthetic-city", "-o", "city.parquet", "--users", "100000", "--days", "30"]]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "home")


@pytest.fixture
def queue(store):
    queue = Queue(store)
    yield queue
    for job in store.jobs():
        queue.cancel(job)
    until(lambda: queue.tick() or not queue._children)


def started(store, queue, commands, count=1):
    numbers = [store.add_job(1, "run", "a job", commands) for _ in range(count)]
    queue.tick()
    return numbers


def states(store):
    return [job.state for job in reversed(store.jobs())]


def test_a_job_ends_without_a_server(store, queue):
    (number,) = started(store, queue, QUICK)
    until(lambda: store.job(number).over)  # nothing ticks
    assert states(store) == ["finished"]
    assert (queue.place_of(store.job(number)) / "0" / "stdout").read_text().startswith("incrowd ")


def test_two_run_at_a_time_and_the_third_waits_for_a_place(store, queue):
    first, *_ = started(store, queue, LONG, count=3)
    assert states(store) == ["running", "running", "waiting"]
    queue.cancel(store.job(first))
    until(lambda: queue.tick() or states(store) == ["cancelled", "running", "running"])


def test_a_job_that_waits_is_cancelled_at_once(store, queue):
    *_, third = started(store, queue, LONG, count=3)
    queue.cancel(store.job(third))
    assert store.job(third).state == "cancelled"


def test_a_crash_is_a_sentence_and_the_next_job_runs(store, queue):
    (number,) = started(store, queue, LONG)
    until(lambda: store.job(number).process)
    os.killpg(store.job(number).process, signal.SIGKILL)  # the runner and its command, as a machine without memory does
    until(lambda: queue.tick() or store.job(number).over)
    assert store.job(number).state == "failed"
    assert "process ended" in store.job(number).message
    (other,) = started(store, queue, QUICK)
    until(lambda: store.job(other).over)
    assert store.job(other).state == "finished"


def test_a_command_whose_job_lost_its_process_can_be_cancelled(store, queue):
    (number,) = started(store, queue, LONG)
    until((queue.place_of(store.job(number)) / "0" / "stdout").exists)
    os.kill(store.job(number).process, signal.SIGKILL)  # the runner alone; its command works on
    until(lambda: queue.tick() or not queue._children)
    assert states(store) == ["running"]
    queue.cancel(store.job(number))
    until(lambda: not queue._locked(store.job(number)), 15)
    assert states(store) == ["cancelled"]


@pytest.mark.parametrize("after_s", [0, 0.05, 0.2, 0.4, 0.8])
def test_a_job_that_is_cancelled_at_any_moment_leaves_no_process(store, queue, after_s):
    (number,) = started(store, queue, LONG)
    time.sleep(after_s)
    queue.cancel(store.job(number))
    until(lambda: not queue._locked(store.job(number)), 15)
    assert states(store) == ["cancelled"]


def test_a_job_that_is_cancelled_before_its_process_begins_runs_nothing(store, queue):
    number = store.add_job(1, "run", "a job", [["synthetic-city", "-o", "city.csv", "--users", "10"]])
    store.move(number, "running", expected="waiting")
    queue.cancel(store.job(number))
    runner.main(store.home, number)
    assert states(store) == ["cancelled"]
    assert not (store.home.parent / "city.csv").exists()


def test_a_command_that_fails_says_why_in_its_own_words(store, queue):
    (number,) = started(store, queue, [["inspect", "missing.csv"]])
    until(lambda: store.job(number).over)
    assert store.job(number).state == "failed"
    assert "missing.csv" in store.job(number).message


def test_killing_the_server_loses_no_job(store, queue, tmp_path):
    """A server starts two jobs and is killed at once; another one finds one finished and the other running."""
    script = (
        "import sys, os, signal; from pathlib import Path; from incrowd.web.store import Store; "
        "from incrowd.web.queue import Queue; store = Store(Path(sys.argv[1])); queue = Queue(store); "
        f"store.add_job(1, 'run', 'quick', {QUICK!r}); store.add_job(1, 'run', 'long', {LONG!r}); "
        "queue.tick(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(store.home)], check=False)
    assert done.returncode == -signal.SIGKILL
    until(lambda: queue.tick() or states(store)[0] == "finished")
    assert states(store) == ["finished", "running"]
    queue.tick()
    assert states(store)[1] == "running"


class Evil:
    """Runs a command when it is read, as a prepared folder of data could hold it."""

    def __reduce__(self):
        return os.mkdir, ("evil",)


def test_a_stored_answer_that_would_run_something_is_refused(visitor, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = visitor.studio.store
    job = store.job(store.add_job(1, "clean", "a job", [["a"]]))
    place = visitor.studio.queue.place_of(job) / "0"
    place.mkdir(parents=True)
    (place / "answer.pickle").write_bytes(pickle.dumps(Evil()))
    with pytest.raises(DataError, match="another version"):
        visitor.studio.answer(job)
    assert not (tmp_path / "evil").exists()


def test_a_job_of_any_kind_can_be_looked_at_once_it_is_over(visitor):
    """What it handed over differs by kind, and the page is loaded again."""
    from incrowd import Ledger
    from incrowd.web.handover import keeper

    store = visitor.studio.store
    for kind in ("clean", "assess", "forecast", "run", "sign"):
        number = store.add_job(1, kind, "a job", [["a"], ["b"]])
        place = visitor.studio.queue.place_of(store.job(number)) / "1"
        place.mkdir(parents=True)
        if kind != "run":
            keeper(place)(Ledger().section())
        assert visitor.get(f"/jobs/{number}").status == 200
        store.move(number, "finished", expected="waiting")
        answer = visitor.get(f"/jobs/{number}")
        assert answer.status == 200
        assert answer.headers["hx-refresh"] == "true"


def test_the_time_that_is_left_runs_while_the_command_says_nothing(tmp_path):
    from incrowd.web.handover import progress_in

    assert progress_in(tmp_path) == {}
    (tmp_path / "progress.json").write_text('{"label": "working", "part": "", "share": 0.5, "left_s": 60}')
    written = time.time() - 20
    os.utime(tmp_path / "progress.json", (written, written))
    assert progress_in(tmp_path)["left_s"] == pytest.approx(40, abs=5)
    os.utime(tmp_path / "progress.json", (0, 0))
    assert progress_in(tmp_path)["left_s"] == 0
