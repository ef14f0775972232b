"""Inference: homes, workplaces and sensitive values that follow from visits."""

from collections.abc import Collection
from typing import Any

import numpy as np

from incrowd.assess.dataset import Dataset
from incrowd.assess.question import RELEASE, Finding, Inapplicable, Question, no_release
from incrowd.assess.questions.release import published_visits
from incrowd.assess.questions.sensitive import MOST_PAIRS, sensitive_inference
from incrowd.attack import home_work
from incrowd.data import Visits
from incrowd.errors import DataError
from incrowd.plain import of_people, percent, several, span

ABOUT = "inference"
LOAD_S, VISIT_S, SET_S = 0.5, 3e-7, 6e-7  # seconds on one core: to load kernels, per visit, per set of visits tried


def _home_work(data: Dataset) -> Finding:
    places = home_work(data.visits)
    names = ("people", "home_known", "work_known", "both_known", "home_unique", "pair_unique", "night_h", "work_h")
    numbers = {name: getattr(places, name) for name in names}
    determined, alone = (round(share * places.people) for share in (places.both_known, places.pair_unique))
    note = (
        f"home and work are determined for {of_people(determined, places.people)}; {_hours(data)}; there is no ground "
        "truth for these places"
    )
    return Finding(places.pair_unique, of_people(alone, places.people), numbers, (places,), note)


def _hours(data: Dataset) -> str:
    zone = data.visits.time_zone
    return f"night and office hours are those of {zone or 'UTC (--time-zone sets their zone)'}"


def _sensitive(data: Dataset) -> Finding:
    return _inferred(data, data.visits, data.options.values)


def _released(data: Dataset) -> Finding:
    """The same for what is published: who finds a person in the release reads the value there."""
    name = data.options.sensitive or ""
    if name not in getattr(data.published, "attributes", {}):
        raise Inapplicable("the release does not publish it")
    visits = published_visits(data)
    if visits is None:
        raise DataError(
            f"the release publishes it with {type(data.published).__name__}, which this test does not cover."
        )
    values = _as_held(visits, name, data.options.values)
    return _inferred(data, visits, values, "published trajectory", "published trajectories")


def _as_held(visits: Visits, name: str, values: Collection[Any] | None) -> list[Any] | None:
    """The values that count as the release holds them: in CSV all are text."""
    if values is None:
        return None
    wanted = set(map(str, {values} if isinstance(values, str) else values))
    held = {v for one in visits.attributes[name] for v in (one if isinstance(one, frozenset) else (one,))}
    values_held = [v for v in held if v is not None and str(v) in wanted]
    if not values_held:
        raise Inapplicable("the release publishes none of the values that count")
    return values_held


def _inferred(
    data: Dataset, visits: Visits, values: Collection[Any] | None, one: str = "person", more: str = "people"
) -> Finding:
    inference = sensitive_inference(
        visits,
        sensitive=data.options.sensitive or "",
        values=values,
        known_visits=data.options.known_visits,
        confidence=data.options.confidence,
        seed=data.options.seed,
        of=more,
    )
    low, high, carriers = inference.inferred[inference.known_visits], inference.at_most, inference.carriers
    sure, most = round(low * carriers), round(high * carriers)
    of = f"of {several(carriers, one, more)}"
    number = f"{percent(low)} ({sure:,} {of})"
    if inference.undecided:
        number = f"{span((low, high))} ({sure:,} to {most:,} {of})"
    notes = [
        f"{percent(inference.inferred[1])} from one visit",
        f"{percent(inference.inferred[0])} without knowing any visit",
    ]
    if inference.undecided:
        notes.append(
            f"for {several(inference.undecided, one, more)} not every pair of visits was tried; they may be inferred "
            "too, so the upper end is compared with the limit"
        )
    return Finding(high, number, {**vars(inference), "at_most": high}, (inference,), "; ".join(notes))


def _sensitive_s(data: Dataset) -> float:
    """Every visit by itself, and as many pairs as are tried at most."""
    n = np.diff(data.visits.offsets).astype(np.float64)
    pairs = min(float((n * n).sum()) / 2, MOST_PAIRS) if data.options.known_visits > 1 else 0.0
    return LOAD_S + SET_S * (data.visits.records + pairs)


def _no_clock(data: Dataset) -> str:
    if data.visits.start is None or data.visits.slot_min is None:
        return "night and day need visits with start and slot_min"
    return ""


def _nothing_published(data: Dataset) -> str:
    return no_release(data) or _no_value(data)


def _no_value(data: Dataset) -> str:
    return "" if data.options.sensitive is not None else "no sensitive attribute was named (--sensitive)"


HOME_WORK = Question(
    name="home_work",
    about=ABOUT,
    asks="For how many people is the pair home and work unique?",
    attacker=lambda _: (
        "The attacker sees the data and takes the cell of most slots at night for home, and of most slots in office "
        "hours of weekdays for work"
    ),
    seconds=lambda data: LOAD_S + VISIT_S * data.visits.records,
    run=_home_work,
    lacks=_no_clock,
)
SENSITIVE = Question(
    name="sensitive",
    about=ABOUT,
    asks="Can a sensitive attribute be inferred?",
    attacker=lambda data: (
        f"The attacker knows up to {data.options.known_visits} visits of a person, the most informative ones, and the "
        f"values of all people who made them; {percent(data.options.confidence, 0)} with the same value are enough"
    ),
    seconds=_sensitive_s,
    run=_sensitive,
    lacks=_no_value,
)
RELEASE_SENSITIVE = Question(
    name="release_sensitive",
    about=ABOUT,
    asks="Can a sensitive attribute be inferred from the release?",
    attacker=lambda data: (
        f"The attacker knows up to {data.options.known_visits} visits of a person in the cells and slots of the "
        "release, the most informative ones, and reads the values that it publishes for all who made them; "
        f"{percent(data.options.confidence, 0)} with the same value are enough"
    ),
    seconds=_sensitive_s,
    run=_released,
    lacks=_nothing_published,
    of=RELEASE,
)
