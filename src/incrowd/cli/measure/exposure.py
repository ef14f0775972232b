"""incrowd measure exposure."""

from typing import Annotated

import typer

from incrowd.cli.inputs import CellM, SlotMin, visits_of
from incrowd.cli.options import Json, ReadingOptions, Sources, reads
from incrowd.cli.screen import answer, progress_bar


@reads
def exposure(
    sources: Sources,
    reading: ReadingOptions,
    max_points: Annotated[int, typer.Option(min=1, max=3, help="Sets of up to this many points are tried.")] = 3,
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    as_json: Json = False,
) -> None:
    """The fewest own points that single each person out: how the worst-off fare.

    incrowd measure exposure visits.parquet
    """
    from incrowd import measure

    with progress_bar():
        visits = visits_of(sources, reading, cell_m=cell_m, slot_min=slot_min)
        exposures = measure.exposure(visits, max_points=max_points)
    lines = [f"{'fewest own points':>18} {'share of people':>16}"]
    for points, share in sorted(exposures.distribution.items()):
        bound = "" if exposures.exact[exposures.points == points].all() else " or fewer"
        lines.append(f"{'never alone' if points == 0 else f'{points}{bound}':>18} {share:>16.4f}")
    lines.append(f"({len(visits):,} people; {int((~exposures.exact).sum()):,} not exact)")
    answer("\n".join(lines), exposures, as_json=as_json)
