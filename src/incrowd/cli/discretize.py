"""incrowd discretize."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from incrowd.cli.counting import FarTowers
from incrowd.cli.inputs import GRAIN, grain_of, in_python, saved_visits, source_in_python
from incrowd.cli.options import Force, Json, Output, Sources, lon_lat
from incrowd.cli.reading import Boxing, Origin, ReadingOptions, boxes, one_or_many, reads
from incrowd.cli.screen import progress_bar, written
from incrowd.data import Visits
from incrowd.data.table import Frame
from incrowd.discretize.slots import Grain
from incrowd.errors import DataError, ParameterError
from incrowd.plain import SIDES, size_m

Into = Literal["grid", "blocks", "towers", "zones", "fingerprints", "counts"]
TAKES: dict[str, tuple[str, ...]] = {
    "grid": ("cell_m", "slot_min", "keep", "origin"),
    "blocks": ("blocks", "slot_min", "keep", "box", "keep_zero"),
    "towers": ("slot_min", "fill", "towers", "far_towers"),
    "zones": ("slot_min", "keep", "zones"),
    "fingerprints": ("cell_m", "slot_min", "origin"),
    "counts": ("slot_min",),
}
DEFAULTS: dict[str, dict[str, Any]] = {name: {} for name in TAKES} | {"blocks": {"blocks": 100}}


@reads
@boxes
def discretize(
    sources: Sources,
    output: Output,
    reading: ReadingOptions,
    boxing: Boxing,
    into: Annotated[Into, typer.Option(help="What to make; counts are made from visits.")] = "grid",
    cell_m: Annotated[
        int | None, typer.Option(help=r"Side of a cell of a grid or of fingerprints. \[default: 100 m]")
    ] = None,
    slot_min: Annotated[
        int | None,
        typer.Option(
            help=r"Width of a time slot, also of a table of visits. \[default: 1 min; blocks 20 min, towers 30 min, "
            "zones 60 min]"
        ),
    ] = None,
    blocks: Annotated[int | None, typer.Option(help=r"Blocks along each side of the box. \[default: 100]")] = None,
    keep: Annotated[
        Literal["set", "vote", "vote_first"] | None,
        typer.Option(help="Every cell of a slot, or the most frequent (ties: smallest id, or first seen)."),
    ] = None,
    towers: Annotated[Path | None, typer.Option(help="Table of towers with lon and lat (towers).")] = None,
    zones: Annotated[Path | None, typer.Option(help="Polygons as GeoJSON or GeoParquet (zones).")] = None,
    far_towers: FarTowers = False,
    fill: Annotated[Literal["interpolate"] | None, typer.Option(help="Fill the gaps between records (towers).")] = None,
    start: Annotated[
        str | None, typer.Option(help=r"When slot 0 begins. \[default: midnight of the first day]")
    ] = None,
    origin: Origin = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Turn trajectories into visits to cells in time slots; files larger than memory are streamed.

    incrowd discretize clean.parquet -o visits.parquet --cell-m 500 --slot-min 60

    incrowd discretize clean.parquet -o visits.parquet --into blocks --blocks 100 --slot-min 20 --keep vote

    incrowd discretize calls.csv -o visits.parquet --into towers --towers towers.csv --fill interpolate

    incrowd discretize visits.parquet -o counts.parquet --into counts
    """
    from incrowd import discretize
    from incrowd.data.files import check_table
    from incrowd.discretize._blocks import divided

    check_table(output, force=force)
    given: dict[str, Any] = {"cell_m": cell_m, "slot_min": slot_min, "keep": keep, "blocks": blocks, "fill": fill}
    given |= {"far_towers": far_towers or None, "origin": lon_lat(origin), **boxing.arguments()}
    chosen = {name: value for name, value in {**given, "towers": towers, "zones": zones}.items() if value is not None}
    for name in chosen.keys() - set(TAKES[into]):
        others = " or ".join(f"--into {other}" for other in TAKES if name in TAKES[other])
        raise ParameterError(
            f"--{name.replace('_', '-')} has no use with --into {into}; pass {others}, or leave it out."
        )
    wanted: dict[str, Any] = {**DEFAULTS[into], **chosen}
    where = (_places(into, wanted.pop(into, None)),) if into in ("towers", "zones") else ()
    source = one_or_many(sources)
    call, data, line, more = getattr(discretize, into), repr(source), "", {}
    with progress_bar():
        noun: Frame
        if into == "counts":
            noun = discretize.counts(_visits(source, reading, slot_min))
            data, wanted = source_in_python(sources, reading, Grain(slot_min=slot_min or GRAIN.slot_min)), {}
        elif into == "blocks":
            noun, bounds = divided(source, start=start, **wanted, **reading.arguments())
            more = {"block_m": bounds.block_m(wanted["blocks"])}
            line = f"a block of {wanted['blocks']} x {wanted['blocks']} is {size_m(*more['block_m'])} {SIDES}"
        else:
            noun = call(source, *where, start=start, **wanted, **reading.arguments())
        noun.save(output, force=force)
    if into != "counts":
        wanted |= {"start": start, **reading.arguments()}
    if where:
        places = str(chosen[into])
        data += f", ic.read.towers({places!r})" if into == "towers" else f", {places!r}"
    written(noun, output, in_python(call, data, **wanted), grain_of(noun), line, as_json=as_json, **more)


def _places(into: str, places: Path | None) -> Any:
    from incrowd import read

    if places is None:
        raise ParameterError(f"--into {into} needs --{into} FILE.")
    return read.towers(places) if into == "towers" else places


def _visits(source: str | list[str], reading: ReadingOptions, slot_min: int | None) -> Visits:
    noun = saved_visits(source, reading, slot_min=slot_min)
    if noun is None:
        raise DataError("counts are made from one file of visits; run incrowd discretize --into towers or grid first.")
    return noun
