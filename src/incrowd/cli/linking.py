"""incrowd attack relink | link | home-work, incrowd anonymize cut --plan."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from incrowd.cli.inputs import CellM, SlotMin, visits_of
from incrowd.cli.options import Force, Json, Origin, Reading, Seed, Sources, reads
from incrowd.cli.overwrite import refuse_own_input
from incrowd.cli.screen import answer, foretelling, progress_bar
from incrowd.cli.sides import sides_of
from incrowd.data import Visits
from incrowd.errors import ParameterError
from incrowd.plain import percent, several

if TYPE_CHECKING:
    from incrowd.attack import Linkage

Report = Annotated[Path | None, typer.Option(help="Also explain the result in this HTML file.")]
Memory = Annotated[
    Literal["piece", "chain"], typer.Option(help="Compare with the last piece, or with all that was joined so far.")
]
Reach = Annotated[int, typer.Option(help="Windows a person may be absent and still be joined; 1 is the next window.")]


def relink(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The folder of a cut release.")],
    link: Annotated[Path | None, typer.Option(help="The link file (pseudonym, user), to score the joins by.")] = None,
    memory: Memory = "piece",
    reach_windows: Reach = 1,
    points: Annotated[int, typer.Option(help="How many points the attacker knows.")] = 4,
    report: Report = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Join the pieces of a cut release again, seeing only what is published.

    incrowd attack relink release --link link.csv
    """
    from incrowd import attack

    refuse_own_input({"release": release, "link": link, "report": report})
    _check(report, force)
    with progress_bar():
        found = attack.relink(release, link=link, memory=memory, reach_windows=reach_windows, points=points, seed=seed)
        _write(report, found, force)
    lines = [
        f"{found.joins:,} joins make {found.chains:,} chains of {found.pieces:,} pieces in {found.windows:,} windows"
    ]
    if (score := found.score) is not None:
        lines += [
            f"{'neighbours joined':<26} {percent(score.share):>8}   chance {percent(score.chance)}",
            f"{'joins that are right':<26} {percent(score.precision):>8}   chance {percent(score.chance_precision)}",
            f"{'people whole again':<26} {score.restored:>8,}   of {score.several:,} with several pieces",
        ]
        for name, risk in score.known_before.items():
            lines.append(f"{f'found among {name}':<26} {percent(risk.value):>8}   of {risk.population:,} people")
        lines.append(f"(found: by {several(points, 'point')} of the whole trajectory, known before the cut)")
    lines += [f"{'singled out by':<26} " + " ".join(f"{label:>10}" for label in _labels(found))]
    lines += _table(found)
    answer("\n".join(lines), found, as_json=as_json)


@reads
def link(
    known: Annotated[str, typer.Argument(metavar="KNOWN", help="What the attacker holds: visits or trajectories.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Where to look: visits, trajectories or a release.")],
    reading: Reading,
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

    _check(report, force)
    with progress_bar():
        grain: dict[str, Any] = {"cell_m": cell_m, "slot_min": slot_min, "origin": origin, "start": start}
        sides = sides_of(known, target, reading, **grain, near=tolerance_m > 0)
        found = attack.link(
            *sides,
            truth=truth,
            tolerance_slots=tolerance_slots,
            tolerance_m=tolerance_m,
            period_slots=period_slots,
        )
        _write(report, found, force)
    answer("\n".join(_matched(found)), found, as_json=as_json)


def _matched(found: "Linkage") -> list[str]:
    if not found.told:
        ranked = f"ranked {found.target:,} candidates for {found.known:,} known people"
        return [
            f"{ranked}; for {found.claimed:,} of them the best is strictly ahead of the second",
            "nobody tells who is who in a release: pass --truth LINK to see how often that is right",
        ]
    lines = [f"{'':<22} {'attack':>9} {'chance':>9}"]
    shares = ((f"among the first {k}", found.hit[k], found.chance[k]) for k in found.hit)
    lines += [f"{name:<22} {percent(attack):>9} {percent(chance):>9}" for name, attack, chance in shares]
    ranks = (found.median_rank, found.chance_median_rank)
    lines.append(f"{'median rank':<22} " + " ".join(f"{'-' if r is None else f'{r:,.1f}':>9}" for r in ranks))
    lines.append(f"{'claims that are right':<22} {percent(found.claims_right):>9}   of {found.claimed:,}")
    lines.append(
        f"({found.scored:,} of {found.known:,} known people are among {found.target:,} candidates, {found.without:,} "
        f"are not, {found.silent:,} meet nobody; a claim is a best candidate strictly ahead of the second)"
    )
    if found.untold:
        lines.append(
            f"(the link file names {found.target - found.untold:,} of {found.target:,} candidates: whoever the others "
            "are is counted as not among them)"
        )
    return lines


@reads
def home_work(
    sources: Sources,
    reading: Reading,
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

    _check(report, force)
    with progress_bar():
        visits = visits_of(sources, reading, cell_m=cell_m, slot_min=slot_min)
        found = attack.home_work(visits, night_h=night_h, work_h=work_h, min_visits=min_visits)
        _write(report, found, force)
    shares = {
        "home known": found.home_known,
        "work known": found.work_known,
        "both known": found.both_known,
        "alone with home": found.home_unique,
        "alone with both": found.pair_unique,
    }
    lines = [f"{name:<18} {share:>8.1%}" for name, share in shares.items()]
    lines.append(f"(shares of {found.people:,} people; hours by the clock of {found.time_zone})")
    answer("\n".join(lines), found, as_json=as_json)


def plan_cut(visits: Visits, *, windows_h: str, report: Path | None, force: bool, as_json: bool, **asked: Any) -> None:
    """Say which window suffices instead of publishing anything."""
    from incrowd import assess
    from incrowd.assess._plan import CUTTING

    _check(report, force)
    with foretelling(CUTTING, "window"):
        found = assess.plan(visits, windows_h=_hours(windows_h), **asked)
    _write(report, found, force)
    legend = (
        f"({found.who}; singled out: by {several(found.points, 'point')} of the whole trajectory among the pieces, "
        "re-linked: among the pieces joined again, rejoined: consecutive pieces of one person)"
    )
    answer(f"{found}\n{legend}\n{found.verdict}", found, as_json=as_json)


def _hours(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError("--windows-h takes hours such as 1,2,3,6,12,24.") from None


def _check(report: Path | None, force: bool) -> None:
    from incrowd.data.files import refuse_existing

    if report is not None:
        refuse_existing(report, force=force)


def _write(report: Path | None, found: Any, force: bool) -> None:
    from incrowd import report as pages

    if report is not None:
        pages.write(report, found, force=force)


def _labels(found: Any) -> list[str]:
    return list(dict.fromkeys(risk.label for risk in found.uniqueness))


def _table(found: Any) -> list[str]:
    rows: dict[str, str] = {}
    for risk in found.uniqueness:
        name = f"top {risk.points}" if risk.knowledge == "top" else f"{risk.points} random points ({risk.short})"
        rows[name] = rows.get(name, "") + f" {percent(risk.value):>10}"
    return [f"{name:<26}{shares}" for name, shares in rows.items()]
