"""incrowd measure uniqueness."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from incrowd.cli.inputs import CellM, SlotMin, visits_of
from incrowd.cli.options import Json, ReadingOptions, Seed, Sources, numbers, reads
from incrowd.cli.screen import answer, progress_bar
from incrowd.errors import ParameterError
from incrowd.plain import several

if TYPE_CHECKING:
    from incrowd.measure import Uniqueness

Points = Annotated[str, typer.Option(help="How many points the attacker knows: 4, 1-5 or 2,4,8.")]


@reads
def uniqueness(
    sources: Sources,
    reading: ReadingOptions,
    points: Points = "4",
    knowledge: Annotated[
        Literal["random", "consecutive", "top", "close"], typer.Option(help="Which points the attacker knows.")
    ] = "random",
    repeats: Annotated[int, typer.Option(help="Draws per person.")] = 1,
    samples: Annotated[int | None, typer.Option(help="Draw this many targets instead of asking for everybody.")] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Look at every choice instead of drawing.")] = False,
    closeness_min: Annotated[float | None, typer.Option(help="Mean minutes between points (close).")] = None,
    tolerance_min: Annotated[float, typer.Option(help="How far the mean may be off (close).")] = 0,
    block_min: Annotated[float | None, typer.Option(help="All points within one block of this length (close).")] = None,
    match: Annotated[Literal["set", "ordered", "contain"], typer.Option(help="What counts as equal (top).")] = "set",
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    fail_above: Annotated[
        float | None, typer.Option(help="Exit with 1 when more than this share is singled out.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Share of people singled out by a few known points, with every convention for short trajectories.

    incrowd measure uniqueness visits.parquet --points 1-5

    incrowd measure uniqueness trips.csv --cell-m 1000 --slot-min 120 --fail-above 0.1
    """
    from incrowd import measure

    wanted = numbers(points)
    if fail_above is not None and not 0 <= fail_above <= 1:
        raise ParameterError(f"--fail-above must lie in 0 to 1, got {fail_above}.")
    shorts = ("drop",) if knowledge == "top" else ("drop", "all", "zero")
    with progress_bar():
        visits = visits_of(sources, reading, cell_m=cell_m, slot_min=slot_min)
        risks = [
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
                block_min=block_min,
                match=match,
                seed=seed,
            )
            for m in wanted
            for short in shorts
        ]
    each = f"{several(repeats, 'draw')} each, seed {seed}"
    drawn = "every choice" if exact else several(samples, "sample") if samples else each
    lines = [*table(risks), f"({len(visits):,} people, {visits.records:,} visits; {knowledge} points, {drawn}"]
    close = f", {closeness_min:g} min apart (+-{tolerance_min:g})" if closeness_min is not None else ""
    lines[-1] += f"{close}{f', match {match}' if knowledge == 'top' else ''})"
    if knowledge != "top":
        lines.append(
            "drop leaves out trajectories with fewer points, all asks with what they have, zero calls them safe"
        )
    answer("\n".join(lines), risks, as_json=as_json)
    if fail_above is not None and not all(risk.value is not None and risk.value <= fail_above for risk in risks):
        raise typer.Exit(1)


def table(risks: "Sequence[Uniqueness]", name: str = "points") -> list[str]:
    """One line per result."""
    lines = [f"{name:>8} {'short':>6} {'uniqueness':>11} {'95 % interval':>17} {'targets':>11} {'skipped':>10}"]
    for risk in risks:
        value = "-" if risk.value is None else f"{risk.value:.4f}"
        span = "-" if risk.interval is None else f"{risk.interval[0]:.4f} to {risk.interval[1]:.4f}"
        counts = f"{risk.population:>11,} {risk.skipped:>10,}"
        lines.append(f"{getattr(risk, name):>8} {risk.short:>6} {value:>11} {span:>17} {counts}")
    return lines
