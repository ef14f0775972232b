"""incrowd attack home-work."""

from typing import Annotated

import typer

from incrowd.cli.inputs import CellM, SlotMin, visits_of
from incrowd.cli.options import Force, Json, ReadingOptions, Sources, reads
from incrowd.cli.pages import Report, check_page, write_page
from incrowd.cli.screen import answer, progress_bar


@reads
def home_work(
    sources: Sources,
    reading: ReadingOptions,
    night_h: Annotated[tuple[float, float], typer.Option(help="Hours in which people are at home.")] = (0, 6),
    work_h: Annotated[tuple[float, float], typer.Option(help="Hours in which people work.")] = (9, 17),
    min_visits: Annotated[int, typer.Option(help="Slots at a cell that are asked for.")] = 1,
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    report: Report = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Infer where everybody lives and works, and count how many share that pair; nobody's places are printed.

    incrowd attack home-work visits.parquet --night-h 22 6
    """
    from incrowd import attack

    check_page(report, force=force)
    with progress_bar():
        visits = visits_of(sources, reading, cell_m=cell_m, slot_min=slot_min)
        places = attack.home_work(visits, night_h=night_h, work_h=work_h, min_visits=min_visits)
        write_page(report, places, force=force)
    shares = {
        "home known": places.home_known,
        "work known": places.work_known,
        "both known": places.both_known,
        "alone with home": places.home_unique,
        "alone with both": places.pair_unique,
    }
    lines = [f"{name:<18} {share:>8.1%}" for name, share in shares.items()]
    lines.append(f"(shares of {places.people:,} people; hours by the clock of {places.time_zone})")
    answer("\n".join(lines), places, as_json=as_json)
