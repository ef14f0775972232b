"""incrowd measure exposure."""

from typing import Any

from incrowd import measure
from incrowd.cli.inputs import grain_of, grained, in_python, source_in_python, visits_of
from incrowd.cli.options import Json, Sources, takes
from incrowd.cli.reading import ReadingOptions, reads
from incrowd.cli.screen import present, progress_bar
from incrowd.discretize.slots import Grain


@reads
@grained
@takes(measure.exposure, "how", leave_out=("visits",))
def exposure(
    sources: Sources, reading: ReadingOptions, how: dict[str, Any], grain: Grain, as_json: Json = False
) -> None:
    """How many people are identified by a single visit, and how many by two or three well-chosen ones.

    incrowd measure exposure visits.parquet
    """
    with progress_bar():
        visits = visits_of(sources, reading, grain)
        exposures = measure.exposure(visits, **how)
    call = in_python(measure.exposure, source_in_python(sources, reading, grain), **how)
    present(exposures, call, grain=grain_of(visits), as_json=as_json)
