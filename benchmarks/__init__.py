"""Seconds, CPU seconds, peak memory and sizes of what must be fast; never part of the tests."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def timed(result: dict[str, Any], name: str) -> Iterator[None]:
    """Add wall and CPU seconds of the block to the result."""
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    result[f"{name}_s"] = time.perf_counter() - wall
    result[f"{name}_cpu_s"] = time.process_time() - cpu
