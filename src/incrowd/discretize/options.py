"""The options that discretizers share."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from incrowd.data import Traces
from incrowd.read import parts
from incrowd.read._parts import Parts
from incrowd.read.layouts import AntennaAt, Column, Decimal, Layout

Source = Any  # Traces, a path, several, a glob or a folder, or a data frame, as incrowd.read.table takes it
Keep = Literal["set", "vote", "vote_first"]
KEEP = ("set", "vote", "vote_first")


class Reading(TypedDict, total=False):
    """How to read a source that is not Traces yet, as in `incrowd.read.parts`."""

    columns: Mapping[str, Column] | None
    layout: str | Layout | None
    attributes: Sequence[str]
    bad_rows: str | Path | None
    antennas: Any
    time_format: str | None
    decimal: Decimal | None
    antenna_at: AntennaAt
    memory_mb: int


def opened(source: Source, time_zone: str | None, reading: Reading) -> Parts:
    """The pieces of a source; a time zone says how to read naive times, and Traces have none."""
    return parts(source, time_zone=None if isinstance(source, Traces) else time_zone, **reading)
