"""Re-linking a cut release, linking two datasets, homes and work places, at the size of a city."""

from typing import Any, Literal

import numpy as np

import incrowd as ic
from benchmarks import timed

USERS, TOWERS, DAYS = 100_000, 8_000, 7


def relink_days(
    users: int = USERS, towers: int = TOWERS, score: Literal["gain", "evidence"] = "gain"
) -> dict[str, Any]:
    """A week cut into days: six assignments of all people.

    Cost grows with people times those who share a cell with them, and is linear in people if towers grow with them.
    Target: 100,000 people in 60 s on two idle cores.
    """
    visits = _city(users, towers, DAYS)
    release = ic.anonymize.Cut(window_h=24)(visits, pseudonym_seed=0)
    result: dict[str, Any] = {}
    with timed(result, "relink"):
        relinked = ic.attack.relink(release, score=score)
    right = relinked.score
    assert right is not None
    known = {name: risk.value for name, risk in right.known_before.items()}
    gap = float((relinked.gains - relinked.bounds).max())
    return {**result, **_sizes(visits), "share": right.share, "chance": right.chance, "known": known, "gap": gap}


def relink_evidence(users: int = USERS, towers: int = TOWERS) -> dict[str, Any]:
    """The same by evidence."""
    return relink_days(users, towers, "evidence")


def link_halves(users: int = USERS, towers: int = TOWERS) -> dict[str, Any]:
    """Two samples of the same people's visits, each drawn with one half, ranked against everybody by moments."""
    visits = _city(users, towers, DAYS)
    known, target = _halves(visits)
    result: dict[str, Any] = {}
    runs: dict[str, dict[str, Any]] = {"exact": {}, "tolerant": {"tolerance_slots": 1}, "daily": {"period_slots": 24}}
    for name, how in runs.items():
        with timed(result, name):
            linkage = ic.attack.link(known, target, score="overlap", views=("moments",), **how)
        result |= {f"{name}_hit": dict(linkage.hit), f"{name}_chance": dict(linkage.chance)}
    return {**result, **_sizes(visits)}


def link_weeks(users: int = USERS, towers: int = 1_700) -> dict[str, Any]:
    """One week against the next by evidence of places and rhythm: every pair of people is scored.

    Cost grows with people times candidates who share a cell: twice the people take four times as long, and cells that
    eight times as many people visit take eight times as long. Target: 100,000 people in 180 s and 3 GB on two cores,
    one to one in 5 minutes.
    """
    first, second = _weeks(users, towers)
    result: dict[str, Any] = {"users": users, "towers": towers}
    runs: dict[str, dict[str, Any]] = {"evidence": {}, "one_to_one": {"one_to_one": True}}
    for name, how in runs.items():
        with timed(result, name):
            linkage = ic.attack.link(first, second, **how)
        result |= {f"{name}_hit": dict(linkage.hit)}
        if linkage.matching is not None:
            result["gap_nats"] = linkage.matching.gap
    return result


def link_popular(users: int = USERS) -> dict[str, Any]:
    """The same with 200 towers, where everybody meets thousands."""
    return link_weeks(users, 200)


def home_work(users: int = USERS, towers: int = TOWERS) -> dict[str, Any]:
    """Homes and work places of everybody."""
    visits = _city(users, towers, DAYS)
    result: dict[str, Any] = {}
    with timed(result, "home_work"):
        risk = ic.attack.home_work(visits)
    return {**result, **_sizes(visits), "pair_unique": risk.pair_unique}


def plan(users: int = USERS // 20, towers: int = TOWERS // 20) -> dict[str, Any]:
    """A plan over windows of 6 hours and more."""
    visits = _city(users, towers, 3)
    result: dict[str, Any] = {}
    with timed(result, "plan"):
        found = ic.assess.plan(visits, windows_h=(6, 12, 24))
    return {**result, **_sizes(visits), "verdict": found.verdict}


CASES = {
    "relink_days": relink_days,
    "relink_evidence": relink_evidence,
    "link_halves": link_halves,
    "link_weeks": link_weeks,
    "link_popular": link_popular,
    "home_work": home_work,
    "plan": plan,
}


def _city(users: int, towers: int, days: int) -> ic.Visits:
    city = ic.read.synthetic_city(users=users, towers=towers, days=days, profile="operator")
    return ic.discretize.towers(city.traces, city.towers, slot_min=60)


def _weeks(users: int, towers: int) -> tuple[ic.Visits, ic.Visits]:
    visits = _city(users, towers, 14)
    first = visits.slot < 7 * 24
    weeks = [
        ic.Visits.from_arrays(
            visits.users[visits.owner[rows]],
            visits.cell[rows],
            visits.slot[rows],
            xy=visits.xy,
            slot_min=60,
            start=visits.start,
        )
        for rows in (first, ~first)
    ]
    return weeks[0], weeks[1]


def _halves(visits: ic.Visits) -> tuple[ic.Visits, ic.Visits]:
    heads = np.random.default_rng(0).random((2, visits.records)) < 0.5
    halves = [
        ic.Visits.from_arrays(visits.users[visits.owner[rows]], visits.cell[rows], visits.slot[rows], slot_min=60)
        for rows in heads
    ]
    return halves[0], halves[1]


def _sizes(visits: ic.Visits) -> dict[str, int]:
    return {"users": len(visits), "records": visits.records}
