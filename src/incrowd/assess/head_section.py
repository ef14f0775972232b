"""The head of an assessment as tables to sign under: facts, files, limits, costs, what was not asked, earlier runs."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from incrowd.assess.digests import JudgedFile
from incrowd.assess.head import AssessmentHead, EarlierRun, set_by
from incrowd.assess.limits import Limit
from incrowd.plain import in_words as time_in_words
from incrowd.plain import several
from incrowd.show import Section, Table

if TYPE_CHECKING:
    from incrowd.assess.assessment import Assessment

BLANK = ("name", "date", "decision", "assess again by")
LINE = "_" * 30
ORDER = "Tests stand in the order singling out, linkability, inference (WP29, opinion 05/2014), membership."


def head_section(result: "Assessment", head: AssessmentHead) -> Section:
    """What is signed, with blank fields for who signs."""
    return Section(
        question="Head to sign",
        answer=f"{result.verdict} Made on {head.made[:10]}; {head.run}.",
        tables=[
            facts_table(result, head),
            *files_table(head.files),
            limits_table(head.limits),
            seconds_table(result),
            *not_asked_table(result),
            *earlier_table(head),
            blank_table(),
        ],
        method=[ORDER, "Only the first and the last day are given, and nothing about one person."],
        data=head,
    )


def facts_table(result: "Assessment", head: AssessmentHead) -> Table:
    """Period, people, records, command line, versions, seed and machine."""
    files = several(sum(one.files for one in head.files), "file") if head.files else "none, so there are no digests"
    rows = [
        ("judged", f"the {result.judges}{_kind(head.published)}"),
        ("files", files),
        ("period", " to ".join(head.period) if head.period else "unknown"),
        ("people", f"{result.people:,}"),
        ("records", "too many to count in memory" if result.records is None else f"{result.records:,}"),
        ("command", head.command or "a call of the library"),
        ("versions", ", ".join(f"{name} {version}" for name, version in head.versions.items())),
        ("seed", f"{result.seed}, {_seed(result, head)}"),
        ("machine", head.machine),
        ("run", head.run),
    ]
    return Table(("what", "value"), rows)


def files_table(files: Sequence[JudgedFile]) -> list[Table]:
    """Names and digests."""
    rows = [
        (one.role, one.name if one.files == 1 else f"{one.name} ({one.files:,} files)", one.sha256) for one in files
    ]
    return [Table(("given as", "file", "SHA-256"), rows, "Files that were judged or are published.")] if rows else []


def limits_table(limits: Mapping[str, Limit]) -> Table:
    """Every limit with its source, and who set it."""
    rows = [(name, str(limit), limit.source, set_by(limit)) for name, limit in limits.items()]
    return Table(("limit", "value", "source", "set by"), rows, "Limits, with their source and who set them.")


def seconds_table(result: "Assessment") -> Table:
    """What each attack took."""
    rows = [(one.about, one.name, time_in_words(one.took_s)) for one in result.answers if one.judged]
    return Table(("about", "test", "took"), rows, "What is reasonably likely depends on what an attack costs.")


def not_asked_table(result: "Assessment") -> list[Table]:
    """Tests without a number, and why."""
    rows = [(one.about, one.name, one.verdict, one.note) for one in result.answers if not one.judged]
    return [Table(("about", "test", "why", "more"), rows, "Tests that were not asked.")] if rows else []


def earlier_table(head: AssessmentHead) -> list[Table]:
    """Assessments of the same data."""
    now = head.level, head.limits_set
    rows = [
        (one.made, one.verdict.partition(". ")[0], "same" if (one.level, one.limits_set) == now else _set(one))
        for one in head.earlier
    ]
    return [Table(("made", "verdict", "limits"), rows, "Earlier assessments of the same data.")] if rows else []


def blank_table() -> Table:
    """Fields to fill in by hand."""
    return Table(("to be signed", "by hand"), [(name, LINE) for name in BLANK])


def _seed(result: "Assessment", head: AssessmentHead) -> str:
    if result.seed_given:
        return "given"
    return "derived from the files" if head.files else "always that for data in memory"


def _set(one: EarlierRun) -> str:
    given = ", ".join(f"{name} {value}" for name, value in one.limits_set)
    return f"other: level {one.level}{f'; {given}' if given else ''}"


def _kind(published: Mapping[str, Any]) -> str:
    named = ", ".join(str(published[name]) for name in ("noun", "method") if published.get(name))
    return f" ({named})" if named else ""
