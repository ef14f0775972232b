"""incrowd assess."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd import assess as assessing
from incrowd.assess.limits import DEFAULTS, in_words, parse, renamed
from incrowd.assess.options import Options, seconds_of
from incrowd.cli.inputs import DEFAULTS as READ_BY_DEFAULT
from incrowd.cli.inputs import carried_values, carrying, in_python, saved_noun, saved_visits, source_in_python
from incrowd.cli.options import Force, Json, Sources, takes
from incrowd.cli.reading import FarTowers, ReadingOptions, Towers, one_or_many, reads
from incrowd.cli.screen import Kept, answer, note, present, progress_bar, say
from incrowd.errors import ParameterError

if TYPE_CHECKING:
    from incrowd.assess import Assessment
    from incrowd.assess._assess import PreparedAssessment

USUAL = ", ".join(f"{name} {in_words(limit) if limit is not None else 'none'}" for name, limit in DEFAULTS.items())
Budget = Annotated[str, typer.Option("--budget", help="Time that all tests together may take: 90s, 10m, 1h.")]
Limits = Annotated[
    list[str],
    typer.Option(
        "--limit",
        metavar="NAME=SHARE",
        help=rf"What is too much in a test: 0.1, 10%, or none; repeatable. Conventions, not law. \[default: {USUAL}]",
    ),
]


@reads
@takes(
    assessing.assess,
    "question",
    leave_out=("data", "thresholds", "time_zone", "reading"),
    budget_s=(Budget, "10m"),
    towers=(Towers, None),
    far_towers=(FarTowers, False),
    limits=(Limits, []),
)
def assess(
    sources: Sources,
    reading: ReadingOptions,
    question: dict[str, Any],
    threshold: Annotated[list[str], typer.Option("--threshold", hidden=True)] = [],  # noqa: B006
    fail_above: Annotated[
        bool,
        typer.Option(
            "--fail-above",
            help="Exit with 1 if a test is above its limit, or missing; with --release, one about the release, or one "
            "whose limit you set.",
        ),
    ] = False,
    estimate: Annotated[bool, typer.Option("--estimate", help="Say how long each test will take, and stop.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Page to write: .html or .md.")] = None,
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Privacy assessment",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Run every test that applies within a time budget: singling out, linking, inference, counts.

    incrowd assess trips.csv -o report.html

    incrowd assess trips.csv --budget 2m --limit identified=20% --fail-above

    incrowd assess visits.parquet --release release --link link.csv --fail-above
    """
    from incrowd.assess._assess import prepared
    from incrowd.data.files import refuse_existing

    if threshold:
        renamed("--threshold", "--limit")
    if output is not None:
        refuse_existing(output, force=force)
    question |= {"limits": parse([*threshold, *question["limits"]])}
    reading = carrying(reading, question["sensitive"])
    options = _options(question, reading.time_zone)
    how: Any = reading.arguments()
    how.pop("time_zone")
    with progress_bar():
        asked = _counting(prepared(_source(sources, reading, options.slot_min), options, how))
        if estimate:
            answer("\n".join(estimates(asked)), asked.estimates, as_json=as_json)
            return
        note("\n".join(estimates(asked)))
        assessment = asked.run()
    present(assessment, _python(sources, reading, question), as_json=as_json)
    if not as_json:
        say(f"\n{assessment.ledger}")
    if output is not None:
        _kept(assessment, output, title=title, force=force, as_json=as_json)
    if assessment.interrupted:
        raise Kept
    if fail_above and not assessment.passed:
        raise typer.Exit(1)


def _options(question: dict[str, Any], time_zone: str | None) -> Options:
    """What was typed, as the library takes it."""
    from incrowd import read

    towers = question["towers"]
    if question["far_towers"] and towers is None:
        raise ParameterError("--far-towers is about the towers of --towers; pass --towers FILE, or leave it out.")
    given = {"towers": None if towers is None else read.towers(towers), "values": question["values"] or None}
    budget_s = seconds_of(question["budget_s"])
    return Options(**{**question, **given, "budget_s": budget_s, "time_zone": time_zone})


def estimates(asked: "PreparedAssessment") -> list[str]:
    """How long each test will take, in the order in which they are run."""
    from incrowd.plain import in_words as time_in_words

    total = time_in_words(sum(one.seconds for one in asked.estimates))
    head = f"assess: about {total} in all on one core, {time_in_words(asked.budget.limit_s)} allowed"
    return [head, *(f"  {one}" for one in asked.estimates)]


def written(assessment: "Assessment", output: Path, *more: Any, title: str, force: bool) -> None:
    """The page of an assessment, and what else belongs to it."""
    from incrowd import report

    report.write(output, *assessment.sections(), *more, title=title, force=force)


def _kept(assessment: "Assessment", output: Path, *, title: str, force: bool, as_json: bool) -> None:
    """Write the page; if that is interrupted, the answer was printed already."""
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
    """Visits if it is a table of them, else what is to be read."""
    from incrowd.assess.dataset import refuse_release

    source = one_or_many(sources)
    refuse_release(source)
    visits = saved_visits(source, reading, slot_min=slot_min)
    return source if visits is None else visits


def _python(sources: list[str], reading: ReadingOptions, question: dict[str, Any]) -> str:
    """The call of the library that gives the same numbers."""
    source = one_or_many(sources)
    given = {name: str(value) if isinstance(value, Path) else value or None for name, value in question.items()}
    given |= {
        "budget_s": seconds_of(question["budget_s"]),
        "far_towers": question["far_towers"],
        "seed": question["seed"],
    }
    data = source_in_python(sources, reading)
    if saved_noun(source, reading) in (None, "Traces"):  # assess reads it itself
        how = {name: value for name, value in reading.arguments().items() if value != READ_BY_DEFAULT[name]}
        data = ", ".join([repr(source), *(f"{name}={value!r}" for name, value in how.items())])
    towers = given.pop("towers")
    if towers is not None:
        data += f", towers=ic.read.towers({towers!r})"
    return in_python(assessing.assess, data, **given)
