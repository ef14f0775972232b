"""Inference: homes, workplaces and sensitive values that the visits tell."""

import numpy as np

from incrowd.assess.dataset import Dataset
from incrowd.assess.question import Found, Question
from incrowd.assess.questions.sensitive import MOST_PAIRS, sensitive_inference
from incrowd.attack import home_work
from incrowd.plain import percent, several

ABOUT = "inference"
LOAD_S, VISIT_S, SET_S = 0.5, 3e-7, 6e-7  # seconds on one core: to load kernels, per visit, per set of visits tried


def _home_work(data: Dataset) -> Found:
    found = home_work(data.visits)
    names = ("people", "home_known", "work_known", "both_known", "home_unique", "pair_unique", "night_h", "work_h")
    numbers = {name: getattr(found, name) for name in names}
    determined, alone = (round(share * found.people) for share in (found.both_known, found.pair_unique))
    note = (
        f"home and work are determined for {determined:,} of {found.people:,} people, and {alone:,} share them with "
        f"nobody; {_hours(data)}; nobody tells whether the places are right"
    )
    return Found(found.pair_unique, percent(found.pair_unique), numbers, (found,), note)


def _hours(data: Dataset) -> str:
    zone = data.visits.time_zone
    return f"hours of {zone}" if zone else "UTC was assumed for night and office hours, --time-zone sets their zone"


def _sensitive(data: Dataset) -> Found:
    found = sensitive_inference(
        data.visits,
        sensitive=data.options.sensitive or "",
        values=data.options.values,
        known_visits=data.options.known_visits,
        confidence=data.options.confidence,
        seed=data.options.seed,
    )
    low, high = found.inferred[found.known_visits], found.at_most
    share = percent(low) if low == high else f"{percent(low)} to {percent(high)}"
    notes = [f"{percent(found.inferred[1])} by one visit; chance is without knowing any"]
    if found.undecided:
        who = several(found.undecided, "person", "people")
        notes.append(f"of {who} not every pair of visits was tried: they may be told too, and the upper end is judged")
    numbers = {**vars(found), "at_most": high}
    return Found(high, f"{share} (chance {percent(found.inferred[0])})", numbers, (found,), "; ".join(notes))


def _sensitive_s(data: Dataset) -> float:
    """Every visit by itself, and as many pairs as are tried at most."""
    n = np.diff(data.visits.offsets).astype(np.float64)
    pairs = min(float((n * n).sum()) / 2, MOST_PAIRS) if data.options.known_visits > 1 else 0.0
    return LOAD_S + SET_S * (data.visits.records + pairs)


def _no_clock(data: Dataset) -> str:
    if data.visits.start is None or data.visits.slot_min is None:
        return "night and day need visits with start and slot_min"
    return ""


def _no_value(data: Dataset) -> str:
    return "" if data.options.sensitive is not None else "no sensitive attribute was named (--sensitive)"


HOME_WORK = Question(
    name="home_work",
    about=ABOUT,
    asks="Whose home and work are unique?",
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
    asks="Whose sensitive value is told?",
    attacker=lambda data: (
        f"The attacker knows up to {data.options.known_visits} visits of a person, the most telling ones, and the "
        f"values of whoever made them all; {data.options.confidence:.0%} alike suffice"
    ),
    seconds=_sensitive_s,
    run=_sensitive,
    lacks=_no_value,
)
