"""incrowd assess."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd.cli.counting import check_towers
from incrowd.cli.inputs import CellM, SlotMin, carried_values, carrying, saved_visits
from incrowd.cli.options import FarTowers, Force, Json, ReadingOptions, Seed, Sources, Towers, one_or_many, reads
from incrowd.cli.screen import Kept, answer, note, progress_bar, say

if TYPE_CHECKING:
    from incrowd.assess import Assessment
    from incrowd.assess._assess import PreparedAssessment


@reads
def assess(
    sources: Sources,
    reading: ReadingOptions,
    budget: Annotated[str, typer.Option(help="Time it may take: 90s, 10m, 1h.")] = "10m",
    towers: Towers = None,
    far_towers: FarTowers = False,
    cell_m: CellM = 500,
    slot_min: SlotMin = 60,
    release: Annotated[
        Path | None,
        typer.Option(help="A release of these data, to be judged: its folder, or a file of visits."),
    ] = None,
    link: Annotated[Path | None, typer.Option(help="Who is who in the release: pseudonym, user.")] = None,
    sensitive: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="A sensitive attribute of people, to be inferred.")
    ] = None,
    value: Annotated[list[str], typer.Option(help="A sensitive value that counts, all without it; repeatable.")] = [],  # noqa: B006
    known_visits: Annotated[int, typer.Option(help="Visits known to infer it: 1 or 2.")] = 2,
    confidence: Annotated[float, typer.Option(help="Share of a crowd with the value that suffices.")] = 0.8,
    threshold: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=SHARE",
            help="What is too much, or none: singling_out 0.1, worst_off 0.05, k_gap none, windows, releases, release, "
            "release_alone, release_sensitive, home_work and sensitive 0.1, "
            "audit 0, counts 0.3. Conventions, not law. Repeatable.",
        ),
    ] = [],  # noqa: B006
    fail_above: Annotated[
        bool,
        typer.Option(
            "--fail-above",
            help="Exit with 1 when an answer is above its threshold, or missing; with --release, one about the "
            "release, or one whose threshold you set.",
        ),
    ] = False,
    estimate: Annotated[bool, typer.Option("--estimate", help="Say what each question will cost, and stop.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="HTML file to write.")] = None,
    title: Annotated[str, typer.Option(help="Heading of the HTML page.")] = "Privacy assessment",
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Ask everything that applies within a time budget, and answer on one page: singling out, linking, inference.

    incrowd assess trips.csv -o report.html

    incrowd assess trips.csv --budget 2m --threshold singling_out=0.2 --fail-above

    incrowd assess visits.parquet --release release --link link.csv --fail-above
    """
    from incrowd import read
    from incrowd.assess._assess import prepared
    from incrowd.assess.budget import seconds_of
    from incrowd.assess.options import Options
    from incrowd.assess.thresholds import parse
    from incrowd.data.files import refuse_existing

    check_towers(towers, far_towers)
    if output is not None:
        refuse_existing(output, force=force)
    places = None if towers is None else read.towers(towers)
    reading = carrying(reading, sensitive)
    how: Any = reading.arguments()
    options = Options(
        budget_s=seconds_of(budget),
        towers=places,
        far_towers=far_towers,
        cell_m=cell_m,
        slot_min=slot_min,
        release=release,
        link=link,
        sensitive=sensitive,
        values=value or None,
        known_visits=known_visits,
        confidence=confidence,
        thresholds=parse(threshold),
        time_zone=how.pop("time_zone"),
        seed=seed,
    )
    with progress_bar():
        asked = _counting(prepared(_source(sources, reading, slot_min), options, how))
        lines = estimates(asked)
        if estimate:
            answer("\n".join(lines), asked.estimates, as_json=as_json)
            return
        note("\n".join(lines))
        assessment = asked.run()
    answer(str(assessment), assessment, as_json=as_json)
    if output is not None:
        _kept(assessment, output, title=title, force=force, as_json=as_json)
    if assessment.interrupted:
        raise Kept
    if fail_above and not assessment.passed:
        raise typer.Exit(1)


def estimates(asked: "PreparedAssessment") -> list[str]:
    """What each question will cost, in the order in which they are asked."""
    from incrowd.plain import in_words

    total = in_words(sum(one.seconds for one in asked.estimates))
    head = f"assess: about {total} in all on one core, {in_words(asked.budget.limit_s)} allowed"
    return [head, *(f"  {one}" for one in asked.estimates)]


def written(assessment: "Assessment", output: Path, *more: Any, title: str, force: bool) -> None:
    """The page of an assessment, and what else belongs to it."""
    from incrowd import report
    from incrowd.report.assess import parts

    report.write(output, *parts(assessment), *more, title=title, force=force)


def _kept(assessment: "Assessment", output: Path, *, title: str, force: bool, as_json: bool) -> None:
    """The page; whoever has no patience left for it has the answer already."""
    try:
        with progress_bar():
            written(assessment, output, title=title, force=force)
    except KeyboardInterrupt:
        raise Kept from None
    if not as_json:
        say(f"report: {output}")


def _counting(asked: "PreparedAssessment") -> "PreparedAssessment":
    """With the sensitive values that were typed as the data hold them."""
    options = asked.data.options
    if options.values is None:
        return asked
    values = carried_values(asked.data.visits, options.sensitive, list(options.values))
    return replace(asked, data=replace(asked.data, options=replace(options, values=values)))


def _source(sources: list[str], reading: ReadingOptions, slot_min: int) -> Any:
    """Visits where they are a table of them, else what is to be read."""
    from incrowd.assess.dataset import refuse_release

    source = one_or_many(sources)
    refuse_release(source)
    visits = saved_visits(source, reading, slot_min=slot_min)
    return source if visits is None else visits
