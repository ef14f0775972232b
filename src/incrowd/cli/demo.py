"""incrowd demo."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli.assess import estimates, written
from incrowd.cli.options import Force, Json, Seed
from incrowd.cli.screen import answer, note, progress_bar
from incrowd.errors import ParameterError
from incrowd.plain import several
from incrowd.show import text

BUDGET_S = 600  # the first run on a machine compiles; afterwards the whole demo takes seconds


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the report.")] = Path("demo"),
    users: Annotated[int, typer.Option(help="People in the city.")] = 1000,
    towers: Annotated[int, typer.Option(help="Towers in the city.")] = 200,
    days: Annotated[int, typer.Option(help="Days they are followed.")] = 7,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Build a synthetic city, run the whole chain on it, assess it and write a report.

    incrowd demo

    incrowd demo --users 5000 --days 14 -o my-demo
    """
    page = output / "report.html"
    if output.exists() and not force:
        raise ParameterError(f"{output} exists; choose another folder or pass --force.")
    new = not output.exists()
    output.mkdir(parents=True, exist_ok=True)
    try:
        _demo(output, page, users, towers, days, seed, as_json=as_json)
    except BaseException:
        if new:
            shutil.rmtree(output, ignore_errors=True)
        raise


def _demo(output: Path, page: Path, users: int, towers: int, days: int, seed: int, *, as_json: bool) -> None:
    from incrowd import anonymize, clean, discretize, measure, read
    from incrowd.assess._assess import PreparedAssessment
    from incrowd.assess.dataset import Dataset
    from incrowd.assess.options import Options

    with progress_bar():
        note(f"building a city of {users:,} people, {towers:,} towers, {several(days, 'day')}, with a dirty log")
        city = read.synthetic_city(users=users, towers=towers, days=days, seed=seed, dirt=0.01)
        note("cleaning the log")
        traces = clean.still_users(clean.displaced(clean.order(clean.duplicates(city.traces))))
        note("discretizing to towers and hours")
        visits = discretize.towers(traces, city.towers, slot_min=60)
        note("cutting into windows of six hours and publishing")
        release = anonymize.Cut(window_h=6, slots=24 * days)(visits)
        anonymize.publish(release, output / "release", force=True)
        windows = discretize.windows(visits, window_h=6, slots=24 * days)
        cut = measure.cut_risk(visits, windows, points=2, seed=seed)
        useful = measure.utility(visits, release)
        options = Options(budget_s=BUDGET_S, towers=city.towers, release=release, seed=seed)
        asked = PreparedAssessment.over(Dataset(traces, visits, options))
        note("\n".join(estimates(asked)))
        assessment = asked.run()
        if assessment.interrupted:
            raise KeyboardInterrupt  # half a demo is none
        note("drawing")
        written(assessment, page, cut, release, useful, title="A synthetic city", force=True)
    record = {"assessment": assessment, "cut": cut, "utility": useful, "ledger": release.ledger, "report": str(page)}
    words = [text(assessment.section()), cut.section().answer, f"report: {page}", f"release: {output / 'release'}"]
    answer("\n\n".join(words[:2]) + "\n" + "\n".join(words[2:]), record, as_json=as_json)
