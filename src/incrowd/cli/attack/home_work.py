"""incrowd attack home-work."""

from typing import Annotated, Any

import typer

from incrowd import attack
from incrowd.cli.inputs import grain_of, grained, in_python, source_in_python, visits_of
from incrowd.cli.options import Force, Json, Sources, takes
from incrowd.cli.reading import ReadingOptions, reads
from incrowd.cli.screen import Report, check_page, present, progress_bar, write_page
from incrowd.discretize.slots import Grain

HOURS = Annotated[tuple[float, float], typer.Option(help="Hours in which people are at home; 22 6 runs past midnight.")]
WORK = Annotated[tuple[float, float], typer.Option(help="Hours in which people work.")]
DECIDED = ("visits", "weekdays", "home", "work")  # not asked for


@reads
@grained
@takes(attack.home_work, "question", leave_out=DECIDED, night_h=(HOURS, (0, 6)), work_h=(WORK, (9, 17)))
def home_work(
    sources: Sources,
    reading: ReadingOptions,
    question: dict[str, Any],
    grain: Grain,
    report: Report = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Infer where everybody lives and works, and count how many share that pair; nobody's places are printed.

    incrowd attack home-work visits.parquet --night-h 22 6
    """
    check_page(report, force=force)
    with progress_bar():
        visits = visits_of(sources, reading, grain)
        places = attack.home_work(visits, **question)
        write_page(report, places, force=force)
    call = in_python(attack.home_work, source_in_python(sources, reading, grain), **question)
    present(places, call, grain=grain_of(visits), as_json=as_json)
