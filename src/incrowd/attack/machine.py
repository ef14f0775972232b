"""On what an attack ran: what is reasonably likely depends on what it costs."""

import platform
from functools import cache
from pathlib import Path

from incrowd.threads import threads


@cache
def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8", errors="replace").splitlines() if info.is_file() else []
    named = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
    return named or platform.processor() or platform.machine()


def machine() -> str:
    """The processor, and how many threads incrowd uses on it."""
    return f"{_processor()}, {threads()} thread{'' if threads() == 1 else 's'}"
