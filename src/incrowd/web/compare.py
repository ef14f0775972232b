"""The step Compare: all runs in one table and one frontier, and what advice would choose."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from starlette.requests import Request
from starlette.responses import Response

from incrowd.plain import percent, several
from incrowd.report.cards import Bar, Card
from incrowd.report.verdict import FirstScreen, verdict_of
from incrowd.show import Line, Lines
from incrowd.web import commands
from incrowd.web.methods import title_of
from incrowd.web.pages import commands as lines
from incrowd.web.pages import discreet, in_brief, page, studio_of
from incrowd.web.protect import TRIED
from incrowd.web.store import Job
from incrowd.web.studio import JUDGE, Studio

if TYPE_CHECKING:
    from incrowd.assess import Assessment
    from incrowd.show import Section


@dataclass(frozen=True)
class ComparedRun:
    """A row of the table.

    Args:
        job: The run; None for the data as they are.
        title: What it is called.
        tone: Its verdict, as a colour.
        verdict: Its verdict, in a few words.
        deciding: The number that decides, with its bar.
        left: What is left of the data, in words.
        kept: Share of the records that are left, in print.
        loss: How much detail is lost; None if it is not known.
        passed: Whether nothing is above its limit or missing.
    """

    job: Job | None
    title: str
    tone: str
    verdict: str
    deciding: Card | None
    left: str
    kept: str
    loss: float | None
    passed: bool


def show(request: Request) -> Response:
    """The page."""
    studio = studio_of(request)
    dataset = studio.ready()
    jobs = studio.runs(dataset)
    rows = [row for job in jobs if (row := row_of(studio, job)) is not None]
    rows.sort(key=lambda row: (not row.passed, row.loss if row.loss is not None else float("inf")))
    before = studio.assessment(studio.finished(dataset, "assess"))
    original = [] if before is None else [_row(None, "The data as they are", before, "everything", "100.0 %", 0.0)]
    return page(
        request,
        "compare",
        step="compare",
        dataset=dataset,
        rows=[*rows, *(_failed(job) for job in jobs if job.state == "failed"), *original],
        runs=rows,
        best=next((row for row in rows if row.passed), None),
        pending=[job for job in jobs if not job.over],
        frontier=_frontier([*rows, *original]) if rows else None,
        advice=None if before is None else before.advice,
        title_of=title_of,
        tried=studio.answer(studio.finished(dataset, "forecast")),
        lines=lines(commands.forecasting(dataset, TRIED)),
    )


def row_of(studio: Studio, job: Job) -> ComparedRun | None:
    """A finished run; None if it is not finished."""
    assessment, published = studio.assessment(job, JUDGE), studio.answer(job)
    if job.state != "finished" or assessment is None:
        return None
    record: dict[str, Any] = published.data if published else {}
    left = _what_is_left(published) if published else ""
    return _row(job, job.title, assessment, left, percent(record.get("records_left")), record.get("loss"))


def _what_is_left(published: "Section") -> str:
    """How many people are left, and the last sentence before the guarantee: how fine the data still are."""
    fine = re.split(r"(?<=\.) (?=[A-Z])", published.answer.partition("\nGuarantee:")[0])[-1]
    people, before = published.data.get("people"), published.data.get("people_before")
    return fine if people is None or not before else f"{people:,} of {several(before, 'person', 'people')}. {fine}"


def _failed(job: Job) -> ComparedRun:
    """A run without an answer, as loud as one that fails."""
    return ComparedRun(
        job, job.title, "gap", "No answer", None, f"stopped: {discreet(job.message)}", "-", None, passed=False
    )


def _row(
    job: Job | None, title: str, assessment: "Assessment", left: str, kept: str, loss: float | None
) -> ComparedRun:
    top: FirstScreen = verdict_of(assessment)
    deciding = next((card for card in top.decide if card.deciding), None)
    brief = in_brief(assessment)
    return ComparedRun(
        job, title, top.tone, brief[:1].upper() + brief[1:], deciding, left, kept, loss, assessment.passed
    )


def _frontier(rows: list[ComparedRun]) -> Lines:
    """The share that decides against the loss of detail; runs that pass are full, the others hollow."""
    placed = [(row, row.deciding.deciding.bar) for row in rows if row.deciding and row.deciding.deciding]
    points = [_Point(row.title, row.loss, bar, row.passed) for row, bar in placed if bar and row.loss is not None]
    sides: tuple[tuple[str, Literal["points", "hollow"], bool], ...]
    sides = (("passes", "points", True), ("does not pass", "hollow", False))
    lines = []
    for label, style, passed in sides:
        some = [one for one in points if one.passed == passed]
        if some:
            at = [one.loss for one in some], [one.share for one in some]
            lines.append(Line(label, *at, style=style, tags=[one.title for one in some]))
    words = "; ".join(f"{one.title}: loss {one.loss:.2f}, {percent(one.share)}" for one in points)
    return Lines(
        "runs",
        "loss of detail (1: 20 km and 8 h)",
        "share that decides",
        tuple(lines),
        f"{several(len(points), 'row')} of the table. Left out: runs that move points or count people, whose loss has "
        "another scale.",
        levels=_limit({bar.limit for _, bar in placed if bar and bar.limit is not None}),
        words=f"Share that decides against loss of detail. {words}.",
    )


def _limit(limits: set[float]) -> dict[str, float]:
    """The limit as a line across, if all rows are compared with the same."""
    return {f"limit {percent(limit / 100)}": limit / 100 for limit in limits} if len(limits) == 1 else {}


@dataclass(frozen=True)
class _Point:
    title: str
    loss: float
    bar: Bar
    passed: bool

    @property
    def share(self) -> float:
        return (self.bar.judged or self.bar.value) / 100
