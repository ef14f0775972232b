"""Run benchmarks, each in a fresh process: `python -m benchmarks [NAME ...]`; results as JSON lines on stdout.

A case is a function in benchmarks/<topic>.py listed in its CASES; it does its own set-up, wraps what counts in
`timed()`, and returns its sizes and answers.
"""

import importlib
import json
import multiprocessing
import os
import pkgutil
import platform
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil

import benchmarks


def cases() -> dict[str, Any]:
    topics = sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if not m.name.startswith("_"))
    found = {}
    for topic in topics:
        module = importlib.import_module(f"benchmarks.{topic}")
        found.update({f"{topic}.{name}": case for name, case in getattr(module, "CASES", {}).items()})
    return found


def _peak_mib(pid: int, stop: threading.Event, peak: list[float]) -> None:
    process = psutil.Process(pid)
    while not stop.wait(0.02):
        family = [process, *process.children(recursive=True)]
        peak[0] = max(peak[0], sum(p.memory_info().rss for p in family if p.is_running()) / 2**20)


def _run(name: str, queue: "multiprocessing.Queue[dict[str, Any]]") -> None:
    stop, peak = threading.Event(), [0.0]
    watcher = threading.Thread(target=_peak_mib, args=(os.getpid(), stop, peak), daemon=True)
    watcher.start()
    wall, cpu = time.perf_counter(), time.process_time()
    result = cases()[name]() or {}
    result = {"whole_s": time.perf_counter() - wall, "whole_cpu_s": time.process_time() - cpu, **result}
    stop.set()
    watcher.join()
    queue.put({"case": name, "peak_mib": round(peak[0]), **result})


def machine() -> dict[str, Any]:
    model = next((x for x in Path("/proc/cpuinfo").read_text().splitlines() if x.startswith("model name")), "")
    return {
        "cpu": model.split(":")[-1].strip(),
        "cores": os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30),
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    wanted = [name for name in cases() if not sys.argv[1:] or any(name.startswith(w) for w in sys.argv[1:])]
    context = multiprocessing.get_context("spawn")
    for name in wanted:
        queue = context.Queue()
        process = context.Process(target=_run, args=(name, queue))
        process.start()
        process.join()
        result = queue.get(timeout=5) if process.exitcode == 0 else {"case": name, "failed": process.exitcode}
        rounded = {k: round(v, 3) if isinstance(v, float) else v for k, v in result.items()}
        print(json.dumps({**rounded, "machine": machine()}), flush=True)


if __name__ == "__main__":
    main()
