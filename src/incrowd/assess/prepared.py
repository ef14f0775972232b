"""Questions asked one after the other within a budget, each with its verdict or why there is none."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from incrowd import progress
from incrowd.assess.assessment import Assessment
from incrowd.assess.attest import earlier_runs
from incrowd.assess.dataset import Dataset
from incrowd.assess.digests import Origin
from incrowd.assess.head import head_of
from incrowd.assess.question import (
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
)
from incrowd.assess.questions import ABOUT, QUESTIONS
from incrowd.assess.worker import Worker
from incrowd.errors import IncrowdError
from incrowd.estimate import Estimate
from incrowd.kernels import compile_s
from incrowd.measure import RiskMap, risk_map, summary
from incrowd.plain import about, in_words, several
from incrowd.progress import tell

SAFETY = 10  # a question runs in this process if so many times its estimate is left
ASSESSING = "assessing"  # the label under which the seconds done are told, of all that were estimated
COMPILES = {  # kernels that a test uses
    "identified": ("uniqueness",),
    "later": ("link", "matching"),
    "earlier": ("link", "matching"),
    "pieces": ("gain", "link", "matching"),
    "counts": ("transport", "gain", "recovery_score"),
    "release_full": ("link",),
    "blurring": ("glove",),
}
CLEANING = ("outside", "duplicates", "order", "displaced", "still_users", "sparse_users", "period")


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


class Asking:
    """Asks questions, in this process where time abounds, else in one that can be ended."""

    def __init__(self, data: Dataset, budget: Budget) -> None:
        self.data, self.budget = data, budget
        self.worker: Worker | None = None

    def ask(self, question: Question, estimate: StepEstimate, *, interrupted: bool) -> tuple[Judgement, Finding | str]:
        """The verdict, and the number or why there is none."""
        if estimate.lacks:
            return self._lacking(question), estimate.lacks
        if interrupted:
            return NOT_RUN, "interrupted before"
        if estimate.seconds > self.budget.left_s:
            why = f"would take {about(estimate.seconds)}, {in_words(self.budget.left_s)} are left"
            return NOT_RUN, why if self.budget.left_s else why.partition(",")[0]
        try:
            finding = self._finding(question, estimate.seconds)
        except (OutOfTime, TimeoutError):
            return NOT_RUN, "took longer than expected, and the budget is spent"
        except Inapplicable as error:
            return self._lacking(question), str(error)
        except IncrowdError as error:
            return NO_ANSWER, str(error)
        return judged(finding, self.data.options.limit)

    def _finding(self, question: Question, seconds: float) -> Finding:
        if SAFETY * max(seconds, 1.0) < self.budget.left_s:
            with self.budget.watched():
                return question.run(self.data)
        self.worker = self.worker or Worker(self.data)
        finding: Finding = self.worker.ask(question.name, self.budget.left_s)
        return finding

    def _lacking(self, question: Question) -> Judgement:
        """Who sets a limit wants an answer, even if there is nothing to ask about."""
        return NO_ANSWER if question.name in self.data.options.wanted else DOES_NOT_APPLY

    def close(self) -> None:
        """End the other process, if there is one."""
        if self.worker is not None:
            self.worker.close()


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
    def estimate(self) -> Estimate:
        """What all tests take, one after the other: their seconds together, and the memory of the largest."""
        return Estimate(
            seconds=sum(one.seconds for one in self.estimates),
            bytes=max(one.bytes or 0 for one in self.estimates),
            compile_s=sum(one.compile_s or 0.0 for one in self.estimates) or None,
        )

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
            ledger=data.stated if data.stated is not None and data.stated.steps else visits.ledger,
            estimates=self.estimates,
            answers=tuple(sorted(answers, key=_place)),
            head=head_of(data, self.origin, earlier_runs(self.origin)),
            summary=about,
            risk_map=None if visits.xy is None or interrupted else mapped(data),
            results=results,
        )


def mapped(data: Dataset) -> RiskMap:
    """Where people are identified by a single visit, drawn as the options say."""
    return risk_map(data.visits, min_people=data.options.min_people, outline=data.options.outline)


def _place(one: Answer) -> tuple[int, bool]:
    """By what it is about, those without an answer last."""
    return ABOUT.index(one.about), one.verdict in UNANSWERED


def _estimates(data: Dataset) -> Iterator[StepEstimate]:
    """What each test takes; kernels are compiled for the first that uses them."""
    compiled: set[str] = set()
    for question in QUESTIONS:
        about: dict[str, Any] = {"name": question.name, "asks": question.asks}
        if lacks := question.lacks(data):
            yield StepEstimate(**about, seconds=0.0, lacks=lacks)
            continue
        steps = [step for step in COMPILES.get(question.name, ()) if step not in compiled]
        compiled.update(steps)
        compiling = sum(compile_s(step) or 0.0 for step in steps) or None
        size = question.memory(data)
        yield StepEstimate(**about, seconds=question.seconds(data), bytes=size, compile_s=compiling)


def _other_steps(data: Dataset) -> Iterator[str]:
    """Cleaning that dropped records of the data and that the release was not made with.

    The folder of counts does not say how they were made; noise that the auditor recomputed protects
    those who were left out, too.
    """
    if not data.is_release or data.original is None or (theirs := data.steps) is None:
        return
    steps = [step.name for step in data.original.ledger.steps if step.kept < step.read and step.name in CLEANING]
    others = [name for name in steps if name not in theirs]
    if others and data.publishes_counts and not theirs and data.guaranteed[0]:
        return
    yield from (f"{name} dropped records of the data, and the release was not made with it" for name in others)
