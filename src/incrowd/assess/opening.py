"""A source -> what an assessment looks at: read once, discretized once."""

from pathlib import Path
from typing import Any

from incrowd.assess.dataset import Dataset
from incrowd.assess.options import Options
from incrowd.data import Counts, Fingerprints, Traces, Visits, load
from incrowd.data.release_folder import release_at
from incrowd.discretize import grid, towers
from incrowd.errors import DataError
from incrowd.read.layouts import Reading

MOST_IN_MEMORY = 50_000_000  # records; a larger source is streamed, and what needs its records is left out
NEEDS_RECORDS = "this test needs the original positions; give the trajectories"
TOO_MANY = f"this test needs the original positions, and more than {MOST_IN_MEMORY:,} are not held in memory"


def dataset(source: Any, options: Options, reading: Reading) -> Dataset:
    """Read a source once and discretize it; visits are taken as they are."""
    data = _read(source, options.time_zone, reading)
    seed = int(options.seed or 0)
    if isinstance(data, (Visits, Fingerprints)) and not data.records:
        raise DataError("the data hold no record; give the data of at least one person.")
    if isinstance(data, Visits):
        return Dataset(data, data, options, NEEDS_RECORDS, seed)
    if isinstance(data, Fingerprints):
        return Dataset(data, visits_of_boxes(data, options), options, NEEDS_RECORDS, seed)
    if isinstance(data, Traces):
        return Dataset(data, _discretized(data, options, {}), options, seed=seed)
    return Dataset(None, _discretized(data, options, reading), options, TOO_MANY, seed)


def visits_of_boxes(prints: Fingerprints, options: Options) -> Visits:
    """Samples as visits to the cells of their centres, in the slots of their beginnings."""
    if int(prints.crowd.max(initial=1)) > 1:
        raise DataError("a fingerprint stands for several people, as in a release; give the data it was made from.")
    middle = [prints.x + prints.dx / 2, prints.y + prints.dy / 2]
    start = prints.start or 0
    points = Traces.from_arrays(prints.users[prints.owner], start + 60 * prints.t, x=middle[0], y=middle[1])
    return grid(points, cell_m=options.side_m, slot_min=options.width_min, start=prints.start)


def _read(source: Any, time_zone: str | None, reading: Reading) -> Any:
    """Traces or visits in memory, or the source itself if it is too large."""
    from incrowd.read import table
    from incrowd.read._kind import holding
    from incrowd.read.sources.engine import records_at_most

    refuse_release(source)
    if isinstance(source, (str, Path)) and holding(source).saved:
        source = load(source)
    if isinstance(source, (Traces, Visits, Fingerprints)):
        return source
    if isinstance(source, Counts):
        raise DataError("Counts cannot be assessed; run incrowd attack recover on them.")
    if type(source).__module__.startswith("incrowd."):
        raise DataError(f"{type(source).__name__} cannot be assessed; give trajectories, visits or fingerprints.")
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
    clock: Any = {"slot_min": options.width_min, "time_zone": options.time_zone}
    if options.towers is not None:
        return towers(source, options.towers, far_towers=options.far_towers, **clock, **reading)
    return grid(source, cell_m=options.side_m, **clock, **reading)
