"""Starts jobs, two at a time, cancels them, and notices those whose process is gone."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from incrowd.web.store import Job, Store

AT_A_TIME = 2
GONE = "its process ended without a word; nothing was written. Run it again."


class Queue:
    """The jobs of a studio.

    A job holds a lock on a file as long as one of its processes lives, so a new server can tell which ones still run.

    Args:
        store: Where jobs are kept.
        at_a_time: How many may run at once.
    """

    def __init__(self, store: Store, at_a_time: int = AT_A_TIME) -> None:
        self.store, self.at_a_time = store, at_a_time
        self._ticking = threading.Lock()
        self._children: list[subprocess.Popen[bytes]] = []

    def tick(self) -> None:
        """Record jobs whose process is gone, and start waiting ones while places are free."""
        with self._ticking:
            self._tick()

    def _tick(self) -> None:
        self._children = [child for child in self._children if child.poll() is None]
        jobs = self.store.jobs()
        running = [job for job in jobs if job.state == "running"]
        alive = [job for job in running if not self._gone(job)]
        waiting = [job for job in reversed(jobs) if job.state == "waiting"]
        for job in waiting[: max(self.at_a_time - len(alive), 0)]:
            self._start(job)

    def cancel(self, job: Job) -> None:
        """Stop a job that runs, or take one that waits from the list."""
        if self.store.move(job.id, "cancelled", expected="waiting", ended=time.time()):
            return
        # Recorded first: a process that has not begun sees it, and one that does not listen yet ends at the signal.
        cancelled = self.store.move(job.id, "cancelled", expected="running", ended=time.time())
        now = self.store.job(job.id) if cancelled else None
        if now is not None and now.process is not None and self._locked(job):
            try:
                os.kill(now.process, signal.SIGTERM)
            except ProcessLookupError:  # only its command is left
                with suppress(ProcessLookupError):
                    os.killpg(now.process, signal.SIGINT)

    def place_of(self, job: Job) -> Path:
        """The folder with what a job handed over."""
        return self.store.home / "jobs" / str(job.id)

    def _start(self, job: Job) -> None:
        folder = self.place_of(job)
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:  # another server starts it
                return
            if not self.store.move(job.id, "running", expected="waiting", started=time.time()):
                return
            child = subprocess.Popen(  # noqa: S603 - words, no shell
                [sys.executable, "-m", "incrowd.web.runner", str(self.store.home.resolve()), str(job.id)],
                start_new_session=True,  # it outlives the server
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(lock.fileno(),),
            )
        self._children.append(child)

    def _gone(self, job: Job) -> bool:
        """Whether no process of a running job is left; what it was doing then failed."""
        if self._locked(job):
            return False
        self.store.move(job.id, "failed", expected="running", message=GONE, ended=time.time())
        return True

    def _locked(self, job: Job) -> bool:
        try:
            with (self.place_of(job) / "lock").open("r") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except FileNotFoundError:
            return False
        return False
