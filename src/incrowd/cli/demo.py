"""incrowd demo."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli.options import Force, Json, Seed
from incrowd.cli.screen import answer, note, progress_bar
from incrowd.errors import ParameterError


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the report.")] = Path("demo"),
    users: Annotated[int, typer.Option(help="People in the city.")] = 1000,
    towers: Annotated[int, typer.Option(help="Towers in the city.")] = 200,
    days: Annotated[int, typer.Option(help="Days they are followed.")] = 7,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Build a synthetic city, run the whole chain on it and write a report.

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
    from incrowd import anonymize, audit, clean, discretize, measure, read, report

    with progress_bar():
        note(f"building a city of {users:,} people, {towers:,} towers, {days} days, with a dirty log")
        city = read.synthetic_city(users=users, towers=towers, days=days, seed=seed, dirt=0.01)
        note("cleaning the log")
        traces = clean.still_users(clean.displaced(clean.order(clean.duplicates(city.traces))))
        note("discretizing to towers and hours")
        visits = discretize.towers(traces, city.towers, slot_min=60)
        note("measuring who can be singled out")
        found = measure.summary(traces)
        risks = [
            measure.uniqueness(visits, points=points, short=short, seed=seed)
            for short in ("drop", "all")
            for points in range(1, 6)
        ]
        exposed = measure.exposure(visits)
        windows = discretize.windows(visits, window_h=6, slots=24 * days)
        cut = measure.cut_risk(visits, windows, points=2, seed=seed)
        note("cutting into windows of six hours, publishing and auditing")
        release = anonymize.Cut(window_h=6, slots=24 * days)(visits)
        anonymize.publish(release, output / "release", force=True)
        verdict = audit.check(release, original=visits)
        useful = measure.utility(visits, release)
        note("drawing")
        sections = (found, risks, exposed, cut, release, useful, verdict, release.ledger)
        report.write(page, *sections, title="A synthetic city", force=True)
    risk = risks[3]
    text = (
        f"{release.ledger}\n\n"
        f"{found.users:,} people, {found.records:,} records, {found.days} days\n"
        f"4 random points single out {risk.value:.1%} of {risk.population:,} people (towers x hours, seed {seed})\n"
        f"audit of the cut release: {'passed' if verdict.passed else 'FAILED'}\n\n"
        f"report: {page}\nrelease: {output / 'release'}"
    )
    record = {
        "summary": found,
        "ledger": release.ledger,
        "uniqueness": risks,
        "exposure": exposed,
        "cut": cut,
        "audit": verdict,
    }
    answer(text, {**record, "report": str(page)}, as_json=as_json)
