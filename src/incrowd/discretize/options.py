"""The options that discretizers share."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from incrowd.errors import ParameterError

Source = Any  # Traces, a path, several, a glob or a folder, or a data frame, as incrowd.read.table takes it
Keep = Literal["set", "vote", "vote_first"]
KEEP = ("set", "vote", "vote_first")


class Reading(TypedDict, total=False):
    """How to read a source that is not Traces yet, as in `incrowd.read.table`."""

    columns: Mapping[str, str] | None
    layout: str | None
    attributes: Sequence[str]
    bad_rows: str | Path | None


def check_whole(**values: float) -> None:
    """Refuse numbers that are not whole and at least 1."""
    for name, value in values.items():
        if not (1 <= value < float("inf") and value == int(value)):
            raise ParameterError(f"{name} must be a whole number of at least 1, got {value}.")
