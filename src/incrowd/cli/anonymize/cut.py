"""incrowd anonymize cut."""

from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd.cli.inputs import CellM, SlotMin, visits_of
from incrowd.cli.options import ReadingOptions, Seed, Sources, reads
from incrowd.cli.pages import check_page, write_page
from incrowd.cli.releasing import Releasing, Residual, releases
from incrowd.cli.screen import answer, foretelling, progress_bar
from incrowd.data import Visits
from incrowd.errors import ParameterError
from incrowd.plain import several


@reads
@releases
def cut(
    sources: Sources,
    reading: ReadingOptions,
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
            _plan(visits, windows_h=windows_h, report=report, force=releasing.force, as_json=releasing.as_json, **asked)
        return
    if output is None:
        raise ParameterError("a release needs a folder; pass -o FOLDER, or --plan to see which window protects.")
    releasing.check(output)
    with progress_bar():
        visits = visits_of(sources, reading, cell_m=cell_m, slot_min=slot_min)
        method = anonymize.Cut(window_h=window_h, windows=windows, start_slot=start_slot, slots=slots)
        releasing.publish(method(visits), visits, output, points=residual_points)


def _plan(visits: Visits, *, windows_h: str, report: Path | None, force: bool, as_json: bool, **asked: Any) -> None:
    """Say which window suffices instead of publishing anything."""
    from incrowd import assess
    from incrowd.assess._plan import CUTTING

    check_page(report, force=force)
    with foretelling(CUTTING, "window"):
        cut_plan = assess.plan(visits, windows_h=_hours(windows_h), **asked)
    write_page(report, cut_plan, force=force)
    legend = (
        f"({cut_plan.who}; singled out: by {several(cut_plan.points, 'point')} of the whole trajectory among the "
        "pieces, re-linked: among the pieces joined again, rejoined: consecutive pieces of one person)"
    )
    answer(f"{cut_plan}\n{legend}\n{cut_plan.verdict}", cut_plan, as_json=as_json)


def _hours(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError("--windows-h takes hours such as 1,2,3,6,12,24.") from None
