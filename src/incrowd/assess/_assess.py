"""Data -> one page: who can be identified, linked and inferred, by whom, and is it too much?"""

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from incrowd import progress
from incrowd.assess.assessment import Assessment
from incrowd.assess.dataset import Dataset, dataset
from incrowd.assess.limits import Limits, renamed
from incrowd.assess.options import Options
from incrowd.assess.question import (
    BEFORE,
    DOES_NOT_APPLY,
    NO_ANSWER,
    NOT_RUN,
    UNANSWERED,
    Answer,
    Finding,
    Inapplicable,
    Judgement,
    Question,
    StepEstimate,
    judged,
    nothing,
)
from incrowd.assess.questions import ABOUT, QUESTIONS
from incrowd.data import Release, Visits
from incrowd.discretize.slots import Grain
from incrowd.errors import IncrowdError, ParameterError, public
from incrowd.measure import summary
from incrowd.plain import in_words
from incrowd.read.layouts import Reading, with_reading


class OutOfTime(Exception):
    """The budget is spent."""


class Budget:
    """Seconds from now on."""

    def __init__(self, limit_s: float) -> None:
        self.limit_s, self._began = float(limit_s), time.monotonic()

    @property
    def spent_s(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._began

    @property
    def left_s(self) -> float:
        """Seconds left, at least 0."""
        return max(self.limit_s - self.spent_s, 0.0)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Stop the work inside at the first word of progress after the end; who listened before still hears it."""
        outer = progress.current()

        def listen(label: str, done: float, total: float) -> None:
            if outer is not None:
                outer(label, done, total)
            if done < total and not self.left_s:
                raise OutOfTime

        with progress.listening(listen):
            yield


@dataclass(frozen=True, eq=False)
class PreparedAssessment:
    """An assessment that was checked and prepared, but not run."""

    data: Dataset
    budget: Budget
    estimates: tuple[StepEstimate, ...]  # in the order in which they are asked

    @classmethod
    def over(cls, data: Dataset, budget: Budget | None = None) -> "PreparedAssessment":
        """Estimate how long each test will take on data that were discretized already."""
        return cls(data, budget or Budget(data.options.budget_s), tuple(_estimates(data)))

    def run(self) -> Assessment:
        """Ask one question after the other until the time is up or somebody interrupts."""
        answers: list[Answer] = []
        results: dict[str, tuple[Any, ...]] = {}
        interrupted = False
        for question, estimate in zip(QUESTIONS, self.estimates, strict=True):
            began = time.monotonic()
            try:
                verdict, finding = self._ask(question, estimate, interrupted=interrupted)
            except KeyboardInterrupt:
                interrupted, verdict, finding = True, NOT_RUN, nothing("interrupted")
            answers.append(self._answer(question, estimate, verdict, finding, time.monotonic() - began))
            results[question.name] = finding.results
        return self._assessment(answers, results, interrupted)

    def _ask(self, question: Question, estimate: StepEstimate, *, interrupted: bool) -> tuple[Judgement, Finding]:
        """The verdict, and the number or why there is none."""
        if estimate.lacks:
            return self._lacking(question), nothing(estimate.lacks)
        if interrupted:
            return NOT_RUN, nothing("interrupted before")
        if estimate.seconds > self.budget.left_s:
            why = f"would take about {in_words(estimate.seconds)}, {in_words(self.budget.left_s)} are left"
            return NOT_RUN, nothing(why if self.budget.left_s else why.partition(",")[0])
        try:
            with self.budget.watched():
                finding = question.run(self.data)
        except OutOfTime:
            return NOT_RUN, nothing("took longer than expected, and the budget is spent")
        except Inapplicable as error:
            return self._lacking(question), nothing(str(error))
        except IncrowdError as error:
            return NO_ANSWER, nothing(str(error))
        return judged(finding.value, self.data.options.limit(question.name)), finding

    def _lacking(self, question: Question) -> Judgement:
        """Who sets a limit wants an answer, even if there is nothing to ask about."""
        return NO_ANSWER if question.name in self.data.options.wanted else DOES_NOT_APPLY

    def _answer(
        self, question: Question, estimate: StepEstimate, verdict: Judgement, finding: Finding, took_s: float
    ) -> Answer:
        return Answer(
            name=question.name,
            about=question.about,
            asks=question.asks,
            attacker=question.attacker(self.data),
            verdict=verdict,
            value=finding.value,
            number=finding.number,
            limit=self.data.options.limit(question.name),
            note=finding.note,
            estimated_s=estimate.seconds,
            took_s=took_s,
            numbers=finding.numbers,
            group=question.group(self.data),
            decides=question.decides(self.data),
        )

    def _assessment(self, answers: list[Answer], results: dict[str, tuple[Any, ...]], interrupted: bool) -> Assessment:
        data, visits = self.data, self.data.visits
        about = None if data.traces is None or interrupted else summary(data.traces, time_zone=visits.time_zone)
        return Assessment(
            people=len(visits),
            records=None if data.traces is None else data.traces.records,
            visits=visits.records,
            cells=len(np.unique(visits.cell)),
            days=(about.days if about else data.days) or None,
            places=data.places,
            slot_min=visits.slot_min,
            budget_s=self.budget.limit_s,
            took_s=self.budget.spent_s,
            seed=data.options.seed,
            interrupted=interrupted,
            ledger=visits.ledger,
            estimates=self.estimates,
            answers=tuple(sorted(answers, key=_place)),
            summary=about,
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
    cell_m: float = Grain.cell_m,
    slot_min: int = Grain.slot_min,
    release: Release | Visits | str | Path | None = None,
    link: str | Path | None = None,
    sensitive: str | None = None,
    values: Collection[Any] | None = None,
    known_visits: int = 2,
    confidence: float = 0.8,
    limits: Limits | None = None,
    thresholds: Limits | None = None,
    time_zone: str | None = None,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Assessment:
    """Every test that applies to the data, the most informative first, within a time budget.

    If a release is given, it is judged, and the original data are context. A test without an answer says why, and
    counts as missing if an answer was due; Ctrl-C keeps the answers so far.

    Args:
        data: Traces, Visits, or a source that `incrowd.read.table` reads.
        budget_s: Seconds that all tests together may take.
        towers: Places (lon, lat) or (x, y) of towers that records are assigned to; a grid if None.
        far_towers: Whether to go on though most records are far from every tower.
        cell_m: Side of a grid cell, for raw records; visits keep their cells.
        slot_min: Width of a time slot, for raw records; visits keep their slots.
        release: A release of these data to be judged: its folder, a file of visits, or the Release itself.
        link: File that says who is who in the release: pseudonym, user.
        sensitive: Name of a sensitive attribute of people, to be inferred.
        values: Values of that attribute that count. [default: all]
        known_visits: Visits known to infer it: 1 or 2.
        confidence: Share of a crowd with the same value that is enough to infer it.
        limits: Largest share that is not too much, by test, None for no limit; the others keep
            `incrowd.assess.limits.DEFAULTS`, which are conventions, not law.
        thresholds: Old name of limits, until version 0.3.
        time_zone: Zone of times without an offset, of slots and of all days and hours. [default: UTC]
        seed: Seed of every random choice; the same seed gives the same numbers.

    >>> visits = Visits.from_arrays([1, 1, 2, 2], cell=[5, 5, 8, 8], slot=[0, 1, 0, 1])
    >>> assess(visits).verdict.partition(" Worst")[0]
    'Do not publish: 2 of 2 tests exceed your limits.'
    """
    if thresholds is not None:
        renamed("thresholds", "limits")
    options = Options(
        budget_s=budget_s,
        towers=towers,
        far_towers=far_towers,
        cell_m=cell_m,
        slot_min=slot_min,
        release=release,
        link=link,
        sensitive=sensitive,
        values=values,
        known_visits=known_visits,
        confidence=confidence,
        limits=thresholds if limits is None else limits,
        time_zone=time_zone,
        seed=seed,
    )
    return prepared(data, options, reading).run()


def prepared(source: Any, options: Options, reading: Reading) -> PreparedAssessment:
    """Read and discretize the data, and estimate how long each test will take."""
    budget = Budget(options.budget_s)
    data = dataset(source, options, reading)
    sensitive = options.sensitive
    if sensitive is not None and sensitive not in data.visits.attributes:
        known = ", ".join(sorted(data.visits.attributes)) or "none"
        raise ParameterError(f"the data have no attribute {sensitive!r} (they have: {known}); read it too.")
    return PreparedAssessment.over(data, budget)


def _place(one: Answer) -> tuple[bool, int, bool]:
    """The release before the original data, then by what it is about, those without an answer last."""
    return one.group == BEFORE, ABOUT.index(one.about), one.verdict in UNANSWERED


def _estimates(data: Dataset) -> Iterator[StepEstimate]:
    for question in QUESTIONS:
        lacks = question.lacks(data)
        seconds = 0.0 if lacks else question.seconds(data)
        yield StepEstimate(name=question.name, asks=question.asks, seconds=seconds, lacks=lacks)
