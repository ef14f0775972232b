"""incrowd demo."""

import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli.options import Force, Json, Seed
from incrowd.cli.screen import answer, note, progress_bar
from incrowd.errors import MissingExtra, ParameterError
from incrowd.plain import several

if TYPE_CHECKING:
    from incrowd.arrays import Floats
    from incrowd.assess import Assessment
    from incrowd.data import Release

K = 11  # people in a crowd that the limit of right guesses asks for
EPSILON = 0.4  # noise under which nobody is known to be in the counts
ACROSS = 6  # squares across the city, so large that most counts are larger than their noise
DAY_MIN = 1_440
PRIVATE = "private"  # the data and the link files, beside what is published
ABOUT = {
    "cut": "Trajectories are cut every six hours, and each piece gets a new pseudonym.",
    "glove": "Everybody is hidden among eleven or more people who share the same boxes in place and time.",
    "counts": "Only how many people were most of the time in each square, with noise that protects each person.",
}
ASKS = "Which release of this city can be published?"
TITLE = "A synthetic city, published in three ways"

BUDGET_S = 600  # the first run on a machine compiles; afterwards the whole demo takes seconds


@dataclass(frozen=True)
class _DemoRelease:
    """A release in its folder, and the files that it is judged with."""

    release: "Release"
    folder: Path
    data: Path
    link: Path | None

    @property
    def page(self) -> Path:
        """The page to sign."""
        return self.folder.with_suffix(".html")

    @property
    def command(self) -> str:
        """What writes the same page."""
        link = [] if self.link is None else ["--link", str(self.link)]
        words = ["incrowd", "assess", str(self.data), "--release", str(self.folder), *link, "--no-advise"]
        return shlex.join([*words, "-o", str(self.page)])


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
    from incrowd import clean, read

    with progress_bar():
        note(f"building a city of {users:,} people, {towers:,} towers, {several(days, 'day')}, with a dirty log")
        city = read.synthetic_city(users=users, towers=towers, days=days, seed=seed, dirt=0.01)
        note("cleaning the log")
        traces = clean.still_users(clean.displaced(clean.order(clean.duplicates(city.traces))))
        made = {one.folder.name: one for one in _releases(output, traces, city, days)}
        results = {name: _judged(one) for name, one in made.items()}
        note("drawing")
        _write(page, results, made)
    record = {"assessments": results, "report": str(page)}
    lines = [f"{name}: {one.verdict}" for name, one in results.items()]
    files = [f"report: {page}", *(f"release: {one.folder}, to sign: {one.page}" for one in made.values())]
    files.append(f"data and link files, which are not published: {output / PRIVATE}")
    answer("\n\n".join(lines) + "\n\n" + "\n".join(files), record, as_json=as_json)


def _releases(output: Path, traces: Any, city: Any, days: int) -> Iterator[_DemoRelease]:
    """The same people published in three ways, each beside the data it was made from."""
    from incrowd.anonymize import Cut, DPCounts, Glove
    from incrowd.discretize import fingerprints, grid, towers
    from incrowd.read.city import MIDDLE

    note("publishing: trajectories cut into windows of six hours")
    visits = towers(traces, city.towers, slot_min=60)
    yield _published(output / "cut", Cut(window_h=6, slots=24 * days)(visits), visits)
    note("publishing: everybody hidden among eleven or more (GLOVE)")
    boxes = fingerprints(traces)
    yield _published(output / "glove", Glove(k=K)(boxes), boxes)
    note("publishing: counts with noise that protects a person")
    side_m, squares = _squares(city.xy)
    stays = grid(traces, cell_m=side_m, slot_min=days * DAY_MIN, keep="vote", origin=MIDDLE)
    method = DPCounts(epsilon=EPSILON, slots_per_person=1)
    try:
        yield _published(output / "counts", method(stays, cells=squares, slots=(0, 1)), stays)
    except MissingExtra as error:
        note(f"counts are left out: {error}")


def _squares(towers: "Floats") -> "tuple[int, Floats]":
    """The side and the centres of all squares of the area of the towers and around it, whoever was there."""
    import numpy as np

    low, high = towers.min(axis=0), towers.max(axis=0)
    side_m = max(100, round(float(np.sqrt((high - low).prod())) / ACROSS, -2))
    ends = zip(np.floor(low / side_m), np.floor(high / side_m), strict=True)
    columns, rows = (np.arange(first - 1, last + 2) for first, last in ends)
    return int(side_m), (np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2) + 0.5) * side_m


def _published(folder: Path, release: "Release", data: Any) -> _DemoRelease:
    """The release in a folder of its own; its data and its link file in another one."""
    from incrowd.anonymize import publish

    private = folder.parent / PRIVATE
    private.mkdir(mode=0o700, exist_ok=True)
    link = private / f"{folder.name}-link.csv" if len(release.members) else None
    publish(release, folder, original=data, link=link, force=True)
    return _DemoRelease(release, folder, data.save(private / f"{folder.name}-data.parquet", force=True), link)


def _judged(made: _DemoRelease) -> "Assessment":
    """What every test says of a release, read from its files as the command on its page does."""
    from incrowd.assess._assess import prepared
    from incrowd.assess.digests import Origin
    from incrowd.assess.options import Options

    note(f"assessing {made.folder.name}")
    options = Options(release=made.folder, link=made.link, budget_s=BUDGET_S)
    asked = prepared(made.data, options, {}, origin=Origin(command=made.command))
    assessment = asked.run()
    if assessment.interrupted:
        raise KeyboardInterrupt  # half a demo is none
    return assessment


def _write(page: Path, results: "dict[str, Assessment]", made: dict[str, _DemoRelease]) -> None:
    """One page about all three, and a page to sign for each."""
    from incrowd import report
    from incrowd.assess.side_by_side import SideBySide
    from incrowd.cli.assess import written

    for name, assessment in results.items():
        written(assessment, made[name].page, title=f"A synthetic city: {name}", force=True)
    releases = {name: one.release for name, one in made.items()}
    sides = SideBySide(question=ASKS, assessments=results, releases=releases, about=ABOUT)
    published = [replace(one.section(), question=f"{name}: what was published?") for name, one in releases.items()]
    report.write(page, sides, *published, title=TITLE, force=True)
