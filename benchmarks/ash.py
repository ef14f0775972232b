"""Recovery from counts: one link, and the whole attack with its certificates and its score."""

import functools
from typing import Any

import numpy as np

import incrowd as ic
from benchmarks import timed
from incrowd.attack.recover import recover
from incrowd.attack.recover.score import recovery_score
from incrowd.kernels.cpu.transport import link
from incrowd.kernels.cpu.transport.sites import sites_of
from incrowd.read.city.people import ProfileName

TOWERS = 8000
SLOT_MIN = 30
NIGHT, DAY = 4, 17  # 02:00 -> 02:30 and 08:30 -> 09:00


def city_of(users: int, days: int, profile: ProfileName, towers: int = TOWERS, slot_min: int = SLOT_MIN) -> ic.Visits:
    city = ic.read.synthetic_city(users=users, towers=towers, days=days, profile=profile)
    return ic.discretize.towers(city.traces, city.towers, slot_min=slot_min, fill="interpolate")


def _warm() -> None:
    """Compile, or load what was compiled, outside of what is timed."""
    visits = city_of(30, 2, "operator", towers=20)
    recovery_score(recover(ic.discretize.counts(visits)), visits)


def one_link(users: int, slot: int) -> dict[str, Any]:
    """One slot to the next from the true states."""
    visits = city_of(users, 1, "operator")
    counts = ic.discretize.counts(visits)
    cells = visits.cell.reshape(users, -1)
    before, now = cells[:, slot - 1] if slot == DAY else cells[:, slot], cells[:, slot]
    sites = sites_of(*counts.xy.T.copy())
    x, y = (2 * counts.xy[now] - counts.xy[before]).T.copy()
    at, then = np.where(before == now, sites.of[now], -1), counts.n[slot + 1].copy()
    result: dict[str, Any] = {"users": users, "moving": float((before != now).mean())}
    _warm()
    for name in ("first", "link"):
        with timed(result, name):
            _, cost, bound, bids = link(x, y, at, now, np.arange(users), sites, then, 0.0, 10**10)
    return {**result, "cost_m": cost, "gap_um": 1e6 * (cost - bound), "bids": bids}


def whole(
    users: int, days: int, profile: ProfileName, towers: int = TOWERS, slot_min: int = SLOT_MIN, score: bool = True
) -> dict[str, Any]:
    """All days with their certificates, joined and scored: `attack` is both together."""
    visits = city_of(users, days, profile, towers, slot_min)
    counts = ic.discretize.counts(visits)
    result: dict[str, Any] = {"users": len(visits), "days": days, "profile": profile}
    result |= {"towers": counts.shape[1], "slots_a_day": 1440 // slot_min, "slots": counts.shape[0]}
    _warm()
    with timed(result, "attack"):
        with timed(result, "recover"):
            recovered = recover(counts, seed=0)
        if score:
            with timed(result, "score"):
                scored = recovery_score(recovered, visits)
    # Results are printed with three decimals: gaps in millionths.
    result |= {"worst_gap_um": 1e6 * recovered.gap, "worst_gain_gap_ubit": 1e6 * recovered.gain_gap}
    result |= {"cost_m": float(recovered.costs.sum()), "gain_bits": float(recovered.gains.sum())}
    if score:
        result |= {"accuracy": scored.accuracy, **{f"stage_{k}": v for k, v in scored.stages.items()}}
    return result


def _grown(users: int = 5000, days: int = 2, towers: int = TOWERS, slot_min: int = SLOT_MIN) -> Any:
    """The hard city with one of its sizes changed; two days, so that one link of days is in it."""
    return functools.partial(whole, users, days, "operator", towers, slot_min)


GROWTH = {
    **{f"growth_users_{n}": _grown(users=n) for n in (1000, 2000, 5000, 10_000, 20_000)},
    **{f"growth_towers_{n}": _grown(towers=n) for n in (500, 1000, 2000, 4000, 8000)},
    **{f"growth_slots_{n}": _grown(slot_min=1440 // n) for n in (8, 16, 24, 48)},
    **{f"growth_days_{n}": _grown(days=n) for n in (1, 2, 4, 7)},
}

# What is asked of two idle cores, attack with certificates and score: seconds, and 4 GB at 100,000 people.
WHOLE = {
    "whole_calm_1000": functools.partial(whole, 1000, 7, "operator-calm"),  # 3
    "whole_calm_15500": functools.partial(whole, 15_500, 14, "application-calm"),  # 30
    "whole_calm_100000": functools.partial(whole, 100_000, 7, "operator-calm"),  # 240
    "whole_operator_100000": functools.partial(whole, 100_000, 7, "operator"),  # 600
}

CASES = {
    **{f"night_{n}": functools.partial(one_link, n, NIGHT) for n in (1000, 5000, 20_000, 100_000)},
    **{f"day_{n}": functools.partial(one_link, n, DAY) for n in (1000, 5000, 20_000, 100_000)},
    **GROWTH,
    **WHOLE,
}
