"""Data, or a release of them -> one page: who can be identified, linked and inferred, by whom, and is it too much?"""

import time
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from incrowd.assess.asking import Asking, Budget
from incrowd.assess.assessment import Assessment
from incrowd.assess.attest import earlier_runs
from incrowd.assess.dataset import Dataset
from incrowd.assess.digests import Origin, origin_of, seed_of
from incrowd.assess.earlier_releases import LAST, EarlierReleases
from incrowd.assess.head import head_of
from incrowd.assess.limits import Limits, renamed
from incrowd.assess.opening import dataset
from incrowd.assess.options import PEOPLE, RECORDS, Options
from incrowd.assess.question import (
    DOES_NOT_APPLY,
    NOT_RUN,
    UNANSWERED,
    Answer,
    Finding,
    Judgement,
    Question,
    StepEstimate,
)
from incrowd.assess.questions import ABOUT, QUESTIONS
from incrowd.data import Release, Visits
from incrowd.errors import ParameterError, public
from incrowd.kernels import compile_s
from incrowd.measure import RiskMap, risk_map, summary
from incrowd.plain import several
from incrowd.progress import tell
from incrowd.read.layouts import Reading, with_reading
from incrowd.read.sources.local import local

ASSESSING = "assessing"  # the label under which the seconds done are told, of all that were estimated


@dataclass(frozen=True, eq=False)
class PreparedAssessment:
    """An assessment that was checked and prepared, but not run."""

    data: Dataset
    budget: Budget
    estimates: tuple[StepEstimate, ...]  # in the order in which they are asked
    origin: Origin = field(default_factory=Origin)

    @classmethod
    def over(cls, data: Dataset, budget: Budget | None = None) -> "PreparedAssessment":
        """Estimate how long each test will take on data that were discretized already."""
        return cls(data, budget or Budget(data.options.budget_s), tuple(_estimates(data)))

    @property
    def shopping(self) -> tuple[str, ...]:
        """What makes a verdict easier than it should be; refused under a gate unless overridden."""
        published = self.data.published if self.data.is_release else None
        return (*self.data.options.shopping(published, len(self.data.visits)), *_other_steps(self.data))

    @property
    def remark(self) -> str:
        """What can be said before anything runs: whether so few people can pass at all."""
        limits = [self.data.options.limit(name).value for name in ("lookup", "identified")]
        least = min((value for value in limits if value), default=None)
        people = len(self.data.visits)
        if least is None or people * least >= 1 or self.data.publishes_counts:
            return ""
        few = several(people, "person", "people")
        return f"no release of so few people can pass: {few}, and a limit of 1 in {float(1 / least):,.0f}"

    def run(self) -> Assessment:
        """Ask one question after the other until the time is up or somebody interrupts."""
        answers: list[Answer] = []
        results: dict[str, tuple[Any, ...]] = {}
        interrupted = False
        total_s, done_s = sum(estimate.seconds for estimate in self.estimates), 0.0
        with closing(Asking(self.data, self.budget)) as asking:
            for question, estimate in zip(QUESTIONS, self.estimates, strict=True):
                tell(ASSESSING, done_s, total_s)
                done_s += estimate.seconds
                began = time.monotonic()
                try:
                    verdict, finding = asking.ask(question, estimate, interrupted=interrupted)
                except KeyboardInterrupt:
                    interrupted, verdict, finding = True, NOT_RUN, "interrupted"
                took_s = time.monotonic() - began
                answers.append(self._answer(question, estimate, verdict, finding, took_s))
                results[question.name] = () if isinstance(finding, str) else finding.results
        tell(ASSESSING, total_s, total_s)
        return self._assessment(answers, results, interrupted)

    def _answer(
        self, question: Question, estimate: StepEstimate, verdict: Judgement, finding: Finding | str, took_s: float
    ) -> Answer:
        options = self.data.options
        about: dict[str, Any] = {
            "name": question.name,
            "about": question.about,
            "asks": question.asks.replace("4 known", f"{options.records} known"),
            "attacker": question.attacker(self.data),
            "verdict": verdict,
            "estimated_s": estimate.seconds,
            "took_s": took_s,
            "who": question.who,
            "due": options.limit(question.name).value is not None and verdict != DOES_NOT_APPLY,
        }
        if isinstance(finding, str):
            return Answer(**about, note=finding.rstrip("."))
        names = ("judged", "number", "note", "numbers", "chance", "control", "concerned")
        return Answer(**about, **{name: getattr(finding, name) for name in names})

    def _assessment(self, answers: list[Answer], results: dict[str, tuple[Any, ...]], interrupted: bool) -> Assessment:
        data, visits = self.data, self.data.visits
        about = None if data.traces is None or interrupted else summary(data.traces, time_zone=visits.time_zone)
        return Assessment(
            people=len(visits),
            records=None if data.original is None else data.original.records,
            visits=visits.records,
            cells=len(np.unique(visits.cell)),
            days=(about.days if about else data.days) or None,
            places=data.places,
            slot_min=visits.slot_min,
            budget_s=self.budget.limit_s,
            took_s=self.budget.spent_s,
            seed=data.seed,
            seed_given=data.options.seed is not None,
            interrupted=interrupted,
            judges="release" if data.is_release else "data",
            override=data.options.override,
            shopping=self.shopping,
            remark=self.remark,
            loss=data.loss,
            ledger=visits.ledger if data.stated is None else data.stated,
            estimates=self.estimates,
            answers=tuple(sorted(answers, key=_place)),
            head=head_of(data, self.origin, earlier_runs(self.origin)),
            summary=about,
            risk_map=None if visits.xy is None or interrupted else _mapped(data),
            results=results,
        )


@public
@with_reading
def assess(
    data: Any,
    *,
    budget_s: float = 600,
    towers: ArrayLike | None = None,
    far_towers: bool = False,
    cell_m: float | None = None,
    slot_min: int | None = None,
    release: Release | Visits | str | Path | None = None,
    link: str | Path | None = None,
    same_labels: bool = False,
    sensitive: str | None = None,
    values: Collection[Any] | None = None,
    harmless: Collection[str] = (),
    publish_columns: Collection[str] | None = None,
    earlier: EarlierReleases | str | Path | None = None,
    earlier_links: str | Path | None = None,
    earlier_last: int = LAST,
    records: int = RECORDS,
    people: int = PEOPLE,
    level: Literal["standard", "medium", "high"] = "standard",
    limits: Limits | None = None,
    thresholds: Limits | None = None,
    override: str | None = None,
    advise: bool | None = None,
    min_people: int = 10,
    outline: str | Path | None = None,
    time_zone: str | None = None,
    seed: int | None = None,
    **reading: Unpack[Reading],
) -> Assessment:
    """Every test that applies to what would be published, the most informative first, within a time budget.

    If a release is given, it is judged; else the data as they are. A test without an answer says why, and counts as
    missing if an answer was due; Ctrl-C keeps the answers so far.

    Args:
        data: Traces, Visits, Fingerprints, or a source that `incrowd.read.table` reads.
        budget_s: Seconds that all tests together may take.
        towers: Places (lon, lat) or (x, y) of towers that records are assigned to; a grid if None.
        far_towers: Whether to go on though most records are far from every tower.
        cell_m: Side of a grid cell, for raw records; visits keep their cells. [default: 500 m]
        slot_min: Width of a time slot, for raw records; visits keep their slots. [default: 60 min]
        release: A release of these data to be judged: its folder, a file of visits, or the Release itself.
        link: File that says who is who in the release: pseudonym, user.
        same_labels: Whether equal labels of data and release are the same person; not for the folder of a release.
        sensitive: Name of a sensitive attribute of people, to be inferred.
        values: Values of that attribute that count. [default: all]
        harmless: Names of published columns that give nothing away.
        publish_columns: Columns of the data that would be published. [default: all that were read]
        earlier: Folder of releases that were published before, with which this one is attacked.
        earlier_links: Folder of their link files, if they were kept; without one it is not scored who is recognised.
        earlier_last: How many of the earlier releases to attack with, the newest ones.
        records: How many random records of a person the attacker knows.
        people: Ask about at most so many people where all would take too long; candidates are always all.
        level: How strict limits of right guesses are: 1 in 11, 7.5 % (medium) or 5 % (high).
        limits: Largest number that is not too much, by test, None for no limit; the others keep
            `incrowd.assess.limits.DEFAULTS`, which are conventions, not law.
        thresholds: Old name of limits, until version 0.3.
        override: Why settings that make the verdict easier are allowed; the first line of the page.
        advise: Whether to look for a release that passes. [default: if this one does not and time is left]
        min_people: Cells with fewer people are blank on the map of risk.
        outline: Polygons to draw around the map, a GeoJSON or GeoParquet file in degrees; needs the extra `geo`.
            [default: a line around the cells that are shown]
        time_zone: Zone of times without an offset, of slots and of all days and hours. [default: UTC]
        seed: Seed of every random choice. [default: derived from the files, so that nobody chooses it; 0 in memory]

    >>> visits = Visits.from_arrays([1, 1, 2, 2], cell=[5, 5, 8, 8], slot=[0, 1, 0, 1])
    >>> assess(visits, advise=False).verdict.partition(" Worst")[0]
    'Do not publish: 4 of 4 tests exceed your limits.'
    """
    given = dict(locals())
    if thresholds is not None:
        renamed("thresholds", "limits")
    limits = thresholds if limits is None else limits
    names = [name for name in Options.__dataclass_fields__ if name != "limits"]
    prepared_ = prepared(data, Options(limits=limits, **{name: given[name] for name in names}), reading)
    assessment = prepared_.run()
    if advise is False or (advise is None and assessment.passed):
        return assessment
    from incrowd.assess.advice import advised

    return advised(assessment, prepared_)


def prepared(
    source: Any, options: Options, reading: Reading, *, files: Any = None, origin: Origin | None = None
) -> PreparedAssessment:
    """Read and discretize the data, and estimate how long each test will take; the seed follows from the files."""
    budget = Budget(options.budget_s)
    with local(source, reading.get("table"), reading.get("query")) as found:
        data = dataset(found, options, reading)
        origin = origin_of(found if files is None else files, options, reading.get("layout"), origin)
    if options.seed is None:
        data = replace(data, seed=seed_of(origin.files))
    sensitive = options.sensitive
    if sensitive is not None and sensitive not in data.visits.attributes and not data.is_release:
        known = ", ".join(sorted(data.visits.attributes)) or "none"
        raise ParameterError(f"the data have no attribute {sensitive!r} (they have: {known}); read it too.")
    if options.outline is not None:
        _mapped(data)  # an outline that cannot be drawn is refused before any attack
    return replace(PreparedAssessment.over(data, budget), origin=origin)


def _mapped(data: Dataset) -> RiskMap:
    return risk_map(data.visits, min_people=data.options.min_people, outline=data.options.outline)


def _place(one: Answer) -> tuple[int, bool]:
    """By what it is about, those without an answer last."""
    return ABOUT.index(one.about), one.verdict in UNANSWERED


def _estimates(data: Dataset) -> Iterator[StepEstimate]:
    for question in QUESTIONS:
        lacks = question.lacks(data)
        seconds = 0.0 if lacks else question.seconds(data)
        compiling = None if lacks or question.name not in COMPILES else compile_s(COMPILES[question.name])
        yield StepEstimate(name=question.name, asks=question.asks, seconds=seconds, compile_s=compiling, lacks=lacks)


def _other_steps(data: Dataset) -> Iterator[str]:
    """Cleaning that dropped records of the data and that the release was not made with."""
    if data.is_release and data.original is not None:
        theirs = data.steps
        for step in data.original.ledger.steps:
            if theirs is not None and step.kept < step.read and step.name in CLEANING and step.name not in theirs:
                yield f"{step.name} dropped records of the data, and the release was not made with it"


COMPILES = {"identified": "uniqueness", "counts": "transport", "blurring": "glove"}  # kernels that compile for seconds
CLEANING = ("outside", "duplicates", "order", "displaced", "still_users", "sparse_users", "period")
