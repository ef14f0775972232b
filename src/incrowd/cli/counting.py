"""How a command comes by counts, and by everybody's place in every slot."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli.inputs import in_python, is_records, saved, saved_noun, saved_visits, source_in_python
from incrowd.cli.options import arguments_of, takes
from incrowd.cli.reading import ReadingOptions, one_or_many
from incrowd.cli.screen import note
from incrowd.clock import DAY_MIN
from incrowd.data import Counts, Visits
from incrowd.discretize.slots import Grain
from incrowd.errors import DataError, ParameterError
from incrowd.plain import several
from incrowd.read.count_times import SLOT_MIN
from incrowd.read.layouts import PLACES

if TYPE_CHECKING:
    from incrowd.read._counts import Cells

Regions = Annotated[
    Path | None,
    typer.Option(
        help="Table with a column region (or district, zone, area, municipality), one row per tower in their order."
    ),
]


@dataclass(frozen=True)
class Counting:
    """Where and when people are counted.

    Args:
        towers: Table of towers with lon and lat. [default: a grid of --cell-m]
        far_towers: Go on though most records are far from every tower.
        cell_m: Side of a grid cell, if no towers are given.
        slot_min: Width of a time slot, for sources that are trajectories.
        start: When slot 0 of trajectories begins. [default: midnight of the first day]
        days: Days of trajectories to count. [default: all]
    """

    towers: Path | None = None
    far_towers: bool = False
    cell_m: int = 500
    slot_min: int = SLOT_MIN
    start: str | None = None
    days: int | None = None

    def __post_init__(self) -> None:
        check_towers(self.towers, self.far_towers)

    @property
    def places(self) -> Any:
        """Where the towers are; None if no table of them is given."""
        from incrowd import read

        return None if self.towers is None else read.towers(self.towers)

    @property
    def slots(self) -> int | None:
        """Slots of all days that are counted; None for those of the data."""
        return None if self.days is None else -(-self.days * DAY_MIN // self.slot_min)

    def refuse_period(self, what: str) -> None:
        """Refuse a period of what has its slots already."""
        if self.start is not None or self.days is not None:
            raise ParameterError(f"{what} have their slots already; leave --start and --days out.")


counting = takes(Counting, "where", into=Counting)
FarTowers = Annotated[bool, typer.Option("--far-towers", help=arguments_of(Counting)["far_towers"])]
Towers = Annotated[Path | None, typer.Option(help=arguments_of(Counting)["towers"])]


def check_towers(towers: Path | None, far_towers: bool) -> None:
    """Refuse --far-towers where no towers are given, which it would be about."""
    if far_towers and towers is None:
        raise ParameterError("--far-towers is about the towers of --towers; pass --towers FILE, or leave it out.")


def counted(sources: list[str], reading: ReadingOptions, where: Counting) -> tuple[Counts, Visits | None]:
    """Counts that were saved, or those of everybody in every slot, and who they are."""
    from incrowd import discretize

    source = one_or_many(sources)
    if saved_noun(source, reading) == "Counts":
        where.refuse_period("these counts")
        return saved(Path(str(source))), None
    visits = everywhere(sources, reading, where)
    return discretize.counts(visits), visits


def everywhere(sources: list[str], reading: ReadingOptions, where: Counting, *, cells: "Cells | None" = None) -> Visits:
    """One cell for everybody in every slot, from visits that were saved or from trajectories; gaps are interpolated."""
    from incrowd import discretize
    from incrowd.discretize._counts import everybody

    source = one_or_many(sources)
    noun, given = saved_noun(source, reading), saved_visits(source, reading, slot_min=where.slot_min, cells=cells)
    if given is not None:
        where.refuse_period("these visits")
        visits: Visits = discretize.filled(given)
        if visits is not given:
            note(f"interpolated {several(visits.records - given.records, 'visit')} to fill the gaps")
        return visits
    if noun not in (None, "Traces"):
        name = Path(str(source)).name
        raise DataError(f"{name} holds {noun}, which do not say who was where when; give trajectories or visits.")
    return everybody(source, **{**vars(where), "towers": where.places}, **reading.arguments())


def everywhere_in_python(sources: list[str], reading: ReadingOptions, where: Counting) -> str:
    """The call of the library that makes the same visits; empty if a grid is cut to some days, which has none."""
    from incrowd import discretize

    source = one_or_many(sources)
    if saved_noun(source, reading) not in (None, "Traces"):
        return f"ic.discretize.filled({source_in_python(sources, reading, Grain(slot_min=where.slot_min))})"
    how: dict[str, Any] = {"slot_min": where.slot_min, "start": where.start, **reading.arguments()}
    if where.towers is not None:
        how |= {"fill": "interpolate", "slots": where.slots, "far_towers": where.far_towers}
        return in_python(discretize.towers, f"{source!r}, ic.read.towers({str(where.towers)!r})", **how)
    if where.days is not None:
        return ""
    call = in_python(discretize.grid, repr(source), cell_m=where.cell_m, keep="vote", **how)
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
