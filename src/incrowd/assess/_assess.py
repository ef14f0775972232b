"""Data -> one page: who can be singled out, linked and inferred, by whom, and is it too much?"""

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from incrowd.assess.assessment import Assessment
from incrowd.assess.budget import Budget, OutOfTime
from incrowd.assess.dataset import Dataset, dataset
from incrowd.assess.options import Options, Thresholds
from incrowd.assess.question import (
    BEFORE,
    DOES_NOT_APPLY,
    NO_ANSWER,
    NOT_RUN,
    UNANSWERED,
    Answer,
    Finding,
    Inapplicable,
    Question,
    StepEstimate,
    judged,
    nothing,
)
from incrowd.assess.questions.order import ABOUT, QUESTIONS
from incrowd.data import Release, Visits
from incrowd.discretize.options import Reading
from incrowd.errors import IncrowdError, ParameterError
from incrowd.measure import summary
from incrowd.plain import in_words


@dataclass(frozen=True, eq=False)
class PreparedAssessment:
    """An assessment that was checked and prepared, but not run."""

    data: Dataset
    budget: Budget
    estimates: tuple[StepEstimate, ...]  # in the order in which they are asked

    @classmethod
    def over(cls, data: Dataset, budget: Budget | None = None) -> "PreparedAssessment":
        """Say what each question will cost on data that were discretized already."""
        return cls(data, budget or Budget(data.options.budget_s), tuple(_estimates(data)))

    def run(self) -> Assessment:
        """Ask one question after the other until the time is up or somebody interrupts."""
        answers: list[Answer] = []
        results: dict[str, tuple[Any, ...]] = {}
        interrupted = False
        for question, estimate in zip(QUESTIONS, self.estimates, strict=True):
            began = time.monotonic()
            try:
                verdict, finding = self._asked(question, estimate, interrupted=interrupted)
            except KeyboardInterrupt:
                interrupted, verdict, finding = True, NOT_RUN, nothing("interrupted")
            answers.append(self._answer(question, estimate, verdict, finding, time.monotonic() - began))
            results[question.name] = finding.results
        return self._assessment(answers, results, interrupted)

    def _asked(self, question: Question, estimate: StepEstimate, *, interrupted: bool) -> tuple[str, Finding]:
        """The verdict, and what was found or why nothing was."""
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
        return judged(finding.value, self.data.options.limits[question.name]), finding

    def _lacking(self, question: Question) -> str:
        """Whoever sets a threshold wants an answer, even where there is nothing to ask about."""
        return NO_ANSWER if question.name in self.data.options.wanted else DOES_NOT_APPLY

    def _answer(
        self, question: Question, estimate: StepEstimate, verdict: str, finding: Finding, took_s: float
    ) -> Answer:
        return Answer(
            name=question.name,
            about=question.about,
            asks=question.asks,
            attacker=question.attacker(self.data),
            verdict=verdict,
            value=finding.value,
            number=finding.number,
            threshold=self.data.options.limits[question.name],
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


def assess(
    data: Any,
    *,
    budget_s: float = 600,
    towers: ArrayLike | None = None,
    far_towers: bool = False,
    cell_m: float = 500,
    slot_min: int = 60,
    release: Release | Visits | str | Path | None = None,
    link: str | Path | None = None,
    sensitive: str | None = None,
    values: Collection[Any] | None = None,
    known_visits: int = 2,
    confidence: float = 0.8,
    thresholds: Thresholds | None = None,
    time_zone: str | None = None,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Assessment:
    """Ask every question that applies, the most informative first, until `budget_s` is spent.

    `data` are Traces, Visits or what `incrowd.read.table` reads; visits keep their own cells and slots. `far_towers`
    as in `incrowd.discretize.towers`. `release` was made of them, `link` tells who is who in it; then it is judged, and
    the data are context. Of `sensitive`, `values` count. `thresholds` replace `incrowd.assess.thresholds.DEFAULTS`,
    which are conventions, not law. A question without an answer says why, and is open where one was due; Ctrl-C keeps
    the rest.

    >>> visits = Visits.from_arrays([1, 1, 2, 2], cell=[5, 5, 8, 8], slot=[0, 1, 0, 1])
    >>> assess(visits).verdict
    '2 of 2 answers are above their thresholds: singling_out, worst_off.'
    """
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
        thresholds=thresholds,
        time_zone=time_zone,
        seed=seed,
    )
    return prepared(data, options, reading).run()


def prepared(source: Any, options: Options, reading: Reading) -> PreparedAssessment:
    """Read and discretize the data, and say what each question will cost."""
    budget = Budget(options.budget_s)
    data = dataset(source, options, reading)
    sensitive = options.sensitive
    if sensitive is not None and sensitive not in data.visits.attributes:
        known = ", ".join(sorted(data.visits.attributes)) or "none"
        raise ParameterError(f"the data carry no attribute {sensitive!r} (they carry: {known}); read it along.")
    return PreparedAssessment.over(data, budget)


def _place(one: Answer) -> tuple[bool, int, bool]:
    """What was before a release after it, then by what it is about, those without an answer last."""
    return one.group == BEFORE, ABOUT.index(one.about), one.verdict in UNANSWERED


def _estimates(data: Dataset) -> Iterator[StepEstimate]:
    for question in QUESTIONS:
        lacks = question.lacks(data)
        seconds = 0.0 if lacks else question.seconds(data)
        yield StepEstimate(name=question.name, asks=question.asks, seconds=seconds, lacks=lacks)
