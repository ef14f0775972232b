"""incrowd measure utility."""

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli.inputs import CellM, SlotMin, visits_of
from incrowd.cli.options import Json, ReadingOptions, reads
from incrowd.cli.screen import answer, progress_bar
from incrowd.data import Visits
from incrowd.errors import DataError


@reads
def utility(
    before: Annotated[str, typer.Argument(help="Visits or trajectories before.")],
    after: Annotated[Path, typer.Argument(help="A release folder, or visits.")],
    reading: ReadingOptions,
    common_m: Annotated[
        float, typer.Option(help="Side of the cells in which both are compared, unless those of the data are larger.")
    ] = 1000,
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    as_json: Json = False,
) -> None:
    """What a release is still good for: visits, trips, distances, before and after.

    incrowd measure utility visits.parquet release
    """
    from incrowd import measure, read

    with progress_bar():
        if not after.exists():
            raise DataError(f"{after} does not exist; check the path.")
        published = read.release(after) if after.is_dir() else read.saved(after)
        if not isinstance(published, Visits):
            raise DataError(f"{after.name} holds no visits; utility compares visits.")
        original = visits_of([before], reading, cell_m=cell_m, slot_min=slot_min, like=published)
        comparison = measure.utility(original, published, cell_m=common_m)
    lines = [f"{'':<24} {'before':>22} {'after':>22} {'agreement':>10}"]
    lines += [f"{what:<24} {a:>22} {b:>22} {share:>10}" for what, a, b, share in comparison.rows()]
    finer = f"; cells of {common_m:,g} m would be finer than the data" if comparison.cell_m > common_m else ""
    lines.append(f"(compared in cells of {comparison.cell_m:,g} m and slots of {comparison.slot_min:,} min{finer})")
    answer("\n".join(lines), comparison, as_json=as_json)
