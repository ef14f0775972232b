"""Joining recovered days and scoring them at the size of xu2017: 100,000 users, 8,000 towers, 7 days of 48 slots.

The true days stand in for recovered ones: people who meet exchange the rest of their day now and then, as an attack
mixes them up, and rows are shuffled.
"""

from typing import Any

import numpy as np

import incrowd as ic
from benchmarks import timed
from incrowd.arrays import Floats, Ints
from incrowd.attack.recover import link_days
from incrowd.attack.recover.guesses import Guess, chance_accuracy
from incrowd.attack.recover.score import recovery_score
from incrowd.read.city.people import ProfileName

USERS, TOWERS, DAYS, SLOTS, NIGHT = 100_000, 8_000, 7, 48, 12
MIXED = 0.1  # of all people in each slot by day


def link_operator() -> dict[str, Any]:
    """One cross-day link of the hard city."""
    return _linked(USERS, "operator", 2)


def link_calm() -> dict[str, Any]:
    """One cross-day link where most people hardly move."""
    return _linked(USERS, "operator-calm", 2)


def link_week() -> dict[str, Any]:
    """All six links of a week, two at a time on two cores."""
    return _linked(USERS, "operator", DAYS)


def score_week() -> dict[str, Any]:
    """Nights, days and whole trajectories of a week, errors and uniqueness."""
    return _scored(USERS, "operator", DAYS)


def score_week_calm() -> dict[str, Any]:
    """The same where most people hardly move."""
    return _scored(USERS, "operator-calm", DAYS)


CASES = {
    "link_operator": link_operator,
    "link_calm": link_calm,
    "link_week": link_week,
    "score_week": score_week,
    "score_week_calm": score_week_calm,
}


def _linked(users: int, profile: ProfileName, days: int) -> dict[str, Any]:
    visits = _truth(users, profile, days)
    mixed = _mixed(visits.cell.reshape(len(visits), -1))
    by_day = np.stack(np.split(mixed, days, axis=1))
    link_days(by_day[:2, :20], TOWERS)  # compiled before
    result: dict[str, Any] = {"users": users, "profile": profile, "links": days - 1}
    with timed(result, "link"):
        linked = link_days(by_day, TOWERS, 0)
    return {**result, "bits": float(linked.gains.sum()), "gap_bits": float((linked.gains - linked.bounds).max())}


def _scored(users: int, profile: ProfileName, days: int) -> dict[str, Any]:
    visits = _truth(users, profile, days)
    _score(_truth(50, profile, 1), 1)  # compiled before
    result: dict[str, Any] = {"users": users, "profile": profile, "days": days}
    guess = _guess(visits, days)
    with timed(result, "score"):
        score = recovery_score(guess, visits)
    del guess
    with timed(result, "chance"):
        chance = chance_accuracy(ic.discretize.counts(visits), visits)
    return {**result, **score.stages, **chance, "far": score.far}


def _score(visits: ic.Visits, days: int) -> None:
    recovery_score(_guess(visits, days), visits)


def _guess(visits: ic.Visits, days: int) -> Guess:
    xy: Floats | None = visits.xy
    if xy is None:
        raise ValueError("towers have places")
    return Guess(_mixed(visits.cell.reshape(len(visits), -1)), xy, 1440 // SLOTS, days, np.arange(SLOTS) < NIGHT)


def _truth(users: int, profile: ProfileName, days: int) -> ic.Visits:
    city = ic.read.synthetic_city(users=users, towers=TOWERS, days=days, profile=profile, seed=0)
    return ic.discretize.towers(city.traces, city.towers, fill="interpolate", slots=SLOTS * days)


def _mixed(cells: Ints, seed: int = 1) -> Ints:
    """Some of those who are in one cell by day exchange what is left of their trajectories."""
    rng = np.random.default_rng(seed)
    mixed = rng.permutation(cells)
    users, slots = mixed.shape
    for t in range(slots - 1):
        if t % SLOTS < NIGHT:
            continue
        who = np.flatnonzero(rng.random(users) < MIXED)
        who = who[np.lexsort((rng.random(len(who)), mixed[who, t]))]
        first, second = who[0 : len(who) // 2 * 2 : 2], who[1::2]
        met = mixed[first, t] == mixed[second, t]
        first, second = first[met], second[met]
        mixed[first, t + 1 :], mixed[second, t + 1 :] = mixed[second, t + 1 :], mixed[first, t + 1 :]
    return mixed
