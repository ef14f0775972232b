"""incrowd assess."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incrowd import assess as assessing
from incrowd.assess.limits import DEFAULTS, parse, renamed
from incrowd.assess.options import Options, seconds_of
from incrowd.cli.counting import FarTowers, Towers, check_towers
from incrowd.cli.inputs import DEFAULTS as READ_BY_DEFAULT
from incrowd.cli.inputs import carried_values, carrying, in_python, saved_noun, saved_visits, source_in_python
from incrowd.cli.options import Force, Json, Sources, takes
from incrowd.cli.reading import ReadingOptions, one_or_many, reads
from incrowd.cli.screen import Kept, Page, answer, check_page, note, present, progress_bar, say
from incrowd.errors import ParameterError
from incrowd.read.sources.local import as_given

if TYPE_CHECKING:
    from incrowd.assess import Assessment
    from incrowd.assess.digests import Origin
    from incrowd.assess.prepared import PreparedAssessment

USUAL = "; ".join(
    f"{', '.join(name for name, one in DEFAULTS.items() if str(one) == value)}: {value.replace('-', 'none')}"
    for value in dict.fromkeys(map(str, DEFAULTS.values()))
)
Budget = Annotated[str, typer.Option("--budget", help="Time that all tests together may take: 90s, 10m, 1h.")]
Harmless = Annotated[
    list[str], typer.Option("--harmless", metavar="NAME", help="Published column that gives nothing away; repeatable.")
]
PublishColumns = Annotated[
    list[str],
    typer.Option(
        "--publish-columns",
        metavar="NAME",
        help=r"Column of the data that would be published; repeatable. \[default: those that are read]",
    ),
]
Limits = Annotated[
    list[str],
    typer.Option(
        "--limit",
        metavar="NAME=SHARE",
        help=rf"What is too much in a test: 10%, 1/11, none; repeatable. Conventions, not law. \[default: {USUAL}]",
    ),
]


@reads
@takes(
    assessing.assess,
    "question",
    leave_out=("data", "thresholds", "time_zone", "reading", "advise"),
    budget_s=(Budget, "10m"),
    towers=(Towers, None),
    far_towers=(FarTowers, False),
    limits=(Limits, []),
    harmless=(Harmless, []),
    publish_columns=(PublishColumns, []),
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
            help="Exit with 1 if a test is above its limit or missing, with 3 if it passes with an override. Settings "
            "that make the verdict easier are refused without --override.",
        ),
    ] = False,
    advise: Annotated[
        bool | None,
        typer.Option(
            "--advise/--no-advise",
            help=r"Look for a release that passes. \[default: if nothing passes and time is left]",
        ),
    ] = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="Say what each test will take, and stop.")] = False,
    output: Page = None,
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Privacy assessment",
    attest: Annotated[
        bool,
        typer.Option("--attest", help="Write verdict, limits, digests and numbers beside the release, as JSON."),
    ] = False,
    attest_file: Annotated[
        Path | None,
        typer.Option(
            help=r"Write them to this file: NAME.assessment.json. \[default: with --attest, RELEASE.assessment.json]"
        ),
    ] = None,
    evidence: Annotated[
        Path | None,
        typer.Option(help="Write the same facts under the headings of ISO/IEC 27559, for a DPIA: .md or .html."),
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Run every test that applies within a time budget: singling out, linking, inference, counts.

    incrowd assess trips.csv -o report.html

    incrowd assess trips.csv --budget 2m --limit identified=20% --fail-above

    incrowd assess visits.parquet --release release --link link.csv --fail-above --attest --evidence dpia.md

    Exit codes: 0 done or passed, 1 the gate is shut, 2 bad input or a refused setting, 3 passed with an override, 130
    interrupted.
    """
    from incrowd.assess._assess import prepared
    from incrowd.assess.advice import advised
    from incrowd.assess.attest import place_of
    from incrowd.data.files import refuse_existing

    if threshold:
        renamed("--threshold", "--limit")
    attested = place_of(question["release"], attest_file) if attest or attest_file else None
    check_page(output, force=force)
    check_page(evidence, force=force)
    if attested is not None:
        refuse_existing(attested, force=force)
    question |= {"limits": parse([*threshold, *question["limits"]])}
    columns = tuple(question["publish_columns"]) or None
    question |= {"harmless": tuple(question["harmless"]), "publish_columns": columns}
    for name in (question["sensitive"], *(columns or ())):
        reading = carrying(reading, name)
    options = _options(question, reading.time_zone)
    strict = fail_above and not options.override
    _refuse_shopping(tuple(options.shopping()) if strict else ())
    how: Any = reading.arguments()
    how.pop("time_zone")
    with progress_bar():
        source = _source(sources, reading, options.width_min)
        plan = _counting(prepared(source, options, how, files=sources, origin=_origin(sources, attested)))
        _refuse_shopping(plan.shopping if strict else ())
        if estimate:
            answer("\n".join(estimates(plan)), plan.estimates, as_json=as_json)
            return
        note("\n".join(filter(None, (plan.remark, *estimates(plan)))))
        assessment = plan.run()
        if advise or (advise is None and not assessment.passed and not assessment.interrupted):
            assessment = advised(assessment, plan, sources=[as_given(one) for one in sources])
    present(assessment, _python(sources, reading, question), as_json=as_json)
    if not as_json:
        say(f"\n{assessment.ledger}")
    if output is not None:
        _kept(assessment, output, title=title, force=force, as_json=as_json)
    if assessment.interrupted:
        raise Kept
    _signed(assessment, attested, evidence, force=force, as_json=as_json)
    if fail_above:
        raise typer.Exit(assessment.exit_code)


def _refuse_shopping(settings: tuple[str, ...]) -> None:
    """Refuse what makes a verdict easier, before any work."""
    if settings:
        raise ParameterError(
            f"{'; '.join(settings)}: --fail-above does not allow that; leave it out, or give the reason (--override)."
        )


def _options(question: dict[str, Any], time_zone: str | None) -> Options:
    """What was typed, as the library takes it."""
    from incrowd import read

    towers = question["towers"]
    check_towers(towers, question["far_towers"])
    given = {"towers": None if towers is None else read.towers(towers), "values": question["values"] or None}
    budget_s = seconds_of(question["budget_s"])
    return Options(**{**question, **given, "budget_s": budget_s, "time_zone": time_zone})


def estimates(plan: "PreparedAssessment") -> list[str]:
    """What all tests will take, and each of them, in the order in which they are run."""
    from incrowd.plain import in_words as time_in_words

    allowed = time_in_words(plan.budget.limit_s)
    head = f"assess: {plan.estimate.about}; in all on one core, with memory on top of the data; {allowed} allowed"
    return [head, *(f"  {one}" for one in plan.estimates)]


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


def _signed(
    assessment: "Assessment", attested: Path | None, evidence: Path | None, *, force: bool, as_json: bool
) -> None:
    """Write what is signed: the attestation and the evidence."""
    from incrowd import report
    from incrowd.assess.attest import attest
    from incrowd.assess.evidence import TITLE
    from incrowd.assess.evidence import evidence as sections

    if evidence is not None:
        report.write(evidence, *sections(assessment), title=TITLE, force=force)
    if attested is not None:
        attest(assessment, attested, force=force)
    for name, path in (("evidence", evidence), ("attestation", attested)):
        if path is not None and not as_json:
            say(f"{name}: {path}")


def _origin(sources: list[str], attested: Path | None) -> "Origin":
    """The command line without credentials; very many files, whose names may be those of people, only counted."""
    from incrowd.assess.digests import MOST_NAMED, Origin
    from incrowd.assess.head import masked

    words, sources = ["incrowd", *sys.argv[1:]], [as_given(one) for one in sources]
    if len(sources) > MOST_NAMED:
        first = next((place for place, word in enumerate(words) if word in sources), 0)
        words = [word for word in words if word not in sources]
        words.insert(first, f"({len(sources):,} files)")
    folders = () if attested is None else (attested.resolve().parent,)
    return Origin(command=masked(words), folders=folders)


def _counting(plan: "PreparedAssessment") -> "PreparedAssessment":
    """With the sensitive values that were typed as the data hold them."""
    options = plan.data.options
    if options.values is None:
        return plan
    values = carried_values(plan.data.visits, options.sensitive, list(options.values))
    return replace(plan, data=replace(plan.data, options=replace(options, values=values)))


def _source(sources: list[str], reading: ReadingOptions, slot_min: int) -> Any:
    """Visits if it is a table of them, else what is to be read."""
    from incrowd.assess._assess import refuse_release

    source = one_or_many(sources)
    refuse_release(source)
    visits = saved_visits(source, reading, slot_min=slot_min)
    return source if visits is None else visits


def _python(sources: list[str], reading: ReadingOptions, question: dict[str, Any]) -> str:
    """The call of the library that gives the same numbers."""
    source = one_or_many(sources)
    given = {name: str(value) if isinstance(value, Path) else value for name, value in question.items()}
    limits = {name: None if value is None else str(value) for name, value in question["limits"].items()}
    given |= {
        "budget_s": seconds_of(question["budget_s"]),
        "limits": limits or None,
        "values": question["values"] or None,
    }
    data = source_in_python(sources, reading)
    if saved_noun(source, reading) in (None, "Traces"):  # assess reads it itself
        how = {name: value for name, value in reading.arguments().items() if value != READ_BY_DEFAULT[name]}
        data = ", ".join([repr(source), *(f"{name}={value!r}" for name, value in how.items())])
    towers = given.pop("towers")
    if towers is not None:
        data += f", towers=ic.read.towers({towers!r})"
    return in_python(assessing.assess, data, **given)
