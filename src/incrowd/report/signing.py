"""An assessment -> what a signature is about: facts with digests, limits in few rows, tests that were not asked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from incrowd.plain import in_words, several

if TYPE_CHECKING:
    from incrowd.assess import Assessment
    from incrowd.assess.head import AssessmentHead

ROLES = {"data": "Data", "release": "Release", "link": "Link file"}
CHOICES = ("Do not publish", "Publish under conditions", "Publish")
Rows = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class SharedLimit:
    """A limit that several tests share.

    Args:
        names: The tests.
        value: The limit in print.
        source: Whose number it is.
        set_by: Who set it.
    """

    names: tuple[str, ...]
    value: str
    source: str
    set_by: str


@dataclass(frozen=True)
class Signing:
    """The head of a page.

    Args:
        made: The day it was made.
        files: What each file was given as, its name and its SHA-256.
        facts: Period, people, records, versions, seed, machine and seconds.
        command: The command line; empty for a call of the library.
        limits: Limits, those that are the same together.
        unlimited: Tests without a limit.
        earlier: Assessments of the same data: when, and their verdict.
        choices: Decisions to tick.
    """

    made: str
    files: tuple[tuple[str, str, str], ...]
    facts: Rows
    command: str
    limits: tuple[SharedLimit, ...]
    unlimited: tuple[str, ...]
    earlier: Rows
    choices: tuple[str, ...] = CHOICES


def signing_of(assessment: "Assessment") -> Signing | None:
    """All that stands above a signature; None for an assessment without a head.

    Args:
        assessment: What is signed.
    """
    head = assessment.head
    if head is None:
        return None
    return Signing(
        made=head.made[:10],
        files=tuple(_files(head)),
        facts=tuple(_facts(assessment, head)),
        command=head.command,
        limits=tuple(_limits(head)),
        unlimited=tuple(name for name, limit in head.limits.items() if limit.value is None),
        earlier=tuple((one.made[:10], one.verdict.partition(". ")[0]) for one in head.earlier),
    )


def _files(head: "AssessmentHead") -> Iterator[tuple[str, str, str]]:
    for file in head.files:
        many = {0: ", records as they were read", 1: ""}.get(file.files, f", {file.files:,} files")
        yield ROLES[file.role], f"{file.name}{many}", file.sha256


def _facts(result: "Assessment", head: "AssessmentHead") -> Iterator[tuple[str, str]]:
    if not head.files:
        yield "Files", "none: the data were in memory, so there are no digests"
    method = head.published.get("method")
    if result.judges == "release" and method:
        yield "Made by", f"{method}{_with(head.published.get('parameters', {}))}"
    yield "Period", " to ".join(head.period) if head.period else "unknown"
    records = "" if result.records is None else f"; {several(result.records, 'record')}"
    yield "People", f"{result.people:,}{records}"
    if detail := head.published.get("detail"):
        yield "Published" if result.judges == "release" else "Detail", str(detail)
    yield "Judged on", result.grain
    versions = ", ".join(f"{name} {version}" for name, version in head.versions.items())
    yield "Assessed", f"{head.made[:10]} with {versions}; seed {result.seed}{' (given)' if result.seed_given else ''}"
    yield "Attacks took", "; ".join(filter(None, (_took(result), head.machine)))
    yield "Run", head.run
    idle = [one.name for one in result.answers if one.verdict == "does not apply"]
    missing = [one.name for one in result.answers if one.verdict in ("not run", "no answer")]
    yield "Not asked", "; ".join(filter(None, (_named("no answer", missing), _named("do not apply", idle)))) or "none"


def _with(parameters: Mapping[str, object]) -> str:
    words = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    return f" ({words})" if words else ""


def _named(what: str, names: list[str]) -> str:
    return f"{what}: {', '.join(names)}" if names else ""


def _took(result: "Assessment") -> str:
    """Seconds of the attacks that took some, for what is reasonably likely depends on what an attack costs."""
    long = [f"{one.name} {in_words(one.took_s)}" for one in result.answers if one.judged and one.took_s >= 1]
    short = sum(bool(one.judged) for one in result.answers) - len(long)
    rest = f"{several(short, 'test')} less than 1 s{' each' if short > 1 else ''}" if short else ""
    return ", ".join(filter(None, (*long, rest)))


def _limits(head: "AssessmentHead") -> Iterator[SharedLimit]:
    from incrowd.assess.head import set_by

    alike: dict[tuple[str, str, str], list[str]] = {}
    for name, limit in head.limits.items():
        if limit.value is not None:
            value = f"at least {limit}" if limit.kind == "count" else str(limit)
            alike.setdefault((value, limit.source, set_by(limit)), []).append(name)
    for (value, source, who), names in alike.items():
        yield SharedLimit(tuple(names), value, source, who.removeprefix("the "))
