"""incrowd attack link."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli.inputs import is_records, visits_of
from incrowd.cli.options import Force, Json, Origin, ReadingOptions, lon_lat, one_or_many, reads
from incrowd.cli.pages import Report, check_page, write_page
from incrowd.cli.screen import answer, progress_bar
from incrowd.data import Release, Traces, Visits
from incrowd.data.release_folder import release_at
from incrowd.errors import DataError, ParameterError, check_positive, check_whole
from incrowd.plain import percent
from incrowd.read.plane import origin_of

if TYPE_CHECKING:
    from incrowd.attack import Linkage

CELL_M, SLOT_MIN = 500, 60


@reads
def link(
    known: Annotated[str, typer.Argument(metavar="KNOWN", help="What the attacker holds: visits or trajectories.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Where to look: visits, trajectories or a release.")],
    reading: ReadingOptions,
    truth: Annotated[
        Path | None,
        typer.Option(
            help="Link file: pseudonym (target), user (known). Without it equal labels are one person, and a release "
            "is not scored."
        ),
    ] = None,
    tolerance_slots: Annotated[int, typer.Option(help="Slots that two visits may be apart and still match.")] = 0,
    tolerance_m: Annotated[float, typer.Option(help="Metres that two cells may be apart and still match.")] = 0,
    period_slots: Annotated[
        int | None, typer.Option(help="Match by slot of this period, such as 168 hours of a week, not by moment.")
    ] = None,
    cell_m: Annotated[
        float | None, typer.Option(help="Side of a grid cell: 500, or that of the side that is visits already.")
    ] = None,
    slot_min: Annotated[
        int | None, typer.Option(help="Width of a time slot: 60, or that of the side that is visits already.")
    ] = None,
    origin: Origin = None,
    start: Annotated[
        str | None, typer.Option(help="When slot 0 of two sides of trajectories begins; earlier records leave.")
    ] = None,
    report: Report = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Match the people of two datasets by the rare visits they share.

    Trajectories are put on the squares and slots of the other side, or of the known one where both are trajectories.

    incrowd attack link visits.parquet release --truth link.csv

    incrowd attack link january.csv february.csv --cell-m 1000 --period-slots 168

    incrowd attack link january.parquet february.parquet --period-slots 168 --tolerance-slots 1
    """
    from incrowd import attack
    from incrowd.attack.people import read_link

    check_page(report, force=force)
    with progress_bar():
        grain: dict[str, Any] = {"cell_m": cell_m, "slot_min": slot_min, "origin": origin, "start": start}
        if truth is not None:
            read_link(truth, target)  # one of another release is refused
        sides = sides_of(known, target, reading, **grain, near=tolerance_m > 0)
        linkage = attack.link(
            *sides,
            truth=truth,
            tolerance_slots=tolerance_slots,
            tolerance_m=tolerance_m,
            period_slots=period_slots,
        )
        write_page(report, linkage, force=force)
    answer("\n".join([*_matched(linkage), _grain(sides[0])]), linkage, as_json=as_json)


def _matched(linkage: "Linkage") -> list[str]:
    if not linkage.told:
        ranked = f"ranked {linkage.target:,} candidates for {linkage.known:,} known people"
        return [
            f"{ranked}; for {linkage.claimed:,} of them the best is strictly ahead of the second",
            "no link file was given, so matches cannot be scored: pass --truth LINK to see how often the best is right",
        ]
    lines = [f"{'':<22} {'attack':>9} {'chance':>9}"]
    shares = ((f"among the first {k}", linkage.hit[k], linkage.chance[k]) for k in linkage.hit)
    lines += [f"{name:<22} {percent(attack):>9} {percent(chance):>9}" for name, attack, chance in shares]
    ranks = (linkage.median_rank, linkage.chance_median_rank)
    lines.append(f"{'median rank':<22} " + " ".join(f"{'-' if r is None else f'{r:,.1f}':>9}" for r in ranks))
    lines.append(f"{'claims that are right':<22} {percent(linkage.claims_right):>9}   of {linkage.claimed:,}")
    lines.append(
        f"({linkage.scored:,} of {linkage.known:,} known people are among {linkage.target:,} candidates, "
        f"{linkage.without:,} are not, {linkage.silent:,} meet nobody; a claim is a best candidate strictly ahead of "
        "the second)"
    )
    if linkage.untold:
        lines.append(
            f"(the link file names {linkage.target - linkage.untold:,} of {linkage.target:,} candidates: whoever the "
            "others are is counted as not among them)"
        )
    return lines


def sides_of(
    known: str,
    target: str,
    reading: ReadingOptions,
    *,
    cell_m: float | None,
    slot_min: int | None,
    origin: str | None,
    start: str | None,
    near: bool,
) -> list[Visits | Release]:
    """Both sides; one of trajectories takes squares and slots of the other, or of the known where both are.

    `near` cells may match too, so that the other need not be on squares. Options about records are for the sides that
    have records. A release, of visits or of points, is ranked only: its pseudonyms are not labels of people.
    """
    if cell_m is not None:
        check_positive(cell_m=cell_m)
    if slot_min is not None:
        check_whole(slot_min=slot_min)
    sources = (known, target)
    files = [release_at(source) is None and is_records(source, reading) for source in sources]
    if all(files) and reading.bad_rows is not None:
        raise ParameterError(
            "--bad-rows takes the rows of one source, and both are trajectories; run incrowd discretize on one first."
        )
    rest = replace(reading, bad_rows=None, time_zone=None) if any(files) else reading
    width = SLOT_MIN if slot_min is None else slot_min
    sides: list[Any] = [
        _Ungridded(source, reading) if raw else _side(source, rest, width)
        for source, raw in zip(sources, files, strict=True)
    ]
    points = [isinstance(side, _Ungridded) for side in sides]
    side_m = CELL_M if cell_m is None else cell_m
    if all(points):
        first = sides[0].on_grid(cell_m=side_m, slot_min=width, origin=lon_lat(origin), start=start)
        return [first, sides[1].alike(_visits(first), start=start)]
    for name, value in {"origin": origin, "start": start}.items():
        if value is not None:
            raise ParameterError(f"one side has its squares and slots already; leave --{name} out.")
    if any(points):
        there = points.index(False)
        like = _visits(sides[there])
        _check_grain(like, cell_m=cell_m, slot_min=slot_min)
        if like.cell_m is None and not near:
            raise DataError(
                "one side is at cells that are no squares of a grid, where trajectories on a grid meet none of them; "
                "run incrowd discretize on the trajectories with the same towers, blocks or zones, or pass "
                "--tolerance-m."
            )
        sides[1 - there] = sides[1 - there].alike(like, cell_m=like.cell_m or side_m)
    return sides


@dataclass(frozen=True)
class _Ungridded:
    """Trajectories that are not on squares yet: of a file, or published in a release."""

    source: str | Traces
    reading: ReadingOptions

    def on_grid(self, **grain: Any) -> Visits | Release:
        from incrowd import discretize

        return self._ranked(discretize.grid(self._opened, **grain, **self._how))

    def alike(self, like: Visits, **how: Any) -> Visits | Release:
        from incrowd import discretize

        return self._ranked(discretize.alike(self._opened, like, **how, **self._how))

    @property
    def _opened(self) -> Any:
        return one_or_many([self.source]) if isinstance(self.source, str) else self.source

    @property
    def _how(self) -> dict[str, Any]:
        how = self.reading.arguments()
        return how if isinstance(self.source, str) else {"time_zone": how["time_zone"]}

    def _ranked(self, visits: Visits) -> Visits | Release:
        from incrowd.attack.people import unlabelled

        return visits if isinstance(self.source, str) else unlabelled(visits)


def _side(source: str, reading: ReadingOptions, slot_min: int) -> "Visits | Release | _Ungridded":
    """Visits, or what a release publishes."""
    from incrowd import read
    from incrowd.attack.people import unlabelled

    folder = release_at(source)
    if folder is None:
        return visits_of([source], reading, cell_m=CELL_M, slot_min=slot_min)
    published = read.release(folder)
    if isinstance(published, Traces):
        return _Ungridded(published, reading)
    if not isinstance(published, Visits):
        raise DataError(f"{folder.name} publishes neither visits nor trajectories, which linking compares.")
    return unlabelled(published)


def _visits(side: Visits | Release) -> Visits:
    return side.data if isinstance(side, Release) else side  # type: ignore[return-value]


def _grain(side: Visits | Release) -> str:
    """On which cells and slots the two were compared."""
    visits = _visits(side)
    cells = "cells that are no squares" if visits.cell_m is None else f"{visits.cell_m:,g} m cells"
    slots = "slots of unknown width" if visits.slot_min is None else f"{visits.slot_min:,} min slots"
    origin = origin_of(visits.crs)
    counted = "" if origin is None else f", cells counted from {origin[0]:g},{origin[1]:g}"
    return f"({cells}, {slots}, {visits.time_zone or 'UTC'}{counted})"


def _check_grain(like: Visits, **given: float | None) -> None:
    """Refuse other squares or slots than one side has already."""
    for name, value in given.items():
        own = getattr(like, name)
        if value is not None and own is not None and value != own:
            option = f"--{name.replace('_', '-')}"
            raise ParameterError(f"one side has {option} {own:g} already, and the other is put on it; leave it out.")
