"""Time: how a person writes it, how much is left, and an end to work that takes longer."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

from incrowd import progress
from incrowd.clock import HOUR_S
from incrowd.errors import ParameterError

UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": HOUR_S}


class OutOfTime(Exception):
    """The budget is spent."""


class Budget:
    """Seconds from now on."""

    def __init__(self, limit_s: float) -> None:
        self.limit_s, self._began = float(limit_s), time.monotonic()

    @property
    def spent_s(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._began

    @property
    def left_s(self) -> float:
        """Seconds left, at least 0."""
        return max(self.limit_s - self.spent_s, 0.0)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Stop the work inside at the first word of progress after the end; who listened before still hears it."""
        outer = progress.current()

        def listen(label: str, done: float, total: float) -> None:
            if outer is not None:
                outer(label, done, total)
            if done < total and not self.left_s:
                raise OutOfTime

        with progress.listening(listen):
            yield


def seconds_of(text: str) -> float:
    """Seconds as a person writes them.

    >>> seconds_of("90s"), seconds_of("10m"), seconds_of("1.5h")
    (90.0, 600.0, 5400.0)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|)", text.strip().lower(), re.ASCII)
    if match is None or not float(match[1]):
        raise ParameterError("a budget is a time above 0 such as 90s, 10m or 1h.")
    return float(match[1]) * UNITS[match[2]]
