"""incrowd attack link."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli.inputs import is_records, visits_of
from incrowd.cli.options import Force, Json, Origin, ReadingOptions, lon_lat, reads
from incrowd.cli.pages import Report, check_page, write_page
from incrowd.cli.screen import answer, progress_bar
from incrowd.data import Visits
from incrowd.data.release_folder import release_at
from incrowd.errors import DataError, ParameterError
from incrowd.plain import percent

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

    check_page(report, force=force)
    with progress_bar():
        grain: dict[str, Any] = {"cell_m": cell_m, "slot_min": slot_min, "origin": origin, "start": start}
        sides = sides_of(known, target, reading, **grain, near=tolerance_m > 0)
        linkage = attack.link(
            *sides,
            truth=truth,
            tolerance_slots=tolerance_slots,
            tolerance_m=tolerance_m,
            period_slots=period_slots,
        )
        write_page(report, linkage, force=force)
    answer("\n".join(_matched(linkage)), linkage, as_json=as_json)


def _matched(linkage: "Linkage") -> list[str]:
    if not linkage.told:
        ranked = f"ranked {linkage.target:,} candidates for {linkage.known:,} known people"
        return [
            f"{ranked}; for {linkage.claimed:,} of them the best is strictly ahead of the second",
            "nobody tells who is who in a release: pass --truth LINK to see how often that is right",
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
) -> list[Visits | Path]:
    """Both sides; one of trajectories takes squares and slots of the other, or of the known where both are.

    `near` cells may match too, so that the other need not be on squares. Options about records are for the sides that
    have records.
    """
    sources = (known, target)
    records = [is_records(source, reading) for source in sources]
    if all(records):
        if reading.bad_rows is not None:
            raise ParameterError(
                "--bad-rows takes the rows of one source, and both are trajectories; run incrowd discretize on one "
                "first."
            )
        grain: dict[str, Any] = {"cell_m": cell_m or CELL_M, "slot_min": slot_min or SLOT_MIN}
        first = visits_of([known], reading, **grain, origin=lon_lat(origin), start=start)
        return [first, visits_of([target], reading, **grain, like=first, start=start)]
    for name, value in {"origin": origin, "start": start}.items():
        if value is not None:
            raise ParameterError(f"one side has its squares and slots already; leave --{name} out.")
    rest = replace(reading, bad_rows=None, time_zone=None) if any(records) else reading
    made: list[Any] = [
        None if raw else _side(source, rest, slot_min or SLOT_MIN) for source, raw in zip(sources, records, strict=True)
    ]
    if any(records):
        there = records.index(False)
        like = _published(made[there])
        _check_grain(like, cell_m=cell_m, slot_min=slot_min)
        if like.cell_m is None and not near:
            raise DataError(
                "one side is at cells that are no squares of a grid, where trajectories on a grid meet none of them; "
                "run incrowd discretize on the trajectories with the same towers, blocks or zones, or pass "
                "--tolerance-m."
            )
        asked: dict[str, Any] = {"cell_m": cell_m or CELL_M, "slot_min": SLOT_MIN, "like": like}
        made[1 - there] = visits_of([sources[1 - there]], reading, **asked)
    return made


def _side(source: str, reading: ReadingOptions, slot_min: int) -> Visits | Path:
    """Visits, or the folder of a release, whose pseudonyms are nobody's labels."""
    return release_at(source) or visits_of([source], reading, cell_m=CELL_M, slot_min=slot_min)


def _published(side: Visits | Path) -> Visits:
    if isinstance(side, Visits):
        return side
    from incrowd.attack.people import opened

    return opened(side).data  # type: ignore[return-value, union-attr]


def _check_grain(like: Visits, **given: float | None) -> None:
    """Refuse other squares or slots than one side has already."""
    for name, value in given.items():
        own = getattr(like, name)
        if value is not None and own is not None and value != own:
            option = f"--{name.replace('_', '-')}"
            raise ParameterError(f"one side has {option} {own:g} already, and the other is put on it; leave it out.")
