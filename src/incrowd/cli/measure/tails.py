"""incrowd measure tails."""

from typing import Any

from incrowd import measure
from incrowd.cli.inputs import fingerprints_of, in_python, source_in_python
from incrowd.cli.options import Json, Sources, takes
from incrowd.cli.reading import ReadingOptions, reads
from incrowd.cli.screen import present, progress_bar


@reads
@takes(measure.tails, "how", leave_out=("fingerprints", "gap"))
def tails(sources: Sources, reading: ReadingOptions, how: dict[str, Any], as_json: Json = False) -> None:
    """Why people are hard to hide: how much of the blurring a few samples cause, in space and in time.

    incrowd measure tails trips.csv --k 2
    """
    with progress_bar():
        weights = measure.tails(fingerprints_of(sources, reading), **how)
    data = source_in_python(sources, reading, into="fingerprints")
    present(weights, in_python(measure.tails, data, **how), as_json=as_json)
