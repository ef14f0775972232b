"""Aggregates: what counts of people per cell and slot give away."""

from incrowd.assess.dataset import Dataset
from incrowd.assess.question import Found, Question, drawn_note
from incrowd.attack import RecoveryScore, chance_accuracy, recover, recovery_score
from incrowd.attack.ash import QUARTER_MIN
from incrowd.discretize import counts
from incrowd.plain import percent, several

ABOUT = "aggregates"
MOST_PEOPLE, MOST_DAYS = 5_000, 14
LOAD_S, POINT_S = 1.0, 6e-6  # seconds on one core: to load kernels, and per person and slot in a small crowd
CROWD = 5_000  # people from which on a point takes twice as long


def _counts(data: Dataset) -> Found:
    people = data.everywhere(people=MOST_PEOPLE, days=MOST_DAYS)
    published = counts(people)
    found = recover(published, seed=data.options.seed)
    score = recovery_score(found, people)
    chance = chance_accuracy(published, people, seed=data.options.seed)
    guess = max(chance, key=lambda name: chance[name])
    created = sum(step.created.get("interpolated", 0) for step in people.ledger.steps[-1:])
    judged = "attack" if score.accuracy >= chance[guess] else guess
    numbers = {"accuracy": score.accuracy, "stages": dict(score.stages), "chance": chance, "judged": judged}
    numbers |= {"people": score.users, "slots": score.slots, "slot_min": score.slot_min}
    numbers |= {"interpolated": created, "far": score.far}
    beside = f"guessing {percent(chance[guess])}" if judged == "attack" else f"attack {percent(score.accuracy)}"
    value = max(score.accuracy, chance[guess])
    note = _note(data, score, guess, judged, created)
    return Found(value, f"{percent(value)} ({beside})", numbers, (found, score), note)


def _note(data: Dataset, score: RecoveryScore, guess: str, judged: str, created: int) -> str:
    parts = (
        f"the guess '{guess}', made of the same counts, beats the attack and is judged" if judged == guess else "",
        f"{created / (score.users * score.slots):.0%} of the points were interpolated" if created else "",
        drawn_note(score.users, len(data.visits), "; counts of more people differ"),
        f"the first {MOST_DAYS} of {several(data.days, 'day')}" if data.days > MOST_DAYS else "",
    )
    return "; ".join(filter(None, parts))


def _counts_s(data: Dataset) -> float:
    people, days = min(len(data.visits), MOST_PEOPLE), min(data.days, MOST_DAYS)
    return LOAD_S + POINT_S * people * days * data.per_day * (1 + people / CROWD)


def _no_counts(data: Dataset) -> str:
    visits = data.visits
    if visits.xy is None or visits.slot_min is None:
        return "counts are made of visits with xy and slot_min"
    if QUARTER_MIN % visits.slot_min:
        return f"slots of {visits.slot_min} min do not divide 6 hours; take 30, 60 or 90"
    return ""


COUNTS = Question(
    "counts",
    ABOUT,
    "Do counts give people away?",
    lambda _: (
        "The attacker sees how many people were in each cell in each slot, and where the cells are, and nothing else"
    ),
    _counts_s,
    _counts,
    _no_counts,
)
