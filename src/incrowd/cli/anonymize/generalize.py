"""incrowd anonymize generalize."""

from typing import Annotated

import typer

from incrowd.cli.options import ReadingOptions, Sources, one_or_many, reads
from incrowd.cli.releasing import Folder, Releasing, Residual, releases
from incrowd.cli.screen import progress_bar


@reads
@releases
def generalize(
    sources: Sources,
    output: Folder,
    reading: ReadingOptions,
    releasing: Releasing,
    cell_m: Annotated[int, typer.Option(help="Side of a published cell.")] = 1000,
    slot_min: Annotated[int, typer.Option(help="Width of a published time slot.")] = 60,
    residual_points: Residual = None,
) -> None:
    """Publish coarse cells and slots instead of points, the same for all.

    incrowd anonymize generalize trips.csv -o release --cell-m 2000 --slot-min 120
    """
    from incrowd import anonymize, read

    releasing.check(output)
    with progress_bar():
        traces = read.table(one_or_many(sources), **reading.arguments())
        method = anonymize.Generalize(cell_m=cell_m, slot_min=slot_min, time_zone=reading.time_zone)
        releasing.publish(method(traces), traces, output, points=residual_points)
