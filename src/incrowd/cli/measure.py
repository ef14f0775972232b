"""incrowd measure uniqueness | exposure | cut | utility | sequences."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from incrowd.cli.inputs import CellM, SlotMin, carrying, visits_of
from incrowd.cli.lkc import Privacy, asks_privacy
from incrowd.cli.options import Json, Reading, Seed, Sources, numbers, reads
from incrowd.cli.screen import answer, progress_bar
from incrowd.data import Visits
from incrowd.errors import DataError, ParameterError

if TYPE_CHECKING:
    from incrowd.measure import Uniqueness

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
                block_min=block_min,
                match=match,
                seed=seed,
            )
            for m in wanted
            for short in shorts
        ]
    drawn = "every choice" if exact else f"{samples:,} samples" if samples else f"{repeats} draws each, seed {seed}"
    lines = [*table(found), f"({len(visits):,} people, {visits.records:,} visits; {knowledge} points, {drawn}"]
    close = f", {closeness_min:g} min apart (+-{tolerance_min:g})" if closeness_min is not None else ""
    lines[-1] += f"{close}{f', match {match}' if knowledge == 'top' else ''})"
    if knowledge != "top":
        lines.append(
            "drop leaves out trajectories with fewer points, all asks with what they have, zero calls them safe"
        )
    answer("\n".join(lines), found, as_json=as_json)
    if fail_above is not None and not all(risk.value is not None and risk.value <= fail_above for risk in found):
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
        bound = "" if found.exact[found.points == points].all() else " or fewer"
        lines.append(f"{'never alone' if points == 0 else f'{points}{bound}':>18} {share:>16.4f}")
    lines.append(f"({len(visits):,} people; {int((~found.exact).sum()):,} not exact)")
    answer("\n".join(lines), found, as_json=as_json)


@app.command()
@reads
def cut(
    sources: Sources,
    reading: Reading,
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
        found = measure.cut_risk(visits, pieces, points=points, repeats=repeats, exact=exact, seed=seed)
    lines = []
    for name, side in (("before", found.before), ("after", found.after), ("fixed knowledge", found.fixed_knowledge)):
        lines += [name, *table(list(side.values()))]
    lines.append(f"({found.users:,} people, {found.pieces:,} pieces, {points} points, seed {seed})")
    answer("\n".join([*lines, found.reason]), found, as_json=as_json)


@app.command()
@reads
def utility(
    before: Annotated[str, typer.Argument(help="Visits or trajectories before.")],
    after: Annotated[Path, typer.Argument(help="A release folder, or visits.")],
    reading: Reading,
    common_m: Annotated[
        float, typer.Option(help="Side of the cells in which both are compared, unless those of the data are larger.")
    ] = 1000,
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    as_json: Json = False,
) -> None:
    """What a release is still good for: visits, trips, distances, before and after.

    incrowd measure utility visits.parquet release
    """
    from incrowd import measure, read

    with progress_bar():
        published = read.release(after) if after.is_dir() else read.saved(after)
        if not isinstance(published, Visits):
            raise DataError(f"{after.name} holds no visits; utility compares visits.")
        original = visits_of([before], reading, cell_m=cell_m, slot_min=slot_min, like=published)
        found = measure.utility(original, published, cell_m=common_m)
    lines = [f"{'':<24} {'before':>22} {'after':>22} {'agreement':>10}"]
    lines += [f"{what:<24} {a:>22} {b:>22} {share:>10}" for what, a, b, share in found.rows()]
    finer = f"; cells of {common_m:,g} m would be finer than the data" if found.cell_m > common_m else ""
    lines.append(f"(compared in cells of {found.cell_m:,g} m and slots of {found.slot_min:,} min{finer})")
    answer("\n".join(lines), found, as_json=as_json)


@app.command()
@reads
@asks_privacy
def sequences(
    sources: Sources,
    reading: Reading,
    privacy: Privacy,
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    as_json: Json = False,
) -> None:
    """Count the sequences that break LKC-privacy and those worth keeping, by length.

    incrowd measure sequences visits.parquet --l 2 --k 5 --min-support 20
    """
    from incrowd import measure

    with progress_bar():
        visits = visits_of(sources, carrying(reading, privacy.sensitive), cell_m=cell_m, slot_min=slot_min)
        violating = measure.violating_sequences(visits, **privacy.arguments(visits))
        frequent = measure.frequent_sequences(visits, privacy.min_support, **privacy.search)
    counts = {"minimal violating": Counter(map(len, violating)), "maximal frequent": Counter(map(len, frequent))}
    lines = [f"{'visits':>6} {'minimal violating':>18} {'maximal frequent':>17}"]
    sizes = sorted(set().union(*counts.values()))
    lines += [f"{size:>6} " + " ".join(f"{found[size]:>17,}" for found in counts.values()) for size in sizes]
    answer("\n".join(lines), {name: dict(found) for name, found in counts.items()}, as_json=as_json)
