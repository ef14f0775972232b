"""Run benchmarks, each in a fresh process: `python -m benchmarks [NAME ...]`; results as JSON lines on stdout.

What ours and others took is a table at the end, on stderr.

A case is a function in benchmarks/<topic>.py listed in its CASES; it does its own set-up, wraps what counts in
`timed()`, and returns its sizes and answers.
"""

import json
import multiprocessing
import os
import platform
import sys
from pathlib import Path
from typing import Any

import psutil

from benchmarks._case import cases, run
from benchmarks._ratios import ratios


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
    context, lines = multiprocessing.get_context("spawn"), []
    for name in wanted:
        queue = context.Queue()
        process = context.Process(target=run, args=(name, queue))
        process.start()
        process.join()
        result = queue.get(timeout=5) if process.exitcode == 0 else {"case": name, "failed": process.exitcode}
        rounded = {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in result.items()}
        lines.append({**rounded, "machine": machine()})
        print(json.dumps(lines[-1]), flush=True)
    print(ratios(lines), end="", file=sys.stderr)


if __name__ == "__main__":
    main()
