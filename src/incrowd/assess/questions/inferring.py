"""Inference: homes, workplaces and sensitive values that the visits tell."""

from incrowd.assess.dataset import Dataset
from incrowd.assess.question import Found, Question, drawn_note
from incrowd.assess.questions.sensitive import MOST_SETS, sensitive_inference
from incrowd.attack import home_work
from incrowd.plain import percent

ABOUT = "inference"
LOAD_S, VISIT_S, SET_S = 0.5, 3e-7, 1e-6  # seconds on one core: to load kernels, per visit, per set of visits tried


def _home_work(data: Dataset) -> Found:
    found = home_work(data.visits)
    names = ("people", "home_known", "work_known", "both_known", "home_unique", "pair_unique", "night_h", "work_h")
    numbers = {name: getattr(found, name) for name in names}
    determined, alone = (round(share * found.people) for share in (found.both_known, found.pair_unique))
    note = (
        f"home and work are determined for {determined:,} of {found.people:,} people, and {alone:,} share them with "
        f"nobody; hours of {data.visits.time_zone or 'UTC'}, nobody tells whether the places are right"
    )
    return Found(found.pair_unique, percent(found.pair_unique), numbers, (found,), note)


def _sensitive(data: Dataset) -> Found:
    found = sensitive_inference(
        data.visits,
        sensitive=data.options.sensitive or "",
        known_visits=data.options.known_visits,
        confidence=data.options.confidence,
        seed=data.options.seed,
    )
    share = found.inferred[data.options.known_visits]
    told = f"{percent(found.inferred[1])} by one visit; chance is without knowing any"
    sample = drawn_note(found.asked, found.carriers, " of those with a value, among everybody")
    number = f"{percent(share)} (chance {percent(found.inferred[0])})"
    return Found(share, number, vars(found), (found,), "; ".join(filter(None, (told, sample))))


def _no_clock(data: Dataset) -> str:
    if data.visits.start is None or data.visits.slot_min is None:
        return "night and day need visits with start and slot_min"
    return ""


def _no_value(data: Dataset) -> str:
    return "" if data.options.sensitive is not None else "no sensitive attribute was named (--sensitive)"


HOME_WORK = Question(
    "home_work",
    ABOUT,
    "Whose home and work are unique?",
    lambda _: (
        "The attacker sees the data and takes the cell of most slots at night for home, and of most slots in office "
        "hours of weekdays for work"
    ),
    lambda data: LOAD_S + VISIT_S * data.visits.records,
    _home_work,
    _no_clock,
)
SENSITIVE = Question(
    "sensitive",
    ABOUT,
    "Whose sensitive value is told?",
    lambda data: (
        f"The attacker knows up to {data.options.known_visits} visits of a person, the most telling ones, and the "
        f"values of whoever made them all; {data.options.confidence:.0%} alike suffice"
    ),
    lambda data: LOAD_S + SET_S * min(MOST_SETS, _sets(data)),
    _sensitive,
    _no_value,
)


def _sets(data: Dataset) -> float:
    per_person = data.visits.records / max(len(data.visits), 1)
    return float(len(data.visits) * per_person * (per_person / 2 if data.options.known_visits > 1 else 1))
