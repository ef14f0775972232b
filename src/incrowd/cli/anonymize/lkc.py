"""incrowd anonymize lkc."""

from typing import Annotated, Literal

import typer

from incrowd.cli.inputs import CellM, SlotMin, carrying, visits_of
from incrowd.cli.options import ReadingOptions, Sources, reads
from incrowd.cli.privacy import Privacy, asks_privacy
from incrowd.cli.releasing import Folder, Releasing, Residual, releases
from incrowd.cli.screen import progress_bar


@reads
@releases
@asks_privacy
def lkc(
    sources: Sources,
    output: Folder,
    reading: ReadingOptions,
    releasing: Releasing,
    privacy: Privacy,
    scores: Annotated[
        Literal["static", "recompute"], typer.Option(help="Mine patterns once, or again each round.")
    ] = "static",
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    residual_points: Residual = None,
) -> None:
    """Suppress visits until nobody is singled out by l of them, keeping the patterns many share.

    incrowd anonymize lkc visits.parquet -o release --l 2 --k 5

    incrowd anonymize lkc visits.parquet -o release --l 2 --k 5 --c 0.5 --sensitive diagnosis --value AIDS
    """
    from incrowd import anonymize

    releasing.check(output)
    with progress_bar():
        visits = visits_of(sources, carrying(reading, privacy.sensitive), cell_m=cell_m, slot_min=slot_min)
        asked = privacy.arguments(visits)
        method = anonymize.LKC(**asked, min_support=privacy.min_support, scores=scores)
        releasing.publish(method(visits), visits, output, points=residual_points)
