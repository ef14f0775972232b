"""incrowd demo."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli.options import Force, Json, Seed
from incrowd.cli.screen import answer, note, progress_bar
from incrowd.errors import MissingExtra, ParameterError
from incrowd.plain import several

if TYPE_CHECKING:
    from incrowd.assess import Assessment

K = 11  # people in a crowd that the limit of right guesses asks for
EPSILON = 0.4  # noise under which nobody is known to be in the counts
WAYS = {
    "cut": "Trajectories are cut every six hours, and each piece gets a new pseudonym.",
    "glove": "Everybody is hidden among eleven or more people who share the same boxes in place and time.",
    "counts": "Only how many people are where in each hour, with noise that protects each person.",
}
ASKS = "Which release of this city can be published?"
TITLE = "A synthetic city, published in three ways"

BUDGET_S = 600  # the first run on a machine compiles; afterwards the whole demo takes seconds


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the report.")] = Path("demo"),
    users: Annotated[int, typer.Option(help="People in the city.")] = 500,
    towers: Annotated[int, typer.Option(help="Towers in the city.")] = 200,
    days: Annotated[int, typer.Option(help="Days they are followed.")] = 7,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Build a synthetic city, publish it in three ways, assess each and write a report: one fails, two pass.

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
    from incrowd import clean, discretize, read

    with progress_bar():
        note(f"building a city of {users:,} people, {towers:,} towers, {several(days, 'day')}, with a dirty log")
        city = read.synthetic_city(users=users, towers=towers, days=days, seed=seed, dirt=0.01)
        note("cleaning the log")
        traces = clean.still_users(clean.displaced(clean.order(clean.duplicates(city.traces))))
        note("discretizing to towers and hours, and to boxes of 100 m and a minute")
        visits = discretize.towers(traces, city.towers, slot_min=60)
        made = dict(_releases(visits, discretize.fingerprints(traces), days))
        results = {name: _judged(name, release, data, output, seed) for name, (release, data) in made.items()}
        note("drawing")
        _write(page, results, made)
    record = {"assessments": results, "report": str(page)}
    lines = [f"{name}: {one.verdict}" for name, one in results.items()]
    files = [f"report: {page}", *(f"release: {output / name}" for name in results)]
    answer("\n\n".join(lines) + "\n\n" + "\n".join(files), record, as_json=as_json)


def _releases(visits: Any, prints: Any, days: int) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """The same people published in three ways, each with the data it was made from."""
    from incrowd.anonymize import Cut, DPCounts, Glove

    note("publishing: trajectories cut into windows of six hours")
    yield "cut", (Cut(window_h=6, slots=24 * days)(visits), visits)
    note("publishing: everybody hidden among eleven or more (GLOVE)")
    yield "glove", (Glove(k=K)(prints), prints)
    note("publishing: counts with noise that protects a person")
    method = DPCounts(epsilon=EPSILON, slots_per_person=1)
    try:
        yield "counts", (method(visits, cells=visits.xy, slots=(0, 24 * days)), visits)
    except MissingExtra as error:
        note(f"counts are left out: {error}")


def _judged(name: str, release: Any, data: Any, output: Path, seed: int) -> "Assessment":
    """The release in a folder of its own, and what every test says of it."""
    from incrowd import anonymize, assess

    folder = output / name
    anonymize.publish(release, folder, original=data, force=True)
    note(f"assessing {folder.name}")
    assessment = assess.assess(data, release=release, budget_s=BUDGET_S, seed=seed, advise=False)
    if assessment.interrupted:
        raise KeyboardInterrupt  # half a demo is none
    return assessment


def _write(page: Path, results: "dict[str, Assessment]", made: dict[str, tuple[Any, Any]]) -> None:
    """One page about all three, and a page to sign for each."""
    from incrowd import report
    from incrowd.assess.side_by_side import SideBySide

    for name, assessment in results.items():
        report.write(
            page.with_name(f"{name}.html"), *assessment.sections(), title=f"A synthetic city: {name}", force=True
        )
    releases = {name: made[name][0] for name in results}
    sides = SideBySide(question=ASKS, assessments=results, releases=releases, about=WAYS)
    published = [replace(one.section(), question=f"{name}: what was published?") for name, one in releases.items()]
    report.write(page, sides, *published, title=TITLE, force=True)
