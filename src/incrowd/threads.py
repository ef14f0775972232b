"""What incrowd runs on: how many threads to use, free memory, the processor in words; one kernel call per block."""

import os
import platform
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

from incrowd.errors import ParameterError

VARIABLE = "INCROWD_THREADS"
_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUP = Path("/proc/self/cgroup")
_MEMORY = Path("/proc/meminfo")


def threads() -> int:
    """How many threads to use: INCROWD_THREADS if it is set, else the processors that this process may use.

    Those are the ones of its affinity mask, and no more than the quota of its control group, as containers have one.
    """
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return _allowed()
    if not given.isascii() or not given.isdigit() or not 1 <= int(given) <= 4096:
        raise ParameterError(
            f"{VARIABLE} must be a whole number from 1 to 4096, got {given!r}; unset it or correct it."
        )
    return int(given)


@cache
def _allowed() -> int:
    mask = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(mask, _quota(_CGROUPS, _OWN_CGROUP)))


def _quota(cgroups: Path, own: Path) -> int:
    """Whole processors that the control group of this process grants, rounded up; 4096 if it sets no limit."""
    limits = [_processors(folder) for folder in _folders(cgroups, own, "cpu")]
    return min((limit for limit in limits if limit), default=4096)


def _folders(cgroups: Path, own: Path, controller: str) -> list[Path]:
    """The control group of this process and those above it, as version 2 and as version 1 lay them out."""
    try:
        lines = [line.split(":", 2) for line in own.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError):
        lines = []
    folders = [cgroups, cgroups / controller]
    for _, controllers, path in (line for line in lines if len(line) == 3):
        root = cgroups if not controllers else cgroups / controller
        if not controllers or controller in controllers.split(","):
            parts = [part for part in path.split("/") if part not in ("", "..")]
            folders += [root.joinpath(*parts[: i + 1]) for i in range(len(parts))]
    return folders


def _processors(folder: Path) -> int:
    """The quota of one control group in processors; 0 if it has none."""
    try:
        if (folder / "cpu.max").is_file():
            quota, period = (folder / "cpu.max").read_text(encoding="utf-8").split()[:2]
        else:
            names = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
            quota, period = ((folder / name).read_text(encoding="utf-8").strip() for name in names)
        return max(ceil(int(quota) / int(period)), 0)
    except (OSError, ValueError, ZeroDivisionError):
        return 0


def free_memory() -> int:
    """Bytes of memory that this process may still take: what the system has, and its control group allows."""
    return _free(_MEMORY, _CGROUPS, _OWN_CGROUP)


def _free(meminfo: Path, cgroups: Path, own: Path) -> int:
    """The least of what the system has available and of what each control group has left; very much if none says so."""
    limits = [left for folder in _folders(cgroups, own, "memory") if (left := _left(folder)) is not None]
    available = _number_after("MemAvailable:", meminfo)
    if available is not None:
        limits.append(1024 * available)
    return max(min(limits, default=sys.maxsize), 0)


def _left(folder: Path) -> int | None:
    """Bytes that one control group has left, pages of files counted as free; None if it sets no limit."""
    version_2, version_1 = ("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")
    # In version 1, "inactive_file" is without the groups below, which count as used.
    for names, files in ((version_2, "inactive_file"), (version_1, "total_inactive_file")):
        with suppress(OSError, ValueError):
            limit, used = (int((folder / name).read_text(encoding="utf-8")) for name in names)
            return limit - used + (_number_after(files, folder / "memory.stat") or 0) if limit >= 0 else None
    return None


def _number_after(word: str, file: Path) -> int | None:
    """The number behind a word in a file, None if there is none."""
    with suppress(OSError, ValueError, IndexError):
        words = file.read_text(encoding="utf-8").split()
        return int(words[words.index(word) + 1])
    return None


class Pool(ThreadPoolExecutor):
    """Threads that work as the caller would, so that who listens to its progress hears theirs."""

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        """A future of work(*arguments, **options); `map` calls this too."""
        return super().submit(copy_context().run, work, *arguments, **options)


def in_blocks(work: Callable[[slice], None], size: int, *, block: int) -> None:
    """Do the work slice by slice; a single slice or a single thread is this one, because another costs time.

    >>> sums = [0] * 3
    >>> def work(part):
    ...     sums[part.start // 4] = sum(range(part.start, part.stop))
    >>> in_blocks(work, 10, block=4)
    >>> sums
    [6, 22, 17]
    """
    in_parts(work, [slice(a, min(a + block, size)) for a in range(0, size, block)])


def in_parts(work: Callable[[slice], None], parts: Sequence[slice]) -> None:
    """The same for slices of any sizes."""
    if len(parts) < 2 or threads() == 1:
        for part in parts:
            work(part)
    else:
        with Pool(threads()) as pool:
            list(pool.map(work, parts))


@cache
def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8", errors="replace").splitlines() if info.is_file() else []
    named = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
    return named or platform.processor() or platform.machine()


def machine() -> str:
    """The processor, and how many threads incrowd uses on it."""
    return f"{_processor()}, {threads()} thread{'' if threads() == 1 else 's'}"
