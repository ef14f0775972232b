"""One benchmark case in a fresh process, with its peak memory."""

import importlib
import multiprocessing
import os
import pkgutil
import threading
import time
from contextlib import suppress
from typing import Any

import psutil

import benchmarks


def cases() -> dict[str, Any]:
    topics = sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if not m.name.startswith("_"))
    by_name = {}
    for topic in topics:
        module = importlib.import_module(f"benchmarks.{topic}")
        by_name.update({f"{topic}.{name}": case for name, case in getattr(module, "CASES", {}).items()})
    return by_name


def _peak_mib(pid: int, stop: threading.Event, peak: list[float]) -> None:
    process = psutil.Process(pid)
    while not stop.wait(0.02):
        with suppress(psutil.NoSuchProcess):  # a child that has ended meanwhile
            family = [process, *process.children(recursive=True)]
            peak[0] = max(peak[0], sum(p.memory_info().rss for p in family) / 2**20)


def run(name: str, queue: "multiprocessing.Queue[dict[str, Any]]") -> None:
    stop, peak = threading.Event(), [0.0]
    watcher = threading.Thread(target=_peak_mib, args=(os.getpid(), stop, peak), daemon=True)
    watcher.start()
    wall, cpu = time.perf_counter(), time.process_time()
    result = cases()[name]() or {}
    result = {"whole_s": time.perf_counter() - wall, "whole_cpu_s": time.process_time() - cpu, **result}
    stop.set()
    watcher.join()
    queue.put({"case": name, "peak_mib": round(peak[0]), **result})
