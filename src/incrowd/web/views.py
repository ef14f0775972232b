"""What the controls of the risk page choose from: uniqueness and map of every grain, computed once and kept."""

import threading
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from incrowd.errors import DataError, IncrowdError, ParameterError

if TYPE_CHECKING:
    from incrowd.data import Traces
    from incrowd.measure import RiskMap, Uniqueness

POINTS = (1, 2, 3, 4, 5)
CELLS_M = (250, 500, 1000, 2000)
SLOTS_MIN = (15, 30, 60, 120)
GRAINS = tuple(product(CELLS_M, SLOTS_MIN))
MOST_RECORDS = 20_000_000  # that are held in the memory of the server
MOST_KEPT = 8 * len(GRAINS)


@dataclass(frozen=True)
class View:
    """What is drawn for one grain.

    Args:
        curve: Uniqueness for every number of known visits.
        risk_map: Where people are identified by a single visit.
        took_s: Seconds that it took to compute.
    """

    curve: "tuple[Uniqueness, ...]"
    risk_map: "RiskMap"
    took_s: float


Source = tuple[Path, int, str | None]  # a file, when it was changed, the zone of its slots
Key = tuple[Source, int, int]


class Views:
    """Views by file and grain; the trajectories of one file are held at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._views: OrderedDict[Key, View] = OrderedDict()
        self._traces: tuple[Source, Traces] | None = None
        self._warming: threading.Thread | None = None

    def view(self, file: Path, cell_m: int, slot_min: int, time_zone: str | None = None) -> View:
        """The view of a grain, from memory if it was asked for before.

        Args:
            file: Cleaned trajectories.
            cell_m: Side of a cell, one of CELLS_M.
            slot_min: Width of a slot, one of SLOTS_MIN.
            time_zone: Zone of the slots.
        """
        if (cell_m, slot_min) not in GRAINS:
            raise ParameterError("choose one of the sizes of cells and slots that the page offers.")
        source = _source(file, time_zone)
        ready = self._views.get((source, cell_m, slot_min))
        return ready or self._computed(source, cell_m, slot_min)

    def ready(self, file: Path, time_zone: str | None = None) -> dict[tuple[int, int], View]:
        """Views that need no more work, by grain.

        Args:
            file: Cleaned trajectories.
            time_zone: Zone of the slots.
        """
        source = _source(file, time_zone)
        return {grain: self._views[source, *grain] for grain in GRAINS if (source, *grain) in self._views}

    def warm(self, file: Path, time_zone: str | None = None) -> None:
        """Compute the views of every grain in the background.

        Args:
            file: Cleaned trajectories.
            time_zone: Zone of the slots.
        """
        if self._warming is None or not self._warming.is_alive():
            self._warming = threading.Thread(target=self._warm, args=(_source(file, time_zone),), daemon=True)
            self._warming.start()

    def _warm(self, source: Source) -> None:
        with suppress(IncrowdError):  # the page says it when somebody asks for that view
            for cell_m, slot_min in sorted(GRAINS, key=lambda grain: abs(grain[0] - 500) + abs(grain[1] - 60)):
                self._computed(source, cell_m, slot_min)
                time.sleep(0.05)  # somebody who waits for a view goes first

    def _computed(self, source: Source, cell_m: int, slot_min: int) -> View:
        from incrowd import discretize, measure

        key = (source, cell_m, slot_min)
        with self._lock:
            if key in self._views:
                return self._views[key]
            began = time.perf_counter()
            traces = self._opened(source)
            visits = discretize.grid(traces, cell_m=cell_m, slot_min=slot_min, time_zone=source[2])
            curve = tuple(measure.uniqueness(visits, points=points) for points in POINTS)
            self._views[key] = View(curve, measure.risk_map(visits), time.perf_counter() - began)
            while len(self._views) > MOST_KEPT:
                self._views.popitem(last=False)
            return self._views[key]

    def _opened(self, source: Source) -> "Traces":
        from incrowd import read
        from incrowd.data import Traces

        if self._traces is None or self._traces[0] != source:
            self._traces = None  # never two at a time
            traces = read.saved(source[0])
            if not isinstance(traces, Traces):
                raise DataError("the cleaned data hold no trajectories; read the data again.")
            self._traces = (source, traces)
        return self._traces[1]


def _source(file: Path, time_zone: str | None) -> Source:
    from incrowd.read.sources.parquet import rows_of

    try:
        changed = file.stat().st_mtime_ns
    except FileNotFoundError:
        raise DataError("the cleaned data are gone; read the data again.") from None
    if rows_of(file) > MOST_RECORDS:
        raise DataError(f"more than {MOST_RECORDS:,} records: use the command below; the tests above hold for all.")
    return file, changed, time_zone
