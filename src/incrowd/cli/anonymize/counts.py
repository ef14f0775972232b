"""incrowd anonymize counts."""

from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import numpy as np
import typer

from incrowd import anonymize, progress
from incrowd.arrays import Floats
from incrowd.cli.counting import (
    CELL_M,
    SLOT_MIN,
    CellM,
    Days,
    Regions,
    SlotMin,
    Start,
    check_towers,
    counted,
    everywhere_in_python,
)
from incrowd.cli.inputs import in_python, traces_of
from incrowd.cli.options import Force, Json, Sources, box_of, takes
from incrowd.cli.reading import FarTowers, ReadingOptions, Towers, reads
from incrowd.cli.screen import answer, progress_bar
from incrowd.clock import DAY_MIN
from incrowd.data import Counts, Release, Visits
from incrowd.errors import ParameterError
from incrowd.plain import percent
from incrowd.read.plane import Box, Plane, plane_around
from incrowd.show import text

BoxOfSquares = Annotated[
    str | None,
    typer.Option(
        "--box",
        metavar="W,S,E,N",
        help="Count in all squares of --cell-m in this box, in degrees or metres, whether anybody was there or not.",
    ),
]
Zones = Annotated[
    Path | None, typer.Option(help="Count in these polygons, GeoJSON or GeoParquet; gaps are not interpolated.")
]
MOST_SQUARES = 1_000_000
Where = Annotated[Path, typer.Option("--output", "-o", help="Table of counts (.csv, .parquet) or folder of a release.")]
HoldOut = Annotated[float | None, typer.Option(hidden=True)]
DECIDED = ("data", "region", "cells", "slots")  # by other options


def in_area(
    sources: list[str],
    reading: ReadingOptions,
    *,
    box: str | None,
    zones: Path | None,
    cell_m: float,
    slot_min: int,
    start: str | None,
    days: int | None,
) -> Visits:
    """Visits to the squares of a box, or to zones; nobody's visits depend on those of others."""
    from incrowd import clean, discretize

    traces = traces_of(sources, reading)
    how: dict[str, Any] = {"slot_min": slot_min, "start": start, "time_zone": reading.arguments().get("time_zone")}
    if zones is not None:
        if box is not None:
            raise ParameterError("give --box or --zones, not both.")
        return discretize.zones(traces, zones, keep="vote", **how)
    bounds = box_of(str(box))
    slots = None if days is None else -(-days * DAY_MIN // slot_min)
    inside = clean.outside(traces, box=bounds)
    places = squares(bounds, cell_m, planar=traces.planar)
    return discretize.towers(inside, places, fill="interpolate", slots=slots, far_towers=True, **how)


def squares(box: Box, cell_m: float, *, planar: bool) -> Floats:
    """The middle of every square of a plane that reaches into a box, as lon and lat or x and y.

    >>> squares((0, 0, 1000, 400), 500, planar=True).tolist()
    [[250.0, 250.0], [750.0, 250.0]]
    """
    plane = Plane(None) if planar else plane_around(box)
    along = np.linspace(0, 1, 65)
    west, south, east, north = box
    lon = west + (east - west) * np.r_[along, along, 0 * along, 0 * along + 1]
    lat = south + (north - south) * np.r_[0 * along, 0 * along + 1, along, along]
    ends = [(float(side.min()) / cell_m, float(side.max()) / cell_m) for side in plane(lon, lat)]
    first, many = zip(*((np.floor(low), max(np.ceil(high) - np.floor(low), 1)) for low, high in ends), strict=True)
    if many[0] * many[1] > MOST_SQUARES:
        raise ParameterError(f"the box holds more than {MOST_SQUARES:,} squares; use a larger --cell-m.")
    x, y = ((start + np.arange(size) + 0.5) * cell_m for start, size in zip(first, many, strict=True))
    across, up = (side.ravel() for side in np.meshgrid(x, y))
    if plane.crs is not None:
        import pyproj

        across, up = pyproj.Proj(plane.crs)(across, up, inverse=True)
    return np.stack([across, up], axis=1)


@reads
@takes(anonymize.counts, "steps", leave_out=DECIDED)
def counts(
    sources: Sources,
    output: Where,
    reading: ReadingOptions,
    steps: dict[str, Any],
    towers: Towers = None,
    far_towers: FarTowers = False,
    cell_m: CellM = CELL_M,
    slot_min: SlotMin = SLOT_MIN,
    start: Start = None,
    days: Days = None,
    box: BoxOfSquares = None,
    zones: Zones = None,
    regions: Regions = None,
    cells: Annotated[Path | None, typer.Option(help="Also write where the cells are: .csv.")] = None,
    hold_out: HoldOut = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Publish how many people are where and when, after the steps that are given.

    incrowd anonymize counts calls.csv --towers towers.csv -o counts.parquet --suppress-below 5

    incrowd anonymize counts visits.parquet -o counts.csv --cells cells.csv --noise-epsilon 1 --round-to 5

    incrowd anonymize counts calls.csv --towers towers.csv --start 2024-05-06 --days 7 -o release --dp-epsilon 1
    --slots-per-person 4

    incrowd anonymize counts calls.csv --box 4.7,52.2,5.1,52.5 --cell-m 2000 --start 2024-05-06 --days 7 -o release
    --dp-epsilon 1 --slots-per-person 4
    """
    from incrowd import discretize, read
    from incrowd.assess._mitigations import count_loss
    from incrowd.data.files import refuse_existing

    if hold_out is not None:
        raise ParameterError("counts have no link file that could list people held out; leave --hold-out out.")
    check_towers(towers, far_towers)
    _check_target(output, force=force)
    if cells is not None:
        refuse_existing(cells, force=force)
    with progress_bar():
        places: dict[str, Any] = {"towers": towers, "far_towers": far_towers, "cell_m": cell_m, "slot_min": slot_min}
        if box is None and zones is None:
            exact, visits = counted(sources, reading, **places, start=start, days=days)
        elif towers is not None:
            raise ParameterError("give --towers, --box or --zones, not two of them.")
        else:
            area: dict[str, Any] = {"box": box, "zones": zones, "cell_m": cell_m, "slot_min": slot_min}
            visits = in_area(sources, reading, **area, start=start, days=days)
            exact = discretize.counts(visits)
        labels = None if regions is None else read.regions(regions)
        fixed = None if towers is None and box is None and zones is None else visits
        outside = _chosen_area(fixed, start, days) if steps["dp_epsilon"] is not None else {}
        release = anonymize.counts(exact if visits is None else visits, region=labels, **outside, **steps)
        published: Any = release.data
        _write(release, output, force=force)
        if cells is not None:
            _write_cells(published, cells, force=force)
    progress.answered(replace(release.section(), data={**release.to_dict(), "loss": None}))
    same = published.shape == exact.shape
    loss = count_loss(published.n, exact) if same else None
    record = {"output": output.name, "ledger": release.ledger, "loss": loss, "guarantee": release.guarantee}
    lines = [
        f"{text(release.section())}\n",
        "Published in regions." if loss is None else f"All changes together are {percent(loss)} of the exact counts.",
        *_rule(steps),
        f"written to {output}",
    ]
    if visits is not None and not outside and labels is None and box is None and zones is None:
        made = everywhere_in_python(sources, reading, **places, start=start, days=days)
        lines += [f"in Python: {in_python(anonymize.counts, made, **steps)}"] if made else []
    answer("\n".join([*lines, _hint(output, cells, published.slot_min)]), record, as_json=as_json)


def _rule(steps: dict[str, Any]) -> list[str]:
    """Whose rule was used."""
    from incrowd.anonymize._counts import RULES

    return [] if steps["rule"] is None else [f"rule {steps['rule']}: {RULES[steps['rule']].source}"]


def _is_table(output: Path) -> bool:
    return output.suffix.lower() in (".csv", ".parquet")


def _check_target(output: Path, *, force: bool) -> None:
    """Refuse, before any work, an output that cannot be written."""
    from incrowd.anonymize._publish import check_targets
    from incrowd.data.files import check_table

    if _is_table(output):
        check_table(output, force=force)
    else:
        check_targets(output.resolve(), None, force=force)


def _write(release: Release, output: Path, *, force: bool) -> None:
    """As a table of counts, or as a release with its manifest; what happened to records is for the publisher alone."""
    from incrowd.ledger import Ledger

    if _is_table(output):
        replace(release.data, ledger=Ledger()).save(output, force=force)
    else:
        anonymize.publish(release, output, force=force)


def _chosen_area(visits: Visits | None, start: str | None, days: int | None) -> dict[str, Any]:
    """Cells and slots that do not come from the data: all towers, squares or zones, and the days given."""
    if visits is None or start is None or days is None:
        raise ParameterError(
            "--dp-epsilon needs trajectories, --towers, --box or --zones for the cells and --start and --days for the "
            "period: an area or a period found in the data says where and when somebody was."
        )
    return {"cells": visits.xy, "slots": (0, days * DAY_MIN // (visits.slot_min or DAY_MIN))}


def _hint(output: Path, cells: Path | None, slot_min: int) -> str:
    """How to attack what was written; text says neither where cells are nor how long slots last."""
    command = f"incrowd attack recover {quote(str(output))}"
    if output.suffix.lower() != ".csv":
        return f"attack it: {command}"
    places = "CELLS" if cells is None else quote(str(cells))
    first = "write their places with --cells CELLS, then attack it: " if cells is None else "attack it: "
    return f"{first}{command} --counts --cells {places} --slot-min {slot_min}"


def _write_cells(counts: Counts, path: Path, *, force: bool) -> None:
    from incrowd.data.files import whole_file

    rows = [f"{cell},{x!r},{y!r}" for cell, (x, y) in enumerate(counts.xy.tolist())]
    with whole_file(path, force=force) as part:
        part.write_text("cell,x,y\n" + "\n".join(rows) + "\n")
