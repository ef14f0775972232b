"""Data, or a release of them -> one page: who can be identified, linked and inferred, by whom, and is it too much?"""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack

from numpy.typing import ArrayLike

from incrowd.assess.assessment import Assessment
from incrowd.assess.dataset import Dataset
from incrowd.assess.digests import Origin, origin_of, seed_of
from incrowd.assess.earlier_releases import LAST, EarlierReleases
from incrowd.assess.limits import Limits, renamed
from incrowd.assess.options import PEOPLE, RECORDS, Options
from incrowd.assess.prepared import Budget, PreparedAssessment, mapped
from incrowd.data import Counts, Fingerprints, Release, Traces, Visits, load
from incrowd.data.release_folder import release_at
from incrowd.discretize import grid, towers
from incrowd.errors import DataError, ParameterError, public
from incrowd.read.layouts import Reading, with_reading
from incrowd.read.sources.local import local

MOST_IN_MEMORY = 50_000_000  # records; a larger source is streamed, and what needs its records is left out
NEEDS_RECORDS = "this test needs the original positions; give the trajectories"
TOO_MANY = f"this test needs the original positions, and more than {MOST_IN_MEMORY:,} are not held in memory"


@public
@with_reading
def assess(
    data: Any,
    *,
    budget_s: float = 600,
    towers: ArrayLike | None = None,
    far_towers: bool = False,
    cell_m: float | None = None,
    slot_min: int | None = None,
    release: Release | Visits | str | Path | None = None,
    link: str | Path | None = None,
    same_labels: bool = False,
    sensitive: str | None = None,
    values: Collection[Any] | None = None,
    harmless: Collection[str] = (),
    publish_columns: Collection[str] | None = None,
    earlier: EarlierReleases | str | Path | None = None,
    earlier_links: str | Path | None = None,
    earlier_last: int = LAST,
    records: int = RECORDS,
    people: int = PEOPLE,
    level: Literal["standard", "medium", "high"] = "standard",
    limits: Limits | None = None,
    thresholds: Limits | None = None,
    override: str | None = None,
    advise: bool | None = None,
    min_people: int = 10,
    outline: str | Path | None = None,
    time_zone: str | None = None,
    seed: int | None = None,
    **reading: Unpack[Reading],
) -> Assessment:
    """Every test that applies to what would be published, the most informative first, within a time budget.

    If a release is given, it is judged; else the data as they are. A test without an answer says why, and counts as
    missing if an answer was due; Ctrl-C keeps the answers so far.

    Args:
        data: Traces, Visits, Fingerprints, or a source that `incrowd.read.table` reads.
        budget_s: Seconds that all tests together may take.
        towers: Places (lon, lat) or (x, y) of towers that records are assigned to; a grid if None.
        far_towers: Whether to go on though most records are far from every tower.
        cell_m: Side of a grid cell, for raw records; visits keep their cells. [default: 500 m]
        slot_min: Width of a time slot, for raw records; visits keep their slots. [default: 60 min]
        release: A release of these data to be judged: its folder, a file of visits, or the Release itself.
        link: File that says who is who in the release: pseudonym, user.
        same_labels: Whether equal labels of data and release are the same person; not for the folder of a release.
        sensitive: Name of a sensitive attribute of people, to be inferred.
        values: Values of that attribute that count. [default: all]
        harmless: Names of published columns that give nothing away.
        publish_columns: Columns of the data that would be published. [default: all that were read]
        earlier: Folder of releases that were published before, with which this one is attacked.
        earlier_links: Folder of their link files, if they were kept; without one it is not scored who is recognised.
        earlier_last: How many of the earlier releases to attack with, the newest ones.
        records: How many random records of a person the attacker knows.
        people: Ask about at most so many people where all would take too long; candidates are always all.
        level: How strict limits of right guesses are: 1 in 11, 7.5 % (medium) or 5 % (high).
        limits: Largest number that is not too much, by test, None for no limit; the others keep
            `incrowd.assess.limits.DEFAULTS`, which are conventions, not law.
        thresholds: Old name of limits, until version 0.3.
        override: Why settings that make the verdict easier are allowed; the first line of the page.
        advise: Whether to look for a release that passes. [default: if this one does not and time is left]
        min_people: Cells with fewer people are blank on the map of risk.
        outline: Polygons to draw around the map, a GeoJSON or GeoParquet file in degrees; needs the extra `geo`.
            [default: a line around the cells that are shown]
        time_zone: Zone of times without an offset, of slots and of all days and hours. [default: UTC]
        seed: Seed of every random choice. [default: derived from the files, so that nobody chooses it; 0 in memory]

    >>> visits = Visits.from_arrays([1, 1, 2, 2], cell=[5, 5, 8, 8], slot=[0, 1, 0, 1])
    >>> assess(visits, advise=False).verdict.partition(" Worst")[0]
    'Do not publish: 4 of 4 tests exceed your limits.'
    """
    given = dict(locals())
    if thresholds is not None:
        renamed("thresholds", "limits")
    limits = thresholds if limits is None else limits
    names = [name for name in Options.__dataclass_fields__ if name != "limits"]
    prepared_ = prepared(data, Options(limits=limits, **{name: given[name] for name in names}), reading)
    assessment = prepared_.run()
    if advise is False or (advise is None and assessment.passed):
        return assessment
    from incrowd.assess.advice import advised

    return advised(assessment, prepared_)


def prepared(
    source: Any, options: Options, reading: Reading, *, files: Any = None, origin: Origin | None = None
) -> PreparedAssessment:
    """Read and discretize the data, and estimate how long each test will take; the seed follows from the files."""
    budget = Budget(options.budget_s)
    with local(source, reading.get("table"), reading.get("query")) as source_here:
        data = dataset(source_here, options, reading)
        origin = origin_of(source_here if files is None else files, options, reading.get("layout"), origin)
    if options.seed is None:
        data = replace(data, seed=seed_of(origin.files))
    sensitive = options.sensitive
    if sensitive is not None and sensitive not in data.visits.attributes and not data.is_release:
        known = ", ".join(sorted(data.visits.attributes)) or "none"
        raise ParameterError(f"the data have no attribute {sensitive!r} (they have: {known}); read it too.")
    if options.outline is not None:
        mapped(data)  # an outline that cannot be drawn is refused before any attack
    return replace(PreparedAssessment.over(data, budget), origin=origin)


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
