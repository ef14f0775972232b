"""incrowd anonymize cut | generalize | lkc."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from incrowd.cli.inputs import CellM, SlotMin, carrying, visits_of
from incrowd.cli.lkc import Privacy, asks_privacy
from incrowd.cli.options import Reading, Seed, Sources, one_or_many, reads
from incrowd.cli.releasing import Folder, Releasing, Residual, releases
from incrowd.cli.screen import progress_bar
from incrowd.errors import ParameterError

app = typer.Typer(name="anonymize", help="Make a release, with the guarantee it states.", no_args_is_help=True)


@app.command()
@reads
@releases
def cut(
    sources: Sources,
    reading: Reading,
    releasing: Releasing,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Folder of the release.")] = None,
    window_h: Annotated[float, typer.Option(help="Width of a window in hours.")] = 6,
    windows: Annotated[int | None, typer.Option(help="Number of windows, instead of their width.")] = None,
    start_slot: Annotated[int, typer.Option(help="Slot at which the recording period begins.")] = 0,
    slots: Annotated[
        int | None, typer.Option(help="Length of the recording period; to the last visit without it.")
    ] = None,
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    residual_points: Residual = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Publish nothing: say which window protects, once pieces are re-linked.")
    ] = False,
    target: Annotated[float, typer.Option(help="Largest share of people to be singled out (plan).")] = 0.1,
    points: Annotated[int, typer.Option(help="How many points the attacker knew before the cut (plan).")] = 4,
    windows_h: Annotated[str, typer.Option(help="Windows to try, in hours (plan).")] = "1,2,3,6,12,24,48",
    people: Annotated[
        int | None, typer.Option(help="Draw so many people, which is faster and errs on the safe side (plan).")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Also explain the plan in this HTML file.")] = None,
    seed: Seed = 0,
) -> None:
    """Cut trajectories into windows, every piece under a fresh pseudonym.

    incrowd anonymize cut visits.parquet --plan --target 0.1 --report plan.html

    incrowd anonymize cut visits.parquet -o release --window-h 6
    """
    from incrowd import anonymize
    from incrowd.cli.linking import plan_cut

    if plan:
        if output is not None:
            raise ParameterError("--plan publishes nothing; leave -o out, or --plan to publish a release.")
        with progress_bar():
            visits = visits_of(sources, reading, cell_m=cell_m, slot_min=slot_min)
            asked = {
                "target": target,
                "points": points,
                "start_slot": start_slot,
                "slots": slots,
                "people": people,
                "seed": seed,
            }
            plan_cut(
                visits, windows_h=windows_h, report=report, force=releasing.force, as_json=releasing.as_json, **asked
            )
        return
    if output is None:
        raise ParameterError("a release needs a folder; pass -o FOLDER, or --plan to see which window protects.")
    releasing.check(output)
    with progress_bar():
        visits = visits_of(sources, reading, cell_m=cell_m, slot_min=slot_min)
        method = anonymize.Cut(window_h=window_h, windows=windows, start_slot=start_slot, slots=slots)
        releasing.publish(method(visits), visits, output, points=residual_points)


@app.command()
@reads
@releases
def generalize(
    sources: Sources,
    output: Folder,
    reading: Reading,
    releasing: Releasing,
    cell_m: Annotated[int, typer.Option(help="Side of a published cell.")] = 1000,
    slot_min: Annotated[int, typer.Option(help="Width of a published time slot.")] = 60,
    residual_points: Residual = None,
) -> None:
    """Publish coarse cells and slots instead of points, the same for all.

    incrowd anonymize generalize trips.csv -o release --cell-m 2000 --slot-min 120
    """
    from incrowd import anonymize, read

    releasing.check(output)
    with progress_bar():
        traces = read.table(one_or_many(sources), **reading.arguments())
        method = anonymize.Generalize(cell_m=cell_m, slot_min=slot_min, time_zone=reading.time_zone)
        releasing.publish(method(traces), traces, output, points=residual_points)


@app.command()
@reads
@releases
@asks_privacy
def lkc(
    sources: Sources,
    output: Folder,
    reading: Reading,
    releasing: Releasing,
    privacy: Privacy,
    scores: Annotated[
        Literal["static", "recompute"], typer.Option(help="Mine patterns once, or again each round.")
    ] = "static",
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    residual_points: Residual = None,
) -> None:
    """Suppress visits until nobody is singled out by l of them, keeping the patterns many share.

    incrowd anonymize lkc visits.parquet -o release --l 2 --k 5

    incrowd anonymize lkc visits.parquet -o release --l 2 --k 5 --c 0.5 --sensitive diagnosis --value AIDS
    """
    from incrowd import anonymize

    releasing.check(output)
    with progress_bar():
        visits = visits_of(sources, carrying(reading, privacy.sensitive), cell_m=cell_m, slot_min=slot_min)
        asked = privacy.arguments(visits)
        method = anonymize.LKC(**asked, min_support=privacy.min_support, scores=scores)
        releasing.publish(method(visits), visits, output, points=residual_points)
