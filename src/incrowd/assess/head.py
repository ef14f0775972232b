"""The head of an assessment, to be signed: what was judged, how, when, on what machine, by which limits."""

import platform
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd import __version__
from incrowd.assess.dataset import Dataset
from incrowd.assess.digests import JudgedFile, Origin
from incrowd.assess.limits import Level, Limit
from incrowd.clock import EPOCH, wall_at, zone_of
from incrowd.data import Visits
from incrowd.data.release_section import detail_words
from incrowd.errors import IncrowdError
from incrowd.plain import in_words as time_in_words
from incrowd.plain import plain, several
from incrowd.show import Result, Section, Table
from incrowd.threads import machine

if TYPE_CHECKING:
    from incrowd.assess.assessment import Assessment

HIDDEN = "***"
NAMES = r"[\w-]*(?:password|passwd|passphrase|pwd|token|secret|credential|signature|api[_-]?key|access[_-]?key)[\w-]*"
LOGIN = re.compile(r"(?<=://)[^/\s]+@")
ASSIGNED = re.compile(rf"({NAMES}\s*[=:]\s*)[^&;]+", re.IGNORECASE)
OPTION = re.compile(rf"--?{NAMES}", re.IGNORECASE)  # its value is the next word
BEARER = re.compile(r"(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}", re.IGNORECASE)
SETTINGS = ("records", "people", "cell_m", "slot_min", "harmless", "publish_columns", "same_labels", "earlier")
ORDER = "Tests stand in the order singling out, linkability, inference (WP29, opinion 05/2014), membership."


@dataclass(frozen=True, kw_only=True)
class EarlierRun:
    """An assessment of the same data that was attested before.

    Args:
        made: When, in UTC.
        verdict: Its verdict.
        passed: Whether it passed.
        level: How strict its limits were.
        limits_set: The limits that somebody set, by name.
        seed: Of its random choices.
    """

    made: str
    verdict: str
    passed: bool
    level: str
    limits_set: tuple[tuple[str, str], ...]
    seed: int


@dataclass(frozen=True, kw_only=True)
class AssessmentHead(Result):
    """What a signature under an assessment is about.

    Args:
        made: When it was made, in UTC.
        files: Every file judged and published, with its SHA-256; empty for data in memory.
        period: First and last day of the data; None if nothing says when slots begin.
        command: The command line without credentials; empty for a call of the library.
        versions: Of incrowd, numpy and Python.
        machine: What it ran on.
        level: How strict limits of right guesses are.
        limits: Every limit, with its source.
        settings: Those that can make a verdict easier.
        published: What is judged: its kind, its grain, the method that made it.
        earlier: Assessments of the same data, the first one first.
    """

    made: str
    files: tuple[JudgedFile, ...]
    period: tuple[str, str] | None
    command: str
    versions: Mapping[str, str]
    machine: str
    level: Level
    limits: Mapping[str, Limit]
    settings: Mapping[str, Any] = field(default_factory=dict)
    published: Mapping[str, Any] = field(default_factory=dict)
    earlier: tuple[EarlierRun, ...] = ()

    @property
    def limits_set(self) -> tuple[tuple[str, str], ...]:
        """The limits that somebody set, by name and exactly."""
        return tuple((name, str(limit.value)) for name, limit in self.limits.items() if limit.by_user)

    @property
    def run(self) -> str:
        """Which run it is of those that were attested, and whether limits changed."""
        if not self.earlier:
            return "1st run that is known"
        now, last = (self.level, self.limits_set), self.earlier[-1]
        changed = (last.level, last.limits_set) != now
        return f"{_ordinal(len(self.earlier) + 1)} run; limits {'changed' if changed else 'unchanged'} since"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; limits exactly."""
        limits = {
            name: {
                "value": None if limit.value is None else str(limit.value),
                "source": limit.source,
                "set_by": set_by(limit),
            }
            for name, limit in self.limits.items()
        }
        return {**super().to_dict(), "limits": limits, "run": self.run}


def head_of(data: Dataset, origin: Origin, earlier: tuple[EarlierRun, ...] = ()) -> AssessmentHead:
    """The head of an assessment of these data.

    Args:
        data: What is assessed.
        origin: The files it was read from, and the command line.
        earlier: Assessments of the same data.
    """
    options = data.options
    return AssessmentHead(
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        files=origin.files,
        period=period_of(data.visits),
        command=origin.command,
        versions={"incrowd": __version__, "numpy": np.__version__, "python": platform.python_version()},
        machine=machine(),
        level=options.level,
        limits=options.all_limits,
        settings={name: plain(getattr(options, name)) for name in SETTINGS},
        published=dict(_published(data)),
        earlier=earlier,
    )


def _published(data: Dataset) -> Iterator[tuple[str, Any]]:
    """What is judged, as far as it can be read."""
    try:
        table = data.published if data.is_release else data.original or data.visits
    except IncrowdError:
        return  # the tests say what is wrong with it
    yield "noun", type(table).__name__
    yield from ((name, getattr(table, name, None)) for name in ("cell_m", "slot_min"))
    yield "detail", detail_words(table, data.params)
    if data.is_release:
        yield "method", data.method
        made = {name: value for name, value in data.params.items() if name != "method"}
        yield "parameters", {name: value for name, value in made.items() if isinstance(value, (int, float, str))}


def period_of(visits: Visits) -> tuple[str, str] | None:
    """The first and the last day of visits, and no more of their times; None if nothing says when slots begin.

    >>> period_of(Visits.from_arrays([1, 1], cell=[0, 0], slot=[0, 3], slot_min=720, start=0))
    ('1970-01-01', '1970-01-02')
    """
    if visits.start is None or visits.slot_min is None or not visits.records:
        return None
    wall = wall_at(visits.start, zone_of(visits.time_zone))
    ends = (int(visits.slot.min()) * visits.slot_min, (int(visits.slot.max()) + 1) * visits.slot_min - 1)
    first, last = (EPOCH + timedelta(seconds=wall + minute * 60) for minute in ends)
    return first.date().isoformat(), last.date().isoformat()


def masked(words: Sequence[str]) -> str:
    """A command line without credentials and without the home folder of who typed it.

    >>> masked(["incrowd", "assess", "https://me:geheim@host/a.csv?token=abc&x=1"])
    "incrowd assess 'https://***@host/a.csv?token=***&x=1'"
    """
    home, masked_words = str(Path.home()), []
    for before, word in zip(["", *words], words, strict=False):
        hidden = HIDDEN if OPTION.fullmatch(before) else LOGIN.sub(f"{HIDDEN}@", word)
        hidden = BEARER.sub(rf"\g<1>{HIDDEN}", ASSIGNED.sub(rf"\g<1>{HIDDEN}", hidden))
        at_home = len(home) > 1 and f"{hidden}/".startswith(f"{home}/")
        masked_words.append(f"~/{shlex.quote(hidden[len(home) + 1 :] or '.')}" if at_home else shlex.quote(hidden))
    return " ".join(masked_words)


def set_by(limit: Limit) -> str:
    """Who set a limit."""
    if limit.by_user:
        return "who ran it"
    return limit.source if limit.source.startswith("level ") else "the default"


def _ordinal(n: int) -> str:
    """A number as a place in a row.

    >>> _ordinal(1), _ordinal(4), _ordinal(12), _ordinal(23)
    ('1st', '4th', '12th', '23rd')
    """
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


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
    rows = [
        ("judged", f"the {result.judges}{_kind(head.published)}"),
        ("detail", head.published.get("detail") or result.grain),
        ("files", _files(head.files)),
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
    many = {0: " (records as they were read)", 1: ""}
    rows = [(one.role, f"{one.name}{many.get(one.files, f' ({one.files:,} files)')}", one.sha256) for one in files]
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
    names = ("name", "date", "decision", "assess again by")
    return Table(("to be signed", "by hand"), [(name, "_" * 30) for name in names])


def _files(files: Sequence[JudgedFile]) -> str:
    count, databases = sum(one.files for one in files), sum(one.files == 0 for one in files)
    queried = several(databases, "result of a database", "results of a database") if databases else ""
    words = " and ".join(filter(None, [several(count, "file") if count else "", queried]))
    return words or "none, so there are no digests"


def _seed(result: "Assessment", head: AssessmentHead) -> str:
    drawn = "derived from the files" if head.files else "always that for data in memory"
    return "given" if result.seed_given else drawn


def _set(one: EarlierRun) -> str:
    given = ", ".join(f"{name} {value}" for name, value in one.limits_set)
    return f"other: level {one.level}{f'; {given}' if given else ''}"


def _kind(published: Mapping[str, Any]) -> str:
    named = ", ".join(str(published[name]) for name in ("noun", "method") if published.get(name))
    return f" ({named})" if named else ""
