"""Aggregates: which trajectories can be reconstructed from counts of people per cell and slot."""

from collections.abc import Iterator

from incrowd.assess.dataset import Dataset
from incrowd.assess.question import Finding, Question, drawn_note
from incrowd.attack import chance_accuracy, recover, recovery_score
from incrowd.attack.recover import QUARTER_MIN
from incrowd.data import Visits
from incrowd.data.table import some_people
from incrowd.discretize import counts, filled
from incrowd.errors import DataError
from incrowd.plain import percent, several

ABOUT = "aggregates"
MOST_PEOPLE, MOST_DAYS = 5_000, 14
MOST_MADE = 0.9  # share of the points that may be interpolated
LOAD_S, POINT_S = 1.0, 1e-5  # seconds on one core: to load kernels, and per person and slot in a small crowd
GUESSES = {"everyone static": "assuming that nobody moves", "random assignment": "assigning positions at random"}
CROWD = 5_000  # people from which on a point takes twice as long


def _counts(data: Dataset) -> Finding:
    seen = data.busiest(days=MOST_DAYS)
    people = filled(some_people(seen, people=MOST_PEOPLE, seed=data.options.seed))
    created = sum(step.created.get("interpolated", 0) for step in people.ledger.steps[-1:])
    if created > MOST_MADE * people.records:
        raise DataError(
            f"{percent(created / people.records, 0)} of the positions would be interpolated, and counts of these say "
            "nothing about people; take longer slots (--slot-min)."
        )
    published = counts(people)
    recovered = recover(published, seed=data.options.seed)
    score = recovery_score(recovered, people)
    chance = chance_accuracy(published, people, seed=data.options.seed)
    guess = max(chance, key=lambda name: chance[name])
    judged = "attack" if score.accuracy >= chance[guess] else guess
    numbers = {"accuracy": score.accuracy, "stages": dict(score.stages), "chance": chance, "judged": judged}
    numbers |= {"people": score.users, "seen": len(seen), "slots": score.slots, "slot_min": score.slot_min}
    numbers |= {"interpolated": created, "far": score.far}
    value = max(score.accuracy, chance[guess])
    notes = (_compared(score.accuracy, guess, chance[guess]), *_whose(data, len(seen), people, created))
    number = (
        f"{percent(value)} (of {several(people.records, 'position')} of {several(len(people), 'person', 'people')})"
    )
    return Finding(value, number, numbers, (recovered, score), "; ".join(filter(None, notes)))


def _compared(accuracy: float, guess: str, share: float) -> str:
    """The attack beside the best guess, and which of both counts."""
    how = f"{percent(share)} by {GUESSES.get(guess, guess)}"
    attack = f"{percent(accuracy)} of positions reconstructed correctly ({how})"
    if accuracy >= share:
        return attack
    return f"{attack}; this guess is right more often than the attack, so its figure is compared with the limit"


def _whose(data: Dataset, seen: int, people: Visits, created: int) -> Iterator[str]:
    """Which people and days, and how much of it was seen."""
    if created:
        yield f"{percent(created / people.records, 0)} of the positions were interpolated"
    if data.days > MOST_DAYS:
        yield f"the {seen:,} of {len(data.visits):,} people seen in the busiest {MOST_DAYS} of {data.days:,} days"
    yield drawn_note(len(people), seen, "; counts of more people differ")


def _counts_s(data: Dataset) -> float:
    people, days = min(len(data.visits), MOST_PEOPLE), min(data.days, MOST_DAYS)
    return LOAD_S + POINT_S * people * days * data.per_day * (1 + people / CROWD)


def _no_counts(data: Dataset) -> str:
    visits = data.visits
    if visits.xy is None or visits.slot_min is None:
        return "counts need visits with xy and slot_min"
    if QUARTER_MIN % visits.slot_min:
        return f"slots of {visits.slot_min} min do not divide 6 hours; take 30, 60 or 90"
    return ""


COUNTS = Question(
    name="counts",
    about=ABOUT,
    asks="Can trajectories be reconstructed from counts?",
    attacker=lambda _: (
        "The attacker sees how many people were in each cell in each slot, and where the cells are, and nothing else"
    ),
    seconds=_counts_s,
    run=_counts,
    lacks=_no_counts,
)
