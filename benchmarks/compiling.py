"""CPU seconds that the kernels of a step take to compile (`kernels.COMPILE_S`): each job in a process without a cache.

What numba compiles of its own counts for the step whose kernel asked for it first in that process.
"""

import functools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import incrowd as ic


def _visits(users: int = 60) -> tuple[ic.Visits, Any]:
    city = ic.read.synthetic_city(users=users, towers=20, days=2, seed=0)
    return ic.discretize.towers(city.traces, city.towers, slot_min=60, fill="interpolate"), city


def _clean() -> None:
    traces = _visits()[1].traces
    log = ic.Traces.from_arrays(traces.users[traces.owner], traces.t[::-1], traces.lon, traces.lat, order="log")
    ic.clean.displaced(ic.clean.order(log, max_speed_kmh=200), max_speed_kmh=200)


def _singled_out() -> None:
    visits, _ = _visits()
    ic.measure.uniqueness(visits, points=3)
    ic.measure.uniqueness(visits, points=3, exact=True)


def _suppressed() -> None:
    visits, _ = _visits()
    ic.anonymize.LKC(l=2, k=2)(visits)


def _recovered() -> None:
    visits, _ = _visits()
    counts = ic.discretize.counts(visits)
    ic.attack.recovery_score(ic.attack.recover(counts), visits)


def _hidden() -> None:
    prints = ic.discretize.fingerprints(_visits()[1].traces)
    ic.anonymize.Glove(k=2)(prints)
    ic.anonymize.Glove(k=3)(prints)


JOBS: dict[str, Callable[[], Any]] = {
    "clean": _clean,
    "uniqueness": _singled_out,
    "exposure": lambda: ic.measure.exposure(_visits()[0]),
    "cut_risk": lambda: ic.measure.cut_risk(_visits()[0], ic.discretize.windows(_visits()[0], window_h=6)),
    "sweep": lambda: ic.measure.sweep(_visits()[1].traces, blocks=(10, 100), minutes=(20, 60), samples=1000),
    "lkc": _suppressed,
    "glove": _hidden,
    "w4m": lambda: ic.anonymize.W4M()(_visits()[1].traces),
    "recover": _recovered,
    "link": lambda: ic.attack.link(_visits()[0], _visits()[0], one_to_one=True),
}


def compiled(job: str) -> dict[str, Any]:
    """What a job compiles in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        call = [sys.executable, "-m", "benchmarks.compiling", job]
        done = subprocess.run(
            call, env=os.environ | {"NUMBA_CACHE_DIR": folder}, check=True, capture_output=True, text=True
        )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _timed(job: str) -> dict[str, float]:
    from numba.core.event import Event, Listener, register

    class Seconds(Listener):  # type: ignore[misc]
        def __init__(self) -> None:
            self.by_step: dict[str, float] = defaultdict(float)
            self.began: list[float] = []

        def on_start(self, event: Event) -> None:  # noqa: ARG002
            self.began.append(time.thread_time())

        def on_end(self, event: Event) -> None:
            seconds = time.thread_time() - self.began.pop()
            if not self.began:
                step = event.data["dispatcher"].py_func.__module__.removeprefix("incrowd.kernels.cpu.").split(".")[0]
                self.by_step[step] += seconds

    listener = Seconds()
    register("numba:compile", listener)
    JOBS[job]()
    return dict(listener.by_step)


CASES = {job: functools.partial(compiled, job) for job in JOBS}

if __name__ == "__main__":
    print(json.dumps(_timed(sys.argv[1])))
