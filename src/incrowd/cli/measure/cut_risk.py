"""incrowd measure cut-risk."""

from typing import Any

from incrowd import anonymize, discretize, measure
from incrowd.cli.inputs import grain_of, grained, in_python, source_in_python, visits_of
from incrowd.cli.options import Json, Sources, takes
from incrowd.cli.reading import ReadingOptions, reads
from incrowd.cli.screen import present, progress_bar
from incrowd.discretize.slots import Grain


@reads
@grained
@takes(measure.cut_risk, "question", leave_out=("visits", "windows"))
@takes(anonymize.Cut, "cut", into=anonymize.Cut)
def cut_risk(
    sources: Sources,
    reading: ReadingOptions,
    cut: anonymize.Cut,
    question: dict[str, Any],
    grain: Grain,
    as_json: Json = False,
) -> None:
    """Share of people who are identified before and after cutting trajectories into windows.

    incrowd measure cut-risk visits.parquet --window-h 6 --points 2
    """
    width: dict[str, Any] = {"window_h": cut.window_h} if cut.windows is None else {"windows": cut.windows}
    width |= {"start_slot": cut.start_slot, "slots": cut.slots}
    with progress_bar():
        visits = visits_of(sources, reading, grain)
        risk = measure.cut_risk(visits, discretize.windows(visits, **width), **question)
    pieces = in_python(discretize.windows, "visits", **width)
    call = in_python(measure.cut_risk, f"visits, {pieces}", **question)
    python = f"visits = {source_in_python(sources, reading, grain)}; {call}"
    present(risk, python, grain=grain_of(visits), as_json=as_json)
