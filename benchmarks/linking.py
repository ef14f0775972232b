"""Re-linking a cut release, linking two datasets, homes and work places, at the size of a city."""

from typing import Any

import numpy as np

import incrowd as ic
from benchmarks import timed

USERS, TOWERS, DAYS = 100_000, 8_000, 7


def relink_days(users: int = USERS, towers: int = TOWERS) -> dict[str, Any]:
    """A week cut into days: six assignments of all people."""
    visits = _city(users, towers, DAYS)
    release = ic.anonymize.Cut(window_h=24)(visits, pseudonym_seed=0)
    result: dict[str, Any] = {}
    with timed(result, "relink"):
        found = ic.attack.relink(release)
    score = found.score
    assert score is not None
    known = {name: risk.value for name, risk in score.known_before.items()}
    gap = float((found.gains - found.bounds).max())
    return {**result, **_sizes(visits), "share": score.share, "chance": score.chance, "known": known, "gap_bits": gap}


def link_halves(users: int = USERS, towers: int = TOWERS) -> dict[str, Any]:
    """Two samples of the same people's visits, each drawn with one half, ranked against everybody."""
    visits = _city(users, towers, DAYS)
    known, target = _halves(visits)
    result: dict[str, Any] = {}
    asked: dict[str, dict[str, Any]] = {"exact": {}, "tolerant": {"tolerance_slots": 1}, "daily": {"period_slots": 24}}
    for name, how in asked.items():
        with timed(result, name):
            found = ic.attack.link(known, target, **how)
        result |= {f"{name}_hit": dict(found.hit), f"{name}_chance": dict(found.chance)}
    return {**result, **_sizes(visits)}


def home_work(users: int = USERS, towers: int = TOWERS) -> dict[str, Any]:
    """Homes and work places of everybody."""
    visits = _city(users, towers, DAYS)
    result: dict[str, Any] = {}
    with timed(result, "home_work"):
        found = ic.attack.home_work(visits)
    return {**result, **_sizes(visits), "pair_unique": found.pair_unique}


def plan(users: int = USERS // 20, towers: int = TOWERS // 20) -> dict[str, Any]:
    """A plan over windows of 6 hours and more."""
    visits = _city(users, towers, 3)
    result: dict[str, Any] = {}
    with timed(result, "plan"):
        found = ic.assess.plan(visits, windows_h=(6, 12, 24))
    return {**result, **_sizes(visits), "verdict": found.verdict}


CASES = {"relink_days": relink_days, "link_halves": link_halves, "home_work": home_work, "plan": plan}


def _city(users: int, towers: int, days: int) -> ic.Visits:
    city = ic.read.synthetic_city(users=users, towers=towers, days=days, profile="operator")
    return ic.discretize.towers(city.traces, city.towers, slot_min=60)


def _halves(visits: ic.Visits) -> tuple[ic.Visits, ic.Visits]:
    heads = np.random.default_rng(0).random((2, visits.records)) < 0.5
    halves = [
        ic.Visits.from_arrays(visits.users[visits.owner[rows]], visits.cell[rows], visits.slot[rows], slot_min=60)
        for rows in heads
    ]
    return halves[0], halves[1]


def _sizes(visits: ic.Visits) -> dict[str, int]:
    return {"users": len(visits), "records": visits.records}
