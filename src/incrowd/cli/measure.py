"""incrowd measure uniqueness | exposure | cut."""

from typing import Annotated, Literal

import typer

from incrowd.cli.inputs import CellM, SlotMin, visits_of
from incrowd.cli.options import Json, Reading, Seed, Sources, reads
from incrowd.cli.screen import answer, progress_bar

app = typer.Typer(name="measure", help="Measure risk and utility.", no_args_is_help=True)
Points = Annotated[str, typer.Option(help="How many points the attacker knows: 4, 1-5 or 2,4,8.")]


@app.command()
@reads
def uniqueness(
    sources: Sources,
    reading: Reading,
    points: Points = "4",
    knowledge: Annotated[
        Literal["random", "consecutive", "top", "close"], typer.Option(help="Which points the attacker knows.")
    ] = "random",
    repeats: Annotated[int, typer.Option(help="Draws per person.")] = 1,
    samples: Annotated[int | None, typer.Option(help="Draw this many targets instead of asking for everybody.")] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Look at every choice instead of drawing.")] = False,
    closeness_min: Annotated[float | None, typer.Option(help="Mean minutes between points (close).")] = None,
    tolerance_min: Annotated[float, typer.Option(help="How far the mean may be off (close).")] = 0,
    match: Annotated[Literal["set", "ordered", "contain"], typer.Option(help="What counts as equal (top).")] = "set",
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    fail_above: Annotated[
        float | None, typer.Option(help="Exit with 1 when more than this share is singled out.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Share of people singled out by a few known points; short trajectories under `drop` and `all`, side by side.

    incrowd measure uniqueness visits.parquet --points 1-5

    incrowd measure uniqueness trips.csv --cell-m 1000 --slot-min 120 --fail-above 0.1
    """
    from incrowd import measure

    wanted = numbers(points)
    with progress_bar():
        visits = visits_of(sources, reading, cell_m=cell_m, slot_min=slot_min)
        found = [
            measure.uniqueness(
                visits,
                points=m,
                knowledge=knowledge,
                short=short,
                repeats=repeats,
                samples=samples,
                exact=exact,
                closeness_min=closeness_min,
                tolerance_min=tolerance_min,
                match=match,
                seed=seed,
            )
            for m in wanted
            for short in ("drop", "all")
        ]
    lines = [f"{'points':>6} {'short':>6} {'uniqueness':>11} {'95 % interval':>17} {'targets':>11} {'skipped':>10}"]
    for risk in found:
        value = "-" if risk.value is None else f"{risk.value:.4f}"
        span = "-" if risk.interval is None else f"{risk.interval[0]:.4f} to {risk.interval[1]:.4f}"
        lines.append(
            f"{risk.points:>6} {risk.short:>6} {value:>11} {span:>17} {risk.population:>11,} {risk.skipped:>10,}"
        )
    lines.append(
        f"({knowledge} points of {len(visits):,} people, {visits.records:,} visits, seed {seed}; drop leaves out"
    )
    lines.append(" trajectories with fewer points, all asks with the few points they have)")
    answer("\n".join(lines), found, as_json=as_json)
    if fail_above is not None and any((risk.value or 0) > fail_above for risk in found):
        raise typer.Exit(1)


@app.command()
@reads
def exposure(
    sources: Sources,
    reading: Reading,
    max_points: Annotated[int, typer.Option(min=1, max=3, help="Sets of up to this many points are tried.")] = 3,
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    as_json: Json = False,
) -> None:
    """The fewest own points that single each person out: how the worst-off fare.

    incrowd measure exposure visits.parquet
    """
    from incrowd import measure

    with progress_bar():
        visits = visits_of(sources, reading, cell_m=cell_m, slot_min=slot_min)
        found = measure.exposure(visits, max_points=max_points)
    lines = [f"{'fewest own points':>18} {'share of people':>16}"]
    for points, share in sorted(found.distribution.items()):
        bound = "" if points <= max_points + 1 else " or fewer"
        lines.append(f"{'never alone' if points == 0 else f'{points}{bound}':>18} {share:>16.4f}")
    lines.append(f"({len(visits):,} people; {int((~found.exact).sum()):,} not exact)")
    answer("\n".join(lines), found, as_json=as_json)


@app.command()
@reads
def cut(
    sources: Sources,
    reading: Reading,
    window_h: Annotated[float, typer.Option(help="Width of a window in hours.")] = 6,
    points: Annotated[int, typer.Option(help="How many points the attacker knows.")] = 2,
    repeats: Annotated[int, typer.Option(help="Draws per person and piece.")] = 1,
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
        pieces = discretize.windows(visits, window_h=window_h)
        found = measure.cut_risk(visits, pieces, points=points, repeats=repeats, seed=seed)
    lines = [f"{'':<20} {'drop':>8} {'all':>8} {'zero':>8}"]
    for name, side in (("before", found.before), ("after", found.after), ("fixed knowledge", found.fixed_knowledge)):
        values = ("-" if side[s].value is None else f"{side[s].value:.4f}" for s in ("drop", "all", "zero"))
        lines.append(f"{name:<20} " + " ".join(f"{value:>8}" for value in values))
    lines.append(f"({found.users:,} people, {found.pieces:,} pieces, {points} points, seed {seed})")
    lines.append(found.reason)
    answer("\n".join(lines), found, as_json=as_json)


def numbers(text: str) -> list[int]:
    """Numbers as a person writes them: 4, 1-5, 2,4,8.

    >>> numbers("1-3,8")
    [1, 2, 3, 8]
    """
    from incrowd.errors import ParameterError

    found: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not low.isdigit() or (dash and not high.isdigit()):
            raise ParameterError("--points takes numbers such as 4, 1-5 or 2,4,8.")
        found += range(int(low), int(high or low) + 1)
    return found
