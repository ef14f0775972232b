"""incrowd measure cut."""

from typing import Annotated

import typer

from incrowd.cli.inputs import CellM, SlotMin, visits_of
from incrowd.cli.measure.uniqueness import table
from incrowd.cli.options import Json, ReadingOptions, Seed, Sources, reads
from incrowd.cli.screen import answer, progress_bar


@reads
def cut(
    sources: Sources,
    reading: ReadingOptions,
    window_h: Annotated[float, typer.Option(help="Width of a window in hours.")] = 6,
    windows: Annotated[int | None, typer.Option(help="Number of windows, instead of their width.")] = None,
    start_slot: Annotated[int, typer.Option(help="Slot at which the recording period begins.")] = 0,
    slots: Annotated[int | None, typer.Option(help="Length of the recording period in slots.")] = None,
    points: Annotated[int, typer.Option(help="How many points the attacker knows.")] = 2,
    repeats: Annotated[int, typer.Option(help="Draws per person and piece.")] = 1,
    exact: Annotated[bool, typer.Option("--exact", help="Look at every choice instead of drawing.")] = False,
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Uniqueness before and after cutting into windows, under every convention.

    incrowd measure cut visits.parquet --window-h 6 --points 2
    """
    from incrowd import discretize, measure

    with progress_bar():
        visits = visits_of(sources, reading, cell_m=cell_m, slot_min=slot_min)
        width = {"window_h": window_h} if windows is None else {"windows": windows}
        pieces = discretize.windows(visits, start_slot=start_slot, slots=slots, **width)
        risk = measure.cut_risk(visits, pieces, points=points, repeats=repeats, exact=exact, seed=seed)
    lines = []
    for name, side in (("before", risk.before), ("after", risk.after), ("fixed knowledge", risk.fixed_knowledge)):
        lines += [name, *table(list(side.values()))]
    lines.append(f"({risk.users:,} people, {risk.pieces:,} pieces, {points} points, seed {seed})")
    answer("\n".join([*lines, risk.reason]), risk, as_json=as_json)
