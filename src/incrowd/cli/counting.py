"""incrowd anonymize counts, and how a command comes by everybody's place in every slot."""

from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli.inputs import is_records, saved_noun, saved_visits
from incrowd.cli.options import FarTowers, Force, Json, Output, Reading, Sources, Towers, one_or_many, reads
from incrowd.cli.screen import answer, note, progress_bar
from incrowd.data import Counts, Visits, load
from incrowd.errors import DataError, ParameterError
from incrowd.read.layouts import PLACES

if TYPE_CHECKING:
    from incrowd.read._counts import Cells

CellM = Annotated[int, typer.Option(help="Side of a grid cell, where there are no towers.")]
SlotMin = Annotated[int, typer.Option(help="Width of a time slot, for sources that are trajectories.")]
Start = Annotated[
    str | None, typer.Option(help="When slot 0 of trajectories begins; midnight of the first day without it.")
]
Days = Annotated[int | None, typer.Option(help="Days of trajectories to count; all without it.")]
Regions = Annotated[
    Path | None,
    typer.Option(
        help="Table with a column region (or district, zone, area, municipality), one row per tower in their order."
    ),
]


@reads
def counts(
    sources: Sources,
    output: Output,
    reading: Reading,
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
    said = f"sum |published - exact| / sum exact = {loss:.4f}" if same else "published in regions"
    record = {"output": output.name, "ledger": published.ledger, "loss": loss}
    text = f"{published.ledger}\n\n{published.shape[0]:,} slots of {published.shape[1]:,} cells -> {output}\n{said}\n"
    answer(text + _hint(output, cells, published.slot_min), record, as_json=as_json)


def _hint(output: Path, cells: Path | None, slot_min: int) -> str:
    """How to attack what was written; text says neither where cells are nor how long slots last."""
    command = f"incrowd attack ash {quote(str(output))}"
    if output.suffix == ".parquet":
        return f"attack it: {command}"
    places = "CELLS" if cells is None else quote(str(cells))
    first = "write their places with --cells CELLS, then attack it: " if cells is None else "attack it: "
    return f"{first}{command} --counts --cells {places} --slot-min {slot_min}"


def counted(sources: list[str], reading: Reading, **places: Any) -> tuple[Counts, Visits | None]:
    """Counts that were saved, or those of everybody in every slot, and who they are."""
    from incrowd import discretize

    source = one_or_many(sources)
    if saved_noun(source, reading) == "Counts":
        if places.get("start") is not None or places.get("days") is not None:
            raise ParameterError("these counts have their slots already; leave --start and --days out.")
        found: Any = load(str(source))
        return found, None
    visits = everywhere(sources, reading, **places)
    return discretize.counts(visits), visits


def everywhere(
    sources: list[str],
    reading: Reading,
    *,
    towers: Path | None,
    far_towers: bool,
    cell_m: int,
    slot_min: int,
    start: str | None = None,
    days: int | None = None,
    cells: "Cells | None" = None,
) -> Visits:
    """One cell for everybody in every slot, from visits that were saved or from trajectories; gaps are interpolated."""
    from incrowd import discretize, read
    from incrowd.discretize._filled import everybody

    source = one_or_many(sources)
    noun, saved = saved_noun(source, reading), saved_visits(source, reading, slot_min=slot_min, cells=cells)
    if saved is not None:
        if start is not None or days is not None:
            raise ParameterError("these visits have their slots already; leave --start and --days out.")
        visits: Visits = discretize.filled(saved)
        if visits is not saved:
            note(f"interpolated {visits.records - saved.records:,} visits to fill the gaps")
        return visits
    if noun not in (None, "Traces"):
        name = Path(str(source)).name
        raise DataError(f"{name} holds {noun}, which do not say who was where when; give trajectories or visits.")
    places = None if towers is None else read.towers(towers)
    how: dict[str, Any] = {"towers": places, "far_towers": far_towers, "cell_m": cell_m, "slot_min": slot_min}
    return everybody(source, **how, start=start, days=days, **reading.arguments())


def of_truth(truth: Path, reading: Reading, *, table: bool, published: bool) -> Reading:
    """How the truth is read: columns, clock and bad rows of a table of counts or of the records are not its own."""
    if table:
        reading = replace(reading, column=_columns_of_truth(truth, reading))
    if not is_records(str(truth), reading):
        return replace(reading, time_zone=None, bad_rows=reading.bad_rows if published else None)
    if reading.bad_rows is not None and not published:
        raise ParameterError("--bad-rows takes the rows of one source, and the truth is a second; leave it out.")
    return reading


def _columns_of_truth(truth: Path, reading: Reading) -> list[str]:
    """Who and when; places where the truth, or the antennas it is read with, has them: the table of cells may too.

    The names of cell and slot are those of the counts; of the truth, too, if it has both.
    """
    from incrowd.read._visits import header_of

    header = header_of(truth) if truth.is_file() and reading.antennas is None else None
    given = [(text, *text.partition("=")[::2]) for text in reading.column]
    there = {text for text, _, name in given if header is None or name in header or name.isdecimal()}
    named = {role: name for _, role, name in given}
    own = [role for role in ("cell", "slot") if header is not None and named.get(role, role) in header]
    visits = "slot" in own
    return [
        text
        for text, role, _ in given
        if role in ("user", "t") or (role in PLACES and text in there) or (visits and role in own)
    ]


def _write_cells(counts: Counts, path: Path, *, force: bool) -> None:
    from incrowd.data.files import whole_file

    rows = [f"{cell},{x!r},{y!r}" for cell, (x, y) in enumerate(counts.xy.tolist())]
    with whole_file(path, force=force) as part:
        part.write_text("cell,x,y\n" + "\n".join(rows) + "\n")
