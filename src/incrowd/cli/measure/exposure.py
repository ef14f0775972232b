"""incrowd measure exposure."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd import measure
from incrowd.cli.inputs import grain_of, grained, in_python, source_in_python, visits_of
from incrowd.cli.options import Force, Json, Sources, takes
from incrowd.cli.reading import ReadingOptions, reads
from incrowd.cli.screen import note, present, progress_bar
from incrowd.discretize.slots import Grain
from incrowd.errors import ParameterError
from incrowd.measure import RiskMap

PICTURES = (".svg", ".pdf")
MapFile = Annotated[
    Path | None,
    typer.Option(
        "--map",
        help="Map to write, of the share of the people of each cell whom one visit there identifies: .geojson, "
        ".parquet (GeoParquet), or a picture: .svg, .pdf.",
    ),
]


@reads
@grained
@takes(measure.exposure, "how", leave_out=("visits",))
@takes(measure.risk_map, "where", leave_out=("visits",))
def exposure(
    sources: Sources,
    reading: ReadingOptions,
    how: dict[str, Any],
    where: dict[str, Any],
    grain: Grain,
    map: MapFile = None,  # noqa: A002 - the name of the option, by which it is refused to overwrite an input
    force: Force = False,
    as_json: Json = False,
) -> None:
    """How many people are identified by a single visit, and how many by two or three well-chosen ones.

    incrowd measure exposure visits.parquet

    incrowd measure exposure trips.csv --map risk.geojson

    incrowd measure exposure trips.csv --map risk.svg --outline city.geojson
    """
    if map is not None:
        _check(map, force=force)
    elif where["outline"] is not None:
        raise ParameterError("--outline is drawn on a map; pass --map too, such as --map risk.svg.")
    with progress_bar():
        visits = visits_of(sources, reading, grain)
        mapped = None if visits.xy is None and map is None else measure.risk_map(visits, **where)
        if mapped is not None and map is not None:
            _write(mapped, map, force=force)
        exposures = replace(measure.exposure(visits, **how), risk_map=mapped)
    call = in_python(measure.exposure, source_in_python(sources, reading, grain), **how)
    present(exposures, call, grain=grain_of(visits), as_json=as_json)
    if map is not None:
        note(f"map: {map}")


def _check(path: Path, *, force: bool) -> None:
    """Say before any work that the map cannot be written."""
    from incrowd.data.files import refuse_existing
    from incrowd.measure._map_files import SUFFIXES

    known = (*SUFFIXES, *PICTURES)
    if path.suffix.lower() not in known:
        raise ParameterError(f"cannot tell the format of {path.name}; end its name in one of {', '.join(known)}.")
    refuse_existing(path, force=force)


def _write(mapped: RiskMap, path: Path, *, force: bool) -> None:
    if path.suffix.lower() not in PICTURES:
        mapped.save(path, force=force)
        return
    from incrowd.report.figures import write_picture

    if not len(mapped.cell):
        raise ParameterError(f"no cell has {mapped.min_people} people; lower --min-people, or use larger cells.")
    write_picture(mapped.panel(), path, force=force)
