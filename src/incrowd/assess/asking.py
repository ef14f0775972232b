"""A question and a budget -> the verdict and the finding, or why there is none; a budget is a limit."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from incrowd import progress
from incrowd.assess.dataset import Dataset
from incrowd.assess.question import (
    DOES_NOT_APPLY,
    NO_ANSWER,
    NOT_RUN,
    Finding,
    Inapplicable,
    Judgement,
    Question,
    StepEstimate,
    judged,
)
from incrowd.assess.worker import Worker
from incrowd.errors import IncrowdError
from incrowd.plain import in_words

SAFETY = 10  # a question runs in this process if so many times its estimate is left


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
            why = f"would take about {in_words(estimate.seconds)}, {in_words(self.budget.left_s)} are left"
            return NOT_RUN, why if self.budget.left_s else why.partition(",")[0]
        try:
            finding = self._found(question, estimate.seconds)
        except (OutOfTime, TimeoutError):
            return NOT_RUN, "took longer than expected, and the budget is spent"
        except Inapplicable as error:
            return self._lacking(question), str(error)
        except IncrowdError as error:
            return NO_ANSWER, str(error)
        return judged(finding, self.data.options.limit)

    def _found(self, question: Question, seconds: float) -> Finding:
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
