"""How a command comes by counts, and by everybody's place in every slot."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli.inputs import in_python, is_records, saved, saved_noun, saved_visits, source_in_python
from incrowd.cli.options import with_unit
from incrowd.cli.reading import ReadingOptions, one_or_many
from incrowd.cli.screen import note
from incrowd.clock import DAY_MIN
from incrowd.data import Counts, Visits
from incrowd.discretize.slots import Grain
from incrowd.errors import DataError, ParameterError
from incrowd.plain import several
from incrowd.read.layouts import PLACES

if TYPE_CHECKING:
    from incrowd.read._counts import Cells

CELL_M, SLOT_MIN = 500, 30  # if neither towers nor visits decide
CellM = Annotated[int, with_unit("--cell-m", CELL_M, "Side of a grid cell, if no towers are given.")]
SlotMin = Annotated[int, with_unit("--slot-min", SLOT_MIN, "Width of a time slot, for sources that are trajectories.")]
Start = Annotated[
    str | None, typer.Option(help=r"When slot 0 of trajectories begins. \[default: midnight of the first day]")
]
Days = Annotated[int | None, typer.Option(help=r"Days of trajectories to count. \[default: all]")]
Regions = Annotated[
    Path | None,
    typer.Option(
        help="Table with a column region (or district, zone, area, municipality), one row per tower in their order."
    ),
]


def check_towers(towers: Path | None, far_towers: bool) -> None:
    """Refuse --far-towers where no towers are given, which it would be about."""
    if far_towers and towers is None:
        raise ParameterError("--far-towers is about the towers of --towers; pass --towers FILE, or leave it out.")


def counted(sources: list[str], reading: ReadingOptions, **places: Any) -> tuple[Counts, Visits | None]:
    """Counts that were saved, or those of everybody in every slot, and who they are."""
    from incrowd import discretize

    source = one_or_many(sources)
    if saved_noun(source, reading) == "Counts":
        if places.get("start") is not None or places.get("days") is not None:
            raise ParameterError("these counts have their slots already; leave --start and --days out.")
        return saved(Path(str(source))), None
    visits = everywhere(sources, reading, **places)
    return discretize.counts(visits), visits


def everywhere(
    sources: list[str],
    reading: ReadingOptions,
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
    from incrowd.discretize._counts import everybody

    source = one_or_many(sources)
    noun, given = saved_noun(source, reading), saved_visits(source, reading, slot_min=slot_min, cells=cells)
    if given is not None:
        if start is not None or days is not None:
            raise ParameterError("these visits have their slots already; leave --start and --days out.")
        visits: Visits = discretize.filled(given)
        if visits is not given:
            note(f"interpolated {several(visits.records - given.records, 'visit')} to fill the gaps")
        return visits
    if noun not in (None, "Traces"):
        name = Path(str(source)).name
        raise DataError(f"{name} holds {noun}, which do not say who was where when; give trajectories or visits.")
    places = None if towers is None else read.towers(towers)
    how: dict[str, Any] = {"towers": places, "far_towers": far_towers, "cell_m": cell_m, "slot_min": slot_min}
    return everybody(source, **how, start=start, days=days, **reading.arguments())


def everywhere_in_python(
    sources: list[str],
    reading: ReadingOptions,
    *,
    towers: Path | None,
    far_towers: bool,
    cell_m: int,
    slot_min: int,
    start: str | None = None,
    days: int | None = None,
) -> str:
    """The call of the library that makes the same visits; empty if a grid is cut to some days, which has none."""
    from incrowd import discretize

    source = one_or_many(sources)
    if saved_noun(source, reading) not in (None, "Traces"):
        return f"ic.discretize.filled({source_in_python(sources, reading, Grain(slot_min=slot_min))})"
    how: dict[str, Any] = {"slot_min": slot_min, "start": start, **reading.arguments()}
    if towers is not None:
        slots = None if days is None else -(-days * DAY_MIN // slot_min)
        how |= {"fill": "interpolate", "slots": slots, "far_towers": far_towers}
        return in_python(discretize.towers, f"{source!r}, ic.read.towers({str(towers)!r})", **how)
    if days is not None:
        return ""
    call = in_python(discretize.grid, repr(source), cell_m=cell_m, keep="vote", **how)
    return f"ic.discretize.filled({call})"


def of_truth(truth: Path, reading: ReadingOptions, *, table: bool, published: bool) -> ReadingOptions:
    """How the truth is read: columns, clock and bad rows of a table of counts or of the records are not its own."""
    if table:
        reading = replace(reading, column=_columns_of_truth(truth, reading))
    if not is_records(str(truth), reading):
        return replace(reading, time_zone=None, bad_rows=reading.bad_rows if published else None)
    if reading.bad_rows is not None and not published:
        raise ParameterError("--bad-rows takes the rows of one source, and the truth is a second; leave it out.")
    return reading


def _columns_of_truth(truth: Path, reading: ReadingOptions) -> list[str]:
    """Who and when; places where the truth, or the antennas it is read with, has them: the table of cells may too.

    The names of cell and slot are those of the counts; of the truth, too, if it has both.
    """
    from incrowd.read._kind import header_of

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
