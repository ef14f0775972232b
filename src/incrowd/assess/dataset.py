"""What an assessment looks at: everything made of the source once, when it is first asked for."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.assess.options import Options
from incrowd.clock import DAY_MIN, utc_of, wall_at, zone_of
from incrowd.data import Counts, Release, Traces, Visits, load
from incrowd.data.release_folder import release_at
from incrowd.data.table import some_people, some_rows
from incrowd.discretize import fingerprints, grid, towers
from incrowd.errors import DataError
from incrowd.read.layouts import Reading

MOST_IN_MEMORY = 50_000_000  # records; a larger source is streamed, and what needs its records is left out
NEEDS_RECORDS = "this test needs the original positions; give the trajectories"
TOO_MANY = f"this test needs the original positions, and more than {MOST_IN_MEMORY:,} are not held in memory"


@dataclass(frozen=True, eq=False)
class Dataset:
    """Trajectories if they are in memory, visits made of them, and what else was given."""

    traces: Traces | None
    visits: Visits
    options: Options
    why_no_traces: str = ""

    @property
    def cell_m(self) -> float:
        """Side of a cell, if cells are squares."""
        return self.visits.cell_m or self.options.cell_m

    @property
    def places(self) -> str:
        """What a cell is, in words."""
        if self.options.towers is not None:
            return "towers"
        return f"cells of {self.cell_m:g} m" if self.visits.cell_m else "cells"

    @cached_property
    def published(self) -> Any:
        """What the release publishes; None if none was given."""
        from incrowd.read import release, saved, visits
        from incrowd.read._kind import header_of
        from incrowd.read.layouts import plain

        given = self.options.release
        if not isinstance(given, Path):
            return given.data if isinstance(given, Release) else given
        if given.is_dir():
            return release(given)
        if not self.bare:
            return saved(given)
        sensitive = self.options.sensitive
        carried = [sensitive] if sensitive is not None and plain(sensitive) in map(plain, header_of(given)) else []
        return visits(given, slot_min=self.visits.slot_min, attributes=carried)

    @cached_property
    def bare(self) -> bool:
        """Whether the release is a mere table of visits, whose cells and slots must be those of the data."""
        from incrowd.read._kind import holding

        given = self.options.release
        return isinstance(given, Path) and given.is_file() and not holding(given).saved

    @cached_property
    def from_zero(self) -> Visits:
        """The visits from the first day on, whatever number its slots have."""
        return _since(self.visits, self._first)

    @cached_property
    def slots(self) -> int:
        """From the beginning of the first day to the last visit."""
        return int(self.visits.slot.max()) - self._first + 1

    @cached_property
    def per_day(self) -> int:
        """Slots of a day; 1 if they do not divide it."""
        slot_min = self.visits.slot_min or DAY_MIN
        return 1 if DAY_MIN % slot_min else DAY_MIN // slot_min

    @property
    def days(self) -> int:
        """Days to the last visit, begun ones too; 0 if nothing says how long a slot is."""
        return -(-self.slots * (self.visits.slot_min or 0) // DAY_MIN)

    @cached_property
    def _first(self) -> int:
        """The first slot of the first day with a visit."""
        return int(self.visits.slot.min()) // self.per_day * self.per_day

    @cached_property
    def one_cell_per_slot(self) -> Visits:
        """Visits with the cell of most records in each slot; they need the records if somebody is in two."""
        visits = self.visits
        same = (visits.slot[1:] == visits.slot[:-1]) & (visits.owner[1:] == visits.owner[:-1])
        if not same.any():
            return visits
        if self.traces is None:
            raise DataError(f"somebody is in two cells in one slot: {self.why_no_traces}.")
        how: dict[str, Any] = {"slot_min": visits.slot_min, "start": visits.start, "time_zone": self.options.time_zone}
        return grid(self.traces, cell_m=self.cell_m, keep="vote", **how)

    def busiest(self, *, days: int) -> Visits:
        """One cell per slot of everyone seen in the days in a row with most visits, the first of them from 0 on."""
        visits = self.one_cell_per_slot
        if self.days <= days:
            return _since(visits, self._first)
        day, seen = np.unique(visits.slot // self.per_day, return_counts=True)
        until = np.append(0, np.cumsum(seen))
        most = np.argmax(until[np.searchsorted(day, day + days)] - until[:-1])
        first = int(day[most]) * self.per_day
        return _since(within(visits, first, first + days * self.per_day), first)

    def prints(self, *, people: int) -> Any:
        """The fingerprints of so many people."""
        if self.traces is None:
            raise DataError(f"{self.why_no_traces}.")
        return fingerprints(
            some_people(self.traces, people=people, seed=self.options.seed), time_zone=self.options.time_zone
        )


def dataset(source: Any, options: Options, reading: Reading) -> Dataset:
    """Read a source once and discretize it; visits are taken as they are."""
    data = _read(source, options.time_zone, reading)
    if isinstance(data, Visits):
        if not data.records:
            raise DataError("the data hold no visit; give the data of at least one person.")
        return Dataset(None, data, options, NEEDS_RECORDS)
    if isinstance(data, Traces):
        return Dataset(data, _discretized(data, options, {}), options)
    return Dataset(None, _discretized(data, options, reading), options, TOO_MANY)


def _read(source: Any, time_zone: str | None, reading: Reading) -> Any:
    """Traces or visits in memory, or the source itself if it is too large."""
    from incrowd.read import table
    from incrowd.read._kind import holding
    from incrowd.read.sources.engine import records_at_most

    refuse_release(source)
    if isinstance(source, (str, Path)) and holding(source).saved:
        source = load(source)
    if isinstance(source, (Traces, Visits)):
        return source
    if isinstance(source, Counts):
        raise DataError("Counts cannot be assessed; run incrowd attack recover on them.")
    if type(source).__module__.startswith("incrowd."):
        raise DataError(f"{type(source).__name__} cannot be assessed; give trajectories or visits.")
    if records_at_most(source, reading.get("layout")) > MOST_IN_MEMORY:
        return source
    how: Any = {name: value for name, value in reading.items() if name != "memory_mb"}
    return table(source, time_zone=time_zone, **how)


def refuse_release(source: Any) -> None:
    """Refuse the folder of a release, or its table, as data: its pseudonyms are no people."""
    if not isinstance(source, (str, Path)):
        return
    folder = release_at(source)
    if folder is not None:
        raise DataError(f"{folder.name} is a release; give the data it was made from, and pass it with --release.")


def _discretized(source: Any, options: Options, reading: Reading) -> Visits:
    clock: Any = {"slot_min": options.slot_min, "time_zone": options.time_zone}
    if options.towers is not None:
        return towers(source, options.towers, far_towers=options.far_towers, **clock, **reading)
    return grid(source, cell_m=options.cell_m, **clock, **reading)


def _since(visits: Visits, first: int) -> Visits:
    """The same visits with slots counted from another one."""
    return replace(visits, slot=visits.slot - first, start=_later(visits, first)) if first else visits


def _later(visits: Visits, slots: int) -> int | None:
    """The start so many slots later by the wall clock."""
    if visits.start is None or visits.slot_min is None:
        return visits.start
    wall = wall_at(visits.start, zone_of(visits.time_zone)) + slots * visits.slot_min * 60
    return utc_of(wall, zone_of(visits.time_zone))


def within(visits: Visits, first: int, end: int) -> Visits:
    """The visits from a slot up to another one, of those who have some.

    >>> within(Visits.from_arrays([1, 2, 2], cell=[0, 0, 0], slot=[0, 1, 2]), 1, 2)
    Visits(users=1, records=1)
    """
    inside = (visits.slot >= first) & (visits.slot < end)
    return visits if inside.all() else some_rows(visits, inside, "period", "outside the period")
