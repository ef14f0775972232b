"""incrowd anonymize counts."""

from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from incrowd.cli.counting import CellM, Days, Regions, SlotMin, Start, check_towers, counted
from incrowd.cli.options import FarTowers, Force, Json, Output, ReadingOptions, Sources, Towers, reads
from incrowd.cli.screen import answer, progress_bar
from incrowd.data import Counts


@reads
def counts(
    sources: Sources,
    output: Output,
    reading: ReadingOptions,
    towers: Towers = None,
    far_towers: FarTowers = False,
    cell_m: CellM = 500,
    slot_min: SlotMin = 30,
    start: Start = None,
    days: Days = None,
    move_share: Annotated[
        float | None, typer.Option(help="Move this share of the points at everybody's two top places, nearby.")
    ] = None,
    regions: Regions = None,
    region_m: Annotated[float | None, typer.Option(help="Count in square regions of this side.")] = None,
    noise_epsilon: Annotated[
        float | None, typer.Option(help="Add two-sided geometric noise of this epsilon to every count.")
    ] = None,
    suppress_below: Annotated[int | None, typer.Option(help="Publish smaller counts as 0.")] = None,
    round_to: Annotated[int | None, typer.Option(help="Publish the nearest multiple of this.")] = None,
    cells: Annotated[Path | None, typer.Option(help="Also write where the cells are: .csv.")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the noise, for tests: whoever knows it can take the noise away.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Publish how many people are where and when, with mitigations in the order of these options.

    incrowd anonymize counts calls.csv --towers towers.csv -o counts.parquet --suppress-below 5

    incrowd anonymize counts visits.parquet -o counts.csv --cells cells.csv --noise-epsilon 1 --round-to 5

    incrowd attack ash calls.csv --towers towers.csv --sweep  (says which of them is worth it)
    """
    from incrowd import read
    from incrowd.anonymize.counts import mitigated
    from incrowd.assess.publishing import count_loss
    from incrowd.data.files import check_table, refuse_existing
    from incrowd.ledger import Ledger

    check_towers(towers, far_towers)
    check_table(output, force=force)
    if cells is not None:
        refuse_existing(cells, force=force)
    with progress_bar():
        places: dict[str, Any] = {"towers": towers, "far_towers": far_towers, "cell_m": cell_m, "slot_min": slot_min}
        exact, visits = counted(sources, reading, **places, start=start, days=days)
        published = mitigated(
            exact,
            visits,
            move_share=move_share,
            region=None if regions is None else read.regions(regions),
            region_m=region_m,
            noise_epsilon=noise_epsilon,
            suppress_below=suppress_below,
            round_to=round_to,
            seed=seed,
        )
        # What happened to the records is for the publisher alone.
        replace(published, ledger=Ledger()).save(output, force=force)
        if cells is not None:
            _write_cells(published, cells, force=force)
    same = published.shape == exact.shape
    loss = count_loss(published.n, exact) if same else None
    lost = f"sum |published - exact| / sum exact = {loss:.4f}" if same else "published in regions"
    record = {"output": output.name, "ledger": published.ledger, "loss": loss}
    text = f"{published.ledger}\n\n{published.shape[0]:,} slots of {published.shape[1]:,} cells -> {output}\n{lost}\n"
    answer(text + _hint(output, cells, published.slot_min), record, as_json=as_json)


def _hint(output: Path, cells: Path | None, slot_min: int) -> str:
    """How to attack what was written; text says neither where cells are nor how long slots last."""
    command = f"incrowd attack ash {quote(str(output))}"
    if output.suffix == ".parquet":
        return f"attack it: {command}"
    places = "CELLS" if cells is None else quote(str(cells))
    first = "write their places with --cells CELLS, then attack it: " if cells is None else "attack it: "
    return f"{first}{command} --counts --cells {places} --slot-min {slot_min}"


def _write_cells(counts: Counts, path: Path, *, force: bool) -> None:
    from incrowd.data.files import whole_file

    rows = [f"{cell},{x!r},{y!r}" for cell, (x, y) in enumerate(counts.xy.tolist())]
    with whole_file(path, force=force) as part:
        part.write_text("cell,x,y\n" + "\n".join(rows) + "\n")
