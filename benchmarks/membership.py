"""Is somebody in published counts? Games on groups of a city, for each mitigation."""

from typing import Any

import incrowd as ic
from benchmarks import timed

PEOPLE, TOWERS, SIZE = 5_000, 200, 1_000
MITIGATIONS: dict[str, dict[str, Any]] = {
    "raw": {},
    "suppressed": {"suppress_below": 10},
    "rounded": {"round_to": 5},
    "noise": {"noise_epsilon": 0.1},
    "dp": {"dp_epsilon": 1.0, "slots_per_person": 4},
    "rule_10_5": {"rule": "10-5"},
}


def game(people: int = PEOPLE, towers: int = TOWERS, size: int = SIZE) -> dict[str, Any]:
    """250 people, four groups each, over three days of hours; rates from other days.

    Cost grows with people asked about times their visits times the width of the noise, not with the size of groups.
    """
    city = ic.read.synthetic_city(users=people, towers=towers, days=3, profile="operator")
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60, fill="interpolate")
    result: dict[str, Any] = {"users": people, "records": visits.records, "size": size}
    for name, mitigation in MITIGATIONS.items():
        with timed(result, name):
            answer = ic.attack.membership(visits, size=size, mitigation=mitigation)
        result |= {f"{name}_auc": answer.auc, f"{name}_tpr": answer.tpr_at_1pct}
    return result


def noise_per_count(people: int = 2_000, towers: int = 200, slots: int = 80) -> dict[str, Any]:
    """The figures of docs/howto/is-somebody-in-these-counts.md: groups of a small city, rates from 900 other people."""
    city = ic.read.synthetic_city(users=people, towers=towers, days=4, profile="operator")
    visits = ic.discretize.towers(city.traces, city.towers, slot_min=60, fill="interpolate")
    crowd, others = (
        ic.Visits.from_arrays(
            visits.owner[rows], visits.cell[rows], visits.slot[rows], xy=visits.xy, slot_min=60, start=visits.start
        )
        for rows in ((visits.slot < slots) & ((visits.owner < people - 900) == first) for first in (True, False))
    )
    result: dict[str, Any] = {"users": people, "slots": slots}
    ways: dict[str, dict[str, Any]] = {
        "raw": {},
        "below_5": {"suppress_below": 5},
        "noise_1": {"noise_epsilon": 1.0},
        "dp": MITIGATIONS["dp"],
    }
    for name, mitigation in ways.items():
        for size in (100, 500, 900):
            answer = ic.attack.membership(crowd, reference=others, size=size, mitigation=mitigation)
            result[f"{name}_{size}_auc"] = answer.auc
    return result


CASES = {"game": game, "noise_per_count": noise_per_count}
