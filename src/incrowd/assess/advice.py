"""An assessment that does not pass -> the release that loses least detail and passes, confirmed on other people."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np

from incrowd.anonymize import METHODS
from incrowd.arrays import Ints
from incrowd.assess._assess import visits_of_boxes
from incrowd.assess.assessment import Assessment
from incrowd.assess.dataset import Dataset
from incrowd.assess.prepared import Asking, PreparedAssessment
from incrowd.assess.question import ABOVE, NO_ANSWER, NOT_RUN, WITHIN, StepEstimate
from incrowd.assess.questions import QUESTIONS
from incrowd.clock import DAY_MIN
from incrowd.data import Fingerprints, Release, Traces, Visits
from incrowd.data.release_section import fineness, records_left
from incrowd.data.table import some_rows
from incrowd.discretize import fingerprints, grid
from incrowd.errors import DataError, IncrowdError
from incrowd.kernels.types import METRES
from incrowd.ledger import Ledger
from incrowd.plain import percent, sentence, several
from incrowd.progress import track
from incrowd.show import Result, Section, Table

MOST = 24  # settings that are tried
FAR_M, LONG_MIN = METRES.space_cap, METRES.time_cap  # a loss of 1 in space and in time [gramaglia2015, Eq. 10]
LADDER: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "generalize": tuple(
        {"cell_m": cell_m, "slot_min": slot_min}
        for cell_m, slot_min in ((1000, 60), (2000, 120), (5000, 360), (10_000, 720), (20_000, DAY_MIN))
    ),
    "cut": tuple({"window_h": hours} for hours in (24, 12, 6, 3, 1)),
}
HOW = (
    "Settings are searched on one random half of the people and confirmed on the other, with other known records; the "
    "next stronger setting must pass too. Half of the people hide in smaller crowds, so all of them are safer."
)
NOT_MET = "nothing tried passes: publish something coarser, counts with noise for a person, or fewer people"


@dataclass(frozen=True, kw_only=True)
class Tried:
    """One setting, on one half of the people.

    Args:
        method: Name of the method.
        settings: Its options.
        loss: How much detail is lost: 0 for none, 1 for 20 km and 8 h, more for records that are gone.
        left: What is left, in words.
        passed: Whether every test that is due passes.
        confirmed: Whether it passes on the other half too, with other records; None if that was not asked.
        why: The test that it does not pass.
    """

    method: str
    settings: Mapping[str, Any]
    loss: float
    left: str
    passed: bool
    confirmed: bool | None = None
    why: str = ""

    def __str__(self) -> str:
        return f"{self.method} ({', '.join(f'{name}={value}' for name, value in self.settings.items())})"

    def command(self, sources: Sequence[str]) -> str:
        """The command that makes this release of all people."""
        options = [f"--{name.replace('_', '-')} {value}" for name, value in self.settings.items()]
        files = shlex.join(sources) if sources else "DATA"
        return f"incrowd anonymize {self.method} {files} {' '.join(options)} -o release --keep-link link.csv"


@dataclass(frozen=True, kw_only=True)
class Advice(Result):
    """Which release passes, of the settings tried.

    Args:
        tried: Every setting, the least loss first.
        best: The one to take; None if none was confirmed.
        command: How to make it.
        out_of_time: Whether time ran out before all were tried.
    """

    tried: tuple[Tried, ...]
    best: Tried | None
    command: str
    out_of_time: bool

    def section(self) -> Section:
        """What to publish instead."""
        rows = [
            (str(one), "yes" if one.passed else "no", _confirmed(one), one.left, one.why or "-") for one in self.tried
        ]
        late = " Time ran out before every setting was tried." if self.out_of_time else ""
        answer = f"{sentence(NOT_MET)}{late}"
        if self.best is not None:
            answer = f"{self.best} passes: {self.best.left} Run: {self.command}"
        return Section(
            question="What could be published instead?",
            answer=answer,
            number="-" if self.best is None else str(self.best),
            number_of="loses least of what was confirmed",
            tables=[
                Table(("setting", "passes", "confirmed", "what is left", "fails"), rows, "Settings by loss of detail.")
            ],
            method=[
                HOW,
            ],
            options=f"{several(len(self.tried), 'setting')} tried",
            data=self,
        )


def advised(assessment: Assessment, prepared: PreparedAssessment, *, sources: Sequence[str] = ()) -> Assessment:
    """The assessment with advice, as far as the budget allows.

    Args:
        assessment: What did not pass.
        prepared: What it was made of.
        sources: Files that the data were read from, for the command.
    """
    search = _Search(prepared)
    if search.data.publishes_counts or search.data.original is None:
        return assessment
    tried = sorted(track(search.tried(), "looking for a release that passes", MOST), key=lambda one: one.loss)
    best = next((one for one in tried if one.confirmed), None)
    command = "" if best is None else best.command(sources)
    return replace(
        assessment,
        advice=Advice(tried=tuple(tried), best=best, command=command, out_of_time=search.late),
        took_s=prepared.budget.spent_s,
    )


class _Search:
    """Tries one ladder of settings after the other, from little loss to much."""

    def __init__(self, prepared: PreparedAssessment) -> None:
        self.data, self.budget, self.late = prepared.data, prepared.budget, False
        people = np.random.default_rng(self.data.seed).permutation(len(self.data.visits))
        self.halves = np.sort(people[: len(people) // 2]), np.sort(people[len(people) // 2 :])

    def tried(self) -> Iterator[Tried]:
        """Each setting on the first half; the first that passes, with the next stronger one, is confirmed."""
        count = 0
        for method, ladder in self.ladders():
            passing: Tried | None = None
            for settings in ladder:
                if count >= MOST or not self.budget.left_s:
                    self.late = self.late or not self.budget.left_s
                    break
                count += 1
                one = self.attempt(method, settings, half=0)
                if passing is not None:
                    confirmed = one.passed and self.attempt(method, passing.settings, half=1).passed
                    yield replace(passing, confirmed=confirmed)
                    yield one
                    passing = None
                    if confirmed:
                        return
                elif one.passed:
                    passing = one
                else:
                    yield one
            if passing is not None:
                yield passing

    def ladders(self) -> Iterator[tuple[str, Sequence[Mapping[str, Any]]]]:
        """The method that was given first; each as far as these data can be given to it."""
        least = ceil(1 / float(self.data.options.limit("lookup").value or 1 / 11))
        ladders = {"glove": [{"k": k} for k in (least, least + 4, 2 * least, 3 * least)], **LADDER}
        if self.data.traces is None:
            boxes = isinstance(self.data.original, Fingerprints)
            ladders = {name: ladders[name] for name in (("glove",) if boxes else ("cut",))}
        given = str(self.data.method or "").lower()
        yield from sorted(ladders.items(), key=lambda one: one[0] != given)

    def attempt(self, method: str, settings: Mapping[str, Any], *, half: int) -> Tried:
        """Make the release of one half of the people and ask every test until one does not pass."""
        about: dict[str, Any] = {"method": method, "settings": dict(settings)}
        try:
            original = self.original(method, self.halves[half])
            release = METHODS[method](**settings)(original, seed=self.data.seed + half)
            if not release.data.records:
                raise DataError("it keeps no record")
            why = self.fails(original, release, self.data.seed + 1 + half)
        except IncrowdError as error:
            return Tried(**about, loss=float("inf"), left="nothing.", passed=False, why=str(error).rstrip("."))
        left = f"{fineness(release.data).strip()} {percent(records_left(release))} of records are left."
        return Tried(**about, loss=loss_of(release), left=left.strip(), passed=not why, why=why)

    def original(self, method: str, people: Ints) -> Traces | Visits | Fingerprints:
        """The noun that a method takes, of some people."""
        given: Any = self.data.visits if method == "cut" else self.data.original
        inside = np.zeros(len(self.data.visits), np.bool_)
        inside[people] = True
        half: Any = some_rows(given, inside[given.owner], "half", "in the other half")
        half = replace(half, ledger=Ledger())  # nobody loses the other half
        if method == "glove" and isinstance(half, Traces):
            return fingerprints(half, time_zone=self.data.options.time_zone)
        return half  # type: ignore[no-any-return]

    def fails(self, original: Any, release: Release, seed: int) -> str:
        """The first test that is above or missing, or nothing."""
        options = replace(self.data.options, release=release, link=None, same_labels=False)
        visits = original if isinstance(original, Visits) else _visits(original, options)
        data = Dataset(original, visits, options, self.data.why_no_traces, seed)
        asking, judged = Asking(data, self.budget), False
        for question in QUESTIONS:
            if options.limit(question.name).value is None or question.lacks(data):
                continue
            estimate = StepEstimate(name=question.name, asks=question.asks, seconds=question.seconds(data))
            verdict, _ = asking.ask(question, estimate, interrupted=False)
            if verdict in (ABOVE, NO_ANSWER, NOT_RUN):
                return question.name
            judged = judged or (verdict == WITHIN and question.who)
        return "" if judged else "no test was judged"


def _visits(original: Any, options: Any) -> Visits:
    if isinstance(original, Fingerprints):
        return visits_of_boxes(original, options)
    return grid(original, cell_m=options.side_m, slot_min=options.width_min, time_zone=options.time_zone)


def loss_of(release: Release) -> float:
    """How much detail a release loses: sizes of place and time, and records that are gone."""
    data = release.data
    if isinstance(data, Fingerprints):
        metres, minutes = float(np.maximum(data.dx, data.dy).mean()), float(data.dt.mean())
    else:
        metres, minutes = float(getattr(data, "cell_m", None) or 0), float(getattr(data, "slot_min", None) or 0)
    return min(metres / FAR_M, 1) / 2 + min(minutes / LONG_MIN, 1) / 2 + 2 * (1 - records_left(release))


def _confirmed(one: Tried) -> str:
    return "-" if one.confirmed is None else "yes" if one.confirmed else "no"
