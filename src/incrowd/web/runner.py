"""The process of one job: runs its command lines one after another and records how it ended, also without a server."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

from incrowd.errors import IncrowdError
from incrowd.web.folder import inside
from incrowd.web.store import Job, Store

GRACE_S = 10  # for a command to remove what it half wrote
SHUT = 1  # exit code of a gate that is shut: an answer, no failure
PASSED_WITH_OVERRIDE = 3
ENDED_WELL = (0, SHUT, PASSED_WITH_OVERRIDE)
NO_MEMORY = "the system stopped it, most likely because memory ran out; nothing was written, and other runs go on."
PREFIX = "incrowd: "


class Cancelled(Exception):
    """Somebody cancelled the job."""


def main(home: Path, number: int) -> None:
    """Run a job to its end.

    Args:
        home: Folder of the studio; commands run in the folder above it.
        number: The job.
    """
    store = Store(home)
    job = store.job(number)
    # Who cancels the job sees its process or is seen by it, whatever comes first.
    if job is None or not store.move(number, "running", expected="running", process=os.getpid()):
        return
    signal.signal(signal.SIGTERM, _cancel)
    for folder in (home / "data" / str(job.dataset), home / "runs" / str(number)):  # where its commands write
        folder.mkdir(parents=True, exist_ok=True)
    try:
        message = _moved(store, job) or _run(store, job)
    except Cancelled:  # recorded by who cancelled it
        _stop()
        return
    store.move(number, "failed" if message else "finished", expected="running", message=message, ended=time.time())


def _cancel(_signal: int, _frame: FrameType | None) -> None:
    raise Cancelled


def _stop() -> None:
    """End all processes of the job as Ctrl+C does, after a while by force, and this one with them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.killpg(os.getpid(), signal.SIGINT)
    end = time.monotonic() + GRACE_S
    with suppress(ChildProcessError):
        while time.monotonic() < end:
            os.waitpid(-1, os.WNOHANG)
            time.sleep(0.05)
    os.killpg(os.getpid(), signal.SIGKILL)


def _moved(store: Store, job: Job) -> str:
    """Why the file of a job may not be read any more, such as a link that took its place while the job waited."""
    try:
        if job.details.get("file"):
            inside(store.home.parent, job.details["file"])
    except IncrowdError as error:
        return str(error)
    return ""


def _run(store: Store, job: Job) -> str:
    """Why a command failed; empty if all ended well."""
    for step, words in enumerate(job.commands):
        store.set_step(job.id, step)
        folder = store.home / "jobs" / str(job.id) / str(step)
        folder.mkdir(parents=True, exist_ok=True)
        code = _command(words, store.home.parent, folder)
        if code < 0:
            return (
                NO_MEMORY if code == -signal.SIGKILL else "it stopped unexpectedly; nothing was written. Run it again."
            )
        if code not in ENDED_WELL:
            return _reason(folder / "stderr")
    return ""


def _command(words: list[str], where: Path, folder: Path) -> int:
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        child = subprocess.Popen(  # noqa: S603 - words, no shell
            [sys.executable, "-m", "incrowd.web.handover", str(folder.resolve()), *words],
            cwd=where,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            close_fds=False,  # the lock of the job stays held as long as a command runs
        )
        return child.wait()


def _reason(path: Path) -> str:
    """The sentence that the command ended with."""
    lines = [line for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    told = [line.removeprefix(PREFIX) for line in lines if line.startswith(PREFIX)]
    return told[-1] if told else "it ended with an error that it did not explain; run the command in a terminal."


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
