"""One question of an assessment at a time in a process of its own, which can be ended when its time is over.

The data and each question go to the process, and its progress, warnings and answer come back, as pickles in two pipes:
nothing is written to a disk. The process reads along while it works, so that it ends with the one who asks.
"""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from queue import SimpleQueue
from typing import IO, Any

from incrowd import progress
from incrowd.errors import DataError, IncrowdError

_START = "from incrowd.assess.worker import main; main()"
_TELL_S = 0.05  # between two words of progress under one label
_MEMORY = "most likely for lack of memory; take fewer people, or a machine with more memory"


class _Ended(Exception):
    """The process is no more."""


class Worker:
    """A process that holds the data and answers questions about them; one that was ended is started again.

    Args:
        data: What the questions are asked of; it goes to the process with the first of them.
    """

    def __init__(self, data: Any) -> None:
        self._data = data
        self._child: subprocess.Popen[bytes] | None = None
        self._holds_data = False
        self._started()  # it loads its modules while we go on

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, name: str, seconds: float) -> Any:
        """The finding of a question; what is told and warned of meanwhile is told and warned of here.

        Args:
            name: Name of the question, or "module:function" of a function of the data.
            seconds: When to end the process and raise TimeoutError.
        """
        child, over, answered = self._started(), threading.Event(), False

        def end() -> None:
            over.set()
            _kill(child)

        timer = threading.Timer(min(max(seconds, 0), threading.TIMEOUT_MAX), end)
        timer.daemon = True
        timer.start()
        try:
            kind, content = self._conversation(child, name)
            answered = True
        except _Ended:
            if over.is_set():
                raise TimeoutError(f"{name} took longer than {seconds:g} s and was ended.") from None
            raise IncrowdError(f"the process that worked on {name} ended ({_status(child)}), {_MEMORY}.") from None
        finally:
            timer.cancel()
            timer.join()
            if over.is_set() or not answered:
                self.close()
        if kind == "error":
            raise content
        return content

    def close(self) -> None:
        """End the process with all it started."""
        child, self._child = self._child, None
        if child is None:
            return
        if child.returncode is None:
            _kill(child)
        for pipe in (child.stdin, child.stdout):
            with suppress(OSError):  # what it was never sent
                _open(pipe).close()
        child.wait()

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._child is not None and self._child.poll() is not None:
            self.close()
        if self._child is None:
            # The same modules as here, and none from the folder we are in unless we have it too.
            path = os.pathsep.join(folder or os.getcwd() for folder in sys.path)  # noqa: PTH109
            self._child = subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-c", _START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": path},
                start_new_session=True,  # Ctrl-C is ours, and what it starts ends with it
            )
            self._holds_data = False
        return self._child

    def _conversation(self, child: "subprocess.Popen[bytes]", name: str) -> tuple[str, Any]:
        """Ask, and listen until the answer or an error comes."""
        if not self._holds_data:
            try:
                _send(child, self._data)
            except (TypeError, AttributeError, pickle.PicklingError) as error:
                raise DataError(f"the data cannot be given to another process: {error}.") from None
            self._holds_data = True
        _send(child, name)
        while True:
            try:
                kind, content = pickle.load(_open(child.stdout))  # noqa: S301
            except (EOFError, OSError, ValueError, pickle.UnpicklingError):
                raise _Ended from None
            if kind == "progress":
                progress.tell(*content)
            elif kind == "warning":
                warnings.warn(content, stacklevel=3)
            else:
                return kind, content


def _send(child: "subprocess.Popen[bytes]", content: Any) -> None:
    pipe = _open(child.stdin)
    try:
        pickle.dump(content, pipe, protocol=5)
        pipe.flush()
    except (OSError, ValueError):
        raise _Ended from None


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise _Ended
    return pipe


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """End a process and all of its group, which is its own."""
    with suppress(ProcessLookupError, PermissionError):  # it has ended already
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()


def _status(child: "subprocess.Popen[bytes]") -> str:
    """How a process ended; one that closed its pipe is about to."""
    try:
        code = child.wait(1)
    except subprocess.TimeoutExpired:
        return "without a word"
    return f"signal {-code}" if code < 0 else f"exit status {code}"


def main() -> None:
    """The other end: take data, then question after question, until the pipe is closed."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what is printed does not belong into the pipe
    voice, received = _Voice(answers), SimpleQueue[Any]()
    threading.Thread(target=_receive, args=(requests, received, voice), daemon=True).start()
    warnings.simplefilter("always")  # the one who asks chooses
    warnings.showwarning = voice.warn  # type: ignore[assignment]
    data = received.get()
    with progress.listening(voice.progress):
        while True:
            name = received.get()
            try:
                voice.say("answer", _work(name)(data))
            except Exception as error:
                voice.say("error", _portable(error))


def _receive(requests: IO[bytes], received: "SimpleQueue[Any]", voice: "_Voice") -> None:
    """Read what comes while the work goes on; at the end of the pipe there is nobody to work for."""
    try:
        while True:
            received.put(pickle.load(requests))  # noqa: S301
    except EOFError:
        os._exit(0)
    except Exception as error:
        voice.say("error", _portable(error))
        os._exit(1)


def _work(name: str) -> Callable[[Any], Any]:
    """What a name stands for."""
    if ":" in name:
        module, _, function = name.partition(":")
        return getattr(import_module(module), function)  # type: ignore[no-any-return]
    from incrowd.assess.questions import QUESTIONS

    return next(question.run for question in QUESTIONS if question.name == name)


def _portable(error: Exception) -> Exception:
    """The same error where it survives the pipe, with its traceback unless it was raised on purpose."""
    if isinstance(error, MemoryError):
        return IncrowdError(f"the question was given up, {_MEMORY}.")
    trace = "".join(traceback.format_exception(error))
    if not isinstance(error, IncrowdError):
        error.add_note(f"In the process that was asked:\n{trace}")
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301
    except Exception:
        return RuntimeError(trace)
    return error


class _Voice:
    """Says something at a time, from whatever thread."""

    def __init__(self, answers: IO[bytes]) -> None:
        self._answers, self._lock = answers, threading.Lock()
        self._told: dict[str, float] = {}

    def say(self, kind: str, content: Any) -> None:
        """Send a message whole, or raise before anything is sent."""
        message = pickle.dumps((kind, content), protocol=5)
        with self._lock, suppress(BrokenPipeError):  # nobody listens: the reading thread is about to end us
            self._answers.write(message)
            self._answers.flush()

    def progress(self, label: str, done: float, total: float) -> None:
        """Tell the beginning and the end of each label, and something between."""
        now = time.monotonic()
        if done >= total or now - self._told.get(label, -_TELL_S) >= _TELL_S:
            self._told[label] = now
            self.say("progress", (label, done, total))

    def warn(self, message: Warning | str, category: type[Warning], *_: object) -> None:
        """As `warnings.showwarning`, without the place, which is shown at the other end."""
        self.say("warning", message if isinstance(message, Warning) else category(message))
