"""incrowd measure utility."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from incrowd import measure, read
from incrowd.cli.inputs import GRAIN, grained, in_python, source_in_python, visits_of
from incrowd.cli.options import Json, arguments_of, with_unit
from incrowd.cli.reading import ReadingOptions, reads
from incrowd.cli.screen import present, progress_bar
from incrowd.data import Visits
from incrowd.discretize.slots import Grain
from incrowd.errors import DataError

COMMON_M = 1000
CommonM = Annotated[float, with_unit("--common-m", COMMON_M, arguments_of(measure.utility)["cell_m"])]


@reads
@grained
def utility(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="Visits or trajectories before.")],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="A release folder, or visits.")],
    reading: ReadingOptions,
    common_m: CommonM = COMMON_M,
    grain: Grain = GRAIN,
    as_json: Json = False,
) -> None:
    """What a release is still good for: visits, trips and distances, before and after.

    incrowd measure utility visits.parquet release
    """
    with progress_bar():
        if not after.exists():
            raise DataError(f"{after} does not exist; check the path.")
        opens = read.release if after.is_dir() else read.saved
        published = opens(after)
        if not isinstance(published, Visits):
            raise DataError(f"{after.name} holds no visits; utility compares visits.")
        original = visits_of([before], reading, grain, like=published)
        comparison = measure.utility(original, published, cell_m=common_m)
    data, divided, options = source_in_python([before], reading, grain).partition(f"slot_min={grain.slot_min}")
    if divided:  # on the squares and slots of the release
        data = f"ic.discretize.alike({before!r}, after, cell_m={published.cell_m or grain.cell_m:g}{options}"
    call = in_python(measure.utility, f"{data}, after", cell_m=common_m)
    section = comparison.section()
    if comparison.cell_m > common_m:
        finer = f"cells of {common_m:,g} m would be finer than those of the data"
        section = replace(section, options=f"{section.options}; {finer}")
    present(
        comparison if as_json else section, f"after = ic.read.{opens.__name__}({str(after)!r}); {call}", as_json=as_json
    )
