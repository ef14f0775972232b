"""A question in a process of its own: it answers, tells, fails and is ended."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path

import pytest

import incrowd as ic
from incrowd import progress
from incrowd.assess._assess import prepared
from incrowd.assess.options import Options
from incrowd.assess.question import Inapplicable
from incrowd.assess.questions import QUESTIONS
from incrowd.assess.worker import Worker
from incrowd.errors import DataError, IncrowdError, IncrowdWarning

HERE = "assess.test_worker"


def double(data):
    sys.stdout.write("what is printed does not disturb the pipe\n")
    sys.stdout.flush()
    return [2 * value for value in data]


def threads_given(_):
    return os.environ.get("INCROWD_THREADS"), os.getpid()


def tells(data):
    for _ in progress.track(data, "counting"):
        pass
    warnings.warn("look here", IncrowdWarning, stacklevel=1)


def tells_often(_):
    for _ in progress.track(range(20_000), "often"):
        pass


def refuses(_):
    raise Inapplicable("there is nothing to ask about.")


def fails(_):
    return {}["missing"]


def fails_strangely(_):
    class Strange(Exception):
        """Cannot be pickled."""

    raise Strange("a reason")


def answers_with_a_lambda(_):
    return lambda: 0


def needs_memory(_):
    raise MemoryError


def dies(_):
    os.kill(os.getpid(), signal.SIGKILL)


def sleeps_with_a_child(path):
    child = subprocess.Popen(["sleep", "60"])
    path.write_text(f"{os.getpid()} {child.pid}")
    time.sleep(60)


class Unreadable:
    """Data that can be sent but not read."""

    def __reduce__(self):
        return int, ("no number",)


def alive(process):
    """Whether a process works; one that has ended but was not fetched does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(process, seconds=5.0):
    until = time.monotonic() + seconds
    while alive(process) and time.monotonic() < until:
        time.sleep(0.02)
    return not alive(process)


def test_one_process_answers_question_after_question(monkeypatch):
    monkeypatch.setenv("INCROWD_THREADS", "1")
    with Worker([1, 2]) as worker:
        assert worker.ask(f"{HERE}:double", 60) == [2, 4]
        threads, process = worker.ask(f"{HERE}:threads_given", 60)
        assert threads == "1" and process == worker.ask(f"{HERE}:threads_given", 60)[1] != os.getpid()
    assert gone(process)


def test_progress_and_warnings_are_heard_here():
    said = []
    with Worker("ab") as worker, progress.listening(lambda *words: said.append(words)):
        with pytest.warns(IncrowdWarning, match="look here"):
            worker.ask(f"{HERE}:tells", 60)
        assert said[0] == ("counting", 0, 2) and said[-1] == ("counting", 2, 2)
        said.clear()
        worker.ask(f"{HERE}:tells_often", 60)
        assert said[-1] == ("often", 20_000, 20_000) and len(said) < 1000


def test_a_listener_that_stops_the_work_ends_the_process():
    def stop(*_):
        raise KeyError("enough")

    with Worker("ab") as worker:
        _, process = worker.ask(f"{HERE}:threads_given", 60)
        with progress.listening(stop), pytest.raises(KeyError, match="enough"):
            worker.ask(f"{HERE}:tells", 60)
        assert gone(process)
        assert worker.ask(f"{HERE}:double", 60) == ["aa", "bb"]


def test_errors_are_raised_here():
    with Worker([1]) as worker:
        with pytest.raises(Inapplicable, match="there is nothing to ask about"):
            worker.ask(f"{HERE}:refuses", 60)
        with pytest.raises(KeyError, match="missing") as failed:
            worker.ask(f"{HERE}:fails", 60)
        assert 'return {}["missing"]' in failed.value.__notes__[0]
        with pytest.raises(RuntimeError, match="a reason"):
            worker.ask(f"{HERE}:fails_strangely", 60)
        with pytest.raises((AttributeError, pickle.PicklingError), match="lambda"):
            worker.ask(f"{HERE}:answers_with_a_lambda", 60)
        with pytest.raises(IncrowdError, match="memory"):
            worker.ask(f"{HERE}:needs_memory", 60)
        assert worker.ask(f"{HERE}:double", 60) == [2]


def test_data_that_cannot_travel_are_refused():
    with Worker(lambda: 0) as worker, pytest.raises(DataError, match="cannot be given to another process"):
        worker.ask(f"{HERE}:double", 60)
    with Worker(Unreadable()) as worker:
        for _ in range(2):
            with pytest.raises(ValueError, match="no number"):
                worker.ask(f"{HERE}:double", 60)
            time.sleep(0.1)


def test_time_over_ends_the_process_and_all_it_started(tmp_path):
    told = tmp_path / "told"
    with Worker(told) as worker:
        worker.ask(f"{HERE}:threads_given", 60)  # it has loaded its modules
        began = time.monotonic()
        with pytest.raises(TimeoutError, match=r"took longer than 0\.5 s"):
            worker.ask(f"{HERE}:sleeps_with_a_child", 0.5)
        assert 0.5 <= time.monotonic() - began < 3
        process, child = map(int, told.read_text().split())
        assert gone(process) and gone(child)
        assert worker.ask(f"{HERE}:threads_given", 60)[1] != process


def test_no_time_is_over_before_it_begins():
    with Worker([1]) as worker, pytest.raises(TimeoutError):
        worker.ask(f"{HERE}:double", 0)


def test_a_process_that_dies_is_said_in_one_sentence():
    with Worker([1]) as worker:
        with pytest.raises(IncrowdError, match=r"dies ended \(signal 9\), most likely for lack of memory") as died:
            worker.ask(f"{HERE}:dies", 60)
        assert str(died.value).endswith(".") and "\n" not in str(died.value)
        assert worker.ask(f"{HERE}:double", 60) == [2]


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_it_ends_with_the_one_who_asks(tmp_path, ending):
    told = tmp_path / "told"
    asks = textwrap.dedent(f"""
        import sys; from pathlib import Path; sys.path[:] = {sys.path!r}
        from incrowd.assess.worker import Worker
        Worker(Path({str(told)!r})).ask("{HERE}:sleeps_with_a_child", 60)
    """)
    parent = subprocess.Popen([sys.executable, "-c", asks], stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not (told.exists() and told.read_text().count(" ")) and time.monotonic() < until:
        time.sleep(0.02)
    process, child = map(int, told.read_text().split())
    parent.send_signal(ending)
    parent.wait(10)
    assert gone(process)
    if ending == signal.SIGINT:
        assert gone(child)
    else:
        os.kill(child, signal.SIGKILL)


def test_a_question_of_an_assessment_answers_as_in_this_process():
    city = ic.Visits.from_arrays([1, 1, 2, 2, 3, 3], cell=[5, 6, 5, 7, 8, 8], slot=[0, 1, 0, 1, 0, 1])
    data = prepared(city, Options(), {}).data
    with Worker(data) as worker:
        for question in QUESTIONS[:3]:  # those that ask whose records they are
            here, there = question.run(data), worker.ask(question.name, 120)
            assert len(here.judged) == 2 and there.judged == here.judged
            assert there.numbers.keys() == here.numbers.keys() and there.note == here.note
